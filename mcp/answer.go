// This file defines the answers to run_program.

package mcp

import (
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
)

// answer is the structured answer to run_program: see runResult.
type answer struct {
	Status       string          `json:"status"`
	Run          string          `json:"run"`
	Value        json.RawMessage `json:"value,omitempty"`
	Prints       string          `json:"prints,omitempty"`
	Error        *problem        `json:"error,omitempty"`
	Others       []*problem      `json:"others,omitempty"`
	Calls        []calls         `json:"calls,omitempty"`
	Written      []written       `json:"written,omitempty"`
	Usage        *usage          `json:"usage,omitempty"`
	Pending      []pendingOne    `json:"pending,omitempty"`
	Continuation string          `json:"continuation,omitempty"`
	Session      string          `json:"session,omitempty"`
	Resource     string          `json:"resource,omitempty"`
	Cut          map[string]int  `json:"cut,omitempty"`
	Next         string          `json:"next,omitempty"`
}

// The values of answer.Status.
const (
	statusOK      = "ok"
	statusError   = "error"
	statusPending = "pending"
)

// problem is an error or a warning: see problemSchema.
type problem struct {
	Code        diag.Code       `json:"code"`
	Class       string          `json:"class,omitempty"`
	Message     string          `json:"message"`
	Hint        string          `json:"hint,omitempty"`
	Severity    string          `json:"severity,omitempty"`
	Line        int             `json:"line,omitempty"`
	Column      int             `json:"column,omitempty"`
	EndLine     int             `json:"endLine,omitempty"`
	EndColumn   int             `json:"endColumn,omitempty"`
	Replacement string          `json:"replacement,omitempty"`
	Data        json.RawMessage `json:"data,omitempty"`
}

type calls struct {
	Tool   string `json:"tool"`
	Calls  int64  `json:"calls"`
	Errors int64  `json:"errors,omitempty"`
	MS     int64  `json:"ms"`
}

// written is a call that has changed something, in a run that has failed.
type written struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args,omitempty"`
}

type usage struct {
	MS          int64 `json:"ms"`
	Steps       int64 `json:"steps"`
	MemoryPeak  int64 `json:"memoryPeak"`
	Calls       int64 `json:"calls"`
	Elements    int64 `json:"elements"`
	WorkersPeak int   `json:"workersPeak"`
}

type pendingOne struct {
	ID       string             `json:"id"`
	Kind     effect.PendingKind `json:"kind"`
	Tool     string             `json:"tool,omitempty"`
	Args     json.RawMessage    `json:"args,omitempty"`
	Question string             `json:"question,omitempty"`
	Data     json.RawMessage    `json:"data,omitempty"`
	Options  []json.RawMessage  `json:"options,omitempty"`
	Place    string             `json:"place,omitempty"`
}

// Bounds of the parts of an answer, in bytes. Together they are less than maxInline.
const (
	maxValue   = 12 << 10
	maxPrints  = 6 << 10
	maxMessage = 4 << 10 // of an error, its hint, and its data
	maxPending = 20      // effects
	maxOthers  = 10      // errors
	maxTools   = 50      // in calls
	maxWritten = 20      // calls that have changed something
)

// ended returns the answer about a run that has ended.
func (s *Server) ended(l *live) *sdk.CallToolResult {
	if len(l.out.Pending) > 0 {
		l.waiting = l.out.Pending
		return s.pending(l, &l.out, false)
	}
	a := s.about(l, &l.out)
	if e := l.out.Error; e != nil {
		a.Status = statusError
		a.explain(e)
		return a.result(errorText(e) + a.listWritten(l.out.Calls))
	}
	a.Status = statusOK
	out := a.result("")
	text := string(l.out.Value)
	if a.Value = l.out.Value; len(text) > maxValue {
		short, _ := pageOf(text, 0, maxValue)
		a.Value, _ = json.Marshal(short + "…")
		a.cut("value", len(text))
		if s.values.keep(l.id, l.owner, text) {
			a.Resource = valueURI(l.id)
			size := int64(len(text))
			out.Content = append(out.Content, &sdk.ResourceLink{URI: a.Resource, Name: "value", Title: "The whole value",
				MIMEType: "application/json", Size: &size})
		} else {
			a.Next = "the value is too large to be kept: return less, or page through it in a session"
		}
	}
	out.Content = append([]sdk.Content{&sdk.TextContent{Text: a.text(string(a.Value))}}, out.Content...)
	a.Value = exact(a.Value)
	return out
}

// listWritten adds the calls of a failed run that have changed something, and returns a text about them: the repaired
// program must not make them again.
func (a *answer) listWritten(made []journal.Entry) string {
	var b strings.Builder
	all := 0
	for _, c := range made {
		if c.Class != effect.Write || !c.Done || c.Outcome.Failed() {
			continue
		}
		if all++; all > maxWritten {
			continue
		}
		one := written{Tool: c.Name, Args: exact(c.Args)}
		if len(c.Args) > maxMessage/8 {
			one.Args = nil
		}
		a.Written = append(a.Written, one)
		fmt.Fprintf(&b, "tool/%s %s\n", c.Name, short(string(c.Args)))
	}
	if all == 0 {
		return ""
	}
	if all > maxWritten {
		a.cut("written", all)
		fmt.Fprintf(&b, "… and %d more\n", all-maxWritten)
	}
	return "The run had made these writes; the repaired program must not repeat them:\n" + b.String()
}

// failed returns the answer about a program that does not compile.
func (s *Server) failed(run string, err error) *sdk.CallToolResult {
	a := &answer{Status: statusError, Run: run}
	e := outcomeOf(nil, err).Error
	a.explain(e)
	return a.result(errorText(e))
}

// about returns the parts that every answer about a run has. out is nil if the run has not ended.
func (s *Server) about(l *live, out *Outcome) *answer {
	a := &answer{Run: l.id, Session: l.session}
	if out == nil {
		return a
	}
	if a.Prints = out.Prints; len(a.Prints) > maxPrints {
		a.cut("prints", len(a.Prints))
		a.Prints, _ = pageOf(a.Prints, 0, maxPrints)
		a.Prints += "…"
	}
	u := &out.Usage
	a.Usage = &usage{MS: u.Duration.Milliseconds(), Steps: u.Steps, MemoryPeak: u.MemoryPeak, Calls: u.Calls,
		Elements: u.Parallel.Elements, WorkersPeak: u.Parallel.Peak}
	for i, t := range u.Tools {
		if i == maxTools {
			a.cut("calls", len(u.Tools))
			break
		}
		a.Calls = append(a.Calls, calls{t.Name, t.Calls, t.Errors, t.Time.Milliseconds()})
	}
	return a
}

// explain sets the error of an answer.
func (a *answer) explain(e *ptc.Error) {
	a.Error = problemOf(e)
	for i, other := range e.Others {
		if i == maxOthers {
			a.cut("others", len(e.Others))
			break
		}
		a.Others = append(a.Others, problemOf(other))
	}
}

// problemOf returns an error for the client.
func problemOf(e *ptc.Error) *problem {
	p := &problem{Code: e.Code, Class: e.Class, Message: short(e.Message), Hint: short(e.Hint),
		Replacement: short(e.Replacement)}
	if !e.Span.IsZero() {
		p.Line, p.Column = e.Span.File.LineCol(e.Span.Start)
		p.EndLine, p.EndColumn = e.Span.File.LineCol(max(e.Span.End, e.Span.Start))
	}
	if e.Data != nil {
		if text, err := json.Marshal(e.Data); err == nil && len(text) <= maxMessage {
			p.Data = exact(text)
		}
	}
	return p
}

// short returns the beginning of a message that is too long.
func short(text string) string {
	if len(text) <= maxMessage/4 {
		return text
	}
	text, _ = pageOf(text, 0, maxMessage/4)
	return text + "…"
}

// errorText returns the text from which a model repairs a program.
func errorText(e *ptc.Error) string {
	var b strings.Builder
	e.Render(&b, false)
	text, _ := pageOf(b.String(), 0, 2*maxMessage)
	return text
}

// pending returns the answer about a run that waits, or that was parked with a result. asked reports that the person
// was asked, and decided nothing.
func (s *Server) pending(l *live, out *Outcome, asked bool) *sdk.CallToolResult {
	a := s.about(l, out)
	a.Status = statusPending
	for i, p := range l.waiting {
		if i == maxPending {
			a.cut("pending", len(l.waiting))
			break
		}
		one := pendingOne{ID: p.ID, Kind: p.Kind, Tool: p.Tool, Args: exact(p.Args), Question: short(p.Question),
			Data: exact(p.Data), Options: p.Options, Place: p.Place}
		if len(p.Args)+len(p.Data) > maxMessage {
			one.Args, one.Data = nil, nil
		}
		a.Pending = append(a.Pending, one)
	}
	a.Next = s.next(l, asked)
	if l.continues() || s.kept(l) {
		a.Continuation = s.continuation(l)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The program waits for %s.\n", diag.Counted(len(l.waiting), "decision"))
	for i, p := range l.waiting {
		if i == maxPending {
			fmt.Fprintf(&b, "… and %d more\n", len(l.waiting)-i)
			break
		}
		fmt.Fprintf(&b, "%s: %s\n", p.ID, told(p))
	}
	return a.result(b.String() + a.Next)
}

// next returns the possible next steps for a run that waits.
func (s *Server) next(l *live, asked bool) string {
	var parts []string
	if asked {
		parts = append(parts, "The person was asked, and has not decided.")
	}
	if l.refusal != "" {
		parts = append(parts, "The decision was not taken: "+l.refusal+".")
	}
	if l.continues() {
		within := ""
		if !s.kept(l) {
			within = fmt.Sprintf(", within %s", diag.Duration(s.opts.Lifetime))
		}
		parts = append(parts, "Ask the person, and call run_program with the continuation and answers {\"ID\": ANSWER}"+
			within+".")
	}
	var ids []string
	for _, p := range l.waiting {
		if p.Kind == effect.PendingApproval {
			ids = append(ids, p.ID)
		}
	}
	switch {
	case len(ids) > 0 && s.opts.Service != nil:
		parts = append(parts, fmt.Sprintf("The calls have not been made. A person approves them in the service, or with: "+
			"ptc remote approve %s %s. Then call run_program with the continuation.", l.id,
			strings.Join(ids[:min(len(ids), maxPending)], " ")))
	case !l.continues() && s.opts.Service != nil:
		parts = append(parts, fmt.Sprintf("The outcome of these calls is not known here. A person settles them in the "+
			"service, or with: ptc remote settle %s. Then call run_program with the continuation.", l.id))
	case len(ids) > 0 && l.journal != "":
		parts = append(parts, fmt.Sprintf("The calls have not been made. A person approves them with: ptc resume "+
			"--approve %s %s. Then call run_program with the continuation.",
			strings.Join(ids[:min(len(ids), maxPending)], ","), s.opts.Journals.path(l.journal)))
	case len(ids) > 0 && s.opts.Journals.Dir != "":
		parts = append(parts, "The calls have not been made, and this client can't ask a person to approve them. With the "+
			"argument journal the run could wait for an approval by ptc resume.")
	case len(ids) > 0:
		parts = append(parts, "The calls have not been made, and this client can't ask a person to approve them. If the "+
			"server is started with --journal-dir, such a run can wait for an approval by ptc resume.")
	case !l.continues():
		parts = append(parts, "The outcome of these calls is not known here. A run with a journal is settled with "+
			"ptc resume --settle.")
	}
	return strings.Join(parts, " ")
}

// cut notes that a part was shortened.
func (a *answer) cut(part string, size int) {
	if a.Cut == nil {
		a.Cut = make(map[string]int)
	}
	a.Cut[part] = size
}

// result returns the answer for the client, with a text beside it.
func (a *answer) result(text string) *sdk.CallToolResult {
	r := &sdk.CallToolResult{StructuredContent: a, IsError: a.Status == statusError}
	if text != "" {
		r.Content = []sdk.Content{&sdk.TextContent{Text: a.text(text)}}
	}
	return r
}

// text returns the prints of an answer, followed by rest.
func (a *answer) text(rest string) string {
	parts := make([]string, 0, 3)
	if a.Prints != "" {
		parts = append(parts, strings.TrimSuffix(a.Prints, "\n"))
	}
	parts = append(parts, rest)
	if a.Session != "" {
		parts = append(parts, "session: "+a.Session)
	}
	return strings.Join(parts, "\n")
}
