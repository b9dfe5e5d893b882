package mcp_test

import (
	"net/http"
	"testing"
)

// authorized adds a bearer token to requests.
type authorized struct {
	token string
	base  *http.Transport
}

func (a *authorized) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+a.token)
	return a.base.RoundTrip(r)
}

// bearer returns an HTTP client that presents a token.
func bearer(t testing.TB, token string) *http.Client {
	a := &authorized{token, http.DefaultTransport.(*http.Transport).Clone()}
	t.Cleanup(a.base.CloseIdleConnections)
	return &http.Client{Transport: a}
}
