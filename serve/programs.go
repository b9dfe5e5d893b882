// This file defines the programs of the store.

package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// programBody is the body of the document of a program.
type programBody struct {
	Source string `json:"source"`
	Doc    string `json:"doc,omitempty"`
}

// Program returns a program of the store, as name@version or, for the latest version, as name.
func (e *Engine) Program(ctx context.Context, ref string) (wire.Program, error) {
	name, text, given := strings.Cut(ref, "@")
	version := 0
	if given {
		var err error
		if version, err = strconv.Atoi(text); err != nil || version <= 0 {
			return wire.Program{}, ErrInvalid.With("got the program %.100q, want name or name@version", ref)
		}
	}
	d, err := e.opts.Store.Document(ctx, store.Programs, name, version)
	if err != nil {
		return wire.Program{}, err
	}
	return programOf(d)
}

func programOf(d store.Document) (wire.Program, error) {
	p := wire.Program{Name: d.Name, Version: d.Version, By: d.By, Created: d.Created}
	if len(d.Body) == 0 {
		return p, nil
	}
	var b programBody
	if err := json.Unmarshal(d.Body, &b); err != nil {
		return p, fmt.Errorf("program %s: %w", p.Ref(), err)
	}
	p.Source, p.Doc = b.Source, b.Doc
	return p, nil
}

// PutProgram checks a program and keeps it as a new version, which is returned with the findings of the
// check. A Version that is not 0 must be the next one. The error is a *ptc.Error if the program does not
// compile; then nothing is kept.
func (e *Engine) PutProgram(ctx context.Context, p wire.Program) (wire.Program, *ptc.Findings, error) {
	found := e.Check(ctx, p.Name+".ptc", p.Source)
	if found.Err != nil {
		return wire.Program{}, found, found.Err
	}
	body, err := json.Marshal(programBody{p.Source, p.Doc})
	if err != nil {
		return wire.Program{}, found, err
	}
	d, err := e.opts.Store.Put(ctx, store.Document{Kind: store.Programs, Name: p.Name, Version: p.Version, By: p.By,
		Body: body})
	if err != nil {
		return wire.Program{}, found, err
	}
	p, err = programOf(d)
	return p, found, err
}

// Check checks a source with the tools and the limits of the engine, for any data.
func (e *Engine) Check(ctx context.Context, name, source string) *ptc.Findings {
	o := e.opts.Run
	o.DataNames = nil
	found := ptc.Check(ctx, name, source, o)
	if ungranted(found.Err) {
		e.elsewhereGranted(ctx, found, Reachable{Name: name, Source: source})
	}
	return found
}

// Programs returns the latest version of each program, without the sources: those whose names follow after, at most
// limit.
func (e *Engine) Programs(ctx context.Context, after string, limit int) ([]wire.Program, error) {
	return programsOf(e.opts.Store.Documents(ctx, store.Programs, after, limit))
}

// ProgramVersions returns the versions of a program, the latest first, without the sources.
func (e *Engine) ProgramVersions(ctx context.Context, name string) ([]wire.Program, error) {
	return programsOf(e.opts.Store.Versions(ctx, store.Programs, name))
}

func programsOf(docs []store.Document, err error) ([]wire.Program, error) {
	all := make([]wire.Program, 0, len(docs))
	for _, d := range docs {
		p, perr := programOf(d)
		if perr != nil {
			return nil, perr
		}
		p.Source = ""
		all = append(all, p)
	}
	return all, err
}
