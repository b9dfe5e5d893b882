// This file defines the log of a run, which replaces secrets.

package secret

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
)

// Logger returns a log that passes strings, numbers, times and groups without their secrets to
// another log. It converts other values to strings, because each handler writes them in its own
// way, and one may show a secret that another does not. If to is nil or has no handler, the log discards everything.
func (s *Set) Logger(to *slog.Logger) *slog.Logger {
	if to == nil || to.Handler() == nil {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(cleanHandler{to.Handler(), s})
}

// cleanHandler takes secrets out of messages and attributes.
type cleanHandler struct {
	slog.Handler
	secrets *Set
}

// Handle passes a record on. A panic of the host's handler is an error: on the goroutine of a call it would end the
// process.
func (h cleanHandler) Handle(ctx context.Context, r slog.Record) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the handler of the log panicked: %s", Show(v))
		}
	}()
	clean := slog.NewRecord(r.Time, r.Level, h.secrets.Text(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(h.attr(a))
		return true
	})
	return h.Handler.Handle(ctx, clean)
}

func (h cleanHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return cleanHandler{h.Handler.WithAttrs(h.attrs(attrs)), h.secrets}
}

func (h cleanHandler) WithGroup(name string) slog.Handler {
	return cleanHandler{h.Handler.WithGroup(h.secrets.Text(name)), h.secrets}
}

func (h cleanHandler) attrs(attrs []slog.Attr) []slog.Attr {
	attrs = slices.Clone(attrs)
	for i, a := range attrs {
		attrs[i] = h.attr(a)
	}
	return attrs
}

// attr returns an attribute without secrets.
func (h cleanHandler) attr(a slog.Attr) slog.Attr {
	a.Key, a.Value = h.secrets.Text(a.Key), a.Value.Resolve()
	switch a.Value.Kind() {
	case slog.KindGroup:
		a.Value = slog.GroupValue(h.attrs(a.Value.Group())...)
	case slog.KindAny:
		a.Value = slog.StringValue(h.secrets.Text(Show(a.Value.Any())))
	case slog.KindString:
		a.Value = slog.StringValue(h.secrets.Text(a.Value.String()))
	default:
		a.Value = h.plain(a.Value)
	}
	return a
}

// plain returns a number or a time unchanged, or a string if a text or JSON handler would write a
// secret: they write floats and durations differently.
func (h cleanHandler) plain(v slog.Value) slog.Value {
	quoted, err := marshal(v.Any())
	if err != nil { // such as NaN
		quoted = nil
	}
	for _, text := range []string{v.String(), string(quoted)} {
		if clean := h.secrets.Text(text); clean != text {
			return slog.StringValue(clean)
		}
	}
	return v
}

// Show returns any value as a string. Bytes become a string, so that a secret in them is found.
// Package fmt recovers panics of methods.
func Show(v any) string {
	switch v.(type) {
	case error, fmt.Stringer, fmt.Formatter:
		return fmt.Sprint(v)
	}
	if r := reflect.ValueOf(v); r.Kind() == reflect.Slice && r.Type().Elem().Kind() == reflect.Uint8 {
		return string(r.Bytes())
	}
	return fmt.Sprintf("%+v", v)
}
