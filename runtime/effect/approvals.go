// This file defines which calls have to be approved.

package effect

import (
	"fmt"
	"iter"
	"slices"

	"github.com/ptc-lang/ptc/lang/diag"
)

// Approvals are the calls that are made only if they are approved, besides those that the tools declare.
// The zero value has none.
type Approvals struct {
	Writes bool     `json:"writes,omitempty"` // calls that change something: those of each tool that is not ReadOnly
	Tools  []string `json:"tools,omitempty"`  // all calls of these tools
}

// approveWrites is the word for Approvals.Writes.
const approveWrites = "write"

// ParseApprovals reads a list of tools; the word write adds all calls that change something.
func ParseApprovals(words []string) (a Approvals, err error) {
	for _, word := range words {
		switch word {
		case "":
			return Approvals{}, fmt.Errorf("got an empty name, want %s or the name of a tool", approveWrites)
		case approveWrites:
			a.Writes = true
		default:
			a.Tools = append(a.Tools, word)
		}
	}
	return a, nil
}

// And returns the calls that need an approval by either of both.
func (a Approvals) And(b Approvals) Approvals {
	tools := slices.Concat(a.Tools, b.Tools)
	slices.Sort(tools)
	return Approvals{Writes: a.Writes || b.Writes, Tools: slices.Compact(tools)}
}

// Known returns an error if one of the named tools does not exist: its calls would silently need no
// approval. If tools is nil, every name is accepted.
func (a Approvals) Known(tools iter.Seq[string]) error {
	if tools == nil {
		return nil
	}
	names := slices.Collect(tools)
	for _, name := range a.Tools {
		if slices.Contains(names, name) {
			continue
		}
		if best, ok := diag.Suggest(name, slices.Values(names)); ok {
			return fmt.Errorf("there is no tool %.100s; did you mean %s?", name, best)
		}
		return fmt.Errorf("there is no tool %.100s", name)
	}
	return nil
}

// Words returns the list that ParseApprovals reads.
func (a Approvals) Words() []string {
	if a.Writes {
		return append([]string{approveWrites}, a.Tools...)
	}
	return slices.Clone(a.Tools)
}

// Need reports whether a call of a tool has to be approved. class is that of the call.
func (a *Approvals) Need(tool string, class Class) bool {
	return a.Writes && class != ReadOnly || len(a.Tools) > 0 && slices.Contains(a.Tools, tool)
}
