// This file defines the log of a run on standard error.

package main

import (
	"io"
	"log/slog"

	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// logFlags returns the flags of the log.
func logFlags(v *settings) []flags.Spec {
	return []flags.Spec{
		{Name: "log", Value: "LEVEL", Choices: []string{"info", "debug", "trace"},
			Text: "log the run to standard error: info (its end, failed calls), debug (calls, guards, waits, retries) or " +
				"trace (workers, too)",
			To: flags.Word(&v.logLevel)},
		{Name: "log-format", Value: "FORM", Initial: "text", Choices: []string{"text", "json"},
			Text: "form of the log: text or json", To: flags.Word(&v.logForm)},
	}
}

// logger returns the log of a run that writes to w; nil without --log.
func (v *settings) logger(w io.Writer) *slog.Logger {
	if v.logLevel == "" {
		return nil
	}
	levels := map[string]slog.Level{"info": slog.LevelInfo, "debug": slog.LevelDebug, "trace": effect.LevelTrace}
	o := &slog.HandlerOptions{Level: levels[v.logLevel], ReplaceAttr: nameTrace}
	if v.logForm == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}

// serverLog returns the log for MCP servers; without --log it has warnings only.
func (v *settings) serverLog(w io.Writer) *slog.Logger {
	if log := v.logger(w); log != nil {
		return log
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// nameTrace returns the attribute of the level trace with its name, which package slog does not know.
func nameTrace(groups []string, a slog.Attr) slog.Attr {
	if level, ok := a.Value.Any().(slog.Level); ok && len(groups) == 0 && level == effect.LevelTrace {
		a.Value = slog.StringValue("TRACE")
	}
	return a
}
