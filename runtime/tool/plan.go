// This file defines the calls of dry runs.

package tool

import (
	"encoding/json"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// Planned is a call that a dry run has not made.
type Planned struct {
	ID    string          `json:"id"`
	Tool  string          `json:"tool"`
	Class effect.Class    `json:"class"`
	Args  json.RawMessage `json:"args"` // without secrets
	Host  string          `json:"host,omitempty"`
	Place string          `json:"place,omitempty"` // in the source
}

// plan hands over a call instead of making it. It returns a failure if there are too many.
func (r *Run) plan(in *call, e effect.Effect) *effect.Failure {
	r.count(in.tool)
	if r.opts.Plan(Planned{ID: in.ID, Tool: in.tool.name, Class: in.class, Args: r.secrets.JSON(e.Args),
		Host: r.shownHost(in), Place: in.place()}) {
		return nil
	}
	return failure(diag.MemoryExceeded, effect.CodeTooLarge, "pass less data, or run a part of the program",
		"the calls that a dry run collects have too many bytes")
}
