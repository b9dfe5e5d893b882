// This file defines the tests of pprint; the layouts are those of JVM Clojure.

package builtins

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/ptc-lang/ptc/lang/jsonio"
	"github.com/ptc-lang/ptc/lang/value"
)

func newTask() *value.Task {
	t := &value.Task{Owner: 1}
	t.Start(context.Background(), 64<<20, math.MaxInt64, time.Minute)
	return t
}

func TestPprint(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	for in, want := range map[string]string{
		`{"a":1,"b":[1,2]}`:               "{:a 1, :b [1 2]}\n",
		`["` + x(66) + `",1]`:             `["` + x(66) + `" 1]` + "\n",
		`["` + x(67) + `",1]`:             `["` + x(67) + `"` + "\n 1]\n",
		`{"a":"` + x(65) + `"}`:           `{:a "` + x(65) + `"}` + "\n",
		`{"a":"` + x(66) + `"}`:           "{:a\n" + ` "` + x(66) + `"}` + "\n",
		`{"a":[1,"` + x(60) + `"],"b":2}`: `{:a [1 "` + x(60) + `"],` + "\n :b 2}\n",
		`{"a":[1,"` + x(70) + `"],"b":2}`: "{:a\n [1\n" + `  "` + x(70) + `"],` + "\n :b 2}\n",
		`[[1,"` + x(64) + `"],2]`:         `[[1 "` + x(64) + `"]` + "\n 2]\n",
	} {
		task := newTask()
		v, err := jsonio.Decode(task, []byte(in), true)
		if err != nil {
			t.Fatal(err)
		}
		b := task.Buf()
		(&prettyPrinter{margin: rightMargin, t: task, b: b, length: -1, level: -1}).print(v, 0)
		if got := b.String() + "\n"; got != want {
			t.Errorf("%s\n got %q\nwant %q", in, got, want)
		}
	}
}

// TestPretty holds that of elements that are no collections a line has as many as fit.
func TestPretty(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`[1,2,3,4,5,6]`, "[1 2 3 4\n 5 6]"},
		{`[1,2,3,4,[5],6,7]`, "[1 2 3 4\n [5]\n 6 7]"},
		{`[1,2,3,4]`, "[1 2 3 4]"},
		{`{"a":[1,2,3,4,5]}`, "{:a\n [1 2 3 4\n  5]}"},
		{`["xxxxxxxxxxxx",1]`, "[\"xxxxxxxxxxxx\"\n 1]"},
		{`"xxxxxxxxxxxx"`, `"xxxxxxxxxxxx"`},
	} {
		task := newTask()
		v, err := jsonio.Decode(task, []byte(c.in), true)
		if err != nil {
			t.Fatal(err)
		}
		if got := Pretty(task, v, 9); got != c.want {
			t.Errorf("%s\n got %q\nwant %q", c.in, got, c.want)
		}
	}
}
