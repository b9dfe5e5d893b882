// This file defines from which hosts and origins a service takes requests.

package access

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// origins decides about the Host and Origin of requests.
type origins struct {
	hosts   []string // without ports; empty: all
	allowed []string
	forgery *http.CrossOriginProtection
}

// newOrigins returns the rules of a listener. One on the machine itself takes only its own names, so that a web
// page whose name was changed to mean 127.0.0.1 (DNS rebinding) reaches nothing.
func newOrigins(listen string, hosts, allowed []string) (*origins, error) {
	o := &origins{allowed: allowed, forgery: http.NewCrossOriginProtection()}
	for _, origin := range allowed {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Scheme+"://"+u.Host != origin {
			return nil, fmt.Errorf("got the origin %q, want scheme://host or scheme://host:port", origin)
		}
		if err := o.forgery.AddTrustedOrigin(origin); err != nil {
			return nil, err
		}
	}
	for _, host := range hosts {
		if host == "" || strings.ContainsAny(host, "/ ") {
			return nil, fmt.Errorf("got the host %q, want a name or an address without a port", host)
		}
		o.hosts = append(o.hosts, bareHost(host))
	}
	if loopback(listen) {
		o.hosts = append(o.hosts, "localhost", "127.0.0.1", "::1", bareHost(listen))
	}
	return o, nil
}

// bareHost returns a host without its port and brackets, in small letters and without the dot of a full name.
func bareHost(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// loopback reports whether an address is of the machine itself.
func loopback(address string) bool {
	host := bareHost(address)
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// check returns whether the request comes from a page of another, allowed origin, or the problem of a request from
// a place that is not allowed.
//
// http.CrossOriginProtection refuses requests of other origins that change something. The lines before it
// also refuse requests that read: an Origin that is not allowed is never a mistake of a user.
func (o *origins) check(r *http.Request) (cross bool, _ *problem) {
	if len(o.hosts) > 0 && !slices.Contains(o.hosts, bareHost(r.Host)) {
		return false, &problem{http.StatusForbidden, CodeHost, fmt.Sprintf(
			"the service has no name %q; add it to the hosts of the configuration if it is right", r.Host), 0}
	}
	if origin := r.Header.Get("Origin"); origin != "" && !sameOrigin(r, origin) {
		cross = true
		if !slices.Contains(o.allowed, origin) {
			return cross, refusedOrigin(fmt.Errorf("got the origin %q", origin))
		}
	}
	if err := o.forgery.Check(r); err != nil {
		return cross, refusedOrigin(err)
	}
	return cross, nil
}

func refusedOrigin(err error) *problem {
	return &problem{http.StatusForbidden, CodeOrigin, fmt.Sprintf(
		"a page of another site made the request: %v; add its origin to the origins of the configuration if it may",
		err), 0}
}

// sameOrigin reports whether the page that made a request is of the service. Browsers send Sec-Fetch-Site, which a
// page cannot set; without it, the hosts are compared, because a proxy may change the scheme.
func sameOrigin(r *http.Request, origin string) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
		return true
	case "":
		u, err := url.Parse(origin)
		return err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host)
	}
	return false
}

// allowOrigin sets the headers that let a page of an allowed origin read the response. It never allows cookies.
func (o *origins) allowOrigin(h http.Header, r *http.Request) {
	if len(o.allowed) > 0 {
		h.Add("Vary", "Origin")
	}
	if origin := r.Header.Get("Origin"); slices.Contains(o.allowed, origin) {
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Expose-Headers", "Location, Retry-After, ETag")
	}
}

// preflight answers the question of a browser whether a page of an allowed origin may make a request.
func (o *origins) preflight(w http.ResponseWriter, r *http.Request) (answered bool) {
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" ||
		!slices.Contains(o.allowed, r.Header.Get("Origin")) {
		return false
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, DELETE")
	h.Set("Access-Control-Allow-Headers",
		"Authorization, Content-Type, Idempotency-Key, If-Match, Last-Event-ID, Traceparent, Tracestate")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}

// bearer returns the token of a request; ok is false if there is no header of authorization.
func bearer(r *http.Request) (text string, ok bool, err error) {
	values := r.Header.Values("Authorization")
	if len(values) == 0 {
		return "", false, nil
	}
	scheme, text, found := strings.Cut(values[0], " ")
	if len(values) > 1 || !found || !strings.EqualFold(scheme, "Bearer") {
		return "", true, errors.New("got another header of authorization, want one: Authorization: Bearer TOKEN")
	}
	return strings.Trim(text, " "), true, nil
}
