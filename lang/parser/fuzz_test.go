package parser

import (
	"context"
	"testing"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// parseBounded parses under small bounds. It returns refused if a bound was hit.
func parseBounded(file *token.File, opts Options) (forms []value.Value, err *diag.Error, refused bool) {
	task := &value.Task{Owner: 1}
	task.Start(context.Background(), 32<<20, 10_000_000, 10*time.Second)
	defer func() {
		switch p := recover().(type) {
		case nil:
		case limits.Refused, limits.Stop:
			refused = true
		default:
			panic(p)
		}
	}()
	forms, err = Parse(task, file, opts)
	return forms, err, false
}

// FuzzParse checks that every source ends in forms, in an error with a place in the source, or at a
// bound; that ParseOne reads the same forms one after the other; and that forms can be printed.
func FuzzParse(f *testing.F) {
	for _, cases := range readings {
		for _, c := range cases {
			f.Add(c.source, false)
		}
	}
	for _, c := range templates {
		f.Add(c.source, false)
	}
	for _, c := range failures {
		f.Add(c.source, true)
	}
	f.Add(ordinaryCode(2000), false)
	f.Fuzz(func(t *testing.T, source string, edn bool) {
		opts := Options{Edn: edn, Limits: limits.Limits{SourceBytes: 1 << 16, Nesting: 60}}
		file := token.NewFile("fuzz", source)
		forms, err, refused := parseBounded(file, opts)
		if refused {
			return
		}
		if err != nil {
			if err.Message == "" || err.Span.Start < 0 || err.Span.Start > err.Span.End || err.Span.End > len(source) {
				t.Fatalf("bad error: %v, bytes %d to %d of %d", err, err.Span.Start, err.Span.End, len(source))
			}
			if err.Code == diag.Internal {
				t.Fatal(err)
			}
		}
		task := newTask()
		off := 0
		for i := 0; ; i++ {
			form, next, eof, oneErr := ParseOne(task, file, off, opts)
			if oneErr != nil {
				if err == nil || oneErr.Message != err.Message {
					t.Fatalf("form %d: ParseOne gives %v, Parse gives %v", i, oneErr, err)
				}
				return
			}
			if eof {
				if err != nil || i != len(forms) {
					t.Fatalf("ParseOne gives %d forms, Parse %d and %v", i, len(forms), err)
				}
				return
			}
			if next <= off || next > len(source) {
				t.Fatalf("form %d: from byte %d to %d of %d", i, off, next, len(source))
			}
			text := pr(task, form)
			if err == nil && text != pr(task, forms[i]) {
				t.Fatalf("form %d: ParseOne gives %s, Parse %s", i, text, pr(task, forms[i]))
			}
			off = next
		}
	})
}
