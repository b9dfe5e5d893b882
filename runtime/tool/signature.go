// This file defines the signatures and the traits of tools, which their documentation shows.

package tool

import (
	"fmt"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// Brief bounds the arguments and the result in the signature to some bytes each. It is for schemas that come from
// outside, which may have any number of names.
func Brief(most int) Option { return func(t *Tool) { t.brief = most } }

// Seen declares the shape of the results of a tool that has no schema for them, for its signature. They are not
// checked.
func Seen(shape string) Option { return func(t *Tool) { t.seen = shape } }

// Signature returns the arguments and the result in short:
//
//	search {:query string :limit int?} -> [{:id int :name string}]
func (t *Tool) Signature() string {
	if t.signature == nil { // of the zero Tool
		return ""
	}
	return t.signature()
}

// describe makes the signature.
func (t *Tool) describe() string {
	short := (*Schema).String
	if t.brief > 0 {
		short = func(s *Schema) string { return s.Brief(t.brief) }
	}
	result := "any"
	switch {
	case t.result != nil:
		result = short(t.result)
	case t.seen != "":
		result = t.seen
	}
	return t.name + " " + short(t.args) + " -> " + result
}

// Traits returns a short summary of the effect class, guard and limits of a call, and of its policies, such as
// "read-only, host-exclusive, at most 4 at once; policy: 5 calls in any 1h". policy is effect.Action.Bounds, and may be
// "". The summary is "" for a tool that writes and has no limits.
func (t *Tool) Traits(policy string) string {
	var parts []string
	if t.class != effect.Write {
		parts = append(parts, t.class.String())
	}
	if t.hint.Kind != effect.FullyParallel {
		parts = append(parts, t.hint.String())
	}
	if t.concurrency > 0 {
		parts = append(parts, fmt.Sprintf("at most %d at once", t.concurrency))
	}
	if t.approve != nil {
		parts = append(parts, "may need approval")
	}
	if t.maxCalls > 0 {
		parts = append(parts, diag.Counted(t.maxCalls, "call")+" a run")
	}
	if t.timeout != DefaultTimeout {
		parts = append(parts, diag.Duration(t.timeout)+" a call")
	}
	own := strings.Join(parts, ", ")
	switch {
	case policy == "":
		return own
	case own == "":
		return "policy: " + policy
	}
	return own + "; policy: " + policy
}
