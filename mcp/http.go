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

// ServeStdio serves one client, until in ends or ctx does. Messages are lines of JSON.
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
	return s.sdk.Run(ctx, &sdk.IOTransport{Reader: in, Writer: out, MaxLineLength: maxMessageBytes})
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

// Handler serves clients by Streamable HTTP. It refuses requests without a bearer token that verify accepts, and those
// that a browser sends for another site. For the revision 2026-07-28 of the protocol each request is a call of its own;
// clients of older revisions have sessions of the transport, which end if they are not used.
//
// Without verify, or a server that New has made, all requests are refused.
func (s *Server) Handler(verify Verifier) http.Handler {
	if !s.made() || verify == nil {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "this server accepts no token", http.StatusUnauthorized)
		})
	}
	server := func(*http.Request) *sdk.Server { return s.sdk }
	single := sdk.NewStreamableHTTPHandler(server, &sdk.StreamableHTTPOptions{Stateless: true, Logger: s.opts.Log,
		MaxRequestBodyBytes: maxMessageBytes, PropagateRequestCancellation: true})
	stateful := sdk.NewStreamableHTTPHandler(server, &sdk.StreamableHTTPOptions{Logger: s.opts.Log,
		MaxRequestBodyBytes: maxMessageBytes, SessionTimeout: s.opts.Lifetime})
	versioned := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") >= roundTrips {
			single.ServeHTTP(w, r)
			return
		}
		stateful.ServeHTTP(w, r)
	})
	checked := auth.RequireBearerToken(func(ctx context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		name, err := verify(ctx, token)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", auth.ErrInvalidToken, err)
		}
		return &auth.TokenInfo{UserID: name, Expiration: time.Now().Add(time.Hour)}, nil
	}, nil)(versioned)
	return http.NewCrossOriginProtection().Handler(checked)
}
