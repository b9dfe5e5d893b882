// Package processors has the processors of the commands.
package processors

import (
	"runtime"
	"sync"

	"github.com/ptc-lang/ptc"
)

// All returns the processors for the programs of this process, as many as there are. Go uses one more, on
// which it immediately notices the end of a wait, including waits for the network, while the others
// compute.
var All = sync.OnceValue(func() *ptc.Processors {
	n := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(n + 1)
	return ptc.NewProcessors(n)
})

// Responsive returns All for a server: clients may cancel its runs while all processors compute.
func Responsive() *ptc.Processors {
	p := All()
	p.Responsive()
	return p
}
