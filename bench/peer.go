// Package bench compares the speed of PTC with that of other embeddable
// languages on the same computations.
//
// This file defines peers: a peer compiles a program, binds it to the host's data and runs it.
package bench

import "errors"

// Peer is a language implementation under comparison.
type Peer interface {
	Name() string
	Ext() string // extension of its program files
	// Compile compiles the program of a workload as far as the peer can without
	// the host's data.
	Compile(workload, src string) (Program, error)
}

// Program is a compiled program.
type Program interface {
	// Bind returns a separate run, with the data converted to the peer's values as far as the peer
	// can do so in advance.
	Bind(data map[string]any) (Run, error)
}

// Run runs a bound program and returns its result as a Go value. It may be called
// again, but not concurrently.
type Run func() (any, error)

// External is the result of a run in another process, with its time there.
type External struct {
	Value any
	CPU   float64 // ns, without the start and the loading of the data
	Wall  float64 // ns, of the whole process
}

// SkipError is why a peer does not run a workload.
type SkipError string

func (e SkipError) Error() string { return string(e) }

// Skipped returns the reason if err is that the peer does not run the workload.
func Skipped(err error) (string, bool) {
	var skip SkipError
	ok := errors.As(err, &skip)
	return string(skip), ok
}

// Peers returns all peers, PTC first.
func Peers() []Peer {
	return []Peer{ptcPeer{}, gopherLua{}, tengoPeer{}, yaegiPeer{}, exprPeer{}, starlarkPeer{}, gojaPeer{}, celPeer{},
		wasmPeer{}, pucLua{}}
}
