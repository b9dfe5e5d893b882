// Package memtest tests the bounds of memory and work: it compares the charges of programs and
// builtins with their real usage. Its tests need hooks in the account, which are compiled with the
// tag probe only:
//
//	go test -tags probe ./internal/memtest
//
// It is a separate package because the heap of its process must hold nothing except the measured
// run.
package memtest
