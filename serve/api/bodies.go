// This file bounds the number of large request bodies in memory.

package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/serve/access"
)

// The bounds of large bodies. To decode JSON takes up to forty times its size: 640 MB for a body of the default bound.
const (
	largeBody = 1 << 20
	ownLarge  = 4 // of one identity under way: more are refused
	decoding  = 2 // of all: others wait
)

// bodies are the large bodies of requests under way. newBodies makes it.
type bodies struct {
	turns chan struct{} // has a value for each body that is being decoded

	mu sync.Mutex
	by map[string]int // requests under way by the names of identities
}

func newBodies() *bodies {
	return &bodies{turns: make(chan struct{}, decoding), by: make(map[string]int)}
}

// enter returns a request whose body waits for its turn when it has arrived, and the function that ends the turn. A
// body of a size that is not known is taken for a large one.
func (b *bodies) enter(r *http.Request) (_ *http.Request, leave func(), _ *Problem) {
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength >= 0 && r.ContentLength <= largeBody {
		return r, func() {}, nil
	}
	who := access.From(r.Context()).Name
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.by[who] >= ownLarge {
		p := newProblem(access.CodeRequests, fmt.Sprintf("%s sends %d bodies of more than %d bytes at once, "+
			"which is the most; try again later", who, ownLarge, largeBody))
		p.after = time.Second
		return r, nil, p
	}
	b.by[who]++
	in := &largeReader{ReadCloser: r.Body, ctx: r.Context(), turns: b.turns}
	leave = sync.OnceFunc(func() {
		in.leave()
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.by[who]--; b.by[who] == 0 {
			delete(b.by, who)
		}
	})
	r = r.WithContext(context.WithValue(r.Context(), takenKey{}, leave))
	r.Body = in
	return r, leave, nil
}

// takenKey is the key of the function in the context of a request that ends the turn of its body.
type takenKey struct{}

// Taken is called when the body of a request is decoded and kept, and the request continues by waiting.
func Taken(ctx context.Context) {
	if leave, ok := ctx.Value(takenKey{}).(func()); ok {
		leave()
	}
}

// largeReader reads a body. At its end it waits for its turn, so that a slow client does not block the others.
type largeReader struct {
	io.ReadCloser
	ctx   context.Context
	turns chan struct{}
	has   bool
}

func (l *largeReader) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if !errors.Is(err, io.EOF) || l.has {
		return n, err
	}
	select {
	case l.turns <- struct{}{}:
		l.has = true
		return n, err
	case <-l.ctx.Done():
		return n, context.Cause(l.ctx)
	}
}

// leave ends the turn. The handler has read the body.
func (l *largeReader) leave() {
	if l.has {
		<-l.turns
	}
}
