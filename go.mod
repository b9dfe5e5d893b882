module github.com/ptc-lang/ptc

go 1.26
