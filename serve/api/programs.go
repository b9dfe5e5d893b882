// This file defines the operations on programs.

package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/wire"
)

type programReply struct {
	Body wire.Checked
}

type programsReply struct {
	Body wire.Programs
}

// NameParam is the name in the path of an operation on a program.
type NameParam struct {
	Name string `path:"name" doc:"The name of a program."`
}

// programs adds the operations on programs.
func (a *API) programs() {
	put := operation(http.MethodPut, "/v1/programs/{name}", "put-program", "Put a new version of a program", "programs")
	put.Description = "The program is checked first. Versions never change."
	put.MaxBodyBytes = a.opts.MaxBody
	put.BodyReadTimeout = bodyTimeout
	huma.Register(a.huma, put, a.putProgram)
	huma.Register(a.huma, operation(http.MethodGet, "/v1/programs", "list-programs",
		"List the programs, each with its latest version", "programs"), a.listPrograms)
	huma.Register(a.huma, operation(http.MethodGet, "/v1/programs/{name}", "get-program",
		"Get the latest version of a program", "programs"), func(ctx context.Context, in *NameParam) (*programReply, error) {
		return a.program(ctx, in.Name)
	})
	huma.Register(a.huma, operation(http.MethodGet, "/v1/programs/{name}/versions", "list-program-versions",
		"List the versions of a program, the latest first", "programs"), a.programVersions)
	huma.Register(a.huma, operation(http.MethodGet, "/v1/programs/{name}/versions/{version}", "get-program-version",
		"Get a version of a program", "programs"), func(ctx context.Context, in *struct {
		NameParam
		Version int `path:"version" minimum:"1"`
	}) (*programReply, error) {
		return a.program(ctx, fmt.Sprintf("%s@%d", in.Name, in.Version))
	})
}

func (a *API) putProgram(ctx context.Context, in *struct {
	NameParam
	Body wire.NewVersion
}) (*programReply, error) {
	who := access.From(ctx)
	if !who.Role.Includes(access.Operator) {
		return nil, newProblem(codeForbidden, "an operator may put programs, which all tenants share")
	}
	p, found, err := a.engine.PutProgram(ctx, wire.Program{Name: in.Name, Version: in.Body.Version,
		Source: in.Body.Source, Doc: in.Body.Doc, By: who.Name})
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	return a.described(ctx, p, found)
}

func (a *API) program(ctx context.Context, ref string) (*programReply, error) {
	p, err := a.engine.Program(ctx, ref)
	if err != nil {
		return nil, a.problem(ctx, err)
	}
	return a.described(ctx, p, a.engine.Check(ctx, p.Name+".ptc", p.Source))
}

// described returns a program with the findings of a check, which depend on the current tools of the service.
func (a *API) described(ctx context.Context, p wire.Program, found *ptc.Findings) (*programReply, error) {
	out := &programReply{wire.Checked{Program: p}}
	var err, werr error
	if found.Effects != nil {
		out.Body.Effects, err = json.Marshal(found.Effects)
	}
	if len(found.Diagnostics) > 0 {
		out.Body.Warnings, werr = json.Marshal(found.Diagnostics)
	}
	return out, a.problem(ctx, errors.Join(err, werr))
}

func (a *API) listPrograms(ctx context.Context, in *struct {
	After string `query:"after" doc:"The last name of the page before."`
	Limit int    `query:"limit" minimum:"0" maximum:"1000"`
}) (*programsReply, error) {
	out := &programsReply{}
	var err error
	out.Body.Programs, err = a.engine.Programs(ctx, in.After, in.Limit)
	return out, a.problem(ctx, err)
}

func (a *API) programVersions(ctx context.Context, in *NameParam) (*programsReply, error) {
	out := &programsReply{}
	var err error
	out.Body.Programs, err = a.engine.ProgramVersions(ctx, in.Name)
	return out, a.problem(ctx, err)
}
