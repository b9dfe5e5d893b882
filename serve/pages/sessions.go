// This file defines the page of sessions.

package pages

import (
	"net/http"

	"github.com/ptc-lang/ptc/serve/access"
)

func (p *Pages) sessions(w http.ResponseWriter, r *http.Request) error {
	live, err := p.live(r.Context(), ofSessions)
	if err != nil {
		return err
	}
	all := p.engine.SessionsOf(r.Context(), access.From(r.Context()))
	return p.show(w, r, http.StatusOK, layout{Title: "Sessions", Page: "sessions", Live: live, Body: all})
}

// endSession ends a session.
func (p *Pages) endSession(w http.ResponseWriter, r *http.Request) error {
	if err := p.engine.CloseSession(r.PathValue("id"), access.From(r.Context())); err != nil {
		return err
	}
	http.Redirect(w, r, "/sessions", http.StatusSeeOther)
	return nil
}
