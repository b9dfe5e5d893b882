// This file defines how the prelude, the part of the library that is written in
// the language itself, becomes entries.

package builtins

import (
	"embed"
	"strings"
	"unsafe"
)

//go:embed prelude
var preludeFiles embed.FS

// preludeEntries cuts the prelude's files into top-level forms. Each form begins
// at the start of a line with "(defn name" or "(defn- name"; the first form of a
// file is "(ns name)". The forms are compiled when they are first used.
func preludeEntries() [][]Entry {
	var entries [][]Entry
	dir, err := preludeFiles.ReadDir("prelude")
	if err != nil {
		panic(err)
	}
	for _, f := range dir {
		src, err := preludeFiles.ReadFile("prelude/" + f.Name())
		if err != nil {
			panic(err)
		}
		// Nobody changes src, which is a copy: a second one of all files would take as
		// long as all that follows.
		entries = append(entries, cutPrelude(unsafe.String(unsafe.SliceData(src), len(src))))
	}
	return entries
}

func cutPrelude(src string) []Entry {
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
			entries = append(entries, Entry{NS: ns, Name: strings.TrimSpace(name), Source: form, Private: head == "defn-", Cost: Runs})
		default:
			panic("builtins: prelude form begins with " + head)
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

// readHead reads what a prelude form says of itself, which is laid out one thing a
// line:
//
//	(defn name
//	  "Doc string."
//	  {:args "f coll" :purity :pure :calls :later :examples ["(f 1) => 2"]}
//	  ([f coll] …))
func (e *Entry) readHead() {
	_, body, _ := strings.Cut(e.Source, "\n")
	e.Doc = quoted(body)
	_, attrs, ok := strings.Cut(body, "{:args ")
	if !ok {
		return
	}
	e.Args = quoted(attrs)
	e.Purity = preludePurity(attribute(attrs, ":purity :"))
	e.Calls = preludeCalls(attribute(attrs, ":calls :"))
	if _, list, ok := strings.Cut(attrs, ":examples ["); ok {
		for list = strings.TrimSpace(list); strings.HasPrefix(list, `"`); list = strings.TrimSpace(list) {
			e.Examples = append(e.Examples, quoted(list))
			list = list[rawLen(list):]
		}
	}
}

// attribute gives the word behind a key that stands before the examples, "" if there is
// none.
func attribute(attrs, key string) string {
	attrs, _, _ = strings.Cut(attrs, ":examples")
	_, word, _ := strings.Cut(attrs, key)
	if end := strings.IndexAny(word, " }"); end >= 0 {
		word = word[:end]
	}
	return word
}

func preludePurity(word string) Purity {
	switch word {
	case "":
		return Impure
	case "changes":
		return Changes
	case "realises":
		return Realises
	case "reads":
		return Reads
	case "pure":
		return Pure
	case "total":
		return Total
	}
	panic("builtins: no purity named " + word)
}

func preludeCalls(word string) Calls {
	switch word {
	case "":
		return CallsNone
	case "now":
		return CallsNow
	case "later":
		return CallsLater
	}
	panic("builtins: no calls named " + word)
}

var unescaper = strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\n`, "\n")

// quoted gives the content of the first string literal in s.
func quoted(s string) string {
	i := strings.IndexByte(s, '"')
	if i < 0 {
		return ""
	}
	s = s[i:]
	return unescaper.Replace(s[1 : rawLen(s)-1])
}

// rawLen gives the length of the string literal that s begins with.
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
