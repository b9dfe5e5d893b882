// This file defines Effects: which tools a program can reach, and how often.

package lint

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/ptc-lang/ptc/lang/token"
)

// Effects lists the tools that a program can reach. It is an upper bound: a tool that a run
// calls is among them, or AnyTool is set; not all of them need be called.
type Effects struct {
	Tools []ToolUse
	// AnyTool reports that the program evaluates code that it makes while it runs, or finds
	// names of the library so that it may, and can reach all tools that are granted.
	AnyTool bool
	AnyAt   token.Span // where, if AnyTool is set
	// Asks are the questions of the program to a person; nil if it asks none.
	Asks *Questions

	parallel []parallelSite // for the warnings
	graph    *graph
}

// ToolUse is a tool that a program can reach.
type ToolUse struct {
	Name      string
	Signature string
	Effect    string // "read-only", "idempotent" or "write"
	Calls     Bound
	Parallel  bool     // calls may be under way beside each other, or beside other work
	Guards    []string // around every call in the program, and those that the tool declares
	Places    []token.Span
	// Approval reports that calls may have to be approved: the run waits for a person then.
	Approval bool
}

// Questions are the calls of ask that a program can reach.
type Questions struct {
	Calls    Bound
	Parallel bool
	Places   []token.Span
}

// maxPlaces is the number of places of a tool that are reported.
const maxPlaces = 20

// Bound is the maximum number of times that something happens in a run.
type Bound struct {
	Kind BoundKind
	Most int // if Kind is Constant
}

// BoundKind is the kind of a bound of a number of calls.
type BoundKind uint8

const (
	Constant  BoundKind = iota // a number that the program has
	ByData                     // how many elements, or how large, the values are that it goes over
	Unbounded                  // the analysis can't count the calls: recursion, a loop, a function that is passed around
)

func (k BoundKind) String() string { return [...]string{"constant", "data", "unknown"}[k] }

// mostConstant is the constant bound above which a bound is no longer useful.
const mostConstant = 1_000_000

func (b Bound) String() string {
	switch b.Kind {
	case Constant:
		return "at most " + strconv.Itoa(b.Most)
	case ByData:
		return "bounded by the data"
	}
	return "unknown"
}

// times returns the bound of something that happens b times as often as each time of c.
func (b Bound) times(c Bound) Bound {
	switch {
	case b.Kind == Constant && c.Kind == Constant:
		return constant(b.Most * c.Most)
	case b == constant(0) || c == constant(0):
		return constant(0)
	}
	return Bound{Kind: max(b.Kind, c.Kind)}
}

// plus returns the bound of two things together.
func (b Bound) plus(c Bound) Bound {
	if b.Kind == Constant && c.Kind == Constant {
		return constant(b.Most + c.Most)
	}
	return Bound{Kind: max(b.Kind, c.Kind)}
}

func constant(n int) Bound {
	if n > mostConstant {
		return Bound{Kind: ByData}
	}
	return Bound{Most: n}
}

// AddGranted adds all granted tools, and questions, to those that a program can reach, because it
// evaluates code that it makes.
func AddGranted(e *Effects, granted []*Tool) {
	asks := &Questions{Calls: Bound{Kind: Unbounded}, Parallel: true}
	if e.Asks != nil {
		asks.Places = e.Asks.Places
	}
	e.Asks = asks
	for _, t := range granted {
		guards := []string{}
		if t.Guards != "" {
			guards = []string{t.Guards}
		}
		use := ToolUse{Name: t.Name, Signature: t.Signature, Effect: t.Effect, Calls: Bound{Kind: Unbounded}, Parallel: true,
			Guards: guards, Approval: t.Approval}
		i, have := slices.BinarySearchFunc(e.Tools, t.Name,
			func(u ToolUse, name string) int { return cmp.Compare(u.Name, name) })
		if have {
			use.Places = e.Tools[i].Places
			e.Tools[i] = use
		} else {
			e.Tools = slices.Insert(e.Tools, i, use)
		}
	}
}

// MarshalJSON returns tools and anyTool.
func (e *Effects) MarshalJSON() ([]byte, error) {
	type use struct {
		Name      string   `json:"name"`
		Signature string   `json:"signature"`
		Effect    string   `json:"effect"`
		Bound     string   `json:"bound"`
		Most      *int     `json:"atMost,omitempty"`
		Parallel  bool     `json:"parallel"`
		Guards    []string `json:"guards"`
		Places    []*span  `json:"places"`
		Approval  bool     `json:"approval,omitempty"`
	}
	type questions struct {
		Bound    string  `json:"bound"`
		Most     *int    `json:"atMost,omitempty"`
		Parallel bool    `json:"parallel"`
		Places   []*span `json:"places"`
	}
	out := struct {
		Tools   []use      `json:"tools"`
		AnyTool bool       `json:"anyTool"`
		AnyAt   *span      `json:"anyToolAt,omitempty"`
		Asks    *questions `json:"asks,omitempty"`
	}{Tools: []use{}, AnyTool: e.AnyTool, AnyAt: spanOf(e.AnyAt)}
	for _, t := range e.Tools {
		u := use{t.Name, t.Signature, t.Effect, t.Calls.Kind.String(), nil, t.Parallel, append([]string{}, t.Guards...),
			spansOf(t.Places), t.Approval}
		if t.Calls.Kind == Constant {
			u.Most = &t.Calls.Most
		}
		out.Tools = append(out.Tools, u)
	}
	if q := e.Asks; q != nil {
		out.Asks = &questions{q.Calls.Kind.String(), nil, q.Parallel, spansOf(q.Places)}
		if q.Calls.Kind == Constant {
			out.Asks.Most = &q.Calls.Most
		}
	}
	return json.Marshal(out)
}

func spansOf(places []token.Span) []*span {
	all := []*span{}
	for _, p := range places {
		all = append(all, spanOf(p))
	}
	return all
}
