// Package memtest proves the bounds of memory and work: it compares what programs
// and builtins are charged with what they really take. Its tests need hooks in the
// account, which are compiled with the tag probe only:
//
//	go test -tags probe ./internal/memtest
//
// It is a package of its own because the heap of its process must hold nothing but
// the run that is measured.
package memtest
