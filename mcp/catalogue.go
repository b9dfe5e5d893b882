// This file defines check_program, search_tools, describe_tools, the prompt and completion.

package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/prompt"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// maxFindings bounds the findings of a check.
const maxFindings = 50

// check carries out a call of check_program.
func (s *Server) check(ctx context.Context, _ *sdk.CallToolRequest, args json.RawMessage) (*sdk.CallToolResult, error) {
	var q struct {
		Program string    `json:"program"`
		Inputs  *[]string `json:"inputs"`
	}
	if err := json.Unmarshal(args, &q); err != nil {
		return refused(fmt.Errorf("check_program: %w", err)), nil
	}
	o := s.opts.Run
	if q.Inputs != nil {
		o.DataNames = append([]string{}, *q.Inputs...)
	}
	f := ptc.Check(ctx, programName, q.Program, o)
	out := struct {
		OK       bool       `json:"ok"`
		Findings []*problem `json:"findings"`
		Tools    []string   `json:"tools,omitempty"`
		Cut      int        `json:"cut,omitempty"`
	}{OK: true, Findings: []*problem{}}
	var text strings.Builder
	for i, d := range f.Diagnostics {
		if d.Severity == ptc.SeverityError {
			out.OK = false
		}
		if i >= maxFindings {
			out.Cut++
			continue
		}
		p := problemOf(&ptc.Error{Code: d.Code, Message: d.Message, Hint: d.Hint, Span: d.Span})
		p.Severity = string(d.Severity)
		out.Findings = append(out.Findings, p)
		if text.Len() < maxInline/2 {
			d.Render(&text, false)
		}
	}
	if f.Err != nil && out.OK {
		return refused(fmt.Errorf("check_program: %w", f.Err)), nil
	}
	if f.Effects != nil {
		for _, t := range f.Effects.Tools {
			out.Tools = append(out.Tools, t.Name)
		}
	}
	if len(out.Findings) == 0 {
		text.WriteString("no mistakes found")
	}
	return structured(out, text.String()), nil
}

// structured returns a result with a text beside it.
func structured(v any, text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{StructuredContent: v, Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

// foundTool is a tool in the answer to search_tools.
type foundTool struct {
	Name      string `json:"name"`
	Signature string `json:"signature"`
	Doc       string `json:"doc,omitempty"`
	Class     string `json:"class,omitempty"`
}

// search carries out a call of search_tools.
func (s *Server) search(_ context.Context, _ *sdk.CallToolRequest, args json.RawMessage) (*sdk.CallToolResult, error) {
	var q struct {
		Query string `json:"query"`
		Limit int    `json:"limit"`
	}
	if err := json.Unmarshal(args, &q); err != nil {
		return refused(fmt.Errorf("search_tools: %w", err)), nil
	}
	if q.Limit == 0 {
		q.Limit = 10
	}
	found := s.opts.Run.Tools.Search(q.Query)
	out := struct {
		Tools []foundTool `json:"tools"`
		More  int         `json:"more,omitempty"`
	}{Tools: []foundTool{}}
	var text strings.Builder
	for i, t := range found {
		if i == q.Limit || text.Len() > maxInline/2 {
			out.More = len(found) - i
			fmt.Fprintf(&text, "… and %d more: search for something narrower\n", out.More)
			break
		}
		one := foundTool{t.Name(), short(t.Signature()), short(t.Doc()), t.Class().String()}
		out.Tools = append(out.Tools, one)
		fmt.Fprintf(&text, "(tool/%s\n  %s\n", one.Signature, oneLine(one.Doc))
	}
	if len(found) == 0 {
		text.WriteString("no tool matches: use other words, or fewer")
	}
	return structured(out, text.String()), nil
}

// oneLine returns a text without line ends.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// described is one name in the answer to describe_tools.
type described struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// describe carries out a call of describe_tools.
func (s *Server) describe(ctx context.Context, _ *sdk.CallToolRequest, args json.RawMessage) (
	*sdk.CallToolResult, error) {
	var q struct {
		Names []string `json:"names"`
	}
	if err := json.Unmarshal(args, &q); err != nil {
		return refused(fmt.Errorf("describe_tools: %w", err)), nil
	}
	out := struct {
		Described []described `json:"described"`
		Unknown   []string    `json:"unknown,omitempty"`
		Cut       []string    `json:"cut,omitempty"`
	}{Described: []described{}}
	var text strings.Builder
	for _, name := range q.Names {
		doc, err := s.described(ctx, name)
		switch {
		case err != nil:
			out.Unknown = append(out.Unknown, name)
			fmt.Fprintf(&text, "%s: unknown\n", short(name))
		case text.Len()+len(doc) > maxInline/2:
			out.Cut = append(out.Cut, name)
		default:
			out.Described = append(out.Described, described{name, doc})
			text.WriteString(doc)
		}
	}
	return structured(out, text.String()), nil
}

// cardName is the name by which describe_tools returns the card of the language and the tools, with as many tokens as
// fit in an answer.
const cardName = "card"

// described returns the documentation of a tool or function, or the card.
func (s *Server) described(ctx context.Context, name string) (string, error) {
	doc, err := s.doc(ctx, name)
	if err != nil && name == cardName {
		return s.card(maxInline / 2 / bytesPerToken)
	}
	return doc, err
}

// errNoName reports that there is no documentation.
var errNoName = errors.New("there is no such tool or function")

// doc returns the documentation of a tool or function.
func (s *Server) doc(ctx context.Context, name string) (string, error) {
	name = strings.TrimPrefix(name, builtins.ToolNS+"/")
	if s.opts.Run.Tools.Lookup(name) != nil {
		name = builtins.ToolNS + "/" + name
	} else if !slices.Contains(functions(), name) {
		return "", errNoName
	}
	o := ptc.Options{Tools: s.opts.Run.Tools, DataNames: []string{}}
	res, err := ptc.Run(ctx, "(doc "+name+")", o)
	if err != nil {
		return "", errNoName
	}
	return res.Prints, nil
}

// functions are the names of the functions and macros of the language, as programs write them.
var functions = sync.OnceValue(func() (names []string) {
	for e := range builtins.Entries() {
		if e.NS == "clojure.core" {
			names = append(names, e.Name)
		} else {
			names = append(names, e.NS+"/"+e.Name)
		}
	}
	return names
})

func (s *Server) readDoc(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	doc, err := s.doc(ctx, strings.TrimPrefix(r.Params.URI, "ptc://doc/"))
	if err != nil {
		return nil, sdk.ResourceNotFoundError(r.Params.URI)
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{
		{URI: r.Params.URI, MIMEType: "text/plain", Text: doc}}}, nil
}

func (s *Server) addPrompts() {
	s.sdk.AddPrompt(&sdk.Prompt{Name: "write_program", Title: "Write a program",
		Description: "Asks the model to write a task program, with the whole card of the language and the granted tools.",
		Arguments: []*sdk.PromptArgument{
			{Name: "task", Description: "what the program is to do", Required: true},
			{Name: "tools", Description: "names of the tools that it will need, separated by commas; default: all"}}},
		s.writeProgram)
}

// some returns the tools with some names.
func (s *Server) some(names string) (*tool.Registry, error) {
	var some []*tool.Tool
	for name := range strings.SplitSeq(names, ",") {
		t := s.opts.Run.Tools.Lookup(strings.TrimSpace(name))
		if t == nil {
			return nil, fmt.Errorf("write_program: there is no tool %.100q; search_tools finds them", strings.TrimSpace(name))
		}
		some = append(some, t)
	}
	return tool.NewRegistry(some...)
}

// writeProgram returns the prompt write_program.
func (s *Server) writeProgram(ctx context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	task := r.Params.Arguments["task"]
	if strings.TrimSpace(task) == "" {
		return nil, invalid(errors.New("write_program: want the argument task, what the program is to do"))
	}
	o := prompt.Options{Run: s.opts.Run, Reach: s.opts.Reach}
	if names := r.Params.Arguments["tools"]; names != "" {
		var err error
		if o.Run.Tools, err = s.some(names); err != nil {
			return nil, invalid(err)
		}
	}
	card, err := prompt.Card(ctx, o)
	if err != nil {
		return nil, err
	}
	return &sdk.GetPromptResult{Description: "A task program", Messages: []*sdk.PromptMessage{{Role: "user",
		Content: &sdk.TextContent{Text: card + "\n## Task\n\n" + task +
			"\n\nWrite one program, and run it with run_program.\n"}}}}, nil
}

// completed carries out a completion: of names of tools in the prompt, and of names in the address of documentation.
func (s *Server) completed(_ context.Context, r *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	prefix, before := r.Params.Argument.Value, ""
	var names []string
	for _, t := range s.opts.Run.Tools.All() {
		names = append(names, t.Name())
	}
	switch {
	case r.Params.Ref == nil:
	case r.Params.Ref.Type == "ref/prompt" && r.Params.Argument.Name == "tools":
		if i := strings.LastIndexByte(prefix, ','); i >= 0 {
			before, prefix = prefix[:i+1], strings.TrimLeft(prefix[i+1:], " ")
		}
	case r.Params.Ref.Type == "ref/resource" && r.Params.Argument.Name == "name":
		names = append(names, functions()...)
	default:
		names = nil
	}
	out := &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{}}}
	for _, name := range names {
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		if out.Completion.Total++; len(out.Completion.Values) < maxCompleted {
			out.Completion.Values = append(out.Completion.Values, before+name)
		}
	}
	out.Completion.HasMore = out.Completion.Total > maxCompleted
	return out, nil
}

// maxCompleted is the most values of a completion that the protocol allows.
const maxCompleted = 100
