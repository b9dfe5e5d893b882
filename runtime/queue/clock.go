// This file defines the clock of a ledger.

package queue

import (
	"encoding/json"
	"fmt"
	"time"
)

// clock is the time of a ledger as one process has last seen it. It never goes back, and while a process looks on, it
// does not run faster than the time that passes.
type clock struct {
	seen    bool
	now     time.Duration // of the ledger, at the last reading
	elapsed time.Duration // of the process, at the last reading
}

// clockRecord is the record of the clock in a ledger.
type clockRecord struct {
	Last  time.Duration `json:"last"`  // the latest time, in nanoseconds
	Shift time.Duration `json:"shift"` // of the wall clock before the time of the ledger
}

const clockName = "clock"

// tolerance is how much the wall clock may be ahead after a time without having been set: a time server adjusts it.
func tolerance(passed time.Duration) time.Duration { return time.Second + passed/1000 }

// read returns the time of the ledger, and records it. If the wall clock was set ahead since the last reading, the time
// continues as the monotonic clock does; if it was set back, the time continues from the latest one that is recorded.
// moved reports whether the record must be kept for that reason.
//
// Several processes may differ about the time, because some have not seen a change. The earliest time holds: then calls
// count for too long, and never for too short a time.
func (c *clock) read(r Records,
	clocks func() (wall, elapsed time.Duration)) (now time.Duration, moved bool, err error) {
	var rec clockRecord
	if data := r.Get(clockName); data != nil {
		if err := json.Unmarshal(data, &rec); err != nil {
			return 0, false, fmt.Errorf("the record of the clock is damaged: %w", err)
		}
	}
	wall, elapsed := clocks()
	now = wall - rec.Shift
	if passed := elapsed - c.elapsed; c.seen && now > c.now+passed+tolerance(passed) {
		now = c.now + passed
	}
	now = max(now, rec.Last)
	moved = wall-now != rec.Shift
	rec = clockRecord{Last: now, Shift: wall - now}
	*c = clock{true, now, elapsed}
	return now, moved, put(r, clockName, rec)
}

// put writes a record.
func put(r Records, name string, record any) error {
	data, err := json.Marshal(record)
	if err == nil {
		r.Put(name, data)
	}
	return err
}
