//go:build probe

package ptctest

import (
	"sync"

	"github.com/ptc-lang/ptc/runtime/limits"
)

// Refuse sets limits.Probe so that every account refuses a charge after it has granted every
// charges. It refuses at most 5,000 charges in total, and each execution of an instruction at most
// once. It returns a pointer to the number of refusals so far. The caller must reset limits.Probe.
func Refuse(every int) (refused *int) {
	type account struct {
		granted int
		last    int64
	}
	var mu sync.Mutex
	accounts := map[*limits.Meter]*account{}
	refused = new(int)
	limits.Probe = func(m *limits.Meter, _ int64) {
		mu.Lock()
		defer mu.Unlock()
		a := accounts[m]
		if a == nil {
			a = &account{last: -1}
			accounts[m] = a
		}
		if a.granted++; a.granted <= every || m.MachineSteps() == a.last || *refused == 5000 {
			return
		}
		a.granted, a.last = 0, m.MachineSteps()
		*refused++
		panic(limits.Refused{Bytes: 1})
	}
	return refused
}
