# Brings the package $1 into the state $2, and prints on three lines the name of the
# package manager, the version that was installed, and the one that is. What the package
# manager prints goes to standard error. Nothing is changed that is so already.
set -u
name=$1 state=$2

as_root() {
	if [ "$(id -u)" = 0 ]; then "$@" >&2; else sudo -n "$@" >&2; fi
}

if command -v apt-get >/dev/null 2>&1; then
	manager=apt
	apt() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=60 "$@"; }
	version() { dpkg-query -W -f '${db:Status-Status} ${Version}\n' "$name" 2>/dev/null | sed -n 's/^installed //p'; }
	install() { apt install "$name"; }
	upgrade() { apt install "$name"; }
	remove() { apt remove "$name"; }
elif command -v dnf >/dev/null 2>&1; then
	manager=dnf
	version() { rpm -q --qf '%{VERSION}-%{RELEASE}\n' "$name" 2>/dev/null | sed -n '/ /!p' | head -n 1; }
	install() { as_root dnf -q -y install "$name"; }
	upgrade() { if [ -n "$(version)" ]; then as_root dnf -q -y upgrade "$name"; else install; fi; }
	remove() { as_root dnf -q -y remove "$name"; }
elif command -v yum >/dev/null 2>&1; then
	manager=yum
	version() { rpm -q --qf '%{VERSION}-%{RELEASE}\n' "$name" 2>/dev/null | sed -n '/ /!p' | head -n 1; }
	install() { as_root yum -q -y install "$name"; }
	upgrade() { if [ -n "$(version)" ]; then as_root yum -q -y update "$name"; else install; fi; }
	remove() { as_root yum -q -y remove "$name"; }
else
	exit 250
fi

before=$(version)
case $state in
present) [ -n "$before" ] || install ;;
latest) upgrade ;;
absent) [ -z "$before" ] || remove ;;
esac || exit
printf '%s\n%s\n%s\n' "$manager" "$before" "$(version)"
