// Package peertest tests implementations of peer.Network.
package peertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/peer"
)

// Cluster makes nodes that reach each other.
type Cluster interface {
	// Join adds a node of a release. A node may be closed and join again.
	Join(t *testing.T, node, release string) Node
	// MaxCalls is the number of requests of one node that the others handle concurrently: peer.MaxCalls, or
	// less for a test.
	MaxCalls() int
	// Cut cuts the link between two nodes in a way that both notice soon, and Heal repairs it.
	Cut(t *testing.T, a, b string)
	Heal(t *testing.T, a, b string)
}

// Node is a node that can be closed, as if its process had been killed.
type Node interface {
	peer.Network
	Close()
}

// soon bounds the wait for immediate events, on a busy machine too.
const soon = time.Minute

// Test tests an implementation. make returns a cluster without nodes.
func Test(t *testing.T, make func(t *testing.T) Cluster) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, c Cluster)
	}{
		{"Call", testCall}, {"Many", testMany}, {"Copies", testCopies}, {"Errors", testErrors}, {"Sizes", testSizes},
		{"Cancel", testCancel}, {"Deadline", testDeadline}, {"Values", testValues}, {"Unreachable", testUnreachable},
		{"Death", testDeath}, {"Cut", testCut}, {"Releases", testReleases}, {"Busy", testBusy}, {"Replace", testReplace},
		{"Stream", testStream}, {"StreamErrors", testStreamErrors}, {"StreamClose", testStreamClose},
		{"StreamCancel", testStreamCancel}, {"StreamCut", testStreamCut}, {"StreamSlow", testStreamSlow},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, make(t)) })
	}
}

// two returns two nodes; both echo.
func two(t *testing.T, c Cluster) (a, b Node) {
	a, b = c.Join(t, "a", ""), c.Join(t, "b", "")
	for _, n := range []Node{a, b} {
		n.Handle("echo", func(_ context.Context, from string, request []byte) ([]byte, error) {
			return fmt.Appendf(nil, "%s to %s: %s", from, n.Node(), request), nil
		})
	}
	return a, b
}

// bounded returns a context for operations that must end soon.
func bounded(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	t.Cleanup(cancel)
	return ctx
}

// within waits for a channel.
func within(t *testing.T, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(soon):
		require.Fail(t, "it has not happened")
	}
}

// refused wants a refusal with a code.
func refused(t *testing.T, err error, code, message string) {
	t.Helper()
	var refusal *peer.Error
	require.ErrorAs(t, err, &refusal)
	assert.Equal(t, code, refusal.Code)
	assert.Contains(t, refusal.Message, message)
}

func testCall(t *testing.T, c Cluster) {
	a, b := two(t, c)
	assert.Equal(t, "a", a.Node())
	for _, call := range []struct {
		from Node
		to   string
		want string
	}{{a, "b", "a to b: hi"}, {b, "a", "b to a: hi"}, {a, "a", "a to a: hi"}} {
		answer, err := call.from.Call(bounded(t), call.to, "echo", []byte("hi"))
		require.NoError(t, err)
		assert.Equal(t, call.want, string(answer))
	}
	b.Handle("nothing", func(context.Context, string, []byte) ([]byte, error) { return nil, nil })
	answer, err := a.Call(bounded(t), "b", "nothing", nil)
	require.NoError(t, err)
	assert.Empty(t, answer)
}

func testMany(t *testing.T, c Cluster) {
	a, b := two(t, c)
	var all sync.WaitGroup
	for i := range 200 {
		for _, n := range []Node{a, b} {
			all.Go(func() {
				to := "b"
				if n == b {
					to = "a"
				}
				answer, err := n.Call(bounded(t), to, "echo", fmt.Append(nil, i))
				assert.NoError(t, err)
				assert.Equal(t, fmt.Sprintf("%s to %s: %d", n.Node(), to, i), string(answer))
			})
		}
	}
	all.Wait()
}

func testCopies(t *testing.T, c Cluster) {
	a, b := two(t, c)
	kept := []byte("answer")
	for _, to := range []Node{a, b} {
		to.Handle("change", func(_ context.Context, _ string, request []byte) ([]byte, error) {
			request[0] = 'X'
			return kept, nil
		})
		request := []byte("request")
		answer, err := a.Call(bounded(t), to.Node(), "change", request)
		require.NoError(t, err)
		answer[0] = 'X'
		assert.Equal(t, "request", string(request))
		assert.Equal(t, "answer", string(kept))
	}
}

func testErrors(t *testing.T, c Cluster) {
	a, b := two(t, c)
	b.Handle("leader", func(context.Context, string, []byte) ([]byte, error) {
		return nil, fmt.Errorf("wrapped: %w", &peer.Error{Code: "not-leader", Message: "é\n\"b\" is not: ask \x00 c"})
	})
	b.Handle("plain", func(context.Context, string, []byte) ([]byte, error) { return nil, errors.New("disk on fire") })
	_, err := a.Call(bounded(t), "b", "leader", nil)
	refused(t, err, "not-leader", "é\n\"b\" is not: ask \x00 c")
	_, err = a.Call(bounded(t), "b", "plain", nil)
	refused(t, err, peer.CodeInternal, "disk on fire")
	_, err = a.Call(bounded(t), "b", "none", nil)
	refused(t, err, peer.CodeMethod, `b does not answer "none"`)
	_, err = a.Call(bounded(t), "a", "none", nil)
	refused(t, err, peer.CodeMethod, `a does not answer "none"`)
}

func testSizes(t *testing.T, c Cluster) {
	a, b := two(t, c)
	sizes := 0
	b.Handle("size", func(_ context.Context, _ string, request []byte) ([]byte, error) {
		sizes++
		return request, nil
	})
	b.Handle("large", func(context.Context, string, []byte) ([]byte, error) {
		return make([]byte, peer.MaxMessage+1), nil
	})
	request := bytes.Repeat([]byte("0123456789abcdef"), peer.MaxMessage/16)
	answer, err := a.Call(bounded(t), "b", "size", request)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(request, answer))
	_, err = a.Call(bounded(t), "b", "size", append(request, 'x'))
	refused(t, err, peer.CodeTooLarge, "4194305 bytes")
	_, err = a.Open(bounded(t), "b", "size", append(request, 'x'))
	refused(t, err, peer.CodeTooLarge, "4194305 bytes")
	assert.Equal(t, 1, sizes)
	_, err = a.Call(bounded(t), "b", "large", nil)
	refused(t, err, peer.CodeAnswer, "4194305 bytes")
}

// waiting makes a node answer "wait" when its context ends. begun has a token for each call; over is closed when the
// first of them has ended.
func waiting(n Node) (begun, over chan struct{}) {
	begun, over = make(chan struct{}, peer.MaxCalls), make(chan struct{})
	var once sync.Once
	n.Handle("wait", func(ctx context.Context, _ string, _ []byte) ([]byte, error) {
		begun <- struct{}{}
		<-ctx.Done()
		once.Do(func() { close(over) })
		return nil, ctx.Err()
	})
	return begun, over
}

func testCancel(t *testing.T, c Cluster) {
	a, b := two(t, c)
	begun, over := waiting(b)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	_, err := a.Call(ctx, "b", "wait", nil)
	require.ErrorIs(t, err, context.Canceled)
	within(t, over)
	_, err = a.Call(ctx, "b", "echo", nil)
	require.ErrorIs(t, err, context.Canceled)
}

func testDeadline(t *testing.T, c Cluster) {
	a, b := two(t, c)
	b.Handle("deadline", func(ctx context.Context, _ string, _ []byte) ([]byte, error) {
		at, ok := ctx.Deadline()
		return fmt.Append(nil, ok && time.Until(at) > time.Second && time.Until(at) <= soon), nil
	})
	answer, err := a.Call(bounded(t), "b", "deadline", nil)
	require.NoError(t, err)
	assert.Equal(t, "true", string(answer))
	_, over := waiting(b)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = a.Call(ctx, "b", "wait", nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	within(t, over)
}

type key struct{}

func testValues(t *testing.T, c Cluster) {
	a, b := two(t, c)
	for _, n := range []Node{a, b} {
		n.Handle("value", func(ctx context.Context, _ string, _ []byte) ([]byte, error) {
			return fmt.Append(nil, ctx.Value(key{})), nil
		})
		answer, err := a.Call(context.WithValue(bounded(t), key{}, "secret"), n.Node(), "value", nil)
		require.NoError(t, err)
		assert.Equal(t, "<nil>", string(answer), "a value of a context went to %s", n.Node())
	}
}

func testUnreachable(t *testing.T, c Cluster) {
	a, b := two(t, c)
	_, err := a.Call(bounded(t), "c", "echo", nil)
	require.ErrorIs(t, err, peer.ErrUnreachable)
	require.ErrorContains(t, err, "c")
	_, err = a.Open(bounded(t), "c", "echo", nil)
	require.ErrorIs(t, err, peer.ErrUnreachable)
	b.Close()
	_, err = a.Call(bounded(t), "b", "echo", nil)
	require.ErrorIs(t, err, peer.ErrUnreachable)
	_, err = b.Call(bounded(t), "a", "echo", nil)
	require.ErrorIs(t, err, peer.ErrUnreachable)
	_, err = b.Open(bounded(t), "a", "echo", nil)
	require.ErrorIs(t, err, peer.ErrUnreachable)
}

func testDeath(t *testing.T, c Cluster) {
	a, b := two(t, c)
	begun, over := waiting(b)
	go func() {
		<-begun
		b.Close()
	}()
	_, err := a.Call(bounded(t), "b", "wait", nil)
	require.ErrorIs(t, err, peer.ErrUnreachable)
	within(t, over)
	again := c.Join(t, "b", "")
	again.Handle("echo", func(context.Context, string, []byte) ([]byte, error) { return []byte("again"), nil })
	answer, err := a.Call(bounded(t), "b", "echo", nil)
	require.NoError(t, err)
	assert.Equal(t, "again", string(answer))
}

func testCut(t *testing.T, c Cluster) {
	a, b := two(t, c)
	other := c.Join(t, "c", "")
	begun, over := waiting(b)
	go func() {
		<-begun
		c.Cut(t, "a", "b")
	}()
	_, err := a.Call(bounded(t), "b", "wait", nil)
	require.ErrorIs(t, err, peer.ErrUnreachable)
	within(t, over)
	_, err = a.Call(bounded(t), "b", "echo", nil)
	require.ErrorIs(t, err, peer.ErrUnreachable)
	_, err = b.Call(bounded(t), "a", "echo", nil)
	require.ErrorIs(t, err, peer.ErrUnreachable)
	_, err = other.Call(bounded(t), "b", "echo", nil)
	require.NoError(t, err)
	c.Heal(t, "a", "b")
	_, err = a.Call(bounded(t), "b", "echo", nil)
	require.NoError(t, err)
}

func testReleases(t *testing.T, c Cluster) {
	a, b, same := c.Join(t, "a", "1"), c.Join(t, "b", "2"), c.Join(t, "c", "1")
	for _, n := range []Node{b, same} {
		yes := func(context.Context, string, []byte) ([]byte, error) { return []byte("yes"), nil }
		n.Handle(peer.SameRelease+"units", yes)
		n.Handle("load", yes)
		n.Stream(peer.SameRelease+"log", func(_ context.Context, _ string, _ []byte, w io.Writer) error {
			_, err := io.WriteString(w, "yes")
			return err
		})
	}
	for _, n := range []string{"b", "c"} {
		_, err := a.Call(bounded(t), n, "load", nil)
		require.NoError(t, err)
	}
	_, err := a.Call(bounded(t), "c", peer.SameRelease+"units", nil)
	require.NoError(t, err)
	_, err = a.Call(bounded(t), "b", peer.SameRelease+"units", nil)
	refused(t, err, peer.CodeVersion, `b is the release "2", a is "1"`)
	_, err = a.Open(bounded(t), "b", peer.SameRelease+"log", nil)
	refused(t, err, peer.CodeVersion, `b is the release "2", a is "1"`)
}

func testBusy(t *testing.T, c Cluster) {
	a, b := two(t, c)
	other := c.Join(t, "c", "")
	begun, _ := waiting(b)
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	for range c.MaxCalls() {
		all.Go(func() { a.Call(ctx, "b", "wait", nil) })
	}
	for range c.MaxCalls() {
		within(t, begun)
	}
	_, err := a.Call(bounded(t), "b", "echo", nil)
	refused(t, err, peer.CodeBusy, fmt.Sprintf("b handles %d requests of a already", c.MaxCalls()))
	_, err = other.Call(bounded(t), "b", "echo", nil)
	require.NoError(t, err)
	cancel()
	all.Wait()
	require.EventuallyWithT(t, func(t *assert.CollectT) {
		_, err := a.Call(context.Background(), "b", "echo", nil)
		assert.NoError(t, err)
	}, soon, 10*time.Millisecond)
}

func testReplace(t *testing.T, c Cluster) {
	a, b := two(t, c)
	b.Handle("echo", func(context.Context, string, []byte) ([]byte, error) { return []byte("new"), nil })
	answer, err := a.Call(bounded(t), "b", "echo", nil)
	require.NoError(t, err)
	assert.Equal(t, "new", string(answer))
}
