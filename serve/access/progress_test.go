package access

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pipes is a listener of connections in memory, whose deadlines are of the clock of a test.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error { close(p.done); return nil }

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// dial serves a handler behind a gate in a bubble of synctest, and returns a connection to it with the token of a
// submitter.
func dial(t *testing.T, handler http.HandlerFunc) (conn net.Conn, dir, auth string) {
	dir, tokens, _ := opened(t)
	g, err := NewGate(Options{Tokens: tokens})
	require.NoError(t, err)
	listener := &pipes{make(chan net.Conn), make(chan struct{})}
	server := Server(g.Handler(handler), nil)
	ended := make(chan struct{})
	go func() { defer close(ended); server.Serve(listener) }()
	conn, other := net.Pipe()
	listener.conns <- other
	t.Cleanup(func() { conn.Close(); server.Close(); <-ended })
	return conn, dir, "Host: ptc\r\nAuthorization: Bearer " + created(t, dir, "a", Submitter) + "\r\n"
}

// TestEventsAreNotCut sends events that are minutes apart, after a request with a body.
func TestEventsAreNotCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, _, auth := dial(t, func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			for i := range 5 {
				time.Sleep(10 * time.Minute)
				if r.Context().Err() != nil {
					return
				}
				fmt.Fprintf(w, "event %d\n", i)
				w.(http.Flusher).Flush()
			}
		})
		io.WriteString(conn, "POST /v1/runs HTTP/1.1\r\nContent-Length: 4\r\n"+auth+"\r\nbody")
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err)
		text, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		assert.Equal(t, "event 0\nevent 1\nevent 2\nevent 3\nevent 4\n", string(text))
	})
}

// TestSlowBody sends half of a body and then nothing.
func TestSlowBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failed, began := make(chan error, 1), time.Now()
		conn, _, auth := dial(t, func(w http.ResponseWriter, r *http.Request) {
			_, err := io.ReadAll(r.Body)
			failed <- err
		})
		io.WriteString(conn, "POST /v1/runs HTTP/1.1\r\nContent-Length: 9\r\n"+auth+"\r\n")
		time.Sleep(bodyTime - time.Second)
		io.WriteString(conn, "half")
		go io.Copy(io.Discard, conn)
		assert.Error(t, <-failed)
		assert.Equal(t, 2*bodyTime-time.Second, time.Since(began))
	})
}

// TestTrickledBody sends one byte at a time, each in time.
func TestTrickledBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failed, began := make(chan error, 1), time.Now()
		conn, _, auth := dial(t, func(w http.ResponseWriter, r *http.Request) {
			_, err := io.ReadAll(r.Body)
			failed <- err
		})
		io.WriteString(conn, "POST /v1/runs HTTP/1.1\r\nContent-Length: 9999\r\n"+auth+"\r\n")
		go io.Copy(io.Discard, conn)
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			for {
				if _, err := io.WriteString(conn, "x"); err != nil {
					return
				}
				time.Sleep(bodyTime / 2)
			}
		}()
		assert.Error(t, <-failed)
		assert.Equal(t, bodyWhole, time.Since(began))
		conn.Close()
		<-sent
	})
}

// TestEventsOverHTTP2 sends events over HTTP/2, which resets a stream whose deadline has passed.
func TestEventsOverHTTP2(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, tokens, _ := opened(t)
		g, err := NewGate(Options{Tokens: tokens})
		require.NoError(t, err)
		listener := &pipes{make(chan net.Conn), make(chan struct{})}
		server := Server(g.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			for range 3 {
				time.Sleep(10 * time.Minute)
				io.WriteString(w, r.Proto+"\n")
				w.(http.Flusher).Flush()
			}
		})), nil)
		server.Protocols = &http.Protocols{}
		server.Protocols.SetUnencryptedHTTP2(true)
		ended := make(chan struct{})
		go func() { defer close(ended); server.Serve(listener) }()
		dial := func(context.Context, string, string) (net.Conn, error) {
			conn, other := net.Pipe()
			listener.conns <- other
			return conn, nil
		}
		transport := &http.Transport{Protocols: server.Protocols, DialContext: dial}
		r, err := http.NewRequest("POST", "http://ptc/v1/runs", strings.NewReader("body"))
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+created(t, dir, "a", Submitter))
		resp, err := transport.RoundTrip(r)
		require.NoError(t, err)
		text, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		assert.Equal(t, strings.Repeat("HTTP/2.0\n", 3), string(text))
		transport.CloseIdleConnections()
		server.Close()
		<-ended
	})
}

// TestUnreadBody leaves a body unread whose rest never arrives.
func TestUnreadBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, _, auth := dial(t, func(w http.ResponseWriter, r *http.Request) {})
		began := time.Now()
		io.WriteString(conn, "POST /v1/runs HTTP/1.1\r\nContent-Length: 9\r\n"+auth+"\r\n")
		_, err := io.ReadAll(conn) // until the server closes
		require.NoError(t, err)
		assert.LessOrEqual(t, time.Since(began), bodyTime+headerTime)
	})
}

// TestSlowHeader sends half of a header.
func TestSlowHeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, _, _ := dial(t, nil)
		began := time.Now()
		io.WriteString(conn, "GET / HTTP/1.1\r\nHost:")
		_, err := io.ReadAll(conn)
		require.NoError(t, err)
		assert.LessOrEqual(t, time.Since(began), headerTime+time.Second)
	})
}

// TestSlowReader takes no byte of a response.
func TestSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failed := make(chan error, 1)
		conn, _, auth := dial(t, func(w http.ResponseWriter, r *http.Request) {
			for {
				if _, err := w.Write(make([]byte, 10_000)); err != nil {
					failed <- err
					return
				}
			}
		})
		began := time.Now()
		io.WriteString(conn, "GET /v1/runs HTTP/1.1\r\n"+auth+"\r\n")
		assert.Error(t, <-failed)
		assert.Equal(t, writeTime, time.Since(began))
	})
}

// TestEventsOfRevokedToken revokes the token of a client that reads events.
func TestEventsOfRevokedToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := make(chan error, 1)
		conn, dir, auth := dial(t, func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				io.WriteString(w, "event\n")
				w.(http.Flusher).Flush()
				time.Sleep(time.Second)
			}
			cause <- context.Cause(r.Context())
		})
		io.WriteString(conn, "GET /v1/runs/1/events HTTP/1.1\r\n"+auth+"\r\n")
		go io.Copy(io.Discard, conn)
		time.Sleep(time.Minute)
		select {
		case err := <-cause:
			t.Fatal("the events ended before the token was revoked: ", err)
		default:
		}
		_, err := Revoke(dir, "a")
		require.NoError(t, err)
		assert.True(t, errors.Is(<-cause, ErrUnknown))
	})
}
