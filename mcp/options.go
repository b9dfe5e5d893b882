// This file defines the options of a server.

package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/journal"
)

// Options configure a Server. The zero value serves programs that reach no tools.
type Options struct {
	// Run are the options with which programs are compiled and run. The limits are the most that a call can ask for.
	Run ptc.Options
	// Reach lists what the tools can reach: see prompt.Options.
	Reach []string
	// Version is that of the host, which is sent to clients.
	Version string
	// CardTokens bounds the card in the description of run_program, as prompt.Tokens counts; 0 is DefaultCardTokens, or
	// more if these tools need it. A card that lacks tools or their signatures describes how to find them.
	CardTokens int
	// Journals is where runs are recorded.
	Journals Journals
	// Concurrent is the number of programs that run concurrently; 0 is DefaultConcurrent. Each takes up to the memory of
	// Run.Limits.
	Concurrent int
	// Lifetime is how long a session, a kept value, or a run that waits for a person, lives without being used; 0 is
	// DefaultLifetime.
	Lifetime time.Duration
	// Log receives messages about calls; nil discards them.
	Log *slog.Logger
	// Service runs the programs instead of the server itself, which then needs neither Journals nor Concurrent. It is
	// optional.
	Service Service
	// Trace, if it is not nil, begins the span of a run, and returns the function that ends it. ctx has the trace
	// context of the request: see spans.Parent.
	Trace func(ctx context.Context, id string, given *ptc.RunOptions) (context.Context, func(*ptc.Result, error))
}

// Journals is where a server records runs.
type Journals struct {
	// Dir is the directory of the files NAME.journal; "" records no run.
	Dir string
	// Key authenticates and encrypts the files: see ptc.JournalFile.
	Key journal.Key
	// Options are the host's own, in each header: a JSON object, to which the server adds the members owner and limits.
	Options json.RawMessage
}

// The defaults of Options.
const (
	// DefaultCardTokens has the description of run_program, which is the card and two sentences, end within the 4096
	// characters after which Claude Code cuts it.
	DefaultCardTokens = 1240
	DefaultConcurrent = 4
	DefaultLifetime   = 15 * time.Minute
)

// Bounds of a server that no option changes.
const (
	maxSessions = 64       // at once
	maxLive     = 256      // runs that are under way, wait for their turn, or for a person
	maxKept     = 64 << 20 // bytes of values that are kept as resources
	maxProgram  = 1 << 20  // bytes of the arguments of a call, beside its input
	maxInline   = 24 << 10 // bytes of an answer; the omitted part is a resource
	maxPage     = 64 << 10 // bytes of a page of a resource
	// bytesPerToken is how prompt.Tokens counts.
	bytesPerToken = 3
)

// complete checks the options, and sets the defaults.
func (o Options) complete() (Options, error) {
	if err := o.Run.Limits.Validate(); err != nil {
		return o, err
	}
	for _, n := range []struct {
		name string
		n    int64
	}{{"CardTokens", int64(o.CardTokens)}, {"Concurrent", int64(o.Concurrent)}, {"Lifetime", int64(o.Lifetime)}} {
		if n.n < 0 {
			return o, fmt.Errorf("mcp: Options.%s: got %d, want 0 for the default, or more", n.name, n.n)
		}
	}
	if o.Concurrent == 0 {
		o.Concurrent = DefaultConcurrent
	}
	if o.Lifetime == 0 {
		o.Lifetime = DefaultLifetime
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Run.Limits = o.Run.Limits.OrDefault()
	o.Run.DataNames = nil // any: the input belongs to a call
	return o, nil
}
