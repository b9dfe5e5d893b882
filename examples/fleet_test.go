//go:build unix

package examples

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	xssh "golang.org/x/crypto/ssh"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/sshtest"
	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/ssh"
)

// The programs of the hosts that the example calls.
const (
	// serviceCtl refuses commands that are wrong for a host in service, or out of it.
	serviceCtl = `case $1 in
drain) mkdir "$STATE/.drained" ;;
restart) [ -d "$STATE/.drained" ] || { echo "in service" >&2; exit 1; } ;;
enable) rmdir "$STATE/.drained" ;;
esac || exit 1
echo "$1" >> "$STATE/.service"
`
	// lbCtl refuses concurrent runs.
	lbCtl = `mkdir "$STATE/.reload" 2>/dev/null || { echo "another reload is under way" >&2; exit 1; }
sleep 0.05
rmdir "$STATE/.reload"
echo "$2: $3 servers"
`
)

// fleet starts 200 hosts and a load balancer, and returns the tools to reach them.
func fleet(t *testing.T) (tools *tool.Registry, data map[string]any, packages *sshtest.Packages) {
	packages = sshtest.NewPackages(t, "apt", map[string]string{"nginx": "1.24.0-2"})
	packages.Program(t, "service-ctl", serviceCtl)
	packages.Program(t, "lb-ctl", lbCtl)
	versions := []string{"1.22.1-9", "1.24.0-1", "1.24.0-2"}
	names, hosts := []string{"lb-1"}, []any{}
	packages.Install(t, "lb-1", "haproxy", "2.9")
	for i := range 200 {
		name := fmt.Sprintf("web-%03d", i+1)
		hosts = append(hosts, map[string]any{"name": name, "zone": string(rune('a' + i%4))})
		packages.Install(t, name, "nginx", versions[i%3])
		if i != 16 { // web-017 is not known
			names = append(names, name)
		}
	}
	packages.Hold(t, "web-042") // whose package manager stays busy
	servers := sshtest.Start(t, sshtest.Shell(packages.Env), names...)
	opened, err := ssh.Open(ssh.Grant{Hosts: []string{"deploy@web-*", "deploy@lb-1"}, Signers: []xssh.Signer{servers.Key},
		KnownHosts: []string{servers.KnownHosts}, Dial: servers.Dial})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { opened.Close() })
	if tools, err = tool.NewRegistry(opened.Tools()...); err != nil {
		t.Fatal(err)
	}
	return tools, map[string]any{"hosts": hosts, "package": "nginx"}, packages
}

func TestFleet(t *testing.T) {
	testlevel.System(t) // it starts a thousand shells
	tools, data, packages := fleet(t)
	compareWith(t, fleetUpdate, ptc.Options{Tools: tools}, data, "expected.txt")
	for _, host := range []string{"web-001", "web-200"} {
		if got := packages.Log(host); got != "install nginx\n" {
			t.Errorf("%s: got the changes %q", host, got)
		}
	}
	// Run again, it finds nothing to do.
	prog, err := ptc.Compile(context.Background(), fleetUpdate, read(t, filepath.FromSlash(fleetUpdate)),
		ptc.Options{Tools: tools})
	if err != nil {
		t.Fatal(err)
	}
	res, err := prog.Run(context.Background(), ptc.RunOptions{Data: data})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := res.EDN(); err != nil || text != `{:hosts 200, :updated 0, :failed 2, :version "1.24.0-2"}` {
		t.Errorf("the second run: %s %v", text, err)
	}
}
