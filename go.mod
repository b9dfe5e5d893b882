module github.com/ptc-lang/ptc

go 1.26

require github.com/alecthomas/participle/v2 v2.1.4

require go.uber.org/goleak v1.3.0
