// This file defines the methods on programs, tools and the service.

package client

import (
	"context"
	"iter"
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// Programs returns the latest version of each program, by name and without the sources.
func (c *Client) Programs(ctx context.Context) iter.Seq2[wire.Program, error] {
	return pages(func(after string) ([]wire.Program, string, error) {
		r := get("/v1/programs")
		r.query = values("after", after)
		limited(r.query, store.MaxLimit)
		var list wire.Programs
		_, err := c.call(ctx, r, &list)
		next := ""
		if n := len(list.Programs); n == store.MaxLimit {
			next = list.Programs[n-1].Name
		}
		return list.Programs, next, err
	}, "")
}

// Program returns a program, as name@version or, for the latest version, as name.
func (c *Client) Program(ctx context.Context, ref string) (p wire.Checked, err error) {
	r := get("/v1/programs/%s", ref)
	if name, version, ok := strings.Cut(ref, "@"); ok {
		if _, err := strconv.ParseUint(version, 10, 31); err != nil {
			return p, usage("got the program %.100q, want name or name@version", ref)
		}
		r = get("/v1/programs/%s/versions/%s", name, version)
	}
	_, err = c.call(ctx, r, &p)
	return p, err
}

// ProgramVersions returns the versions of a program, the latest first and without the sources.
func (c *Client) ProgramVersions(ctx context.Context, name string) ([]wire.Program, error) {
	var list wire.Programs
	_, err := c.call(ctx, get("/v1/programs/%s/versions", name), &list)
	return list.Programs, err
}

// PutProgram puts a new version of a program. A Version that is not 0 must be the next one. If the program does not
// compile, errors.As finds the *ptc.Error.
func (c *Client) PutProgram(ctx context.Context, name string, v wire.NewVersion) (p wire.Checked, err error) {
	_, err = c.call(ctx, put(v, "/v1/programs/%s", name), &p)
	return p, compiled(err, &store.Submission{Name: name + ".ptc", Source: v.Source})
}

// Tools returns the tools that programs may call.
func (c *Client) Tools(ctx context.Context) (t wire.Tools, err error) {
	_, err = c.call(ctx, get("/v1/tools"), &t)
	return t, err
}

// Policies returns the policies that apply, as the text of a file.
func (c *Client) Policies(ctx context.Context) (string, error) {
	var p wire.Policies
	_, err := c.call(ctx, get("/v1/policies"), &p)
	return p.Text, err
}

// CheckPolicies checks the text of policies. It returns them in the order of the alphabet, and changes nothing.
func (c *Client) CheckPolicies(ctx context.Context, text string) (string, error) {
	r := post(wire.Policies{Text: text}, "/v1/policies/validate")
	r.again = true
	var p wire.Policies
	_, err := c.call(ctx, r, &p)
	return p.Text, err
}

// SetPolicies replaces the policies, and returns the policies that then apply.
func (c *Client) SetPolicies(ctx context.Context, text string) (string, error) {
	var p wire.Policies
	_, err := c.call(ctx, put(wire.Policies{Text: text}, "/v1/policies"), &p)
	return p.Text, err
}

// Ready returns the current counts of the service. If it takes no runs, the error has the code draining or unavailable.
func (c *Client) Ready(ctx context.Context) (s wire.Stats, err error) {
	r := get("/readyz")
	r.again = false
	_, err = c.call(ctx, r, &s)
	return s, err
}
