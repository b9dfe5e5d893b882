module github.com/ptc-lang/ptc/bench

go 1.26

require (
	github.com/d5/tengo/v2 v2.17.0
	github.com/expr-lang/expr v1.17.8
	github.com/ptc-lang/ptc v0.0.0
	github.com/traefik/yaegi v0.16.1
	github.com/yuin/gopher-lua v1.1.2
)

require github.com/alecthomas/participle/v2 v2.1.4 // indirect

replace github.com/ptc-lang/ptc => ../
