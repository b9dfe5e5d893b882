// This file tests the streams of an implementation.

package peertest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/peer"
)

func testStream(t *testing.T, c Cluster) {
	a, b := two(t, c)
	next := make(chan string)
	for _, n := range []Node{a, b} {
		n.Stream("lines", func(_ context.Context, from string, request []byte, w io.Writer) error {
			fmt.Fprintf(w, "%s %s\n", from, request)
			for line := range next {
				if _, err := fmt.Fprintln(w, line); err != nil {
					return err
				}
			}
			return nil
		})
	}
	for _, to := range []string{"a", "b"} {
		s, err := a.Open(bounded(t), to, "lines", []byte("please"))
		require.NoError(t, err)
		lines := bufio.NewScanner(s)
		require.True(t, lines.Scan())
		assert.Equal(t, "a please", lines.Text())
		for i := range 5 { // each line arrives before the next one is written
			next <- fmt.Sprint(i)
			require.True(t, lines.Scan(), "%v", lines.Err())
			assert.Equal(t, fmt.Sprint(i), lines.Text())
		}
		close(next)
		next = make(chan string)
		assert.False(t, lines.Scan())
		require.NoError(t, lines.Err())
		require.NoError(t, s.Close())
	}
}

func testStreamErrors(t *testing.T, c Cluster) {
	a, b := two(t, c)
	b.Stream("gone", func(_ context.Context, _ string, _ []byte, w io.Writer) error {
		io.WriteString(w, "some")
		return &peer.Error{Code: "gone", Message: "it is\ngone"}
	})
	b.Stream("plain", func(context.Context, string, []byte, io.Writer) error { return errors.New("disk on fire") })
	b.Stream("empty", func(context.Context, string, []byte, io.Writer) error { return nil })
	for method, want := range map[string]struct{ code, message, text string }{
		"gone": {"gone", "it is\ngone", "some"}, "plain": {peer.CodeInternal, "disk on fire", ""},
	} {
		s, err := a.Open(bounded(t), "b", method, nil)
		require.NoError(t, err)
		text, err := io.ReadAll(s)
		refused(t, err, want.code, want.message)
		assert.Equal(t, want.text, string(text))
		_, err = s.Read(make([]byte, 1))
		refused(t, err, want.code, want.message)
		require.NoError(t, s.Close())
	}
	s, err := a.Open(bounded(t), "b", "empty", nil)
	require.NoError(t, err)
	text, err := io.ReadAll(s)
	require.NoError(t, err)
	assert.Empty(t, text)
	require.NoError(t, s.Close())
	_, err = a.Open(bounded(t), "b", "echo", nil)
	refused(t, err, peer.CodeMethod, `b has no stream "echo"`)
	_, err = a.Open(bounded(t), "a", "echo", nil)
	refused(t, err, peer.CodeMethod, `a has no stream "echo"`)
}

// endless makes a node answer "endless" with a stream that ends when its context does. over is closed then.
func endless(n Node) (over chan struct{}) {
	over = make(chan struct{})
	var once sync.Once
	n.Stream("endless", func(ctx context.Context, _ string, _ []byte, w io.Writer) error {
		defer once.Do(func() { close(over) })
		if _, err := io.WriteString(w, "begin"); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	})
	return over
}

// opened returns a stream that has begun.
func opened(t *testing.T, ctx context.Context, from Node, to string) io.ReadCloser {
	t.Helper()
	s, err := from.Open(ctx, to, "endless", nil)
	require.NoError(t, err)
	_, err = io.ReadFull(s, make([]byte, 5))
	require.NoError(t, err)
	return s
}

func testStreamClose(t *testing.T, c Cluster) {
	a, b := two(t, c)
	over := endless(b)
	s := opened(t, bounded(t), a, "b")
	require.NoError(t, s.Close())
	within(t, over)
	_, err := s.Read(make([]byte, 1))
	require.Error(t, err)
	require.NotErrorIs(t, err, io.EOF)
}

func testStreamCancel(t *testing.T, c Cluster) {
	a, b := two(t, c)
	over := endless(b)
	ctx, cancel := context.WithCancel(t.Context())
	s := opened(t, ctx, a, "b")
	defer s.Close()
	cancel()
	_, err := s.Read(make([]byte, 1))
	require.ErrorIs(t, err, context.Canceled)
	within(t, over)
}

func testStreamCut(t *testing.T, c Cluster) {
	a, b := two(t, c)
	over := endless(b)
	s := opened(t, bounded(t), a, "b")
	c.Cut(t, "a", "b")
	_, err := s.Read(make([]byte, 1))
	require.ErrorIs(t, err, peer.ErrUnreachable)
	within(t, over)
	require.NoError(t, s.Close())
	c.Heal(t, "a", "b")

	over = endless(b)
	s = opened(t, bounded(t), a, "b")
	b.Close()
	within(t, over)
	_, err = s.Read(make([]byte, 1))
	require.ErrorIs(t, err, peer.ErrUnreachable)
	require.NoError(t, s.Close())
}

// testStreamSlow reads more than any buffer holds, from a writer that must wait for the reader.
func testStreamSlow(t *testing.T, c Cluster) {
	const blocks = 64
	a, b := two(t, c)
	block := bytes.Repeat([]byte("0123456789abcdef"), 16<<10)
	b.Stream("large", func(_ context.Context, _ string, _ []byte, w io.Writer) error {
		for range blocks {
			if _, err := w.Write(block); err != nil {
				return err
			}
		}
		return nil
	})
	s, err := a.Open(bounded(t), "b", "large", nil)
	require.NoError(t, err)
	got := make([]byte, len(block))
	for range blocks {
		_, err := io.ReadFull(s, got)
		require.NoError(t, err)
		require.True(t, bytes.Equal(block, got))
	}
	n, err := s.Read(got)
	require.Equal(t, io.EOF, err)
	require.Zero(t, n)
	require.NoError(t, s.Close())
}
