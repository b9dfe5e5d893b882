// This file defines the events that an engine makes of its runs.

package serve

import (
	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

func stateOf(run *store.Run) wire.Changed {
	return wire.Changed{State: run.State, Reason: run.Reason, Attempts: run.Attempts, Pending: len(run.Pending),
		Revision: run.Revision}
}

func progressOf(s ptc.Snapshot) wire.Progressed {
	return wire.Progressed{Elements: s.Elements, Waiting: s.Waiting, Workers: s.Workers, Calls: s.Calls,
		Steps: s.Steps, Memory: s.Memory}
}
