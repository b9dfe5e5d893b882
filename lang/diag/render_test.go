package diag

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/lang/token"
)

// at returns the span of the first part in source.
func at(source, part string) token.Span {
	i := strings.Index(source, part)
	return token.Span{File: token.NewFile("a.ptc", source), Start: i, End: i + len(part)}
}

func rendered(t *testing.T, e *Error) string {
	t.Helper()
	var b strings.Builder
	if err := e.Render(&b, false); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRender(t *testing.T) {
	eof := token.Span{File: token.NewFile("a.ptc", "(f"), Start: 2, End: 2}
	for _, c := range []struct {
		name string
		err  *Error
		want string
	}{
		{"place and hint", New(BadArity, at("(def x 1)\n(map (inc 1 2) xs)", "(inc 1 2)"), "inc: got 2 arguments, want 1").WithHint("remove one"), `
error[wrong-arity]: inc: got 2 arguments, want 1
 --> a.ptc:2:6
  |
2 | (map (inc 1 2) xs)
  |      ^^^^^^^^^
  = hint: remove one
`},
		{"data", &Error{Code: Thrown, Message: "no stock", Data: "{:id 7}", Hint: "order"}, `
error[exception]: no stock
  = data: {:id 7}
  = hint: order
`},
		{"no place", New(Timeout, token.Span{}, "30 s are over").WithHint("use less"), `
error[timeout]: 30 s are over
  = hint: use less
`},
		{"end of the source", New(SyntaxError, eof, "more"), `
error[syntax-error]: more
 --> a.ptc:1:3
  |
1 | (f
  |   ^
`},
		{"several lines", New(SyntaxError, at("(f\n g)", "(f\n g)"), "odd"), `
error[syntax-error]: odd
 --> a.ptc:1:1
  |
1 | (f
  | ^^ … to line 2
`},
		{"wide characters", New(SyntaxError, at(`(f "日本" x)`, "x"), "odd"), `
error[syntax-error]: odd
 --> a.ptc:1:9
  |
1 | (f "日本" x)
  |           ^
`},
		{"marks of wide characters", New(SyntaxError, at(`(f 日本 x)`, "日本"), "odd"), `
error[syntax-error]: odd
 --> a.ptc:1:4
  |
1 | (f 日本 x)
  |    ^^^^
`},
		{"combining characters", New(SyntaxError, at("(e\u0301 x)", "x"), "odd"), `
error[syntax-error]: odd
 --> a.ptc:1:5
  |
1 | (` + "e\u0301" + ` x)
  |    ^
`},
		{"tabs and CRLF", New(SyntaxError, at("(f\r\n\tx\ty)\r\n", "y"), "odd"), `
error[syntax-error]: odd
 --> a.ptc:2:4
  |
2 |     x   y)
  |         ^
`},
		{"control characters", New(SyntaxError, at("(f \x1b[31m)", "f"), "a \x1b[2J b"), `
error[syntax-error]: a ␛[2J b
 --> a.ptc:1:2
  |
1 | (f ␛[31m)
  |  ^
`},
		{"line numbers", New(SyntaxError, at(strings.Repeat("\n", 99)+"x", "x"), "odd").WithHint("h"), `
error[syntax-error]: odd
   --> a.ptc:100:1
    |
100 | x
    | ^
    = hint: h
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := rendered(t, c.err); got != c.want[1:] {
				t.Errorf("got\n%s\nwant\n%s", got, c.want[1:])
			}
		})
	}
}

func TestRenderLongLine(t *testing.T) {
	source := strings.Repeat("é ", 1000) + "here" + strings.Repeat(" é", 1000)
	got := strings.Split(rendered(t, New(SyntaxError, at(source, "here"), "odd")), "\n")
	line, mark := []rune(got[3]), []rune(got[4])
	if len(line) > maxLine+10 {
		t.Fatalf("the line has %d columns", len(line))
	}
	if i := strings.Index(got[4], "^^^^"); i < 0 || string(line[len(mark)-4:len(mark)]) != "here" {
		t.Errorf("the mark is not under the place:\n%s\n%s", got[3], got[4])
	}
}

func TestRenderTrace(t *testing.T) {
	span := at("(f)", "(f)")
	e := New(Thrown, span, "boom")
	for range 1000 {
		e.Frames = append(e.Frames, Frame{"user/f", span})
	}
	for range 50 {
		e.Frames = append(e.Frames, Frame{"user/even?", span}, Frame{"user/odd?", token.Span{}})
	}
	e.Frames = append(e.Frames, Frame{"user/main", token.Span{}})
	want := `  at user/f (a.ptc:1:1) × 1000
  at user/even? (a.ptc:1:1)
  at user/odd?
  … these 2 calls, 50 times in all
  at user/main
`
	if got := rendered(t, e); !strings.HasSuffix(got, want) {
		t.Errorf("got\n%s\nwant at the end\n%s", got, want)
	}
	e.Frames = nil
	for i := range 100 {
		e.Frames = append(e.Frames, Frame{fmt.Sprint("f", i), token.Span{}})
	}
	if got := rendered(t, e); strings.Count(got, "  at ") != maxFrames || !strings.HasSuffix(got, "  … 70 more\n") {
		t.Errorf("got\n%s", got)
	}
}

func TestRenderCausesAndOthers(t *testing.T) {
	e := New(Thrown, token.Span{}, "outer")
	e.Cause = New(Arithmetic, token.Span{}, "Divide by zero")
	e.Others = []*Error{New(UnknownName, token.Span{}, "a"), New(UnknownName, token.Span{}, "b")}
	want := `error[exception]: outer
caused by[arithmetic]: Divide by zero

error[unknown-name]: a

error[unknown-name]: b
`
	if got := rendered(t, e); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	loop := New(Thrown, token.Span{}, "loop")
	loop.Cause = loop
	for range 100 {
		loop.Others = append(loop.Others, e)
	}
	if got := rendered(t, loop); strings.Count(got, "caused by") != maxCauses || strings.Count(got, "outer") != maxOthers {
		t.Errorf("causes and others are not bounded:\n%s", got)
	}
}

func TestRenderColor(t *testing.T) {
	var b strings.Builder
	e := New(SyntaxError, at("(f)", "f"), "odd")
	if err := e.Render(&b, true); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), red+"^"+reset) {
		t.Errorf("got %q", b.String())
	}
	plain := b.String()
	for _, esc := range []string{red, blue, bold, reset} {
		plain = strings.ReplaceAll(plain, esc, "")
	}
	if want := rendered(t, e); plain != want {
		t.Errorf("got without escapes %q, want %q", plain, want)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("closed") }

func TestRenderGivesTheWritersError(t *testing.T) {
	if err := New(Internal, token.Span{}, "x").Render(failing{}, false); err == nil {
		t.Error("got no error")
	}
}

// TestDecode: an error that was read from its JSON is rendered as the error itself.
func TestDecode(t *testing.T) {
	const source = "(def xs [1 2])\n\t(pmap \"日本\" (f 1) xs)\n(g)"
	e := New(Thrown, at(source, "(f 1)"), "no stock\nat all").WithHint("order more")
	e.Class, e.Data = "clojure.lang.ExceptionInfo", "{:id 7}"
	other := token.Span{File: token.NewFile("lib.ptc", "\n\n  (h)"), Start: 4, End: 7}
	e.Frames = []Frame{{"user/f", e.Span}, {"lib/h", other}, {"user/g", token.Span{}}}
	e.Elements = []Element{{"pmap", at(source, "(pmap"), 3, "\"web-3\"", 2, 8}}
	e.Cause = New(Arithmetic, token.Span{}, "Divide by zero")
	e.Cause.Cause = New(BadArity, at(source, "(g)"), "g")
	e.Others = []*Error{New(UnknownName, at(source, "xs"), "x")}
	data, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(data, map[string]string{"a.ptc": source})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := rendered(t, got), rendered(t, e); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, err := Decode([]byte("null"), nil); got != nil || err != nil {
		t.Errorf("null: %v, %v", got, err)
	}
	for _, bad := range []string{"", "7", "[]", `{"line":"x"}`} {
		if _, err := Decode([]byte(bad), nil); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
	hostile := `{"code":"x","message":"m","file":"b","line":999999999,"column":999999999,"frames":[` +
		strings.Repeat(`{"function":"f","file":"c","line":200000,"column":-5},`, 20) + `{"function":"f","file":"a.ptc","line":-1,"column":9}],"causes":[null],"others":[null]}`
	if got, err = Decode([]byte(hostile), map[string]string{"a.ptc": source}); err != nil || !got.Span.IsZero() || len(got.Frames) != 21 {
		t.Errorf("got %v, %v", got, err)
	}
	rendered(t, got)
}

func TestMarshalJSON(t *testing.T) {
	e := New(Thrown, at("(f\n  (g))", "(g)"), "boom").WithHint("fix it")
	e.Class = "clojure.lang.ExceptionInfo"
	e.Data = map[string]any{"id": 7}
	e.Frames = []Frame{{"user/g", e.Span}, {"user/f", token.Span{}}}
	e.Cause = New(Arithmetic, token.Span{}, "Divide by zero")
	e.Others = []*Error{New(UnknownName, token.Span{}, "x")}
	got, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"code":"exception","class":"clojure.lang.ExceptionInfo","message":"boom","hint":"fix it",` +
		`"file":"a.ptc","line":2,"column":3,"endLine":2,"endColumn":6,` +
		`"frames":[{"function":"user/g","file":"a.ptc","line":2,"column":3,"endLine":2,"endColumn":6},{"function":"user/f"}],` +
		`"data":{"id":7},"causes":[{"code":"arithmetic","message":"Divide by zero"}],"others":[{"code":"unknown-name","message":"x"}]}`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	e.Data = func() {}
	if got, err := json.Marshal(e); err != nil || !json.Valid(got) {
		t.Errorf("data without JSON form: %s, %v", got, err)
	}
	e.Cause = e
	if _, err := json.Marshal(e); err != nil {
		t.Errorf("a cycle of causes: %v", err)
	}
}

// TestRenderEval requires the error of eval, which wraps its cause, to say it once.
func TestRenderEval(t *testing.T) {
	e := New(UnknownName, token.Span{}, "no x")
	e.Class, e.Cause = "clojure.lang.Compiler$CompilerException", New(UnknownName, token.Span{}, "no x")
	e.Cause.Cause = New(UnknownName, token.Span{}, "other")
	got := rendered(t, e)
	if strings.Count(got, "no x") != 1 || !strings.Contains(got, "other") {
		t.Errorf("got %s", got)
	}
}
