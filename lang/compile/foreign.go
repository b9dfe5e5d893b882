// This file recognises the syntax of other languages around an error, and writes it as a program does.

package compile

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/ptc-lang/ptc/lang/builtins"
)

// foreignForm is a piece of syntax of other languages, within a line.
type foreignForm struct {
	pattern string
	// hint returns the alternative, from the groups of the pattern; "" if the text means something else.
	hint func(m []string) string
}

// foreignForms are tried in order.
var foreignForms = []foreignForm{
	{"^ {0,3}(?:```|~~~).*$", func([]string) string {
		return "the program stands in a Markdown fence: remove the lines of the fence, or run it with --extract"
	}},
	{`\[\s*(.+?)\s+for\s+([\w, ]+?)\s+in\s+(.+?)(?:\s+if\s+(.+?))?\s*\]`, comprehension},
	{`\{\s*(.+?)\s*:\s*(.+?)\s+for\s+([\w, ]+?)\s+in\s+(.+?)\s*\}`, func(m []string) string {
		return fmt.Sprintf("(into {} (for [%s] [%s %s])) makes a map", bindings(m[3], m[4]), plain(m[1]), plain(m[2]))
	}},
	{`^\s*(?:async\s+)?for\s*\(?\s*(?:const\s+|let\s+|var\s+)?([\w, ]+?)\s+(?:in|of)\s+(.+?)\s*[:{)].*$`,
		func(m []string) string {
			return fmt.Sprintf("(doseq [%s] …) calls something for each, (for [%[1]s] …) returns the values",
				bindings(m[1], m[2]))
		}},
	{`^\s*(?:async\s+)?(?:def|function|func|fn)\s+(\w+)\s*\(([^)]*)\).*[:{]\s*.*$`, func(m []string) string {
		return fmt.Sprintf("(defn %s [%s] …) defines a function", m[1], parameters(m[2]))
	}},
	{`^\s*class\s+(\w+).*[:{]\s*$`, func(m []string) string {
		return fmt.Sprintf("a map is enough for data; (defrecord %s [a b]) makes a type of it", m[1])
	}},
	{`\blambda\s*([\w, ]*):\s*([^,)]*)`, func(m []string) string {
		return fmt.Sprintf("(fn [%s] %s) is a function", parameters(m[1]), expression(m[2]))
	}},
	{`(?:\(([\w, ]*)\)|\b(\w+))\s*=>\s*([^,)]*)`, func(m []string) string {
		return fmt.Sprintf("(fn [%s] %s) is a function", parameters(m[1]+m[2]), expression(m[3]))
	}},
	{`\bf"([^"]*)"`, formatted},
	{`^\s*(?:import|from|#include|use|using|package)\s+["'<]?([\w./]+).*$`, imported},
	{`^\s*(?:if|unless)\s*\(?(.+?)\)?\s*(?::|\{|\bthen\b).*$`, func(m []string) string {
		return fmt.Sprintf("(if %s then else), or (when %[1]s …) without else", expression(m[1]))
	}},
	{`^\s*\}?\s*(?:elif|elsif|else\s+if)\s*\(?(.+?)\)?\s*[:{].*$`, func(m []string) string {
		return fmt.Sprintf("(cond test value, %s value, :else value)", expression(m[1]))
	}},
	{`^\s*\}?\s*else\s*[:{].*$`, func([]string) string { return "(if test then else): the third form is the else" }},
	{`^\s*while\s*\(?(.+?)\)?\s*[:{].*$`, func(m []string) string {
		return "(loop [i 0] (when (< i 3) … (recur (inc i)))) repeats; (doseq [x xs] …) goes over a collection"
	}},
	{`^\s*(?:try|finally)\s*[:{].*$`, tried},
	{`^\s*\}?\s*(?:except|catch|rescue)\b.*[:{]\s*$`, tried},
	{`^\s*return\s+(.+?);?\s*$`, func(m []string) string {
		return fmt.Sprintf("the last form is the value: write %s alone; (return x) ends the whole program",
			expression(m[1]))
	}},
	{`(\S+)\s+if\s+(.+?)\s+else\s+(\S+)`, func(m []string) string {
		return fmt.Sprintf("(if %s %s %s)", expression(m[2]), plain(m[1]), plain(m[3]))
	}},
	{`(\S+)\s+\?\s+(\S+)\s+:\s+(\S+)`, func(m []string) string {
		return fmt.Sprintf("(if %s %s %s)", expression(m[1]), plain(m[2]), plain(m[3]))
	}},
	{`([\w./-]+)\[(-?\d*):(-?\d*)\]`, sliced},
	{`\{\s*(?:"([^"]*)"|'([^']*)'|([A-Za-z_]\w*))(?:\s*:\s+|:)([^\s,}]*).*`, pair},
	{`^\s*(?:"([^"]*)"|'([^']*)'|([A-Za-z_]\w*))\s*:\s+([^\s,}]+),?\s*$`, pair},
	{`^\s*(?:let|var|const|val|final|auto|local|my|set)?\s*\$?([A-Za-z_]\w*)\s*(\+|-|\*|/)=\s*(.+?);?\s*$`,
		func(m []string) string {
			return fmt.Sprintf("a name keeps its value: (let [%s (%s %[1]s %[3]s)] …) makes another one; reduce, or loop and "+
				"recur, continue with new values", m[1], m[2], expression(m[3]))
		}},
	{`^\s*(?:let|var|const|val|final|auto|local|my|set)?\s*\$?([A-Za-z_][\w-]*)(?:\s*:\s*\w+)?\s*:?=\s*([^=\s].*?);?\s*$`,
		func(m []string) string {
			if builtins.Core(m[1]) != nil && m[1] != "list" {
				return ""
			}
			return fmt.Sprintf("(def %s %s) defines a name, (let [%[1]s %[2]s] …) a local one", m[1], expression(m[2]))
		}},
	{`\(\s*([A-Za-z_]\w*)\s+:?=\s+([^\s)]+)\s*\)`, func(m []string) string {
		if builtins.Core(m[1]) != nil {
			return ""
		}
		return fmt.Sprintf("(def %s %s) defines a name, (let [%[1]s %[2]s] …) a local one, (= %[1]s %[2]s) compares",
			m[1], plain(m[2]))
	}},
	{`\(\s*([A-Za-z_][\w.]*)\s+(==|!=|<=|>=|<|>|\+|-|\*|/)\s+([^\s()]+)\s*\)`, func(m []string) string {
		if builtins.Core(m[1]) != nil {
			return ""
		}
		return "the function comes first: " + expression(m[1]+" "+m[2]+" "+m[3])
	}},
	{`^\s*(?://|#)\s.*$`, func([]string) string { return "a comment begins with ;" }},
	{`^\s*/\*.*$`, func([]string) string { return "a comment begins with ;, in each line" }},
	{`^\s*await\s+(\S+)`, func([]string) string {
		return "a call waits for its result: leave await out; (pmap f coll) makes calls in parallel"
	}},
	{`^\s*(?:not\s|!)\s*([A-Za-z_][\w.]*)\s*$`, func(m []string) string { return fmt.Sprintf("(not %s)", plain(m[1])) }},
}

var foreignPatterns = sync.OnceValue(func() []*regexp.Regexp {
	all := make([]*regexp.Regexp, len(foreignForms))
	for i, form := range foreignForms {
		all[i] = regexp.MustCompile(form.pattern)
	}
	return all
})

func comprehension(m []string) string {
	test := ""
	if m[4] != "" {
		test = " :when " + expression(m[4])
	}
	return fmt.Sprintf("(for [%s%s] %s) makes the sequence", bindings(m[2], m[3]), test, expression(m[1]))
}

// bindings writes the names and the collection of a loop.
func bindings(names, coll string) string {
	list := strings.FieldsFunc(names, func(r rune) bool { return r == ',' || r == ' ' })
	coll = strings.TrimSuffix(strings.TrimSuffix(coll, ".items()"), ".entries()")
	if len(list) == 1 {
		return list[0] + " " + plain(coll)
	}
	return "[" + strings.Join(list, " ") + "] " + plain(coll)
}

// parameters writes the names of a list with commas, without their types and defaults.
func parameters(list string) string {
	var names []string
	for name := range strings.SplitSeq(list, ",") {
		if m := words().parameter.FindStringSubmatch(name); m != nil {
			names = append(names, m[1])
		}
	}
	return strings.Join(names, " ")
}

func formatted(m []string) string {
	var parts []string
	rest := m[1]
	for rest != "" {
		before, after, ok := strings.Cut(rest, "{")
		if before != "" {
			parts = append(parts, `"`+before+`"`)
		}
		if !ok {
			break
		}
		name, further, _ := strings.Cut(after, "}")
		name, _, _ = strings.Cut(name, ":")
		parts, rest = append(parts, plain(name)), further
	}
	return "(str " + strings.Join(parts, " ") + ") puts strings together"
}

func imported(m []string) string {
	switch name, _, _ := strings.Cut(m[1], "."); name {
	case "json":
		return "nothing is imported: (json/parse s) reads JSON, (json/write x) writes it"
	case "re":
		return `nothing is imported: (re-seq #"\d+" s), (re-find #"…" s) and (str/replace s #"…" "…") match`
	case "math":
		return "nothing is imported: (math/sqrt x) and (Math/sqrt x) are there"
	case "requests", "urllib", "http", "axios", "fetch":
		return "nothing is imported: a granted tool makes requests, as in (tool/http.get \"https://…\")"
	case "datetime", "time":
		return "nothing is imported: a granted tool knows the time, as in (tool/time.now)"
	}
	return `nothing is imported: str/, set/, math/ and json/ are there; (require '[clojure.zip :as zip]) takes in others`
}

func tried([]string) string {
	return "(try … (catch :default e …) (finally …)) handles exceptions"
}

func sliced(m []string) string {
	from, to := m[2], m[3]
	if from == "" {
		from = "0"
	}
	if to == "" {
		return fmt.Sprintf("(drop %s %s), or (subs s %[1]s) of a string", from, m[1])
	}
	return fmt.Sprintf("(subvec %s %s %s), or (subs s %[2]s %[3]s) of a string", m[1], from, to)
}

func pair(m []string) string {
	key := m[1] + m[2] + m[3]
	v := m[4]
	if v == "" {
		v = "…"
	}
	v = plain(v)
	if words().key.MatchString(key) {
		return fmt.Sprintf("a map has no colon after a key: {:%s %s}, or {%q %[2]s} with a string as the key", key, v, key)
	}
	return fmt.Sprintf("a map has no colon after a key: {%q %s}", key, v)
}

// words are the patterns of the parts of foreign forms.
var words = sync.OnceValue(func() (w struct{ key, plain, operation, applied, parameter *regexp.Regexp }) {
	w.key = regexp.MustCompile(`^[A-Za-z_][\w-]*$`)
	w.plain = regexp.MustCompile(`^(?:[\w./-]+|"[^"]*")$`)
	w.operation = regexp.MustCompile(`^([\w./-]+|"[^"]*")\s*(===?|!==?|<=|>=|<|>|\*\*|\+|-|\*|/|%)\s*([\w./-]+|"[^"]*")$`)
	w.applied = regexp.MustCompile(`^([\w./-]+)\(([^()]*)\)$`)
	w.parameter = regexp.MustCompile(`^\s*\*?(\w+)`)
	return w
})

// plain returns a word, or an ellipsis for a longer text.
func plain(text string) string {
	text = strings.TrimSuffix(strings.TrimSpace(text), ";")
	switch text {
	case "None", "null", "undefined":
		return "nil"
	case "True":
		return "true"
	case "False":
		return "false"
	}
	if words().plain.MatchString(text) {
		return text
	}
	return "…"
}

// expression writes a word, an operation on two words, or a call with words.
func expression(text string) string {
	text = strings.TrimSuffix(strings.TrimSpace(text), ";")
	if m := words().operation.FindStringSubmatch(text); m != nil {
		op := m[2]
		switch op {
		case "==", "===":
			op = "="
		case "!=", "!==":
			op = "not="
		case "%":
			op = "mod"
		case "**":
			op = "math/pow"
		}
		return fmt.Sprintf("(%s %s %s)", op, plain(m[1]), plain(m[3]))
	}
	if m := words().applied.FindStringSubmatch(text); m != nil {
		call := []string{m[1]}
		for arg := range strings.SplitSeq(m[2], ",") {
			if strings.TrimSpace(arg) != "" {
				call = append(call, plain(arg))
			}
		}
		return "(" + strings.Join(call, " ") + ")"
	}
	return plain(text)
}
