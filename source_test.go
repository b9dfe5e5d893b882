package ptc_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
)

func TestSource(t *testing.T) {
	for _, c := range []struct{ name, answer, want string }{
		{"fence", "Sure:\n```clojure\n(+ 1 2)\n```\nThis adds.", "(+ 1 2)"},
		{"fence without a language", "```\n(+ 1 2)\n```", "(+ 1 2)"},
		{"fence in capitals", "```Clojure title=x\n(+ 1 2)\n```", "(+ 1 2)"},
		{"fence of another kind", "~~~clj\n(str \"```\")\n~~~", "(str \"```\")"},
		{"longer fence", "````clj\n```\n(f)\n````", "```\n(f)"},
		{"fence that is not closed", "```clojure\n(+ 1", "(+ 1"},
		{"output after it", "```clojure\n(f)\n```\nOutput:\n```json\n{\"a\": [1, 2, 3, 4, 5, 6, 7]}\n```", "(f)"},
		{"marked before longer", "```\n(a much longer form that is not marked)\n```\n```clj\n(f)\n```", "(f)"},
		{"longest", "First `(def x 1)`:\n```clj\n(def x 1)\n```\nthen all:\n```clj\n(def x 1)\n(inc x)\n```", "(def x 1)\n(inc x)"},
		{"carriage returns", "```clojure\r\n(+ 1 2)\r\n```\r\n", "(+ 1 2)"},
		{"plain", "\ufeff (def x 1)\n(inc x)\n", "(def x 1)\n(inc x)"},
		{"plain with a name at its end", "(def x 1)\nx", "(def x 1)\nx"},
		{"one word", "data/total\n", "data/total"},
		{"prose around it", "Here is it:\n\n(def x 1)\n; comment\n(inc x)\n\nIt returns two.", "(def x 1)\n; comment\n(inc x)"},
		{"vector", "[1 2]\nas a vector", "[1 2]"},
		{"broken", "(def x\nwhat is this", "(def x\nwhat is this"},
		{"brackets in prose", "I use pmap (in parallel):\n(pmap f xs)\nand so on", "(pmap f xs)"},
		{"inside a list", "1. Run\n   ```clj\n   (f)\n   ```", "(f)"},
		{"deep inside a list", "10. Run\n\n    ```clj\n    (f)\n    ```\n", "(f)"},
		{"an item of a list", "The program:\n- ```clj\n  (f)\n  ```\n", "(f)"},
		{"in a quotation", "> ```clj\n> (f\n>   x)\n> ```", "(f\n  x)"},
		{"indented by a tab", "\t```clojure\n\t(f)\n\t```", "(f)"},
		{"a comment first", "```\n;; adds\n\n; two\n(f)\n```", ";; adds\n\n; two\n(f)"},
		{"a vector in a fence", "```\n[1 2]\n```", "[1 2]"},
		{"an answer in Markdown", "````markdown\n# Title\n```clojure\n(f)\n```\n````", "(f)"},
		{"a fence in a string", "(def s \"\n```\nfoo\n```\n\")\n(f)", "(def s \"\n```\nfoo\n```\n\")\n(f)"},
		{"prose in parentheses", "(Note: an example.)\n\n```clojure\n(f)\n```\n(That is it.)", "(f)"},
		{"thoughts", "<think>\n```clj\n(a longer draft)\n```\n</think>\n```clj\n(f)\n```", "(f)"},
		{"thoughts by another name", "<thinking>\n(a longer draft)\n</thinking>\n(f)", "(f)"},
		{"notes after the program", "(f)\n\n[1] A book\n[2] Another one", "(f)"},
		{"a vector before prose", "(f)\n[1 2]\nThat is it.", "(f)\n[1 2]"},
		{"thoughts after some words", "Sure.\n<think>\n(a longer draft)\n</think>\n(f)\nThat is it.", "(f)"},
		{"thoughts twice", "<think>(a)</think>\n\n<think>\n(b)\n</think>\n```clj\n(f)\n```", "(f)"},
		{"thoughts without a first tag", "I could (map f xs).\n(a draft)\n</think>\n\n(f)", "(f)"},
		{"thoughts in a string", "(def s \"\n<think>\n\")\n(f)", "(def s \"\n<think>\n\")\n(f)"},
		{"thoughts that do not end", "(f)\n<think>\n(g", "(f)"},
		{"a closing fence", "(def x 1)\n(inc x)\n```\n", "(def x 1)\n(inc x)"},
		{"a closing fence and prose", "Here it is:\n(f)\n```\nThis calls f.", "(f)"},
		{"a note", "[1] cites the manual, as [2] does.\n\n(def x 1)\n(inc x)", "(def x 1)\n(inc x)"},
		{"a note with its address", "[1]: https://example.com/a (2026)\n[2] Second\n(f)\n", "(f)"},
		{"a note on a line of its own", "See\n[1]\nand then\n(f)", "(f)"},
		{"a call with prose after it", "(f) does it.\nThat is all.", "(f)"},
		{"a vector of several lines", "[(f 1)\n (f 2)]", "[(f 1)\n (f 2)]"},
		{"a vector and a call", "The value:\n[1 2]\n(f)", "[1 2]\n(f)"},
		{"on a line of prose", "Answer: (+ 1 2)", "(+ 1 2)"},
		{"on a line of prose, in bold", "**Answer:** `(+ 1 2)`.", "(+ 1 2)"},
		{"on a line of prose and further ones", "The program is: (let [x 1]\n  x)\nThat is it.", "(let [x 1]\n  x)"},
		{"a fence on one line", "```(+ 1 2)```", "(+ 1 2)"},
		{"a fence on one line, with its language", "Here:\n```clojure (+ 1 2)```\nIt adds.", "(+ 1 2)"},
		{"a fence around one word", "```(f)```", "(f)"},
		{"one word in backticks", "`(f)`", "(f)"},
		{"in backticks", "Call `f` as in `(f 1)`.", "(f 1)"},
		{"thoughts in a string of a fence", "Sure:\n```clojure\n(def s \"\n<think>\n\")\n(f)\n```", "(def s \"\n<think>\n\")\n(f)"},
		{"the end of thoughts in a string", "So:\n\n(def s \"\n</think>\n\")\n(f)\nThat is it.", "(def s \"\n</think>\n\")\n(f)"},
		{"a title", "# Title\n## Program\n(f)", "(f)"},
	} {
		got, err := ptc.Source(c.answer)
		require.NoError(t, err, c.name)
		require.Equal(t, c.want, got, c.name)
	}
	for _, none := range []string{"", " \n", "I can't do that.", "```json\n{}\n```", "```\n```", "<think>(f)"} {
		_, err := ptc.Source(none)
		var e *ptc.Error
		require.ErrorAs(t, err, &e, none)
		require.Equal(t, diag.SyntaxError, e.Code)
		require.Contains(t, e.Hint, "```clojure")
	}
	for _, many := range []string{"```\n", "```markdown\n", "`", "> ```clj\n", "<think>", "</think>\n", "[1] x\n", "[1]\n", "(f)```"} {
		_, _ = ptc.Source(strings.Repeat(many, 1<<17))
	}
	deep := strings.Repeat("(", 1<<20)
	got, err := ptc.Source("prose\n" + deep)
	require.NoError(t, err)
	require.Equal(t, deep, got, "the compiler tells what is wrong")
}

func FuzzSource(f *testing.F) {
	f.Add("Sure:\n```clojure\n(+ 1 2)\n```")
	f.Add("prose\n(f)\nprose (g)")
	f.Fuzz(func(t *testing.T, answer string) {
		program, err := ptc.Source(answer)
		if err != nil {
			return
		}
		again, err := ptc.Source("```clojure\n" + program + "\n```")
		if !strings.Contains(program, "```") && !strings.Contains(program, "\r") && (err != nil || again != program) {
			t.Errorf("%q: %q, %v", program, again, err)
		}
	})
}
