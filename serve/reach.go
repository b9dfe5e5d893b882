// This file defines which tools a program can reach, so that a cluster runs it on a node that grants all of them.

package serve

import (
	"context"
	"errors"
	"slices"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/store"
)

// Reachable is a program for Reach.
type Reachable struct {
	Name   string        `json:"name"`
	Source string        `json:"source"`
	Limits limits.Limits `json:"limits,omitzero"`
	Data   []string      `json:"data"` // the names of its data; nil allows any
}

// Reached lists the tools that a program can reach.
type Reached struct {
	Tools []ptc.ToolUse `json:"tools"`
}

// Reach compiles a program with the tools of this engine, and returns the tools that it can reach: all
// granted ones, if it evaluates generated code. The error is the error of the compilation.
func (e *Engine) Reach(ctx context.Context, p Reachable) (Reached, error) {
	o := e.opts.Run
	o.Limits, o.DataNames = p.Limits.Or(o.Limits).Within(o.Limits), p.Data
	all, err := e.compiled.check(ctx, p.Name, p.Source, o)
	return Reached{all}, err
}

// reach compiles the program of a run. In a cluster it enters the tools that the program can reach, and a program that
// this node does not grant all tools compiles if it does on another node.
func (e *Engine) reach(ctx context.Context, run *store.Run) error {
	_, err := e.compiled.program(ctx, run, e.opts.Run)
	if e.opts.Placement == nil || err != nil && (e.opts.Nodes == nil || !ungranted(err)) {
		return err
	}
	var tools []ptc.ToolUse
	if err == nil {
		if tools, err = e.compiled.reach(ctx, run, e.opts.Run); err != nil {
			return err
		}
	} else {
		o, oerr := optionsOf(run, e.opts.Run)
		if oerr != nil {
			return oerr
		}
		all, ok := e.opts.Nodes.Reach(ctx, Reachable{run.Name, run.Source, o.Limits, o.DataNames})
		if !ok {
			return err
		}
		tools = all.Tools
	}
	run.Tools = nil
	for _, t := range tools {
		run.Tools = append(run.Tools, t.Name)
	}
	slices.Sort(run.Tools)
	return nil
}

// ungranted reports whether a program does not compile because it calls a tool that is not granted here.
func ungranted(err error) bool {
	var first *diag.Error
	if !errors.As(err, &first) {
		return false
	}
	for _, one := range append([]*diag.Error{first}, first.Others...) {
		if notGranted(one.Code) {
			return true
		}
	}
	return false
}

func notGranted(code diag.Code) bool { return code == diag.NotGranted || code == diag.UnknownTool }

// elsewhereGranted makes warnings of the errors of a check about tools that another node of the cluster grants.
func (e *Engine) elsewhereGranted(ctx context.Context, found *ptc.Findings, p Reachable) {
	if e.opts.Nodes == nil {
		return
	}
	all, ok := e.opts.Nodes.Reach(ctx, p)
	if !ok {
		return
	}
	found.Err, found.Effects = nil, &ptc.Effects{Tools: all.Tools}
	for i := range found.Diagnostics {
		d := &found.Diagnostics[i]
		if d.Severity == ptc.SeverityError && notGranted(d.Code) {
			d.Severity, d.Fix, d.Of = ptc.SeverityWarning, nil, nil
			d.Hint = "another node of the cluster grants it: the run is placed there"
		}
	}
}
