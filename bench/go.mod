module github.com/ptc-lang/ptc/bench

go 1.26.0

require (
	github.com/d5/tengo/v2 v2.17.0
	github.com/expr-lang/expr v1.17.8
	github.com/panjf2000/ants/v2 v2.12.1
	github.com/ptc-lang/ptc v0.0.0
	github.com/traefik/yaegi v0.16.1
	github.com/yuin/gopher-lua v1.1.2
	golang.org/x/sync v0.24.0
	golang.org/x/time v0.16.0
)

require (
	github.com/alecthomas/participle/v2 v2.1.4 // indirect
	github.com/google/jsonschema-go v0.4.3 // indirect
)

replace github.com/ptc-lang/ptc => ../
