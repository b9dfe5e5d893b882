// This file defines the tests of JSON, with encoding/json as the oracle of validity.

package jsonio

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/lang/value"
)

func newTask() *value.Task {
	t := &value.Task{Owner: 1}
	t.Start(context.Background(), 64<<20, math.MaxInt64, time.Minute)
	return t
}

// encoded returns the text that WriteResult passes on.
func encoded(t *value.Task, v value.Value, pretty bool) string {
	var text strings.Builder
	b := t.BufTo(func(p []byte) { text.Write(p) })
	WriteResult(t, b, v, pretty)
	b.Flush()
	return text.String()
}

func TestDecodeJSON(t *testing.T) {
	for in, want := range map[string]string{
		`{"user_name": "x", "a/b": 1}`:    `{:user_name "x", :a/b 1}`,
		`[1, -2.5e3, true, null, {}, []]`: `[1 -2500.0 true nil {} []]`,
		`"\u00e9\ud83d\ude00\n\/"`:        `"é😀\n/"`,
		`"\ud83d x"`:                      "\"\ufffd x\"",
		`9223372036854775807`:             `9223372036854775807`,
		`9223372036854775808`:             `9223372036854775808N`,
		`-0`:                              `0`,
		`1e400`:                           `##Inf`,
		`{"a":1,"a":2}`:                   `{:a 2}`,
		" \t\r\n1 ":                       `1`,
		strings.Repeat("[", 512) + strings.Repeat("]", 512): strings.Repeat("[", 512) + strings.Repeat("]", 512),
	} {
		task := newTask()
		v, err := Decode(task, []byte(in), true)
		if err != nil {
			t.Errorf("%.40s: %v", in, err)
			continue
		}
		if got := task.PrStr(v).AsString().S; got != want {
			t.Errorf("%.40s: got %.80s, want %.80s", in, got, want)
		}
	}
}

func TestDecodeJSONErrors(t *testing.T) {
	for in, want := range map[string]string{
		``:                        "byte 0: unexpected end of text",
		`{"a" 1}`:                 "byte 5: unexpected '1', want :",
		`[1,]`:                    "byte 3: unexpected ']', want a value",
		`01`:                      "byte 1: unexpected digit after 0",
		`1 2`:                     "byte 2: unexpected '2' after the value",
		"\"a\tb\"":                "byte 2: unexpected control character",
		`"\x"`:                    `byte 1: unknown escape \x`,
		"\"\xff\"":                "not valid UTF-8",
		strings.Repeat("[", 513):  "nested deeper than 512 levels",
		strings.Repeat("1", 5000): "number of 5000 characters",
	} {
		_, err := Decode(newTask(), []byte(in), true)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: got %v, want %q", in, err, want)
		}
	}
}

func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5,"x\n",null,true]}`, `"\ud800"`, `1e5`, `{"":{}}`, `[[],[]]`, `-0.0`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 4096 || !utf8.ValidString(s) || strings.Count(s, "[")+strings.Count(s, "{") > maxDepth {
			t.Skip()
		}
		task := newTask()
		v, err := Decode(task, []byte(s), false)
		if valid := json.Valid([]byte(s)); valid != (err == nil) {
			t.Fatalf("%q: valid is %v, got error %v", s, valid, err)
		}
		if err != nil {
			return
		}
		for _, pretty := range []bool{false, true} {
			out := encoded(task, v, pretty)
			again, err := Decode(task, []byte(out), false)
			if err != nil || !value.Equal(task, again, v) && !strings.Contains(out, "null") {
				t.Fatalf("%q became %q, which reads as another value (%v)", s, out, err)
			}
		}
	})
}

func BenchmarkDecodeJSON(b *testing.B) {
	var s strings.Builder
	s.WriteString("[")
	for i := range 1000 {
		if i > 0 {
			s.WriteString(",")
		}
		s.WriteString(`{"id": 12345, "name": "Alice Example", "tags": ["a", "b"], "score": 3.25, "active": true}`)
	}
	s.WriteString("]")
	data := []byte(s.String())
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(newTask(), data, true); err != nil {
			b.Fatal(err)
		}
	}
}

// Long keys take work in proportion to their length when they are compared, so that a conversion is stopped between
// two comparisons.
func TestLongKeysAreWork(t *testing.T) {
	const size, keys = 1 << 20, 8
	task := newTask()
	prefix := strings.Repeat("a", size)
	m := task.Transient(value.EmptyMap)
	task.TAssoc(m, task.CopyString("b"), value.Nil)
	task.TAssoc(m, task.Keyword("", "c"), value.Nil)
	for i := range keys {
		task.TAssoc(m, task.CopyString(prefix+string(rune('0'+i))), value.Nil)
	}
	v := task.Persistent(m)
	before := task.Worked()
	(&Path{}).WantDistinct(task, v, (&encoder{t: task}).keyText)
	// Each key is compared at least twice: in sorting, and with the previous key.
	if got, want := task.Worked()-before, int64(2*(keys-1)*size/64); got < want {
		t.Errorf("%d units of work, want %d", got, want)
	}
}
