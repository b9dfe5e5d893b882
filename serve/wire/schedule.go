// This file defines schedules and sessions.

package wire

import (
	"encoding/json"
	"time"

	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/store"
)

// ScheduleRef names a schedule. Schedules of different tenants may have the same name.
type ScheduleRef struct {
	Tenant string `json:"tenant"`
	Name   string `json:"name"`
}

// Schedule is a schedule with the outcomes of its times.
type Schedule struct {
	ScheduleRef
	ScheduleSetting
	Version int       `json:"version"` // each change makes another one
	Owner   string    `json:"owner"`   // the identity under which it runs
	By      string    `json:"by"`      // who has put this version
	Changed time.Time `json:"changed"` // when it was put

	// Stopped is the reason, in one sentence, why no time is run any more until the schedule is put again.
	Stopped string `json:"stopped,omitempty"`
	// Problem is the reason, in one sentence, why the last time is not decided yet. It is tried again.
	Problem string `json:"problem,omitempty"`
	// Next are the next times; none if the schedule is paused or stopped.
	Next []time.Time `json:"next"`
	// Waiting are the times whose runs wait for the end of the run before.
	Waiting []time.Time `json:"waiting,omitempty"`
	// Last are the last times and their outcomes, the newest first.
	Last []Fire `json:"last"`
}

// ScheduleSetting is the part of a schedule that its author sets.
type ScheduleSetting struct {
	// Cron has the fields minute, hour, day of the month, month and day of the week, or is a name such as @daily.
	Cron string `json:"cron"`
	// Zone is the time zone of the clock that Cron is compared with, such as Europe/Berlin; the default is UTC.
	Zone string `json:"zone,omitempty"`
	// Run is the submission at each time, without a key. The run gets the label schedule, with the name.
	Run store.Submission `json:"run"`
	// Missed is skip, once or all. It decides which of the missed times are run, after the service did not run
	// or was full.
	Missed Missed `json:"missed,omitempty"`
	// MissedMost bounds the missed times that are run, if Missed is all.
	MissedMost int `json:"missedMost,omitempty"`
	// Overlap is skip, queue, allow or cancel. It decides about a time at which the run of an earlier time has not ended.
	Overlap Overlap `json:"overlap,omitempty"`
	// Paused schedules have no times. Times that pass during the pause do not count as missed.
	Paused bool `json:"paused,omitempty"`
}

// Missed is a policy for times that were missed.
type Missed string

// The policies for times that were missed. The zero Missed is SkipMissed.
const (
	SkipMissed Missed = "skip" // runs none of them
	RunOnce    Missed = "once" // runs the last one, unless a time that was not missed has come too
	RunAll     Missed = "all"  // runs the last MissedMost of them, in their order
)

// Overlap is a policy for times at which a run of the schedule has not ended.
type Overlap string

// The policies for times at which a run has not ended. The zero Overlap is SkipOverlap.
const (
	SkipOverlap   Overlap = "skip"   // does not run the time
	QueueOverlap  Overlap = "queue"  // runs it after the end of the run, in the order of the times
	AllowOverlap  Overlap = "allow"  // runs it beside the run
	CancelOverlap Overlap = "cancel" // cancels the run, and runs the time when that has ended
)

// MissedPolicies returns the policies for missed times.
func MissedPolicies() []Missed { return []Missed{SkipMissed, RunOnce, RunAll} }

// OverlapPolicies returns the policies for times at which a run has not ended.
func OverlapPolicies() []Overlap {
	return []Overlap{SkipOverlap, QueueOverlap, AllowOverlap, CancelOverlap}
}

// Fire is a time of a schedule that is decided.
type Fire struct {
	Time   time.Time `json:"time"`
	Manual bool      `json:"manual,omitempty"` // a person has run it, at that moment
	Run    string    `json:"run,omitempty"`    // the id of its run; "" if there is none
	// Reason says in one sentence why there is no run, or why it is late.
	Reason string `json:"reason,omitempty"`
}

// ScheduleLabel is the label of the runs of schedules. Its value is the name of the schedule.
const ScheduleLabel = "schedule"

// NewSchedule is a version of a schedule that is put.
type NewSchedule struct {
	ScheduleSetting
	Version int `json:"version,omitempty" minimum:"0" doc:"If it is not 0, it must be the next version."`
}

// Schedules is a page of schedules, each with its next time.
type Schedules struct {
	Schedules []Schedule `json:"schedules"`
	Next      string     `json:"next,omitempty" doc:"after of the next page."`
}

// Session is a session of the service. It uses the tools, guards and queues of the runs, and holds the memory of one
// run until it ends. It is in memory only: nothing of it outlives the process, and its effects have no journal.
type Session struct {
	ID      string    `json:"id"`
	Tenant  string    `json:"tenant"`
	By      string    `json:"by"` // who has begun it, and is the only one who evaluates in it
	Created time.Time `json:"created"`
	Used    time.Time `json:"used"` // when the last evaluation ended
	// Expires is when the session ends unless it is used before.
	Expires     time.Time     `json:"expires"`
	Limits      limits.Limits `json:"limits"` // of each evaluation
	Memory      int64         `json:"memory"` // bytes that it holds of the service, with its workers
	Evaluations int           `json:"evaluations"`
	Busy        bool          `json:"busy,omitempty"` // an evaluation is under way
}

// NewSession is the request that begins a session.
type NewSession struct {
	// Limits are those of each evaluation: at most those of the service, which are the default.
	Limits limits.Limits `json:"limits,omitzero"`
	// Data is an object: evaluations read its fields as data/name.
	Data json.RawMessage `json:"data,omitempty"`
}

// Sessions is a list of sessions, the oldest first.
type Sessions struct {
	Sessions []Session `json:"sessions"`
}

// Evaluation is a source that is evaluated in a session.
type Evaluation struct {
	Source string `json:"source" minLength:"1"`
}

// Evaluated is the outcome of a source that was evaluated.
type Evaluated struct {
	store.Result
}
