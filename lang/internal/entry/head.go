// This file defines how a form of the prelude becomes an entry, and how its head is read.

package entry

import (
	"strings"
)

// OfPrelude returns the entries of a file of the prelude, one for each form. Prepare reads the head of a form.
func OfPrelude(src string) []Entry {
	forms := topForms(src)
	entries := make([]Entry, 0, len(forms))
	ns := "clojure.core"
	for _, form := range forms {
		head, rest, _ := strings.Cut(strings.TrimPrefix(form, "("), " ")
		name, _, _ := strings.Cut(rest, "\n")
		switch head {
		case "ns":
			ns = strings.TrimSuffix(name, ")")
		case "defn", "defn-":
			entries = append(entries, Entry{NS: ns, Name: strings.TrimSpace(name), Source: form, Private: head == "defn-",
				Cost: Runs})
		default:
			panic("entry: prelude form begins with " + head)
		}
	}
	return entries
}

// topForms cuts text at every "(" that starts a line.
func topForms(src string) []string {
	forms := make([]string, 0, 64)
	for {
		start := strings.Index(src, "\n(")
		if strings.HasPrefix(src, "(") {
			start = -1
		} else if start < 0 {
			return forms
		}
		src = src[start+1:]
		end := strings.Index(src, "\n(")
		if end < 0 {
			return append(forms, src)
		}
		forms = append(forms, src[:end+1])
		src = src[end:]
	}
}

// readHead reads the facts in the head of a prelude form, which has this layout:
//
//	(defn name
//	  "Doc string."
//	  {:args "f coll" :purity :pure :calls "later 0 elements 2" :examples ["(f 1) => 2"]}
//	  ([f coll] …))
//
// Each key is the name of a field of Entry; :examples is the last.
func (e *Entry) readHead() {
	_, body, _ := strings.Cut(e.Source, "\n")
	e.Doc = quoted(body)
	_, attrs, ok := strings.Cut(body, "{:args ")
	if !ok {
		return
	}
	e.Args = quoted(attrs)
	attrs = strings.TrimSpace(attrs[rawLen(attrs):])
	for strings.HasPrefix(attrs, ":") {
		key, rest, _ := strings.Cut(attrs[1:], " ")
		if key == "examples" {
			e.readExamples(rest[1:])
			return
		}
		word, n := "", 0
		if rest[0] == '"' {
			word, n = quoted(rest), rawLen(rest)
		} else {
			n = strings.IndexAny(rest, " }")
			word = rest[1:n]
		}
		e.readFact(key, word)
		attrs = strings.TrimSpace(rest[n:])
	}
}

func (e *Entry) readExamples(list string) {
	for list = strings.TrimSpace(list); strings.HasPrefix(list, `"`); list = strings.TrimSpace(list) {
		e.Examples = append(e.Examples, quoted(list))
		list = list[rawLen(list):]
	}
}

// readFact sets the field that a key names.
func (e *Entry) readFact(key, word string) {
	switch key {
	case "purity":
		e.Purity = wordOf[Purity](purityWords, word)
	case "calls":
		e.Calls = readCalls(strings.Fields(word))
	case "makes":
		e.Makes = wordOf[Makes](makesWords, word)
	case "intrinsic":
		e.Intrinsic = wordOf[Intrinsic](intrinsicWords, word)
	case "fusion":
		e.Fusion = wordOf[Fusion](fusionWords, word)
	case "endless":
		e.Endless = wordOf[Endless](endlessWords, word)
	case "indent":
		e.Indent = wordOf[Indent](indentWords, word)
	case "interns":
		e.Interns = word == "names"
	case "binds-as":
		e.BindsAs = word
	case "facts":
		e.Facts = factsOf(strings.Fields(word))
	default:
		panic("entry: prelude form with :" + key)
	}
}

// readCalls reads "when", or "when indexes times least" with an optional "parallel" or "passes n" at its end. The
// indexes are those of the function arguments: "0", "0-1" or "0-".
func readCalls(words []string) (c Calls) {
	c.When = wordOf[When](whenWords, words[0])
	if len(words) == 1 {
		return c
	}
	first, last, several := strings.Cut(words[1], "-")
	c.First = number(first)
	switch {
	case !several:
		c.Last = c.First
	case last == "":
		c.Last = ToTheEnd
	default:
		c.Last = number(last)
	}
	c.Times = wordOf[Times](timesWords, words[2])
	c.Least = number(words[3])
	switch {
	case len(words) == 5 && words[4] == "parallel":
		c.Parallel = true
	case len(words) == 6 && words[4] == "passes":
		c.Passes = number(words[5])
	}
	return c
}

// number reads one digit.
func number(word string) uint8 {
	if len(word) != 1 || word[0] < '0' || word[0] > '9' {
		panic("entry: no number of arguments: " + word)
	}
	return word[0] - '0'
}

var unescaper = strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\n`, "\n")

// quoted returns the content of the first string literal in s.
func quoted(s string) string {
	i := strings.IndexByte(s, '"')
	if i < 0 {
		return ""
	}
	s = s[i:]
	return unescaper.Replace(s[1 : rawLen(s)-1])
}

// rawLen returns the length of the string literal that s begins with.
func rawLen(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}
