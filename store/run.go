// This file defines a run.

package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// Run is a run of a program. Its JSON is that of the API.
type Run struct {
	ID     string `json:"id"` // see IDs
	State  State  `json:"state"`
	Tenant string `json:"tenant"`
	By     string `json:"by,omitempty"` // who submitted it
	Submission
	// Digest identifies the request of a run with a Key: a repetition of the request has the same digest. It
	// is the digest of the Submission, unless a server sets it: a server that completes submissions computes
	// it before.
	Digest string `json:"digest,omitempty"`
	// Tools are the names of the tools that the program can reach, sorted. Only a node of a cluster sets them: the run is
	// placed where all of them are granted.
	Tools []string `json:"tools,omitempty"`
	// Trace is the header traceparent of the request that submitted the run, for telemetry: the spans of the run are
	// below that of the request, whenever it is run.
	Trace string `json:"trace,omitempty"`

	Created time.Time `json:"created"` // in milliseconds, as in the ID
	Updated time.Time `json:"updated"` // by the last change
	Started time.Time `json:"started,omitzero"`
	Ended   time.Time `json:"ended,omitzero"`

	Attempts int `json:"attempts,omitempty"` // times that it was started or resumed
	Crashes  int `json:"crashes,omitempty"`  // times that the process ended while it ran, since it last stopped in order
	Stalls   int `json:"stalls,omitempty"`   // the last of them between which no effect of the run has ended
	Recorded int `json:"recorded,omitempty"` // the effects that had ended at the last crash
	// Wake is the time at which a parked run continues on its own; zero if it waits only for outcomes.
	Wake time.Time `json:"wake,omitzero"`
	// Reason is why the run is in its state, in one sentence: who cancelled it, or which effects it waits for.
	Reason string `json:"reason,omitempty"`
	// Pending are the effects that it waits for. A run that has ended has none.
	Pending []effect.Pending `json:"pending,omitempty"`
	// Settled are settlements that may not be in the journal yet, because the run is not running.
	Settled []Settled `json:"settled,omitempty"`

	Result
	// Units are the parts of its shared parallel operations that the nodes of a cluster have run, by node. A
	// run on one node has none.
	Units []Units `json:"units,omitempty"`
	// Leader is the node of a cluster that runs it now. A server sets it in its answers; it is not kept.
	Leader string `json:"leader,omitempty"`
	// Stale reports that the node of a cluster which answers reaches no majority: the run is as that node last knew it.
	// It is not kept.
	Stale bool `json:"stale,omitempty"`
	// Revision counts the changes. It is 1 for a new run.
	Revision uint64 `json:"revision"`
}

// Settled is a settlement of a pending effect that is kept for a run which does not run. Kind and Since are those of
// the effect: a call that was approved, or is made again, may be in doubt later, and that is not settled.
type Settled struct {
	Settlement effect.Settlement  `json:"settlement"`
	Kind       effect.PendingKind `json:"kind"`
	Since      time.Time          `json:"since"`
}

// Of reports whether the settlement is of a pending effect. Only a call in doubt can be so several times for one
// reason.
func (s *Settled) Of(p effect.Pending) bool {
	return s.Settlement.Names(p) && s.Kind == p.Kind && (p.Kind != effect.PendingDoubt || s.Since.Equal(p.Since))
}

// Units count the parts of shared parallel operations that a node has run.
type Units struct {
	Node     string `json:"node"`
	Units    int    `json:"units"`    // that it has claimed
	Elements int    `json:"elements"` // whose outcomes it has recorded
}

// MaxNodes is the greatest number of nodes that a submission can ask for.
const MaxNodes = 64

// Submission is the request to run a program. It never changes.
type Submission struct {
	Program string          `json:"program,omitempty"` // of the store, as "name@version"; "" if only Source is known
	Name    string          `json:"name,omitempty"`    // of the source in messages, such as "deploy.ptc"
	Source  string          `json:"source,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"` // an object: the program reads its fields as data/name
	Limits  limits.Limits   `json:"limits,omitzero"`
	// Labels are for lists; the service does not interpret them.
	Labels   map[string]string `json:"labels,omitempty"`
	Key      string            `json:"key,omitempty"`     // of idempotence: the same submission is not run twice
	Priority effect.Priority   `json:"priority,omitzero"` // of the run in the queue, and of its calls
	// Nodes is the maximum number of nodes of a cluster that run it at once: 1 for the leading node only, 0 for all nodes.
	Nodes int `json:"nodes,omitempty" minimum:"0" maximum:"64"`
}

// Result is the outcome of a run, or the known part of it before the end. The JSON is the envelope of
// package ptc.
type Result struct {
	Value json.RawMessage `json:"value,omitempty"` // nil unless the run succeeded
	// Text is the output of ptc run: the value as the language prints it, or the error with its place in the source.
	Text   string          `json:"text,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"` // of a *ptc.Error; nil unless the run failed
	Prints string          `json:"prints,omitempty"`
	Usage  json.RawMessage `json:"usage,omitempty"` // of a ptc.Usage
}

// Rests reports whether the run does not continue on its own: it has ended, or waits for somebody.
func (r *Run) Rests() bool {
	switch r.State {
	case Queued, Running:
		return false
	case Parked:
		return r.Wake.IsZero()
	}
	return true
}

// Brief returns the run as it appears in lists: without Source, Data, Pending, Settled, Value, Text, Prints
// and Usage. Error keeps only the code and the beginning of the message.
func (r Run) Brief() Run {
	r.Source, r.Data, r.Pending, r.Settled = "", nil, nil, nil
	r.Result = Result{Error: briefError(r.Error)}
	return r
}

// maxBrief is the most bytes of a message in a brief error: a list shows one line.
const maxBrief = 300

func briefError(whole json.RawMessage) json.RawMessage {
	if len(whole) == 0 {
		return nil
	}
	var e struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	if err := json.Unmarshal(whole, &e); err != nil {
		return nil
	}
	e.Message = cut(e.Message)
	return compact(e)
}

// cut returns the beginning of a text.
func cut(text string) string {
	if len(text) <= maxBrief {
		return text
	}
	return strings.ToValidUTF8(text[:maxBrief], "") + "…"
}

// Sum returns a digest of the submission. Two submissions with the same sum are the same, except for spaces in Data.
func (s Submission) Sum() string {
	sum := sha256.Sum256(compact(s))
	return hex.EncodeToString(sum[:])
}

// compact returns v as JSON without escapes of HTML; nil if it has no JSON.
func compact(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// The bounds of the fields by which runs are found. An index holds each of them.
const (
	maxName   = 256 // bytes of a name, a key or the value of a label
	maxLabels = 32
)

// Check returns ErrInvalid for a run that a store can't keep, with all reasons.
func (r *Run) Check() error {
	var wrong []string
	add := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if !r.State.Valid() {
		add("the state is %.100q, want one of %v", r.State, States())
	}
	if r.Tenant == "" {
		add("it has no tenant, want one such as %q", DefaultTenant)
	}
	for _, f := range []struct{ name, value string }{{"tenant", r.Tenant}, {"by", r.By}, {"program", r.Program},
		{"name", r.Name}, {"key", r.Key}, {"digest", r.Digest}, {"trace", r.Trace}} {
		if err := plain(f.value); err != nil {
			add("its %s %v", f.name, err)
		}
	}
	if !r.Priority.Valid() {
		add("its priority is %d, want one of %v", r.Priority, effect.Priorities)
	}
	if r.Nodes < 0 || r.Nodes > MaxNodes {
		add("it asks for %d nodes, want at most %d, or 0 for all", r.Nodes, MaxNodes)
	}
	if len(r.Labels) > maxLabels {
		add("it has %d labels, want at most %d", len(r.Labels), maxLabels)
	}
	for name, value := range r.Labels {
		if name == "" {
			add("a label has no name")
		}
		if err := plain(name); err != nil {
			add("the name of a label %v", err)
		}
		if err := plain(value); err != nil {
			add("the label %.100q %v", name, err)
		}
	}
	if !utf8.ValidString(r.Source) {
		add("its source is not UTF-8")
	}
	for _, f := range []struct {
		name string
		json json.RawMessage
	}{{"data", r.Data}, {"value", r.Value}, {"error", r.Error}, {"usage", r.Usage}} {
		if f.json != nil && !json.Valid(f.json) {
			add("its %s is no JSON", f.name)
		}
	}
	for _, p := range r.Pending {
		for _, raw := range append([]json.RawMessage{p.Args, p.Data}, p.Options...) {
			if raw != nil && !json.Valid(raw) {
				add("its pending effect %.100q has a part that is no JSON", p.ID)
			}
		}
		if !p.Class.Valid() {
			add("its pending effect %.100q is %s", p.ID, p.Class)
		}
	}
	if wrong == nil {
		return nil
	}
	return ErrInvalid.With("a run can't be kept: %s", strings.Join(wrong, "; "))
}

// plain returns an error for text that can't be a part of an index.
func plain(text string) error {
	switch {
	case len(text) > maxName:
		return fmt.Errorf("has %d bytes, want at most %d", len(text), maxName)
	case !utf8.ValidString(text):
		return fmt.Errorf("is not UTF-8: %.100q", text)
	case strings.ContainsFunc(text, unicode.IsControl):
		return fmt.Errorf("has a control character: %.100q", text)
	}
	return nil
}

// DefaultTenant is the tenant of a service that has no others.
const DefaultTenant = "default"
