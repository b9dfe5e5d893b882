// This file defines the contexts that name the spans of other processes.

package spans

import (
	"context"
	"encoding/hex"
	"slices"
	"strings"
)

// Context identifies a span of this or another process, as the recommendation Trace Context of the W3C has it.
type Context struct {
	Trace   [16]byte
	Span    [8]byte
	Sampled bool   // the trace is recorded
	State   string // the header tracestate
}

// Parse reads a header traceparent of any version, and the tracestate that belongs to it. It reports whether
// traceparent is well-formed.
func Parse(traceparent, tracestate string) (c Context, ok bool) {
	parts := strings.SplitN(strings.TrimSpace(traceparent), "-", 5)
	if len(parts) < 4 || len(parts[0]) != 2 || parts[0] == "ff" || parts[0] == "00" && len(parts) > 4 {
		return Context{}, false
	}
	var version, flags [1]byte
	for i, to := range [][]byte{version[:], c.Trace[:], c.Span[:], flags[:]} {
		if len(parts[i]) != 2*len(to) || strings.ToLower(parts[i]) != parts[i] {
			return Context{}, false
		}
		if _, err := hex.Decode(to, []byte(parts[i])); err != nil {
			return Context{}, false
		}
	}
	if c.Trace == [16]byte{} || c.Span == [8]byte{} {
		return Context{}, false
	}
	c.Sampled = flags[0]&1 != 0
	if len(tracestate) <= maxState && !strings.ContainsFunc(tracestate, unprintable) {
		c.State = tracestate
	}
	return c, true
}

// unprintable reports whether a character is forbidden in a tracestate.
func unprintable(r rune) bool { return r < ' ' || r > '~' }

// maxState bounds a tracestate in bytes, as the recommendation does.
const maxState = 512

// Traceparent returns the header traceparent that names the span.
func (c Context) Traceparent() string {
	flags := "-00"
	if c.Sampled {
		flags = "-01"
	}
	return "00-" + hex.EncodeToString(c.Trace[:]) + "-" + hex.EncodeToString(c.Span[:]) + flags
}

// around holds the information of a context about the spans around a run.
type around struct {
	parent *Context
	links  []Context
}

type aroundKey struct{}

func of(ctx context.Context) around {
	if ctx == nil {
		return around{}
	}
	a, _ := ctx.Value(aroundKey{}).(around)
	return a
}

// Under returns a context in which the span of a run is below the one that the headers traceparent and tracestate name.
// get returns a header, or "": the Get of an http.Header, os.Getenv with names in capitals, or Meta. A traceparent that
// is missing or malformed changes nothing, nor does a get that is nil. A parent that ctx has becomes a link of the
// span.
func Under(ctx context.Context, get func(name string) string) context.Context {
	if ctx == nil || get == nil {
		return ctx
	}
	c, ok := Parse(get("traceparent"), get("tracestate"))
	if !ok {
		return ctx
	}
	a := of(ctx)
	if a.parent != nil {
		a.links = append(slices.Clip(a.links), *a.parent)
	}
	a.parent = &c
	return context.WithValue(ctx, aroundKey{}, a)
}

// Meta returns the function for Under that reads the property _meta of a request of the Model Context Protocol.
func Meta(meta map[string]any) func(name string) string {
	return func(name string) string {
		text, _ := meta[name].(string)
		return text
	}
}

// Parent returns the span that Under has set; nil if there is none.
func Parent(ctx context.Context) *Context { return of(ctx).parent }

// Links returns the other spans that led to the run.
func Links(ctx context.Context) []Context { return of(ctx).links }
