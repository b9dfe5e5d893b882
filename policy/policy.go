// Package policy reads policy files, in which an operator limits how often, and how many at once,
// actions may be called. A file is YAML, or JSON, which is also YAML.
//
//	global:                  # applies to all actions
//	  concurrency: 100       # executions of one action at once
//	packs:                   # apply to aws.ec2_start, aws.s3_list …
//	  aws:
//	    concurrency: 4
//	    quota: {calls: 10000, window: 24h}
//	actions:
//	  aws.ec2_start:
//	    rate: {calls: 10, per: 1m, burst: 2}
//	approve: [write, exec.run]  # calls that are made only if they are approved
//	hints:                   # guards and classes of calls, see spec/coordination.md
//	  - {program: terraform, guard: global-exclusive}
//
// Package queue documents the meaning: a file is the text of its Policies. A bound that is omitted
// is not set. All mistakes are reported together, each with its position.
//
// The package is separate from queue because it needs a YAML parser, which a program that builds
// its Policies in Go should not have to link.
package policy

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/ptc-lang/ptc/internal/hintfile"
	"github.com/ptc-lang/ptc/internal/yamltext"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/runtime/tool"
)

const (
	// MaxSize is the maximum size of a file in bytes. An action takes about 100, so that MaxEntries
	// of them fit. The slowest text of this size takes about 2 s; see tooMuch.
	MaxSize = 1 << 20
	// MaxEntries is the maximum number of entries of a mapping.
	MaxEntries = 10_000
	// maxMistakes is the maximum number of mistakes reported in addition to the first.
	maxMistakes = 100
)

// Parse returns the policies in text. name is the name of the file, for messages. The error is a
// *diag.Error with the code diag.BadPolicy. It is the first mistake, and holds up to 100 further
// ones in Others.
func Parse(name, text string) (queue.Policies, error) {
	p, _, err := read(name, text, nil)
	return p, err
}

// CheckTools returns the error of Parse, or an error with the place of each tool under approve that is not among the
// known ones: its calls would need no approval.
func CheckTools(name, text string, known iter.Seq[string]) error {
	_, _, err := read(name, text, known)
	return err
}

// Hints returns the hints in text: the guards and the classes of calls, which an operator knows better than the author
// of a tool. The error is that of Parse.
func Hints(name, text string) ([]tool.Rule, error) {
	_, rules, err := read(name, text, nil)
	return rules, err
}

// read returns the policies and the hints in text. With a nil known, approve may name any tool.
func read(name, text string, known iter.Seq[string]) (queue.Policies, []tool.Rule, error) {
	text = strings.TrimPrefix(text, yamltext.ByteOrderMark)
	r := &reader{file: token.NewFile(name, text), places: map[string]token.Span{}, known: known}
	p := r.parse(text)
	if len(r.mistakes) == 0 {
		return p, r.rules, nil
	}
	slices.SortStableFunc(r.mistakes, func(a, b *diag.Error) int { return a.Span.Start - b.Span.Start })
	first := r.mistakes[0]
	first.Others = r.mistakes[1:]
	return queue.Policies{}, nil, first
}

// hints reads the hints.
func (r *reader) hints(n ast.Node) {
	r.rules = hintfile.Read(n, func(at ast.Node, message string) { r.mistake(r.span(at), "%s", message) })
}

// reader converts the syntax tree of a text to policies.
type reader struct {
	file     *token.File
	mistakes []*diag.Error
	last     cursor
	rules    []tool.Rule
	known    iter.Seq[string] // the names of tools; nil if any may be one
	// places maps the path of each field and name to its position. It omits those already reported
	// as wrong, so that each mistake is reported once.
	places map[string]token.Span
}

// mistake reports a mistake at a position.
func (r *reader) mistake(at token.Span, format string, args ...any) *diag.Error {
	e := diag.New(diag.BadPolicy, at, format, args...)
	if len(r.mistakes) <= maxMistakes {
		r.mistakes = append(r.mistakes, e)
	}
	return e
}

func (r *reader) parse(text string) (p queue.Policies) {
	root := r.tree(text)
	if root == nil {
		return p
	}
	r.fields(root, nil, fields{
		"global":  func(n ast.Node, path []string) { p.Global = r.policy(n, path) },
		"packs":   func(n ast.Node, path []string) { p.Packs = r.named(n, path) },
		"actions": func(n ast.Node, path []string) { p.Actions = r.named(n, path) },
		"approve": func(n ast.Node, _ []string) {
			p.Approve = hintfile.Approve(n, r.known, func(at ast.Node, message string) { r.mistake(r.span(at), "%s", message) })
		},
		"hints": func(n ast.Node, _ []string) { r.hints(n) },
	})
	for _, problem := range p.Check() {
		r.problem(problem)
	}
	return p
}

// tree returns the single document of a text, or nil if it is empty or invalid.
func (r *reader) tree(text string) ast.Node {
	whole := token.Span{File: r.file, Start: 0, End: 1}
	if len(text) > MaxSize {
		r.mistake(whole, "the file has %d bytes, want at most %d", len(text), MaxSize)
		return nil
	}
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		// JSON may be indented with tabs, which the parser does not count as columns.
		text = strings.ReplaceAll(text, "\t", " ")
	}
	tokens, deep := yamltext.Tokenize(text)
	if deep != nil {
		r.mistake(r.at(deep), "nested deeper than %d levels", yamltext.MaxNesting)
		return nil
	}
	if at, problem := tooMuch(tokens); at != nil {
		r.mistake(r.at(at), "%s", problem)
		return nil
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	var syntax *yaml.SyntaxError
	switch {
	case errors.As(err, &syntax) && syntax.Token != nil:
		r.mistake(r.at(syntax.Token), "%.200s", syntax.Message) // it may quote much of the file
		return nil
	case errors.As(err, &syntax):
		r.mistake(whole, "%.200s", syntax.Message)
		return nil
	case err != nil:
		r.mistake(whole, "%.200s", err)
		return nil
	}
	docs := slices.DeleteFunc(file.Docs, func(d *ast.DocumentNode) bool { return d.Body == nil })
	switch len(docs) {
	case 0:
		return nil
	case 1:
		return docs[0].Body
	}
	second := docs[1].Start // the line of dashes
	if second == nil {
		second = docs[1].Body.GetToken()
	}
	r.mistake(r.at(second), "a second document begins here, want a single one")
	return nil
}

// problem reports an invalid policy at the position of the field, or at the position of the parent
// if the field is missing.
func (r *reader) problem(p queue.Problem) {
	at, here := r.places[pathKey(p.Path)]
	if here {
		r.mistake(at, "%s: %s", pathText(p.Path), p.Message)
		return
	}
	last := len(p.Path) - 1
	if at, here := r.places[pathKey(p.Path[:last])]; here {
		r.mistake(at, "%s: %s is missing", pathText(p.Path[:last]), p.Path[last])
	}
}

func pathText(path []string) string { return strings.Join(path, ": ") }

// pathKey returns the key of a path in places.
func pathKey(path []string) string { return strings.Join(path, "\x00") }

func child(path []string, name string) []string { return append(slices.Clone(path), name) }

// cursor is the last position that was looked up. The next one is usually near it, and a line may
// be the whole file.
type cursor struct{ line, column, at int }

// offset returns the byte offset of a line and a column. The parser counts columns in characters.
func (r *reader) offset(line, column int) int {
	text, start, c := r.file.Source, r.file.LineStart(line), &r.last
	if line != c.line {
		*c = cursor{line, 1, start}
	}
	for c.column > column && c.at > start {
		_, size := utf8.DecodeLastRuneInString(text[start:c.at])
		c.column, c.at = c.column-1, c.at-size
	}
	for c.column < column {
		char, size := utf8.DecodeRuneInString(text[c.at:])
		if size == 0 || char == '\n' {
			break
		}
		c.column, c.at = c.column+1, c.at+size
	}
	return c.at
}

// describe describes the node that was found in place of a valid value.
func describe(n ast.Node) string {
	switch n := n.(type) {
	case *ast.StringNode:
		return fmt.Sprintf("the string %q", n.Value)
	case *ast.NullNode:
		return "nothing"
	case ast.MapNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode, *ast.MergeKeyNode:
		return "an anchor, alias or tag, which policies do not support"
	}
	return n.GetToken().Value
}
