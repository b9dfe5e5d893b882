// This file defines the commands.

package repl

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/journal"
)

// command is the action of a line that begins with its name. A keyword that is not a command is an ordinary
// form.
type command struct {
	name, args, doc string
	run             func(r *repl, ctx context.Context, arg string)
}

func commands() []command {
	return []command{
		{":help", "", "shows this list", (*repl).help},
		{":doc", "NAME", "shows the documentation of a name", (*repl).doc},
		{":source", "NAME", "shows the source of a name", (*repl).source},
		{":apropos", "TEXT", "lists the names that contain a text", (*repl).apropos},
		{":tools", "", "lists the tools that are granted", (*repl).listTools},
		{":limits", "", "shows the limits of an evaluation", (*repl).limits},
		{":usage", "", "shows the resources that the last evaluation used", (*repl).usage},
		{":time", "EXPR", "evaluates an expression and shows the time it took", (*repl).time},
		{":more", "", "shows more of a value that was cut", (*repl).more},
		{":trace", "", "shows the last error with all calls and causes", (*repl).trace},
		{":journal", "", "lists the tool calls of the last evaluation", (*repl).journal},
		{":load", "FILE", "evaluates a file; one that fails changes nothing", (*repl).load},
		{":save", "FILE", "writes the definitions of the session to a new file", (*repl).save},
		{":reset", "", "forgets all definitions", (*repl).reset},
		{":quit", "", "ends the session, as Ctrl-D does", (*repl).leave},
	}
}

// command runs the command of a line; ok is false if it is none.
func (r *repl) command(ctx context.Context, line string) (ok bool) {
	name, arg, _ := strings.Cut(strings.TrimSpace(line), " ")
	for _, c := range commands() {
		if c.name != name {
			continue
		}
		arg = strings.TrimSpace(arg)
		if (c.args == "") != (arg == "") {
			r.usageOf(c)
		} else {
			c.run(r, ctx, arg)
		}
		return true
	}
	return false
}

// usageOf says how a command is written.
func (r *repl) usageOf(c command) {
	if c.args == "" {
		r.complain("%s takes no argument; to evaluate the keyword, write (do %s)", c.name, c.name)
		return
	}
	r.complain("%s takes %s: it %s; to evaluate the keyword, write (do %s)", c.name, c.args, c.doc, c.name)
}

// complain says why a command can't be obeyed.
func (r *repl) complain(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	if r.failed == nil {
		r.failed = err
	}
	r.out.fresh()
	fmt.Fprintln(r.cfg.Err, "ptc:", diag.Visible(err.Error()))
}

func (r *repl) help(context.Context, string) {
	for _, c := range commands() {
		r.out.line(fmt.Sprintf("  %-14s  %s", strings.TrimSpace(c.name+" "+c.args), c.doc))
	}
	r.out.line("*1, *2 and *3 are the last values, *e is the last exception.")
}

func (r *repl) listTools(context.Context, string) {
	tools := r.tools()
	for _, t := range tools {
		doc, _, _ := strings.Cut(t.Doc(), "\n")
		r.out.line("tool/" + t.Signature() + "\n" + Folded(doc))
	}
	if len(tools) == 0 {
		r.out.line("no tools are granted; ptc help repl lists the flags that grant them")
	}
}

func (r *repl) limits(context.Context, string) {
	r.out.fresh()
	r.cfg.Limits(r.cfg.Out)
}

// evaluated reports whether there was an evaluation, and complains if not.
func (r *repl) evaluated() bool {
	if r.last == nil {
		r.complain("nothing has been evaluated yet")
	}
	return r.last != nil
}

func (r *repl) usage(context.Context, string) {
	if r.evaluated() {
		r.cfg.Usage(r.cfg.Out, r.last.Usage)
	}
}

func (r *repl) time(ctx context.Context, expr string) {
	if !r.evaluate(ctx, "", expr) {
		return
	}
	u := r.last.Usage
	r.note("%v, %s", u.Duration.Round(time.Microsecond), diag.Counted(u.Steps, "step"))
}

func (r *repl) more(context.Context, string) {
	if r.rest == "" {
		r.complain("there is nothing more")
		return
	}
	r.page(r.rest)
}

func (r *repl) trace(context.Context, string) {
	if r.lastErr == nil {
		r.complain("nothing has failed yet")
		return
	}
	r.out.fresh()
	r.render(r.lastErr)
}

// journal lists the calls of the last evaluation, one a line.
func (r *repl) journal(context.Context, string) {
	if !r.evaluated() {
		return
	}
	for i := range r.last.Calls {
		r.out.line(cut(callLine(&r.last.Calls[i]), r.cfg.Width()))
	}
	if len(r.last.Calls) == 0 {
		r.out.line("the last evaluation called no tool")
	}
}

func callLine(e *journal.Entry) string {
	outcome := "not ended"
	switch {
	case e.Done && e.Outcome.Failed():
		outcome = "failed " + string(e.Outcome.Error)
	case e.Done:
		outcome = "-> " + string(e.Outcome.Result)
	}
	return fmt.Sprintf("%-8s %s %s %v %s", e.ID, e.Name, e.Args, e.Duration.Round(time.Microsecond), outcome)
}

// cut returns a text in at most width characters.
func cut(text string, width int) string {
	if chars := []rune(text); len(chars) > width {
		return string(chars[:max(width-1, 0)]) + "…"
	}
	return text
}

func (r *repl) reset(context.Context, string) {
	r.begin()
	r.note("all definitions are forgotten")
}

func (r *repl) leave(context.Context, string) { r.quit = true }

func (r *repl) apropos(_ context.Context, text string) {
	names := slices.Collect(r.allNames())
	slices.Sort(names)
	found := false
	text = strings.ToLower(text)
	for _, name := range slices.Compact(names) {
		if strings.Contains(strings.ToLower(name), text) {
			r.out.line(name)
			found = true
		}
	}
	if !found {
		r.complain("no name has %q in it", text)
	}
}

func (r *repl) doc(_ context.Context, name string) {
	r.out.fresh()
	switch {
	case r.docOfDefinition(name), r.docOfTool(name), r.cfg.Doc(r.cfg.Out, name):
	default:
		r.unknown(name)
	}
}

func (r *repl) source(_ context.Context, name string) {
	r.out.fresh()
	if text, ok := r.defined.source(r.namespace(), name); ok {
		r.out.line(text)
	} else if !r.cfg.Source(r.cfg.Out, name) {
		r.unknown(name)
	}
}

// docOfDefinition shows the documentation of a name that the session defines.
func (r *repl) docOfDefinition(name string) bool {
	for _, d := range r.definitions() {
		if d.NS+"/"+d.Name != qualified(r.namespace(), name) {
			continue
		}
		r.out.line(d.NS + "/" + d.Name)
		for _, params := range d.Params {
			r.out.line("  (" + strings.TrimSpace(d.Name+" "+params[1:len(params)-1]) + ")")
		}
		if d.Doc != "" {
			r.out.line("  " + indented(d.Doc))
		}
		return true
	}
	return false
}

// indented returns a documentation whose further lines are indented by two blanks, in place of their
// indentation in the source.
func indented(doc string) string {
	lines := strings.Split(doc, "\n")
	for i := 1; i < len(lines); i++ {
		lines[i] = "  " + strings.TrimLeft(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func (r *repl) docOfTool(name string) bool {
	for _, t := range r.tools() {
		if "tool/"+t.Name() != name {
			continue
		}
		r.out.line("tool/" + t.Signature())
		if t.Doc() != "" {
			r.out.line(Folded(t.Doc()))
		}
		for _, ex := range t.Examples() {
			r.out.line("    " + ex)
		}
		return true
	}
	return false
}
