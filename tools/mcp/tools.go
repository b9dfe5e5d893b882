// This file defines Servers, and the tools that come of them.

package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/secret"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// Servers are the servers of a grant, with the connections to them. They are safe for concurrent use, and by any number
// of runs.
type Servers struct{ all []*server }

// Open connects to the servers of a grant in parallel, and asks them for their tools. The error names each
// server that does not answer, and the ones that do; then no connection remains. The connections outlive
// ctx; Close ends them.
func Open(ctx context.Context, g Grant) (*Servers, error) {
	if ctx == nil {
		return nil, errors.New("got a nil context, want one")
	}
	if g.Connect <= 0 {
		g.Connect = DefaultConnect
	}
	if g.probe == nil {
		g.probe = halfOf
	}
	if g.Log == nil {
		g.Log = slog.New(slog.DiscardHandler)
	}
	all := &Servers{}
	for i := range g.Servers {
		s, err := newServer(&g, g.Servers[i])
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(all.all, func(o *server) bool { return o.Name == s.Name }) {
			return nil, fmt.Errorf("the name %s is that of two servers: want another one", s.Name)
		}
		all.all = append(all.all, s)
	}
	ctx, cancel := context.WithTimeout(ctx, g.Connect)
	defer cancel()
	errs := make([]error, len(all.all))
	var wg sync.WaitGroup
	for i, s := range all.all {
		wg.Go(func() { errs[i] = s.open(ctx) })
	}
	wg.Wait()
	if err := all.failed(errs); err != nil {
		return nil, errors.Join(err, all.Close())
	}
	return all, nil
}

func newServer(g *Grant, of Server) (*server, error) {
	if err := of.Check(); err != nil {
		return nil, err
	}
	of.Concurrency = cmp.Or(of.Concurrency, DefaultConcurrency)
	s := &server{Server: of, grant: g, log: g.Log, hidden: &secret.Set{}, places: make(chan struct{}, of.Concurrency)}
	s.hidden.Add(s.Credentials()...)
	s.ctx, s.stop = context.WithCancel(context.Background())
	if s.URL != "" {
		var err error
		if s.web, err = s.newWeb(); err != nil {
			return nil, fmt.Errorf("the server %s: %w", s.Name, err)
		}
	}
	s.shapes = openShapes(g.Shapes, &s.Server)
	return s, nil
}

// open makes the first connection.
func (s *server) open(ctx context.Context) error {
	c, err := s.connect(ctx)
	if err != nil {
		return err
	}
	if s.listed, err = s.list(ctx, c.session); err != nil {
		s.end(c)
		close(c.lost)
		if ctx.Err() != nil {
			return errors.New("it has not listed its tools in time")
		}
		return fmt.Errorf("its tools are not listed: %w", err)
	}
	for _, r := range s.listed.refused {
		s.log.Warn(r.String())
	}
	s.enter(c)
	return nil
}

// failed returns the error of servers that did not answer.
func (s *Servers) failed(errs []error) error {
	var failed []error
	var answered []string
	for i, err := range errs {
		one := s.all[i]
		if err != nil {
			failed = append(failed, fmt.Errorf("the MCP server %s (%s) is not reached: %w", one.Name, one.shown(), err))
		} else {
			answered = append(answered, one.Name+" with "+one.listed.counted())
		}
	}
	err := errors.Join(failed...)
	if err != nil && len(answered) > 0 {
		err = fmt.Errorf("%w\nthese have answered: %s", err, strings.Join(answered, ", "))
	}
	return err
}

// Close ends the connections and the processes, and the calls that are under way.
func (s *Servers) Close() error {
	var wg sync.WaitGroup
	errs := make([]error, len(s.all))
	for i, one := range s.all {
		wg.Go(func() {
			one.close()
			errs[i] = one.shapes.save()
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Refused returns the tools that the servers declare and that programs do not get.
func (s *Servers) Refused() (all []Refused) {
	for _, one := range s.all {
		all = append(all, one.listed.refused...)
	}
	return all
}

// Tools returns the tools.
func (s *Servers) Tools() (all []*tool.Tool) {
	for _, one := range s.all {
		for _, d := range one.listed.tools {
			all = append(all, one.tool(d))
		}
	}
	return all
}

func (s *server) tool(d *declared) *tool.Tool {
	opts := []tool.Option{tool.Timeout(s.grant.timeout(&s.Server)), tool.Credentials(s.Credentials()...),
		tool.Brief(maxSignature)}
	switch d.class {
	case effect.ReadOnly:
		opts = append(opts, tool.ReadOnly())
	case effect.Idempotent:
		opts = append(opts, tool.Idempotent())
	}
	doc := d.doc
	if d.result == nil {
		opts = append(opts, tool.Seen(s.shapes.seen(d.name)))
		if n := s.shapes.count(d.name); n > 0 {
			doc += fmt.Sprintf(" It declares no results: the shape is that of the %s before.", diag.Counted(n, "result"))
		}
	}
	return tool.Dynamic(s.Name+"."+d.name, doc, d.args, d.result,
		func(ctx context.Context, args json.RawMessage) (json.RawMessage, error) { return s.call(ctx, d, args) }, opts...)
}
