// This file defines the tools of the host as functions.

package builtins

import (
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/jsonio"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// ToolNS is the namespace of the tools.
const ToolNS = "tool"

var tools = []entry.Entry{
	{NS: "clojure.core", Name: "tools", Args: "", Cost: entry.Constant, Fn: listTools,
		Doc: "Returns the host's tools, sorted by name: maps of :name, :doc, :signature, with the arguments and the " +
			"result, and :traits, with the limits and policies of its calls, if there are any. (doc tool/NAME) documents " +
			"one.",
		Examples: []string{"(tools) => ()"}},
}

// ToolFunction returns the function with which a program calls a tool. The arguments and the result
// are JSON. The keys of objects in its results are keywords if keywords is true, and strings otherwise.
func ToolFunction(tool effect.Tool, keywords bool) value.Value {
	call := func(t *value.Task, a []value.Value) value.Value {
		outcome := t.Host.CallTool(tool, func() string { return jsonio.Arguments(t, tool, a) })
		if f := outcome.Failure; f != nil {
			failTool(t, tool, f, keywords)
		}
		if len(outcome.Result) == 0 {
			return value.Nil
		}
		v, err := jsonio.Decode(t, outcome.Result, keywords)
		if err != nil {
			failTool(t, tool, &effect.Failure{Kind: diag.ToolFailed, Code: effect.CodeBadResult,
				Message: "its result is not JSON: " + err.Error()}, keywords)
		}
		return v
	}
	return value.ConstNative(value.Native{Name: ToolNS + "/" + tool.Name(), Min: 0, Max: -1, Entry: tool, Fn: call})
}

// The keys of the data of a failed call.
var (
	keyCode       = value.ConstKeyword("code")
	keyTool       = value.ConstKeyword("tool")
	keyRetryable  = value.ConstKeyword("retryable?")
	keyRetryAfter = value.ConstKeyword("retry-after-ms")
)

// failTool throws a failed call: an exception whose data has :code, :tool and
// :retryable?, and :data and :retry-after-ms if the tool gave any.
func failTool(t *value.Task, tool effect.Tool, f *effect.Failure, keywords bool) {
	data := []value.Value{keyCode, t.Keyword("", f.Code), keyTool, t.Keyword("", tool.Name()), keyRetryable,
		value.Bool(f.Retryable)}
	if f.RetryAfter > 0 {
		data = append(data, keyRetryAfter, value.Int(f.RetryAfter))
	}
	message := "tool/" + tool.Name() + ": " + f.Message
	if len(f.Data) > 0 {
		if v, err := jsonio.Decode(t, f.Data, keywords); err == nil {
			data = append(data, keyData, v)
		} else {
			message += " (its data is left out: " + err.Error() + ")"
		}
	}
	e := t.NewException(f.Kind, message)
	e.Data, e.Hint = t.MapOf(data...), f.Hint
	e.Way = &value.Way{Tool: true, Err: f.Err}
	t.Charge(e.Way.Size())
	t.Throw(e)
}

// The keys of the descriptions of tools.
var (
	keyName      = value.ConstKeyword("name")
	keyDoc       = value.ConstKeyword("doc")
	keySignature = value.ConstKeyword("signature")
	keyTraits    = value.ConstKeyword("traits")
)

func listTools(t *value.Task, _ []value.Value) value.Value {
	all := t.Host.Tools()
	vals := t.Vals(len(all))
	for i, tool := range all {
		about := []value.Value{keyName, t.Symbol(ToolNS, tool.Name()), keyDoc, t.String(tool.Doc()), keySignature,
			t.String(tool.Signature())}
		if traits := t.Host.Traits(tool); traits != "" {
			about = append(about, keyTraits, t.String(traits))
		}
		vals[i] = t.MapOf(about...)
	}
	return t.List(vals...)
}

// lookupTool returns the tool with a name, nil if there is none.
func lookupTool(t *value.Task, name string) effect.Tool {
	all := t.Host.Tools()
	i := slices.IndexFunc(all, func(tool effect.Tool) bool { return tool.Name() == name })
	if i < 0 {
		return nil
	}
	return all[i]
}

// toolText returns the documentation of a tool as doc prints it.
func toolText(t *value.Task, tool effect.Tool) string {
	var b strings.Builder
	b.WriteString("-------------------------\n" + ToolNS + "/" + tool.Signature() + "\nTool\n")
	if tool.Doc() != "" {
		b.WriteString("  " + tool.Doc() + "\n")
	}
	if traits := t.Host.Traits(tool); traits != "" {
		b.WriteString("  [" + traits + "]\n")
	}
	for _, field := range tool.Fields() {
		b.WriteString("  " + field + "\n")
	}
	for _, example := range tool.Examples() {
		b.WriteString("  " + example + "\n")
	}
	return b.String()
}

// toolsMatching returns the tools that a test finds, those with it in the name first.
func toolsMatching(t *value.Task, found func(s string) bool) []effect.Tool {
	var named, documented []effect.Tool
	for _, tool := range t.Host.Tools() {
		switch {
		case found(tool.Name()):
			named = append(named, tool)
		case found(tool.Doc()) || found(tool.Signature()):
			documented = append(documented, tool)
		}
	}
	return append(named, documented...)
}
