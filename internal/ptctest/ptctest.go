// Package ptctest holds the helpers that the system tests below test/ and the tests of package ptc
// share: running a program, showing its outcome as one string, and tools to grant.
package ptctest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/journal"
)

// Run compiles and runs source.
func Run(t *testing.T, source string, opts ptc.Options) (*ptc.Result, error) {
	t.Helper()
	return ptc.Run(context.Background(), source, patient(opts))
}

// patient returns options with which a run without a limit of time may take longer than by default, as a large one does
// on a busy machine.
func patient(opts ptc.Options) ptc.Options {
	opts.Limits.Timeout = cmp.Or(opts.Limits.Timeout, 5*time.Minute)
	return opts
}

// RunWith compiles source and runs it with the options given.
func RunWith(ctx context.Context, source string, opts ptc.Options, given ptc.RunOptions) (*ptc.Result, error) {
	p, err := ptc.Compile(ctx, "program.ptc", source, patient(opts))
	if err != nil {
		return nil, err
	}
	return p.Run(ctx, given)
}

// Eval runs a program that must not fail and returns its value as EDN.
func Eval(t *testing.T, program string, opts ptc.Options) string {
	t.Helper()
	res, err := ptc.Run(context.Background(), program, patient(opts))
	require.NoError(t, err)
	text, err := res.EDN()
	require.NoError(t, err)
	return text
}

// Outcome returns everything that a caller sees of a run as one string: the prints, and the value
// or the error.
func Outcome(res *ptc.Result, err error) string {
	var e *ptc.Error
	if errors.As(err, &e) {
		return fmt.Sprintf("%s\n%s: %s %v", res.Prints, e.Code, e.Message, e.Data)
	}
	text, err := res.EDN()
	return fmt.Sprintf("%s\n%s %v", res.Prints, text, err)
}

// ValueOf returns the Go value of a result, or its error if it has no value. It returns nil for a nil
// result.
func ValueOf(res *ptc.Result) any {
	if res == nil {
		return nil
	}
	v, err := res.Value()
	if err != nil {
		return err
	}
	return v
}

// Reaches describes the tools that a program can reach: how often it calls each, whether in
// parallel, and under which guards.
func Reaches(e *ptc.Effects) string {
	var parts []string
	if e.AnyTool {
		parts = append(parts, "any")
	}
	for _, u := range e.Tools {
		part := u.Name + " " + u.Calls.String()
		if u.Parallel {
			part += ", in parallel"
		}
		if len(u.Guards) > 0 {
			part += " under " + strings.Join(u.Guards, ", ")
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

// JournalKey returns the key of journals that keep secrets. Each call returns the same key.
func JournalKey() journal.Key { return bytes.Repeat([]byte{7}, journal.KeyBytes) }
