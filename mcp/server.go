// This file defines Server, and how it is made.

package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/prompt"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// Server serves programs over the Model Context Protocol. It is safe for concurrent use. The zero Server serves
// nothing: use one of New.
type Server struct {
	opts     Options
	sdk      *sdk.Server
	turns    turns
	lives    lives
	sessions sessions
	values   *values
	seal     sealer
	closed   context.Context // ends when the server is closed
	close    context.CancelFunc
	once     sync.Once
}

// New returns a server. Close it to end the runs that wait for a person.
func New(o Options) (*Server, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	s := &Server{opts: o, turns: make(turns, o.Concurrent), lives: lives{all: make(map[string]*live)},
		sessions: sessions{all: make(map[string]*session)}, values: newValues(o.Lifetime), seal: newSealer(o.Journals.Key)}
	s.closed, s.close = context.WithCancel(context.Background())
	card, err := s.card(o.CardTokens)
	if err != nil {
		return nil, err
	}
	version := o.Version
	if version == "" {
		version = "unknown"
	}
	s.sdk = sdk.NewServer(&sdk.Implementation{Name: "ptc", Title: "PTC task programs", Version: version},
		&sdk.ServerOptions{Logger: o.Log, Capabilities: &sdk.ServerCapabilities{}, CompletionHandler: s.completed,
			Instructions: "run_program runs a program in a sandboxed Clojure over the granted tools: prefer one program to " +
				"several calls. Its description explains the language."})
	s.addTools(card)
	s.addResources()
	s.addPrompts()
	return s, nil
}

// Close ends all runs, connections and sessions, and waits for the runs. It always returns nil.
func (s *Server) Close() error {
	if !s.made() {
		return nil
	}
	s.once.Do(func() {
		s.close()
		s.lives.close()
		for client := range s.sdk.Sessions() {
			client.Close()
		}
		s.sessions.close()
		s.values.close()
	})
	return nil
}

// made reports whether the server is one of New.
func (s *Server) made() bool { return s != nil && s.sdk != nil }

// errNotMade is the error of the zero Server.
var errNotMade = errors.New("mcp: the server is nil or zero, want one of mcp.New")

// card returns the card with at most some tokens. By default it has as many as it needs for these tools.
func (s *Server) card(tokens int) (string, error) {
	o := prompt.Options{Run: s.opts.Run, Reach: s.opts.Reach, Tokens: cmp.Or(tokens, DefaultCardTokens)}
	card, err := prompt.Card(context.Background(), o)
	few := (*prompt.TooFewError)(nil)
	if errors.As(err, &few) && tokens == 0 {
		o.Tokens = few.Least
		return prompt.Card(context.Background(), o)
	}
	if few != nil {
		return "", fmt.Errorf("mcp: Options.CardTokens: got %d, want at least %d for these tools", few.Tokens, few.Least)
	}
	return card, err
}

// runDoc begins the description of run_program.
const runDoc = "Runs a program in a sandboxed Clojure, and returns the value of its last form. The program calls the " +
	"tools below, in parallel too, and reduces what they return. On an error, repair the program and run it again.\n\n"

// leftOut ends the description of run_program, if its card leaves something out.
const leftOut = "\nsearch_tools finds tools. describe_tools documents them, and returns a longer card for the name " +
	"card.\n"

func (s *Server) addTools(card string) {
	doc := runDoc + card
	if strings.Contains(card, "\nLeft out here: ") {
		doc += leftOut
	}
	readOnly := s.readOnly()
	no, yes := false, true
	for _, t := range []struct {
		name, title, doc string
		args, result     string
		hints            sdk.ToolAnnotations
		call             func(ctx context.Context, r *sdk.CallToolRequest, args json.RawMessage) (*sdk.CallToolResult, error)
	}{
		{"run_program", "Run a program", doc, runArgs, runResult,
			sdk.ToolAnnotations{ReadOnlyHint: readOnly, DestructiveHint: &[]bool{!readOnly}[0], OpenWorldHint: &yes}, s.run},
		{"check_program", "Check a program", "Finds mistakes in a program without running it: errors, and warnings about " +
			"code that is likely wrong.", checkArgs, checkResult,
			sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &no}, s.check},
		{"search_tools", "Search the tools", "Finds tools that a program can call, the best matches first.", searchArgs,
			searchResult, sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &no}, s.search},
		{"describe_tools", "Describe tools or functions", "Returns the documentation of tools, such as \"http.get\", of " +
			"functions, such as \"group-by\", or of the language: \"card\".", describeArgs, describeResult,
			sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &no}, s.describe},
	} {
		args := mustSchema(t.args)
		hints := t.hints
		hints.Title = t.title
		s.sdk.AddTool(&sdk.Tool{Name: t.name, Title: t.title, Description: t.doc, Annotations: &hints, InputSchema: args.text,
			OutputSchema: json.RawMessage(t.result)},
			func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				given, err := arguments(r.Params.Arguments, args.check)
				if err != nil {
					return refused(fmt.Errorf("%s: %w", t.name, err)), nil
				}
				return t.call(ctx, r, given)
			})
	}
}

// readOnly reports whether no granted tool changes anything.
func (s *Server) readOnly() bool {
	for _, t := range s.opts.Run.Tools.All() {
		if t.Class() != effect.ReadOnly {
			return false
		}
	}
	return true
}

// arguments returns the arguments of a call, unless they don't match the schema.
func arguments(given json.RawMessage, want *tool.Schema) (json.RawMessage, error) {
	if len(given) == 0 || string(given) == "null" {
		given = json.RawMessage("{}")
	}
	if err := want.Check(given, nil); err != nil {
		return nil, fmt.Errorf("the arguments don't match: %w", err)
	}
	return given, nil
}

// refused is the result of a call that was not carried out.
func refused(err error) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: diag.Visible(err.Error())}}}
}

// invalid is the error of a request whose parameters are wrong.
func invalid(err error) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: diag.Visible(err.Error())}
}

// callerOf returns the name of the caller of a request. All requests over stdio are of one caller.
func callerOf(r sdk.Request) string {
	if extra := r.GetExtra(); extra != nil && extra.TokenInfo != nil {
		return extra.TokenInfo.UserID
	}
	return "local"
}
