package secret

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

const hidden = "s3cr3t-token"

type (
	valuer   struct{ v any }
	stringer struct{ text *string }
	marshals struct{ text *string }
	raw      []byte
	ownError struct{ text string }
)

func (v valuer) LogValue() slog.Value           { return slog.AnyValue(v.v) }
func (s stringer) String() string               { return *s.text }
func (m marshals) MarshalJSON() ([]byte, error) { return json.Marshal(*m.text) }
func (m marshals) MarshalText() ([]byte, error) { return []byte(*m.text), nil }
func (e *ownError) Error() string               { return e.text }

// TestLogger logs values that handlers write otherwise than package fmt does.
func TestLogger(t *testing.T) {
	text, number := "a "+hidden+" b", 123456789
	values := map[string]any{
		"text": text, "number": number, "named": json.Number("123456789"), "float": 123456789.0, "pointer": &text,
		"bytes": []byte(text), "named bytes": raw(text), "JSON": json.RawMessage(`{"a":"` + text + `"}`),
		"error": errors.New(text), "wrapped": fmt.Errorf("it: %w", errors.New(text)), "joined": errors.Join(errors.New("x"), errors.New(text)),
		"Stringer": stringer{&text}, "Marshaler": marshals{&text}, "LogValuer": valuer{text}, "LogValuer of bytes": valuer{valuer{[]byte(text)}},
		"map": map[string]any{"a": map[string]any{"b": text}}, "key": map[string]int{text: 1}, "list": []any{[]string{text}},
		"struct": struct{ A, B any }{text, []byte(text)}, "group": slog.GroupValue(slog.Any("in", []byte(text)), slog.Group("deeper", slog.Any(text, text))),
		"attributes": []slog.Attr{slog.Any("in", errors.New(text))}, "pointers": map[string]*string{"a": &text},
	}
	s := knowing(hidden, "123456789")
	for name, v := range values {
		for kind, handler := range map[string]func(*strings.Builder) slog.Handler{
			"text": func(b *strings.Builder) slog.Handler { return slog.NewTextHandler(b, nil) },
			"json": func(b *strings.Builder) slog.Handler { return slog.NewJSONHandler(b, nil) },
		} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				var b strings.Builder
				log := s.Logger(slog.New(handler(&b)))
				log.Info(text, "it", v)
				log.With("it", v).WithGroup(text).Info("with", text, v)
				assert.Equal(t, 2, strings.Count(b.String(), "\n"))
				for _, form := range []string{"3cr3t", "123456789", "1.23456789", "czNjcjN0LXRva2Vu", "YSBzM2NyM3QtdG9rZW4g"} {
					assert.NotContains(t, b.String(), form)
				}
			})
		}
	}
}

// TestLoggerKeeps checks records that must be logged unchanged.
func TestLoggerKeeps(t *testing.T) {
	var b strings.Builder
	withoutTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	log := knowing(hidden).Logger(slog.New(slog.NewJSONHandler(&b, &slog.HandlerOptions{ReplaceAttr: withoutTime})))
	var none *ownError
	log.Info("kept", "n", 12, "ok", true, "at", time.Unix(0, 0).UTC(), "took", time.Second, "nil", nil, "error", errors.New("no"), "panics", none,
		"group", slog.GroupValue(slog.Int("n", 1)), "list", []int{1, 2})
	assert.Equal(t, `{"level":"INFO","msg":"kept","n":12,"ok":true,"at":"1970-01-01T00:00:00Z","took":1000000000,"nil":"<nil>","error":"no","panics":"<nil>","group":{"n":1},"list":"[1 2]"}`,
		strings.TrimSpace(b.String()))
}
