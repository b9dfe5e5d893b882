// This file joins the machine and the tools of the host.

package ptc

import (
	"context"
	"encoding/json"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/eval"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// toolbox is what programs know of a host's tools. It is made when they are compiled,
// and never changed.
type toolbox struct {
	tools []*value.Tool
	known compile.Tools
}

func newToolbox(opts Options) *toolbox {
	b := &toolbox{known: compile.Tools{Withheld: opts.Tools.Withheld()}}
	for _, t := range opts.Tools.All() {
		known := &value.Tool{Name: t.Name(), Doc: t.Doc(), Signature: t.Signature(), Sole: t.Sole(), Examples: t.Examples(),
			StringKeys: opts.StringKeys, Ref: t}
		b.tools = append(b.tools, known)
		if b.known.Granted == nil {
			b.known.Granted = make(map[string]value.Value)
		}
		b.known.Granted[known.Name] = builtins.ToolFunction(known)
	}
	return b
}

// effects are what the evaluations of one run do outside of the program.
type effects struct {
	box *toolbox
	run *tool.Run
}

func newEffects(box *toolbox, l limits.Limits, opts *Options) *effects {
	return &effects{box, tool.NewRun(tool.RunOptions{ArgumentBytes: l.Arguments, ResultBytes: l.CallResult, ToolCalls: l.ToolCalls, Log: opts.Log})}
}

// stats tells of the calls so far.
func (e *effects) stats() tool.Stats {
	if e == nil {
		return tool.Stats{}
	}
	return e.run.Stats()
}

// Tools implements eval.Effects.
func (e *effects) Tools() []*value.Tool { return e.box.tools }

// Scratch implements eval.Effects.
func (e *effects) Scratch(args string) int64 { return tool.CheckSize(args) }

// Call implements eval.Effects.
func (e *effects) Call(ctx context.Context, c eval.ToolCall) value.ToolOutcome {
	got := e.run.Call(ctx, tool.Invocation{ID: c.ID, Tool: c.Tool.Ref.(*tool.Tool), Args: json.RawMessage(c.Args), Room: c.Room})
	if f := got.Failure; f != nil {
		return value.ToolOutcome{Failure: &value.ToolFailure{Kind: f.Kind, Code: f.Code, Message: f.Message, Hint: f.Hint,
			Retryable: f.Retryable, Data: f.Data}}
	}
	return value.ToolOutcome{Result: got.Result}
}
