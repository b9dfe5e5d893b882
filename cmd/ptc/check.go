// This file defines ptc check.

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/cmd/internal/files"
	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/prompt"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
)

const checkAbout = `Compiles programs without running them, and reports errors and likely mistakes.
It checks that the tools are granted, by flags or by ptc.yaml beside each file. With
--data or --arg it checks that the inputs (data/…) exist, and the keys that the program
looks up in them. Granted files and services are not opened, and need not exist; MCP
servers are started. FILE - is standard input. spec/check.md describes the warnings and
the JSON.

exit codes: 0 all compile, 1 warnings with --strict, 2 usage, 3 one does not
compile, 4 a macro hit a limit, 5 a tool is not granted`

// checkFlags returns the flags of ptc check.
func checkFlags(v *settings) []flags.Spec {
	return append(append(inputFlags(v), []flags.Spec{
		{Name: "e", Value: "EXPR", Text: "check this expression", To: flags.Func(v.setExpr)},
		{Name: "json", Text: "write one JSON document about all files",
			To: flags.Toggle(&v.json)},
		{Name: "effects", Text: "list the tools that each program can reach, and how often",
			To: flags.Toggle(&v.effects)},
		{Name: "strict", Text: "exit with code 1 if there are warnings",
			To: flags.Toggle(&v.strict)},
		{Name: "fix", Text: "apply the certain fixes to the files",
			To: flags.Toggle(&v.fix)},
		pathFlag(v),
		noConfigFlag(v),
		flags.Policy(&v.policyFile),
		flags.Approval(&v.approve),
	}...), flags.Grants(&v.grants)...)
}

// checkCommand declares ptc check.
func checkCommand() command {
	return command{
		name:    "check",
		summary: "report errors and likely mistakes in programs, without running them",
		usage:   []string{"[flags] FILE…", "[flags] -e EXPR"},
		about:   checkAbout,
		examples: []string{
			"ptc check report.ptc",
			"ptc check --strict examples/sales/*.ptc",
			"ptc check --json -e '(grop-by even? [1 2])'",
			"ptc check --fix report.ptc",
			"ptc check --data orders.json report.ptc",
			"ptc check --effects fetch.ptc --allow-http api.example.com",
		},
		declare:   checkFlags,
		arguments: fileArguments,
		describes: true,
		run:       checkPrograms,
	}
}

func checkPrograms(ctx context.Context, in *invocation, s streams) int {
	names := in.rest
	switch {
	case in.expr != nil && len(names) > 0:
		return failUsage(s, "check takes files or -e, not both")
	case in.expr != nil:
		names = []string{"-e"}
	case len(names) == 0:
		return failUsage(s, "check takes files; see ptc help check")
	}
	if in.fix && (in.expr != nil || slices.Contains(names, "-")) {
		return failUsage(s, "check --fix takes files that it can write")
	}
	given := []reading{{"the data", in.data}, {"the policy", in.policyFile}}
	if slices.Contains(names, "-") {
		given = append(given, reading{"the program", "-"})
	}
	if err := onceFromInput(given...); err != nil {
		return failUsage(s, "%v", err)
	}
	queues, err := in.policies(ctx, s)
	if err != nil {
		return failInput(s, err)
	}
	opts := ptc.Options{Queue: queues}
	if err := in.describeInput(ctx, &opts, s); err != nil {
		return failInput(s, err)
	}
	return in.checkAll(ctx, names, opts, s)
}

// describeInput enters the names and the shapes of the input, if there is one.
func (in *invocation) describeInput(ctx context.Context, opts *ptc.Options, s streams) error {
	if in.data == "" && len(in.args) == 0 {
		return nil
	}
	data, err := in.input(ctx, s)
	if err != nil {
		return err
	}
	opts.DataNames, opts.DataShapes = slices.Sorted(maps.Keys(data)), make(map[string]*tool.Schema)
	for name, x := range data {
		if shape := prompt.Shape(x); shape != nil {
			opts.DataShapes[name] = shape
		}
	}
	return nil
}

// checked is the report on one file.
type checked struct {
	File        string           `json:"file"`
	Diagnostics []ptc.Diagnostic `json:"diagnostics"`
	Effects     *ptc.Effects     `json:"effects,omitempty"`
	Bounds      []toolBounds     `json:"bounds,omitempty"` // of the tools of Effects that have some
	Fixed       int              `json:"fixed,omitempty"`  // edits made
}

// toolBounds has the bounds that an operator has declared for the calls of a tool.
type toolBounds struct {
	Tool   string   `json:"tool"`
	Policy string   `json:"policy,omitempty"`
	Hints  []string `json:"hints,omitempty"` // guards and classes of some calls, in the order in which they are tried
}

// boundsOf returns the bounds of the tools that a program can reach.
func boundsOf(e *ptc.Effects, tools *tool.Registry, queues effect.Queues) (all []toolBounds) {
	if e == nil {
		return nil
	}
	for _, use := range e.Tools {
		b := toolBounds{Tool: use.Name}
		if queues != nil {
			b.Policy = queues.Action(use.Name).Bounds()
		}
		if t := tools.Lookup(use.Name); t != nil {
			b.Hints = hintsOf(t)
		}
		if b.Policy != "" || b.Hints != nil {
			all = append(all, b)
		}
	}
	return all
}

// hintsOf returns the hints of a tool, without duplicates.
func hintsOf(t *tool.Tool) (all []string) {
	last := ""
	for _, r := range t.Rules() {
		subject, what, _ := strings.Cut(r.String(), ": ")
		if what == last {
			before, _, _ := strings.Cut(all[len(all)-1], ": ")
			all[len(all)-1] = before + ", " + subject + ": " + what
			continue
		}
		all, last = append(all, r.String()), what
	}
	return all
}

// checkDocument is the document that --json writes. Version changes when a field is removed or changes its
// meaning.
type checkDocument struct {
	Version int       `json:"version"`
	Files   []checked `json:"files"`
}

func (in *invocation) checkAll(ctx context.Context, names []string, opts ptc.Options, s streams) (code int) {
	all := []checked{}
	for _, name := range names {
		c, fileCode, err := in.check(ctx, name, opts, s)
		if err != nil {
			code = max(code, failInput(s, err))
			continue
		}
		code = max(code, fileCode)
		if !in.json {
			printChecked(c, s)
		}
		if s.out.err != nil {
			return exitFailed // dispatch tells why
		}
		all = append(all, c)
	}
	if in.json {
		enc := json.NewEncoder(s.out)
		enc.SetEscapeHTML(false)
		enc.Encode(checkDocument{1, all})
	}
	return code
}

// check checks a file. With --fix it fixes the file first.
func (in *invocation) check(ctx context.Context, name string, opts ptc.Options, s streams) (
	c checked, code int, err error) {
	c = checked{File: name, Diagnostics: []ptc.Diagnostic{}}
	source := ""
	if in.expr != nil {
		source = *in.expr
	} else if source, err = readSource(ctx, name, s); err != nil {
		return c, 0, err
	}
	tools, opened, err := grantedTools(ctx, name, &in.grants, in.noConfig, s)
	if err != nil {
		return c, 0, err
	}
	defer opened.Close()
	opts.Tools, opts.Resources = tools, in.resources()
	if opts.Approve, err = approvals(in.approve, opened, tools); err != nil {
		return c, 0, err
	}
	if in.fix {
		fixed, edits, err := ptc.Fix(ctx, name, source, opts)
		if err == nil && fixed != source {
			err = files.Replace(name, source, fixed)
		}
		if err != nil {
			return c, 0, err
		}
		c.Fixed, source = edits, fixed
	}
	if source, err = in.withNamespaces(ctx, name, source); err != nil {
		return c, 0, err
	}
	found := ptc.Check(ctx, name, source, opts)
	if ctx.Err() != nil {
		return c, 0, ctx.Err()
	}
	c.Diagnostics = append(c.Diagnostics, found.Diagnostics...)
	if in.effects {
		c.Effects = found.Effects
		c.Bounds = boundsOf(found.Effects, tools, opts.Queue)
	}
	code = compileCode(found.Err)
	if in.strict && code == exitOK && len(found.Diagnostics) > 0 {
		code = exitFailed
	}
	return c, code, nil
}

// printChecked writes the report for people: errors and warnings to standard error, effects to standard output.
func printChecked(c checked, s streams) {
	for i, d := range c.Diagnostics {
		if i > 0 {
			fmt.Fprintln(s.err)
		}
		d.Render(s.err, wantsColor(s.err))
	}
	if c.Fixed > 0 {
		fmt.Fprintf(s.err, "ptc: %s: %s made\n", c.File, diag.Counted(c.Fixed, "edit"))
	}
	if c.Effects != nil {
		printEffects(s.out, c)
	}
}

// printEffects lists the tools that a program can reach.
func printEffects(w io.Writer, c checked) {
	e := c.Effects
	switch {
	case e.AnyTool:
		fmt.Fprintf(w, "%s can reach any granted tool: it evaluates code that it builds, or may find eval (%s)\n", c.File,
			e.AnyAt)
	case len(e.Tools) == 0:
		fmt.Fprintf(w, "%s reaches no tool\n", c.File)
	default:
		fmt.Fprintf(w, "%s can reach\n", c.File)
	}
	for _, t := range e.Tools {
		fmt.Fprintf(w, "  tool/%s\n    %s; calls: %s", t.Signature, t.Effect, t.Calls)
		if t.Parallel {
			fmt.Fprint(w, ", in parallel")
		}
		if len(t.Guards) > 0 {
			fmt.Fprintf(w, "; guards: %s", strings.Join(t.Guards, ", "))
		}
		if t.Approval {
			fmt.Fprint(w, "; can wait for an approval")
		}
		fmt.Fprintln(w)
		printPlaces(w, t.Places)
		for _, b := range c.Bounds {
			if b.Tool == t.Name {
				printBounds(w, b)
			}
		}
	}
	if q := e.Asks; q != nil {
		fmt.Fprintf(w, "%s can ask a person\n  (ask …)\n    calls: %s", c.File, q.Calls)
		if q.Parallel {
			fmt.Fprint(w, ", in parallel")
		}
		fmt.Fprintln(w)
		printPlaces(w, q.Places)
	}
}

// printPlaces writes the places of calls.
func printPlaces(w io.Writer, places []token.Span) {
	var at []string
	for _, p := range places {
		line, col := p.File.LineCol(p.Start)
		at = append(at, fmt.Sprintf("%d:%d", line, col))
	}
	if len(at) > 0 {
		fmt.Fprintf(w, "    at %s\n", strings.Join(at, ", "))
	}
}

// printBounds writes the bounds that an operator has declared for the calls of a tool.
func printBounds(w io.Writer, b toolBounds) {
	if b.Policy != "" {
		fmt.Fprintf(w, "    policy: %s\n", b.Policy)
	}
	for _, h := range b.Hints {
		fmt.Fprintf(w, "    hint: %s\n", diag.Visible(h))
	}
}
