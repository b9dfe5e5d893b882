// This file defines the messages of a run in its log. Package watch has those about guards and queues.

package ptc

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// takes returns the log if it takes messages of a level, otherwise nil.
func (e *effects) takes(level slog.Level) *slog.Logger {
	if e.log == nil || !e.log.Enabled(context.Background(), level) {
		return nil
	}
	return e.log
}

// loggedCall is call, and logs that the call begins, before it waits for anything, and how it has ended. A failure is a
// message of level info.
func (e *effects) loggedCall(ctx context.Context, c effect.Call) (effect.Outcome, error) {
	began := time.Now()
	if log := e.takes(slog.LevelDebug); log != nil {
		log.LogAttrs(context.Background(), slog.LevelDebug, "call begun", callAttrs(c)...)
	}
	o, err := e.call(ctx, c)
	level, event := slog.LevelDebug, "call ended"
	var failed []slog.Attr
	switch f := o.Failure; {
	case err != nil:
		failed = []slog.Attr{slog.String("error", err.Error())}
	case f != nil:
		failed = []slog.Attr{slog.String("kind", string(f.Kind)), slog.String("code", f.Code),
			slog.String("error", f.Message), slog.Bool("retryable", f.Retryable)}
	}
	if failed != nil {
		level, event = slog.LevelInfo, "call failed"
	}
	if log := e.takes(level); log != nil {
		attrs := append(callAttrs(c), slog.Duration("took", time.Since(began)))
		log.LogAttrs(context.Background(), level, event, append(attrs, failed...)...)
	}
	return o, err
}

// callAttrs returns the attributes of a call. Its arguments are not among them.
func callAttrs(c effect.Call) []slog.Attr {
	path, _, _ := strings.Cut(c.ID, "#")
	attrs := []slog.Attr{slog.String("path", path), slog.String("call", c.ID), slog.String("tool", c.Tool.Name()),
		slog.Int("worker", c.Worker)}
	t, ok := c.Tool.(*tool.Tool)
	if !ok || t.HostArgument() == "" {
		return attrs
	}
	var fields map[string]json.RawMessage
	var host string
	if json.Unmarshal(c.Args, &fields) == nil && json.Unmarshal(fields[t.HostArgument()], &host) == nil {
		attrs = append(attrs, slog.String("host", host))
	}
	return attrs
}

// logBegun logs that a run begins.
func (e *effects) logBegun(program string) {
	if log := e.takes(slog.LevelInfo); log != nil {
		log.Info("run begun", "program", program)
	}
}

// logEnded logs how a run ended, and the hints about declarations.
func (e *effects) logEnded(err *diag.Error, u *Usage) {
	for _, hint := range u.Hints {
		if log := e.takes(slog.LevelWarn); log != nil {
			log.Warn(hint)
		}
	}
	log := e.takes(slog.LevelInfo)
	if log == nil {
		return
	}
	attrs := []slog.Attr{slog.Duration("took", u.Duration), slog.Int64("steps", u.Steps), slog.Int64("calls", u.Calls)}
	if err != nil {
		attrs = append(attrs, slog.String("code", string(err.Code)), slog.String("error", err.Message))
	}
	log.LogAttrs(context.Background(), slog.LevelInfo, "run ended", attrs...)
}
