// This file defines how a request is refused.

package access

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"time"
)

// The codes of refusals. They do not change between releases.
const (
	CodeUnauthenticated = "unauthenticated"    // 401: the request proves no identity
	CodeMalformed       = "token-malformed"    // 401: the header of authorization has another form
	CodeUnknown         = "token-unknown"      // 401: there is no such token, or not any more
	CodeExpired         = "token-expired"      // 401
	CodeSignedOut       = "signed-out"         // 401: the cookie is of no browser that is signed in
	CodeForbidden       = "forbidden"          // 403: the role is not enough
	CodeHost            = "host-refused"       // 403: the service has no such name
	CodeOrigin          = "origin-refused"     // 403: a page of another site made the request
	CodeAttempts        = "too-many-attempts"  // 429: too many wrong tokens from one address
	CodeRequests        = "too-many-requests"  // 429: too many requests of one identity are under way
	CodeForm            = "form-malformed"     // 400: the form of the sign-in cannot be read
	CodeMethod          = "method-not-allowed" // 405: of the sign-in
)

// A problem is the reason of a refusal, in the form of RFC 9457.
type problem struct {
	status int
	code   string
	detail string
	after  time.Duration // 0: trying again does not help
}

// write answers a request.
func (p *problem) write(w http.ResponseWriter) {
	body, err := json.Marshal(map[string]any{
		"type": "about:blank", "title": http.StatusText(p.status), "status": p.status, "detail": p.detail, "code": p.code,
	})
	if err != nil {
		http.Error(w, p.code, p.status)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	if p.after > 0 {
		h.Set("Retry-After", Seconds(p.after))
	}
	if p.status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="ptcd"`)
	}
	w.WriteHeader(p.status)
	w.Write(append(body, '\n'))
}

// Seconds returns the value of a Retry-After header: whole seconds, at least one.
func Seconds(d time.Duration) string {
	return strconv.Itoa(max(1, int(math.Ceil(d.Seconds()))))
}
