// This file tests the errors of typical mistakes in programs: the code, what was got and wanted, the
// place, and the fix.

package check

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc"
)

// mistake is a program and its expected error: fragments of the message and of the hint, and the place.
type mistake struct {
	source, code, message, place, hint string
}

func TestMistakes(t *testing.T) {
	for _, m := range mistakes {
		err := runMistake(m.source)
		switch {
		case err == nil:
			t.Errorf("%s\ngave no error", m.source)
		case string(err.Code) != m.code || !strings.Contains(err.Message, m.message):
			t.Errorf("%s\ngave %s: %s\nwant %s: …%s…", m.source, err.Code, err.Message, m.code, m.message)
		case !strings.HasSuffix(err.Span.String(), ":"+m.place):
			t.Errorf("%s\nat %s, want %s", m.source, err.Span, m.place)
		case !strings.Contains(err.Hint, m.hint) || m.hint == "" && err.Hint != "":
			t.Errorf("%s\nhint %q\nwant %q", m.source, err.Hint, m.hint)
		}
	}
}

func runMistake(source string) *ptc.Error {
	prog, err := ptc.Compile(context.Background(), "p", source, ptc.Options{DataNames: []string{"orders"}, Limits: ptc.Limits{Steps: 1_000_000}})
	if err == nil {
		_, err = prog.Run(context.Background(), ptc.RunOptions{Data: map[string]any{"orders": []any{}}})
	}
	var e *ptc.Error
	errors.As(err, &e)
	return e
}
