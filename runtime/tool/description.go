// This file defines descriptions of tools.

package tool

import (
	"encoding/json"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// Description is a tool without its function: the part that journals and services have.
type Description struct {
	Name     string          `json:"name"`
	Doc      string          `json:"doc"`
	Class    effect.Class    `json:"class"`
	Examples []string        `json:"examples,omitempty"`
	Args     json.RawMessage `json:"args"`              // the schema of the arguments
	Result   json.RawMessage `json:"result,omitempty"`  // that of the result; nil if any JSON is one
	Secrets  []string        `json:"secrets,omitempty"` // fields that are hidden in records
}

// Describe returns the description of the tool.
func (t *Tool) Describe() Description {
	d := Description{Name: t.Name(), Doc: t.Doc(), Class: t.Class(), Examples: t.Examples(), Args: t.Args().JSON(),
		Secrets: t.Secrets()}
	if t.Result() != nil {
		d.Result = t.Result().JSON()
	}
	return d
}

// StandIn returns a tool of the description for a replay: it has no function, see Tool.Stub. A description that makes
// no sense is an error of Registry.Add.
func (d Description) StandIn() *Tool {
	opts := []Option{Secret(d.Secrets...)}
	switch d.Class {
	case effect.ReadOnly:
		opts = append(opts, ReadOnly())
	case effect.Idempotent:
		opts = append(opts, Idempotent())
	}
	for _, e := range d.Examples {
		opts = append(opts, Example(e))
	}
	return Dynamic(d.Name, d.Doc, d.Args, d.Result, nil, opts...).Stub()
}
