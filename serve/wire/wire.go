// Package wire has the types of the HTTP API of the service that are not those of package store: the types
// that the service and its clients share. Their JSON is that of the API, and their struct tags are those of
// its OpenAPI document.
//
//   - Event: the events of a run, as a stream.
//   - Problem: the errors. Its Code does not change between releases.
//   - Program, Action, Tools and the like: the bodies of requests and responses.
//
// The package links nothing but the vocabulary of effects and queues, so a client of the service can import it.
package wire

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/store"
)

// Result is the outcome of a run.
type Result struct {
	ID    string      `json:"id"`
	State store.State `json:"state"`
	store.Result
}

// RunUnits are the elements of shared parallel operations of a run that each node of a cluster has run.
type RunUnits struct {
	ID    string        `json:"id"`
	Units []store.Units `json:"units" doc:"By node; none for a run of which nothing was shared."`
}

// Settlements settle the pending effects of a run.
type Settlements struct {
	Settlements []effect.Settlement `json:"settlements" minItems:"1"`
}

// Program is a version of a named program.
type Program struct {
	Name    string    `json:"name"`
	Version int       `json:"version"`
	Source  string    `json:"source,omitempty"`
	Doc     string    `json:"doc,omitempty"` // its purpose
	By      string    `json:"by,omitempty"`  // who put it
	Created time.Time `json:"created"`
}

// Ref returns the name with the version, as store.Submission.Program has it.
func (p *Program) Ref() string { return fmt.Sprintf("%s@%d", p.Name, p.Version) }

// Checked is a program with the results of its check.
type Checked struct {
	Program
	// Effects are the tools that it can reach, as ptc check --effects writes them.
	Effects json.RawMessage `json:"effects,omitempty" doc:"The tools that the program can reach, and how often."`
	// Warnings are likely mistakes, as ptc check --json writes them.
	Warnings json.RawMessage `json:"warnings,omitempty" doc:"Likely mistakes."`
}

// Programs is a list of programs, without their sources.
type Programs struct {
	Programs []Program `json:"programs"`
}

// NewVersion is a version of a program that is put.
type NewVersion struct {
	Source  string `json:"source" minLength:"1"`
	Doc     string `json:"doc,omitempty" doc:"What the program is for."`
	Version int    `json:"version,omitempty" minimum:"0" doc:"If it is not 0, it must be the next version."`
}

// Tools are the tools of the service, by name, and how programs run with them.
type Tools struct {
	Tools   []tool.Description `json:"tools"`
	Approve effect.Approvals   `json:"approve,omitzero" doc:"The calls that wait for an approval."`
	OnFull  string             `json:"on_full,omitempty" enum:"fail" doc:"fail if an operation without a slot fails."`
}

// Action is an action with the state of its queue. Times are in nanoseconds.
type Action struct {
	queue.Stats
	Policies string `json:"policies,omitempty" doc:"The policies of the action, in short."`
}

// Actions is a page of actions.
type Actions struct {
	Actions []Action `json:"actions"`
	Next    string   `json:"next,omitempty" doc:"after of the next page."`
}

// Cleared is the answer when a queue was cleared.
type Cleared struct {
	Cancelled int `json:"cancelled" doc:"The number of waiting executions that were cancelled."`
}

// NewExecution is an execution that another system will do when its turn comes.
type NewExecution struct {
	Priority string `json:"priority,omitempty" enum:"high,normal,low" doc:"Its lane in the queue; normal by default."`
	Name     string `json:"name,omitempty" maxLength:"200" doc:"Your name of the job, for the lists of operators."`
	Host     string `json:"host,omitempty" maxLength:"200" doc:"The host that it changes, for the lists of operators."`
	Lease    string `json:"lease,omitempty" example:"30m" doc:"It ends as timed out after this time; by default 1h."`
}

// Completion is how an execution ended. Only a call of a run has a result or a failure.
type Completion struct {
	Outcome string          `json:"outcome" enum:"success,failure,timeout,cancel"`
	Result  json.RawMessage `json:"result,omitempty" doc:"Of a call of a run that has succeeded; null by default."`
	Failure *effect.Failure `json:"failure,omitempty" doc:"Of a call of a run that has failed."`
}

// Policies is the text of a policy file.
type Policies struct {
	Text string `json:"text" doc:"A policy file, YAML or JSON." example:"global: {concurrency: 100}"`
}

// Health is the answer of a process that lives.
type Health struct {
	Status string `json:"status" example:"ok"`
}

// Stats is the load of a service at one moment.
type Stats struct {
	Running  int   `json:"running"` // with the sessions
	Sessions int   `json:"sessions,omitempty"`
	Queued   int   `json:"queued"`
	Memory   int64 `json:"memory"` // the sum of the bounds of the running runs and sessions, in bytes
	Most     int64 `json:"most"`   // that it may be
	Draining bool  `json:"draining,omitempty"`
}
