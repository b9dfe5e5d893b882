// This file defines the log of a run, which shows no secrets.

package tool

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
)

// Logger gives a log that passes on to another what has no secrets in it.
func (s *Secrets) Logger(to *slog.Logger) *slog.Logger {
	return slog.New(cleanHandler{to.Handler(), s})
}

// cleanHandler takes secrets out of messages and attributes.
type cleanHandler struct {
	slog.Handler
	secrets *Secrets
}

func (h cleanHandler) Handle(ctx context.Context, r slog.Record) error {
	clean := slog.NewRecord(r.Time, r.Level, h.secrets.Text(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(h.attr(a))
		return true
	})
	return h.Handler.Handle(ctx, clean)
}

func (h cleanHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	attrs = slices.Clone(attrs)
	for i, a := range attrs {
		attrs[i] = h.attr(a)
	}
	return cleanHandler{h.Handler.WithAttrs(attrs), h.secrets}
}

func (h cleanHandler) WithGroup(name string) slog.Handler {
	return cleanHandler{h.Handler.WithGroup(name), h.secrets}
}

// attr gives an attribute without secrets. A value that is no text is passed as it is if
// its text has none.
func (h cleanHandler) attr(a slog.Attr) slog.Attr {
	a.Value = a.Value.Resolve()
	if a.Value.Kind() == slog.KindGroup {
		attrs := slices.Clone(a.Value.Group())
		for i, in := range attrs {
			attrs[i] = h.attr(in)
		}
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(attrs...)}
	}
	if text := fmt.Sprint(a.Value.Any()); h.secrets.Text(text) != text {
		return slog.String(a.Key, h.secrets.Text(text))
	}
	return a
}
