// This file defines what a run takes of the process, and how that is told.

package main

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/ptc-lang/ptc"
)

// limitGarbage sets the soft memory limit of the process, so that garbage does not
// double what the machine needs: what is live is bounded by the caps of the
// evaluations, and collections then begin before the sum of the caps is exceeded by
// more than a third. A limit that the environment sets (GOMEMLIMIT) stays.
func limitGarbage(l ptc.Limits) {
	caps := l.Memory + int64(l.Workers)*l.WorkerMemory
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(caps + caps/3 + processMemory)
	}
}

// processMemory is what the process takes beside the evaluations.
const processMemory = 32 << 20

func stats(w io.Writer, u ptc.Usage) {
	fmt.Fprintf(w, "time %v, steps %d, memory %d KB, marks %d, printed %d bytes\n",
		u.Duration, u.Steps, u.Memory>>10, u.Marks, u.Printed)
	if p := u.Parallel; p.Operations > 0 || p.Refused > 0 {
		fmt.Fprintf(w, "parallel: operations %d, elements %d, workers at most %d, blocked at most %d, queued at most %d, goroutines started %d, chunks stolen %d, refused %d\n",
			p.Operations, p.Elements, p.Peak, p.Blocked, p.Queued, p.Spawned, p.Stolen, p.Refused)
	}
}
