// This file defines Check, which finds mistakes in a program, and the tools it can reach, without running it.

package ptc

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/eval"
	"github.com/ptc-lang/ptc/lang/lint"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// Diagnostic is a finding of Check.
//
//	Severity  Severity     SeverityError or SeverityWarning
//	Code      diag.Code    that of an error, or of a warning (spec/check.md lists them)
//	Message   string
//	Hint      string       what fixes it; may be empty
//	Span      token.Span   its place
//	Fix       []Edit       edits that surely fix it; nil if there are none
//	Of        *diag.Error  the error that it stands for; nil of a warning
//
// Render shows it to a person, and MarshalJSON writes the object that spec/check.md describes.
type Diagnostic = lint.Diagnostic

// Edit replaces the text of Span, a token.Span, with Text.
type Edit = lint.Edit

// Severity is how bad a Diagnostic is.
type Severity = lint.Severity

// The severities of a Diagnostic.
const (
	SeverityError   = lint.Error   // the program does not compile
	SeverityWarning = lint.Warning // it compiles, but is probably a mistake
)

// Effects are the tools that a program can reach, and how often.
//
//	Tools    []ToolUse   by name
//	AnyTool  bool        the program may reach any granted tool: it evaluates what it makes
//	AnyAt    token.Span  the first place where it does so
//	Asks     *Questions  its questions to a person; nil if it asks none
type Effects = lint.Effects

// ToolUse is a tool that a program can reach.
//
//	Name       string        without tool/
//	Signature  string        of the tool
//	Effect     string        "write", "idempotent" or "read-only"
//	Calls      Bound         how often it is called at most
//	Parallel   bool          in workers, so that calls can be under way at once
//	Guards     []string      that are held during a call
//	Places     []token.Span  of the calls
//	Approval   bool          calls may have to be approved: by the tool, Options.Approve or the policies
type ToolUse = lint.ToolUse

// Questions are the calls of ask that a program can reach.
//
//	Calls      Bound         how often it asks at most
//	Parallel   bool          in workers, so that several questions can be open at once
//	Places     []token.Span  of the calls
type Questions = lint.Questions

// Bound is how often a tool is called at most in a run: Kind, a BoundKind, and Most, the number, if Kind is
// BoundConstant.
type Bound = lint.Bound

// BoundKind is the kind of a Bound.
type BoundKind = lint.BoundKind

// The kinds of a Bound.
const (
	BoundConstant = lint.Constant  // a number that the program has
	BoundByData   = lint.ByData    // the number, or the size, of values that the program goes over
	BoundUnknown  = lint.Unbounded // the analysis cannot tell: recursion, a loop, a function that is passed around
)

// Findings are the findings of Check.
type Findings struct {
	// Diagnostics are all errors of the compiler, and the warnings, in the order of their places.
	Diagnostics []Diagnostic
	// Effects are the tools that the program can reach; nil if it does not compile.
	Effects *Effects
	// Err is the error of Compile: nil if the program compiles.
	Err error
}

// Check compiles and analyses a program. It runs only its macros. name identifies the source in places. The compilation
// has the bounds of opts, and the analysis has them once more; Check does not report findings beyond them. If ctx ends,
// Check ends with an error of code cancelled or timeout.
func Check(ctx context.Context, name, source string, opts Options) *Findings {
	found := &Findings{}
	_, found.Err = Compile(ctx, name, source, opts)
	if err := usable(ctx, &opts); err != nil {
		found.Diagnostics = []Diagnostic{errorFound(found.Err)}
		return found
	}
	s := newSurvey(ctx, name, source, opts)
	_, err := s.compile(s.comp, s.sources...) // notes the tree of the program
	errs := all(err)
	if ctx.Err() != nil {
		return stopped(ctx, found)
	}
	if found.Err == nil && len(errs) > 0 { // it takes more than Compile does
		s.giveUp(found, errs[0])
		return found
	}
	if found.Err != nil && len(errs) == 0 { // of something that the survey did not come to
		errs = all(found.Err)
	}
	for _, e := range errs {
		found.Diagnostics = append(found.Diagnostics, errorFound(e))
	}
	for _, e := range s.comp.Deferred() {
		d := errorFound(e)
		d.Severity, d.Of = SeverityWarning, nil
		found.Diagnostics = append(found.Diagnostics, d)
	}
	s.look(found)
	slices.SortStableFunc(found.Diagnostics, func(a, b Diagnostic) int { return a.Span.Start - b.Span.Start })
	return found
}

// stopped returns the findings of a check that its context has ended: the error alone, because the other
// findings depend on timing.
func stopped(ctx context.Context, found *Findings) *Findings {
	if found.Err == nil {
		found.Err = ended(ctx)
	}
	found.Diagnostics = []Diagnostic{errorFound(found.Err)}
	return found
}

// all returns an error and the others found with it.
func all(err error) []*diag.Error {
	var e *diag.Error
	if !errors.As(err, &e) {
		return nil
	}
	return append([]*diag.Error{e}, e.Others...)
}

// errorFound returns an error as a finding.
func errorFound(err error) Diagnostic {
	d := Diagnostic{Severity: SeverityError, Code: diag.Internal, Message: err.Error()}
	var e *diag.Error
	if errors.As(err, &e) {
		d.Code, d.Message, d.Hint, d.Span = e.Code, e.Message, e.Hint, e.Span
		if e.Replacement != "" {
			d.Fix = []Edit{{Span: e.Span, Text: e.Replacement}}
		}
	}
	return d
}

// survey compiles a program for its analysis.
type survey struct {
	*compilation
	sources []*token.File
	comp    *compile.Compiler
	tools   map[effect.Tool]*lint.Tool
}

func newSurvey(ctx context.Context, name, source string, opts Options) *survey {
	files, env, tools := &token.FileSet{}, compile.NewEnv(), newToolbox(opts)
	env.Data, env.AnyData, env.Tools = opts.DataNames, opts.DataNames == nil, tools.known
	env.Resources = opts.Resources
	s := &survey{compilation: newCompilation(ctx, opts, env, files), tools: make(map[effect.Tool]*lint.Tool)}
	s.sources = addFiles(files, name, source)
	s.comp = s.compiler()
	s.comp.Note()
	for _, t := range tools.tools {
		d := declared(t.(*tool.Tool))
		d.Approval = mayNeedApproval(t.(*tool.Tool), &opts)
		if !opts.StringKeys {
			d.Result = shapeOf(t.(*tool.Tool).Result())
		}
		s.tools[t] = d
	}
	return s
}

// look enters the warnings and the effects.
func (s *survey) look(found *Findings) {
	if err := eval.Compiling(s.task, func() { s.examine(found) }); err != nil {
		s.giveUp(found, err)
	}
}

func (s *survey) examine(found *Findings) {
	main := s.sources[len(s.sources)-1]
	p := &lint.Program{Task: s.task, Tree: s.comp.Tree(), Env: s.env, File: main, Partial: found.Err != nil,
		Inputs: inputShapes(&s.opts),
		Tools:  func(t effect.Tool) *lint.Tool { return s.tools[t] }}
	effects := lint.Reach(p)
	if found.Err == nil {
		s.effects(found, effects)
	}
	found.Diagnostics = append(found.Diagnostics, lint.Warnings(p, effects)...)
}

// effects enters what a program can reach.
func (s *survey) effects(found *Findings, e *Effects) {
	if e.AnyTool {
		lint.AddGranted(e, slices.Collect(maps.Values(s.tools)))
	}
	found.Effects = e
}

// giveUp enters that a bound was hit before the whole program was examined. The rest may reach any tool.
func (s *survey) giveUp(found *Findings, err *diag.Error) {
	d := errorFound(err)
	if err.Code != diag.Internal {
		d.Severity, d.Message, d.Of = SeverityWarning, "the check examined only a part of the program: "+err.Message, nil
	}
	found.Diagnostics = append(found.Diagnostics, d)
	if found.Err == nil && found.Effects == nil {
		s.effects(found, &Effects{AnyTool: true})
	}
}

// mayNeedApproval reports whether calls of a tool may have to be approved.
func mayNeedApproval(t *tool.Tool, opts *Options) bool {
	approve := opts.Approve
	if !absent[queue.Enforcer](opts.Queue) {
		approve = approve.And(opts.Queue.Approvals())
	}
	class := t.Class()
	for _, r := range t.Rules() {
		if r.Class != nil && *r.Class != effect.ReadOnly {
			class = *r.Class
		}
	}
	return t.MayNeedApproval() || approve.Need(t.Name(), class)
}

// declared returns the facts that the linter has about a tool.
func declared(t *tool.Tool) *lint.Tool {
	d := &lint.Tool{Name: t.Name(), Signature: t.Signature(), Effect: t.Class().String()}
	d.Host = t.HostArgument()
	hint := t.Hint()
	if hint.Kind != effect.FullyParallel {
		d.Guards = hint.Kind.String()
	}
	d.Exclusive = hint.Kind&(effect.HostExclusive|effect.GlobalExclusive) != 0
	d.Check = func(args map[string]any) *lint.Mismatch {
		m := t.CheckPartial(unknowns(args).(map[string]any))
		if m == nil {
			return nil
		}
		return &lint.Mismatch{Message: m.Error(), Hint: m.Hint, Path: m.Steps, Key: m.Key, Instead: m.Instead}
	}
	return d
}

// unknowns returns arguments in which the unknown values are those of package tool.
func unknowns(v any) any {
	switch v := v.(type) {
	case lint.Unknown:
		return tool.Unknown{}
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			out[k] = unknowns(x)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = unknowns(x)
		}
		return out
	}
	return v
}
