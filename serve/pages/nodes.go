// This file defines the page of the nodes of a cluster.

package pages

import (
	"context"
	"math"
	"net/http"

	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// cluster returns the cluster of the service, or an error if it is none.
func (p *Pages) cluster() (serve.Cluster, error) {
	if c := p.engine.Options().Cluster; c != nil {
		return c, nil
	}
	return nil, store.ErrNotFound.With("this service is not a node of a cluster")
}

func (p *Pages) nodes(w http.ResponseWriter, r *http.Request) error {
	c, err := p.cluster()
	if err != nil {
		return err
	}
	live, err := p.live(r.Context(), ofNodes)
	if err != nil {
		return err
	}
	status, err := c.Status(r.Context())
	if err != nil {
		return err
	}
	return p.show(w, r, http.StatusOK, layout{Title: "Nodes", Page: "nodes", Live: live, Body: status})
}

// changeNodes performs the action of a form of the page.
func (p *Pages) changeNodes(w http.ResponseWriter, r *http.Request) error {
	c, err := p.cluster()
	if err != nil {
		return err
	}
	if err := r.ParseForm(); err != nil {
		return store.ErrInvalid.With("the form can't be read: %w", err)
	}
	do, node, duty := r.PostForm.Get("do"), r.PostForm.Get("node"), r.PostForm.Get("duty")
	for name, value := range map[string]string{"do": do, "node": node, "duty": duty} {
		if value != "" {
			access.Note(r.Context(), name, value)
		}
	}
	switch do {
	case "drain", "undrain":
		err = c.Drain(r.Context(), node, do == "drain")
	case "remove":
		err = c.Remove(r.Context(), node)
	case "step-down":
		err = c.StepDown(r.Context(), duty)
	case "rebalance":
		_, err = c.Rebalance(r.Context())
	default:
		err = store.ErrInvalid.With("do: got %.40q, want drain, undrain, remove, step-down or rebalance", do)
	}
	if err != nil {
		return err
	}
	http.Redirect(w, r, "/nodes", http.StatusSeeOther)
	return nil
}

// steps is the number of steps in which a load is shown to change while the page is open.
const steps = 20

// nodesSeen returns the state of the cluster without the fields that change constantly.
func (p *Pages) nodesSeen(ctx context.Context) (s wire.Cluster, err error) {
	c, err := p.cluster()
	if err != nil {
		return s, err
	}
	if s, err = c.Status(ctx); err != nil {
		return s, err
	}
	s.Engine.Revision, s.Engine.Bytes = 0, s.Engine.Bytes>>20
	for i := range s.Members {
		m := &s.Members[i]
		for _, x := range []*float64{&m.Load, &m.CPU, &m.Memory} {
			*x = math.Round(*x * steps)
		}
	}
	return s, nil
}
