// This file defines the sign-in of browsers.

package access

import (
	"crypto/rand"
	"net/http"
	"sync"
	"time"
)

// The bounds of a sign-in.
const (
	sessionTime = 12 * time.Hour // a working day
	sessionIdle = time.Hour      // without a request
	sessionsMax = 10_000
	sessionsOwn = 100 // of one token: nobody signs out the others by signing in again and again
)

// The cookies. The first form is for TLS: a browser accepts it only if no other host and no plain connection can
// have set it. A plain connection is for the machine itself.
const (
	secureCookie = "__Host-ptc"
	plainCookie  = "ptc"
)

// sessions are the browsers that have signed in. They are kept in memory, so that a sign-in can be ended and none
// outlives the process. The cookie is a random number; the token stays out of the browser.
type sessions struct {
	mu sync.Mutex
	by map[string]*session // by the hash of the cookie
}

type session struct {
	token    string // id
	hash     string // of the token, so that another token with the same id does not match
	began    time.Time
	lastUsed time.Time
}

// add returns the cookie of a new session.
func (s *sessions) add(t Token, now time.Time) (cookie string) {
	random := make([]byte, 32)
	rand.Read(random)
	cookie = digits.EncodeToString(random)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by == nil {
		s.by = make(map[string]*session)
	}
	s.forget(now, sessionsOwn, func(one *session) bool { return one.token == t.ID })
	s.forget(now, sessionsMax, func(*session) bool { return true })
	s.by[hash(cookie)] = &session{token: t.ID, hash: t.Hash, began: now, lastUsed: now}
	return cookie
}

// forget makes room for one of at most so many sessions that are counted: it removes those that have ended, or else the
// one that was used least recently.
func (s *sessions) forget(now time.Time, most int, counted func(*session) bool) {
	if len(s.by) < most {
		return
	}
	oldest, n := "", 0
	for key, one := range s.by {
		switch {
		case one.over(now):
			delete(s.by, key)
		case counted(one):
			n++
			if oldest == "" || one.lastUsed.Before(s.by[oldest].lastUsed) {
				oldest = key
			}
		}
	}
	if n >= most {
		delete(s.by, oldest)
	}
}

func (s *session) over(now time.Time) bool {
	return now.Sub(s.began) >= sessionTime || now.Sub(s.lastUsed) >= sessionIdle
}

// find returns the session of a cookie. The map is searched by a hash, so the time of a search tells nothing about
// a cookie.
func (s *sessions) find(cookie string, now time.Time) (session, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := hash(cookie)
	one := s.by[key]
	if one == nil {
		return session{}, false
	}
	if one.over(now) {
		delete(s.by, key)
		return session{}, false
	}
	one.lastUsed = now
	return *one, true
}

// remove ends the session of a cookie.
func (s *sessions) remove(cookie string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.by, hash(cookie))
}

// cookieOf returns the cookie of a request, or "".
func cookieOf(r *http.Request) string {
	c, err := r.Cookie(cookieName(r))
	if err != nil {
		return ""
	}
	return c.Value
}

func cookieName(r *http.Request) string {
	if secure(r) {
		return secureCookie
	}
	return plainCookie
}

// secure reports whether the connection of a browser is encrypted, up to a proxy at least. A client that sends the
// header of proxies itself changes only its own cookie.
func secure(r *http.Request) bool {
	return r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"
}

// setCookie sets the cookie of a browser; "" removes it.
func setCookie(w http.ResponseWriter, r *http.Request, value string) {
	c := &http.Cookie{
		Name: cookieName(r), Value: value, Path: "/", MaxAge: int(sessionTime / time.Second),
		HttpOnly: true, Secure: secure(r), SameSite: http.SameSiteStrictMode,
	}
	if value == "" {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
}
