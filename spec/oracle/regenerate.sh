#!/bin/sh
# Regenerates expr/*.jsonl and programs/*.out from tables/ and programs/*.clj
# with the installed JVM Clojure 1.11 (override with CLOJURE_CP).
set -eu
cd "$(dirname "$0")"
jars=/usr/share/java
CP=${CLOJURE_CP:-$jars/clojure.jar:$jars/spec.alpha.jar:$jars/core.specs.alpha.jar}
work=${ORACLE_WORK:-$(mktemp -d)}
run() {
  java -XX:-OmitStackTraceInFastThrow -XX:+UseSerialGC \
    -Duser.language=en -Duser.country=US -Duser.timezone=UTC \
    -Dfile.encoding=UTF-8 -Dsun.jnu.encoding=UTF-8 \
    -cp "$CP" clojure.main generate.clj "$@"
}
run exprs . "$work/a.edn" forward
run exprs . "$work/b.edn" shuffled
run programs . "$work/pa.edn" forward
run programs . "$work/pb.edn" shuffled
run merge . "$work/a.edn" "$work/b.edn" "$work/pa.edn" "$work/pb.edn"
echo "dropped expressions: $work/a.edn.dropped"
