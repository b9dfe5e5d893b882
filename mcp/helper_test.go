package mcp_test

import (
	"context"
	"net/http/httptest"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/ptc-lang/ptc/mcp"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/stretchr/testify/require"
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

// dialAs returns a client whose token is the name of its caller.
func dialAs(t testing.TB, s *mcp.Server, name string) *sdk.ClientSession {
	web := httptest.NewServer(s.Handler(anyToken))
	t.Cleanup(web.Close)
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	c, err := client.Connect(t.Context(),
		&sdk.StreamableClientTransport{Endpoint: web.URL, HTTPClient: bearer(t, name)}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

// anyToken accepts every token as the name of its caller.
func anyToken(_ context.Context, token string) (string, error) { return token, nil }

// matches returns an error unless a JSON text matches a schema.
func matches(schema, text []byte) error {
	s, err := tool.ParseSchema(schema)
	if err != nil {
		return err
	}
	return s.Check(text, nil)
}
