// This file defines completion.

package repl

import (
	"bytes"
	"encoding/json"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// complete returns the completions of the word before the cursor.
func (r *repl) complete(before string) (word string, candidates []string) {
	if name, arg, ok := strings.Cut(strings.TrimLeft(before, " "),
		" "); ok && r.pending == "" && (name == ":load" || name == ":save") {
		word = unquoted(strings.TrimLeft(arg, " "))
		return word, paths(word)
	}
	at := 1 + strings.LastIndexFunc(before, ends)
	word = before[at:]
	var names iter.Seq[string]
	switch {
	case strings.HasPrefix(word, ":"):
		names = r.keywords(strings.TrimSpace(before[:at]) == "" && r.pending == "")
	case word == "" && strings.TrimSpace(before) != "":
		return word, nil // all names there are would be no help
	default:
		names = r.allNames()
	}
	for name := range names {
		if strings.HasPrefix(name, word) && name != word {
			candidates = append(candidates, name)
		}
	}
	slices.Sort(candidates)
	return word, slices.Compact(candidates)
}

// ends reports whether a name ends before a character.
func ends(c rune) bool { return strings.ContainsRune(" \t\r\n,;()[]{}\"'`@^~#", c) }

// keywords returns the keywords that have been seen, and the commands at the beginning of
// an input.
func (r *repl) keywords(first bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, c := range commands() {
			if first && !yield(c.name) {
				return
			}
		}
		for k := range r.seen.keywords {
			if !yield(k) {
				return
			}
		}
	}
}

// allNames returns the names that a program may write: those of the library, the session,
// the tools and the input.
func (r *repl) allNames() iter.Seq[string] {
	if r.names == nil {
		r.names = slices.Sorted(r.cfg.Names)
	}
	names := slices.Clone(r.names)
	names = append(names, "*1", "*2", "*3", "*e")
	for _, t := range r.tools() {
		names = append(names, "tool/"+t.Name())
	}
	for name := range maps.Keys(r.cfg.Data) {
		names = append(names, "data/"+name)
	}
	for _, d := range r.definitions() {
		if d.NS == r.namespace() {
			names = append(names, d.Name)
		} else {
			names = append(names, d.NS+"/"+d.Name)
		}
	}
	return slices.Values(names)
}

// paths returns the files whose names begin with word, and the folders with a slash.
func paths(word string) []string {
	dir, base := filepath.Split(word)
	files, err := os.ReadDir(filepath.Join(".", dir))
	if filepath.IsAbs(word) {
		files, err = os.ReadDir(dir)
	}
	if err != nil {
		return nil
	}
	var names []string
	for _, f := range files {
		name := f.Name()
		if !strings.HasPrefix(name, base) || base == "" && name[0] == '.' {
			continue
		}
		if f.IsDir() {
			name += string(filepath.Separator)
		}
		names = append(names, dir+name)
	}
	return names
}

// seen is the keywords that have stood in sources, values and the input.
type seen struct{ keywords map[string]bool }

// maxSeen bounds how many keywords are kept, and maxScanned the bytes of an input that
// are looked at for them.
const (
	maxSeen    = 10_000
	maxScanned = 1 << 20
)

func (s *seen) add(keyword string) {
	if s.keywords == nil {
		s.keywords = make(map[string]bool)
	}
	if len(s.keywords) < maxSeen {
		s.keywords[keyword] = true
	}
}

// source takes the keywords of a text: of a source, or of a value.
func (s *seen) source(text string) {
	for _, m := range keyword().FindAllStringSubmatch(text[:min(len(text), maxScanned)], -1) {
		s.add(m[1])
	}
}

// keyword matches one, and what may stand before it. It is compiled when it is needed: not
// for commands other than repl.
var keyword = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(?:^|[\\s,()\\[\\]{}'`@^~])(:[^:\\s,;()\\[\\]{}\"'`@^~\\\\][^\\s,;()\\[\\]{}\"'`@^~\\\\]*)")
})

// data takes the names of an input and of the members in it, which programs read as
// keywords.
func (s *seen) data(name string, value any) {
	raw, ok := value.(json.RawMessage)
	if !ok {
		return
	}
	dec := json.NewDecoder(bytes.NewReader(raw[:min(len(raw), maxScanned)]))
	var objects []bool // whether each open bracket is that of an object
	key := false       // whether a key comes next
	for {
		tok, err := dec.Token()
		if err != nil {
			return
		}
		switch tok := tok.(type) {
		case json.Delim:
			if tok == '{' || tok == '[' {
				objects = append(objects, tok == '{')
			} else {
				objects = objects[:len(objects)-1]
			}
			key = len(objects) > 0 && objects[len(objects)-1]
			continue
		case string:
			if key && !strings.ContainsFunc(tok, ends) && tok != "" {
				s.add(":" + tok)
			}
		}
		key = len(objects) > 0 && objects[len(objects)-1] && !key
	}
}
