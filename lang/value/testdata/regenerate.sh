#!/bin/sh
# Records the tables of this directory with the installed JVM Clojure 1.11 (override with
# CLOJURE_CP). collorder.clj makes the histories of collorder.tsv; tables.clj keeps the inputs of
# the other tables and records the results.
set -eu
cd "$(dirname "$0")"
jars=/usr/share/java
CP=${CLOJURE_CP:-$jars/clojure.jar:$jars/spec.alpha.jar:$jars/core.specs.alpha.jar}
run() {
  java -Duser.language=en -Duser.country=US -Duser.timezone=UTC -Dfile.encoding=UTF-8 -cp "$CP" clojure.main "$@"
}
run tables.clj
order=$(mktemp)
trap 'rm -f "$order"' EXIT
run collorder.clj >"$order"
cat "$order" >collorder.tsv
