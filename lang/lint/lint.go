// Package lint warns of probable mistakes in a program that compiles, and reports which tools it can reach,
// before anything runs.
//
// It works on the tree that the compiler notes (compile.Tree): the meaning of each name is
// known there, and is not computed again. Where something stands, and what a fix has to
// replace, comes from the tokens of the reader.
//
//   - source.go: the text: brackets, their parts, the place of a form
//   - bindings.go: unused-binding, unused-private, shadowed-builtin
//   - branches.go, chain.go: constant-test, unreachable-code, duplicate-test
//   - values.go: unused-value, single-operand, inline-def, quoted-text, uncalled-function
//   - arguments.go: tool-argument
//   - brackets.go: misplaced-bracket; operands.go: wrong-argument, string-code
//   - printed.go: values that are written otherwise than was meant; clauses.go: clauses, bodies and start values
//   - shapes.go, literals.go: unknown-key; types.go: never-equal; functions.go: wrong-callback
//   - unread.go: unread-effects
//   - units.go, reach.go, higher.go: what calls what, how often, and so the Effects
//   - ordered.go: ordered-effects, ends-run
//
// A warning must be right: a doubtful case is not reported. Code that a macro of the program
// made is looked at for uses and effects only, since nobody wrote it as it stands.
package lint

import (
	"cmp"
	"encoding/json"
	"io"
	"slices"

	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// Severity is how bad a finding is.
type Severity string

// The severities.
const (
	Error   Severity = "error"   // the program does not compile
	Warning Severity = "warning" // it does, and is probably not what was meant
)

// The codes of warnings. Those of errors are the codes of package diag.
const (
	UnusedBinding   diag.Code = "unused-binding"
	UnusedPrivate   diag.Code = "unused-private"
	ShadowedBuiltin diag.Code = "shadowed-builtin"
	ConstantTest    diag.Code = "constant-test"
	UnreachableCode diag.Code = "unreachable-code"
	DuplicateTest   diag.Code = "duplicate-test"
	UnusedValue     diag.Code = "unused-value"
	SingleOperand   diag.Code = "single-operand"
	InlineDef       diag.Code = "inline-def"
	ToolArgument    diag.Code = "tool-argument"
	OrderedEffects  diag.Code = "ordered-effects"

	MisplacedBracket diag.Code = "misplaced-bracket"
	WrongArgument    diag.Code = "wrong-argument"
	StringCode       diag.Code = "string-code"
	UnreadEffects    diag.Code = "unread-effects"
	EndsRun          diag.Code = "ends-run"
	UnknownKey       diag.Code = "unknown-key"
	NeverEqual       diag.Code = "never-equal"
	WrongCallback    diag.Code = "wrong-callback"
	QuotedText       diag.Code = "quoted-text"
	UncalledFunction diag.Code = "uncalled-function"
)

// Diagnostic is a finding.
type Diagnostic struct {
	Severity Severity
	Code     diag.Code
	Message  string
	Hint     string // what would fix it; may be empty
	Span     token.Span
	// Fix are edits that fix it, and change nothing else that the program does; none if
	// there is no sure way. They don't overlap.
	Fix []Edit
	// Of is the compiler's error, with what caused it; nil for a warning.
	Of *diag.Error
}

// Edit replaces a stretch of source by a text.
type Edit struct {
	Span token.Span
	Text string
}

// position is a place in JSON: line and column count from 1, columns in code points; the
// offset counts bytes from 0.
type position struct {
	Line   int `json:"line"`
	Column int `json:"column"`
	Offset int `json:"offset"`
}

type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

func spanOf(s token.Span) *span {
	if s.IsZero() {
		return nil
	}
	at := func(off int) position {
		line, column := s.File.LineCol(off)
		return position{line, column, off}
	}
	return &span{at(s.Start), at(max(s.Start, s.End))}
}

type jsonEdit struct {
	Range *span  `json:"range"`
	Text  string `json:"text"`
}

// MarshalJSON returns file, severity, code, message, range, hint and fix. range is null for
// a finding without a place; a fix without edits is an empty list.
func (d Diagnostic) MarshalJSON() ([]byte, error) {
	out := struct {
		File     string     `json:"file,omitempty"`
		Severity Severity   `json:"severity"`
		Code     diag.Code  `json:"code"`
		Message  string     `json:"message"`
		Range    *span      `json:"range"`
		Hint     string     `json:"hint,omitempty"`
		Fix      []jsonEdit `json:"fix"`
	}{Severity: d.Severity, Code: d.Code, Message: d.Message, Range: spanOf(d.Span), Hint: d.Hint, Fix: []jsonEdit{}}
	if !d.Span.IsZero() {
		out.File = d.Span.File.Name
	}
	for _, e := range d.Fix {
		out.Fix = append(out.Fix, jsonEdit{spanOf(e.Span), e.Text})
	}
	return json.Marshal(out)
}

// Render writes the finding as an error is written: see diag.Error.
func (d Diagnostic) Render(w io.Writer, color bool) error {
	e := &diag.Error{Code: d.Code, Message: d.Message, Hint: d.Hint, Span: d.Span}
	if d.Of != nil {
		e.Cause, e.Stack = d.Of.Cause, d.Of.Stack
	}
	return e.RenderAs(w, string(d.Severity), color)
}

// Tool is the declaration of a tool by a host.
type Tool struct {
	Name, Signature string
	Effect          string // "read-only", "idempotent" or "write"
	Guards          string // those that a call takes: "host-exclusive", …; "" if it takes none
	Host            string // the argument that names the host of a call; "" if none does
	Approval        bool   // calls may have to be approved
	Exclusive       bool   // no two calls on one host, or at all, are under way at once
	Result          *Shape // what is known of its results; nil for nothing
	// Check checks arguments, of which some are Unknown, and returns nil if they may be right.
	Check func(args map[string]any) *Mismatch
}

// Unknown represents values in the arguments of a tool that only a run can know.
type Unknown struct{}

// Mismatch describes the error in arguments.
type Mismatch struct {
	Message string
	Hint    string
	Path    []any  // to the part that is wrong
	Key     string // of the map there, which it may not have; "" if it is something else
	Instead string // that was probably meant by Key
}

// Program is a program to be looked at.
type Program struct {
	Task    *value.Task // bounds the work
	Tree    *compile.Node
	Env     *compile.Env
	File    *token.File
	Tools   func(t effect.Tool) *Tool
	Partial bool // parts did not compile: what is unused there is not known
	// Inputs has the known shapes of inputs by their names; keys of objects are keywords.
	Inputs map[string]*Shape
}

// maxFindings is the maximum number of warnings for a program.
const maxFindings = 500

// linter looks at one program.
type linter struct {
	*Program
	src   *source
	graph *graph
	uses  usage
	found []Diagnostic
	seen  map[finding]bool
	// refused are calls with an argument that is warned of because of its text.
	refused map[*compile.Node]bool
	varied  map[int]bool // globals that may get other values than those of their definitions
}

// finding identifies a finding: a macro may have put a form into two places.
type finding struct {
	code  diag.Code
	start int
}

// Warnings returns the warnings of a program in the order of their places.
func Warnings(p *Program, e *Effects) []Diagnostic {
	l := &linter{Program: p, src: newSource(p.File), graph: e.graph, uses: newUsage(), seen: make(map[finding]bool),
		refused: make(map[*compile.Node]bool), varied: make(map[int]bool)}
	if l.src == nil {
		return nil
	}
	l.changedVars(p.Tree)
	l.visit(p.Tree, false)
	l.posixClasses()
	l.unused()
	l.ordered(e)
	l.unread()
	l.unknownKeys()
	slices.SortStableFunc(l.found, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Span.Start, b.Span.Start), cmp.Compare(a.Code, b.Code))
	})
	return l.found
}

// visit looks at a node and its descendants. made reports that a macro of the program made
// it.
func (l *linter) visit(n *compile.Node, made bool) {
	l.Task.Work(1)
	l.note(n, made)
	if !made {
		switch n.Kind {
		case compile.NodeSpecial:
			l.special(n)
		case compile.NodeMacro:
			l.macro(n)
		case compile.NodeArity:
			l.afterEnd(n)
		case compile.NodeCall:
			l.call(n)
		case compile.NodeLocal, compile.NodeGlobal, compile.NodeEntry, compile.NodeTool:
			l.touching(n)
			l.uncalled(n)
		}
		l.discarded(n)
	}
	made = made || n.Kind == compile.NodeMacro && n.Global >= 0
	for _, sub := range n.Subs {
		l.visit(sub, made)
	}
}

// warn notes a finding at a place, once.
func (l *linter) warn(code diag.Code, at place, d Diagnostic) {
	key := finding{code, at.start}
	if l.seen[key] || len(l.found) == maxFindings || at.end <= at.start {
		return
	}
	l.seen[key] = true
	d.Severity, d.Code, d.Span = Warning, code, l.span(at)
	l.found = append(l.found, d)
}

func (l *linter) span(at place) token.Span {
	return token.Span{File: l.File, Start: at.start, End: at.end}
}

func (l *linter) edit(at place, text string) []Edit { return []Edit{{l.span(at), text}} }

func (l *linter) call(n *compile.Node) {
	l.singleOperand(n)
	l.shadowed(n)
	l.toolCall(n)
	l.changed(n)
	l.replaced(n)
	l.changedAtTop(n)
	l.wrongArgument(n)
	l.lookUpOrder(n)
	l.elementsOf(n)
	l.lazyText(n)
	l.formatted(n)
	l.group(n)
	l.accumulator(n)
	l.calledValue(n)
	l.callback(n)
	l.operators(n)
	l.stringCode(n)
}
