package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/ending"
)

// TestBound checks that a service which does not end in time exits with the stacks it waits for, and that
// one which ends is left alone.
func TestBound(t *testing.T) {
	for _, ends := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			s := &settings{grace: 30 * time.Second}
			signals, signal := context.WithCancel(t.Context())
			ended, code, steps := make(chan struct{}), -1, ending.New(nil)
			hold := make(chan struct{})
			defer close(hold)
			go steps.Do("the store", time.Hour*2, func() error { <-hold; return nil })
			done := make(chan struct{})
			go func() {
				defer close(done)
				s.bound(signals, ended, steps, slog.New(slog.NewTextHandler(&out, nil)), func(c int) { code = c })
			}()
			time.Sleep(time.Hour)
			signal()
			begin := time.Now()
			if ends {
				time.Sleep(s.grace)
				close(ended)
			}
			<-done
			if ends {
				require.Equal(t, -1, code)
				assert.Empty(t, out.String())
				return
			}
			require.Equal(t, exitFailed, code)
			assert.Equal(t, s.grace+endTime, time.Since(begin))
			assert.Contains(t, out.String(), "TestBound")
			assert.Contains(t, out.String(), `for="[the store]"`)
		})
	}
}

// TestBoundUnread has nobody read the log of a service that does not end: it exits all the same.
func TestBoundUnread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, unread := io.Pipe()
		defer log.Close()
		s := &settings{grace: 30 * time.Second}
		signals, signal := context.WithCancel(t.Context())
		signal()
		code := -1
		s.bound(signals, make(chan struct{}), ending.New(nil), slog.New(slog.NewTextHandler(unread, nil)),
			func(c int) { code = c })
		require.Equal(t, exitFailed, code)
	})
}
