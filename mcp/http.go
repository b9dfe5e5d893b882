// This file defines the transports: standard input and output, and HTTP.

package mcp

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServeStdio serves one client, until in ends or ctx does. Messages are lines of JSON, of at most 32 MiB. A line that
// is no message is answered with an error.
func (s *Server) ServeStdio(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	switch {
	case !s.made():
		return errNotMade
	case ctx == nil || in == nil || out == nil:
		return errors.New("mcp: ServeStdio got a nil context, reader or writer")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.closed, cancel)()
	to := &lockedWriter{WriteCloser: out}
	return s.sdk.Run(ctx, &sdk.IOTransport{Reader: newLines(in, to), Writer: to, MaxLineLength: 2 * maxMessageBytes})
}

// maxMessageBytes bounds a message of a client.
const maxMessageBytes = 32 << 20

// Verifier returns the name of the caller with a bearer token. An error refuses the request.
type Verifier func(ctx context.Context, token string) (name string, err error)

// BearerToken accepts one token. Its caller is the same in all requests.
func BearerToken(token string) Verifier {
	want := sha256.Sum256([]byte(token))
	return func(_ context.Context, given string) (string, error) {
		got := sha256.Sum256([]byte(given))
		if token == "" || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			return "", auth.ErrInvalidToken
		}
		return "token", nil
	}
}

// Handler serves clients by Streamable HTTP. It refuses requests without a bearer token that verify
// accepts, and requests that a browser sends for another site. In the revision 2026-07-28 of the protocol
// each request is independent; clients of older revisions have sessions of the transport, which end if they
// are not used.
//
// Without verify, or a server that New has made, all requests are refused.
func (s *Server) Handler(verify Verifier) http.Handler {
	if !s.made() || verify == nil {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "this server accepts no token", http.StatusUnauthorized)
		})
	}
	checked := auth.RequireBearerToken(func(ctx context.Context, token string, r *http.Request) (*auth.TokenInfo, error) {
		name, err := verify(ctx, token)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", auth.ErrInvalidToken, err)
		}
		return caller(name, r), nil
	}, nil)(s.transports(false))
	return http.NewCrossOriginProtection().Handler(checked)
}

// Behind serves clients by Streamable HTTP behind a handler that has checked the requests: their callers, hosts,
// origins and sizes. caller returns the name of the caller of a request; "" refuses it.
func (s *Server) Behind(caller func(*http.Request) string) http.Handler {
	if !s.made() || caller == nil {
		return s.Handler(nil)
	}
	return s.named(caller, s.transports(true))
}

// named passes requests to next with the names of their callers. The SDK takes names only from a token.
func (s *Server) named(name func(*http.Request) string, next http.Handler) http.Handler {
	next = auth.RequireBearerToken(func(_ context.Context, _ string, r *http.Request) (*auth.TokenInfo, error) {
		if name := name(r); name != "" {
			return caller(name, r), nil
		}
		return nil, auth.ErrInvalidToken
	}, nil)(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer checked")
		next.ServeHTTP(w, r)
	})
}

// caller returns the identity of the caller that the SDK keeps.
func caller(name string, r *http.Request) *auth.TokenInfo {
	return &auth.TokenInfo{UserID: name, Expiration: time.Now().Add(time.Hour),
		Extra: map[string]any{requestKey: r.Context()}}
}

// requestKey is the key of the context of a request in its auth.TokenInfo.
const requestKey = "request"

// ofRequest returns a context with the values of the HTTP request of a call. The SDK's own has those of the request
// that began the session of the transport.
func ofRequest(ctx context.Context, r sdk.Request) context.Context {
	if extra := r.GetExtra(); extra != nil && extra.TokenInfo != nil {
		if of, ok := extra.TokenInfo.Extra[requestKey].(context.Context); ok {
			return requestValues{ctx, context.WithoutCancel(of)} // or context.Cause would be that of the other
		}
	}
	return ctx
}

// requestValues is a context with the values of another one.
type requestValues struct {
	context.Context
	of context.Context
}

func (v requestValues) Value(key any) any {
	if own := v.of.Value(key); own != nil {
		return own
	}
	return v.Context.Value(key)
}

// transports returns the handler of both transports. checked reports that the host of a request was checked.
func (s *Server) transports(checked bool) http.Handler {
	server := func(*http.Request) *sdk.Server { return s.sdk }
	single := sdk.NewStreamableHTTPHandler(server, &sdk.StreamableHTTPOptions{Stateless: true, Logger: s.opts.Log,
		MaxRequestBodyBytes: maxMessageBytes, PropagateRequestCancellation: true, DisableLocalhostProtection: checked})
	stateful := sdk.NewStreamableHTTPHandler(server, &sdk.StreamableHTTPOptions{Logger: s.opts.Log,
		MaxRequestBodyBytes: maxMessageBytes, SessionTimeout: s.opts.Lifetime, DisableLocalhostProtection: checked})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") >= roundTrips {
			single.ServeHTTP(w, r)
			return
		}
		stateful.ServeHTTP(w, r)
	})
}
