// This file defines the totals of the guards and queues that a run has used.

package effect

import "time"

// GuardUsage is the use of one guard by a run, or of several guards together.
type GuardUsage struct {
	Kind WaitKind `json:"kind"`          // WaitGlobal, WaitHost or WaitToken
	Key  string   `json:"key,omitempty"` // the host or the rate limit; "" for the global guard, and with Others
	// Others is 0 for one guard. Otherwise the entry is the sum of other guards of the kind, at least that many.
	Others    int           `json:"others,omitempty"`
	Taken     int64         `json:"taken"`
	Refused   int64         `json:"refused,omitempty"`    // times that it was not granted
	PerSecond float64       `json:"per_second,omitempty"` // of a rate limit, as last requested
	Slowed    int64         `json:"slowed,omitempty"`     // times that a service had a rate limit paused or slowed
	Waits     int64         `json:"waits"`
	Wait      time.Duration `json:"wait"`           // of all waits, in nanoseconds
	Longest   time.Duration `json:"longest"`        // wait
	Held      time.Duration `json:"held,omitempty"` // in all; a rate limit is not held
}

// QueueUsage is the use of the queue of one action by a run.
type QueueUsage struct {
	Action  string        `json:"action"` // the name of the tool
	Started int64         `json:"started"`
	Refused int64         `json:"refused,omitempty"` // executions that did not start
	AtOnce  int           `json:"at_once"`           // maximum number of concurrent executions of the run
	Deepest int           `json:"deepest"`           // most waiters when one of the run had joined the queue
	Waits   int64         `json:"waits"`
	Wait    time.Duration `json:"wait"`    // of all waits, in nanoseconds
	Longest time.Duration `json:"longest"` // wait
}
