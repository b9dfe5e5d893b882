// This file defines how a browser signs in and out.

package access

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// A Form is the data of the sign-in page. The page posts the fields token and next to /login.
type Form struct {
	Problem string // why the last attempt failed, or ""
	Next    string // the path to which the browser goes afterwards
}

// maxForm bounds the bytes of a form with a token and a path.
const maxForm = 8 << 10

// login answers GET and POST /login.
func (g *Gate) login(w *response, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		g.o.SignIn(w, r, Form{Next: localPath(r.URL.Query().Get("next"))})
		return
	case http.MethodPost:
	default:
		notAllowed(w, "GET, POST")
		return
	}
	r.Body = http.MaxBytesReader(w.ResponseWriter, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		(&problem{http.StatusBadRequest, CodeForm, "the form cannot be read: " + err.Error(), 0}).write(w)
		return
	}
	next := localPath(r.PostForm.Get("next"))
	t, err := g.o.Tokens.Verify(strings.TrimSpace(r.PostForm.Get("token")))
	if err != nil {
		g.failed(w, r, refusedToken(err), func(p *problem) {
			if p.after > 0 {
				w.Header().Set("Retry-After", Seconds(p.after))
			}
			w.WriteHeader(p.status)
			g.o.SignIn(w, r, Form{Problem: p.detail, Next: next})
		})
		return
	}
	if old := cookieOf(r); old != "" {
		g.sessions.remove(old)
	}
	setCookie(w, r, g.sessions.add(t, time.Now()))
	id := proven{who: t.Who, by: "token " + t.ID}
	e := id.entry()
	e.Event, e.Status = "login", http.StatusSeeOther
	g.audit(r, e)
	http.Redirect(w, r, next, http.StatusSeeOther)
}

// logout answers POST /logout.
func (g *Gate) logout(w *response, r *http.Request) {
	if r.Method != http.MethodPost {
		notAllowed(w, "POST")
		return
	}
	if cookie := cookieOf(r); cookie != "" {
		e := Entry{}
		if id, p := g.browser(cookie); p == nil {
			e = id.entry()
		}
		g.sessions.remove(cookie)
		setCookie(w, r, "")
		e.Event, e.Status = "logout", http.StatusSeeOther
		g.audit(r, e)
	}
	http.Redirect(w, r, "/login", http.StatusSeeOther)
}

func notAllowed(w http.ResponseWriter, methods string) {
	w.Header().Set("Allow", methods)
	(&problem{http.StatusMethodNotAllowed, CodeMethod, "want " + methods, 0}).write(w)
}

// localPath returns a path of the service, or "/" for anything that a browser could take for another site. Browsers
// ignore control characters and take \ for /.
func localPath(next string) string {
	u, err := url.Parse(next)
	local := err == nil && u.Scheme == "" && u.Host == "" && u.User == nil &&
		strings.HasPrefix(next, "/") && !strings.HasPrefix(next, "//")
	if !local || strings.ContainsFunc(next, func(c rune) bool { return c <= ' ' || c == '\\' || c == 0x7f }) {
		return "/"
	}
	return next
}

// plainSignIn is the page of a service without pages. It needs no style and no script.
func plainSignIn(w http.ResponseWriter, _ *http.Request, f Form) {
	fmt.Fprintf(w, `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sign in</title>
<h1>Sign in</h1>
<p role="alert">%s</p>
<form method="post" action="/login">
<input type="hidden" name="next" value="%s">
<label>Token <input type="password" name="token" required autofocus autocomplete="current-password"></label>
<button>Sign in</button>
</form>
</html>
`, html.EscapeString(f.Problem), html.EscapeString(f.Next))
}
