// This file defines how files that a file loads become parts of the program: (load "part") at the start of a line.

package main

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/parser"
)

// loadForm matches a form that loads one file, at the start of a line.
var loadForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\(load "([^"\\\n]+)"\)`) })

// expand returns the parts of a file: its text up to a form that loads another file, the parts of that file, and the
// text after it. required are the namespaces that the parts require. A file without a form ns is a part of the
// namespace ns. The first part begins with begin. A load of a file that is not below the paths, or inside another
// form, is left to the compiler.
func (l *loading) expand(file ptc.SourceFile, ns, begin string) (parts []ptc.SourceFile, required []string, err error) {
	own, required := ptc.Namespaces(file.Text)
	if own == "user" {
		own = ns
	}
	enter := fmt.Sprintf("(in-ns '%s) ", own)
	start := 0
	for _, at := range loadForm().FindAllStringSubmatchIndex(file.Text, -1) {
		if !whole(file.Text[start:at[0]]) {
			continue
		}
		loaded, err := l.findLoaded(own, file.Text[at[2]:at[3]])
		if err != nil {
			return nil, nil, err
		}
		if loaded.Name == "" {
			continue
		}
		if l.loads[loaded.Name] {
			return nil, nil, fmt.Errorf("files load each other: %s loads %s, which is being loaded", file.Name, loaded.Name)
		}
		l.loads[loaded.Name] = true
		inner, more, err := l.expand(loaded, own, enter)
		l.loads[loaded.Name] = false
		if err != nil {
			return nil, nil, err
		}
		parts = append(parts, ptc.SourceFile{Name: file.Name, Text: begin + file.Text[start:at[0]]})
		parts, required = append(parts, inner...), append(required, more...)
		start = at[1]
		begin = enter + strings.Repeat("\n", strings.Count(file.Text[:start], "\n")) // lines keep their numbers
	}
	return append(parts, ptc.SourceFile{Name: file.Name, Text: begin + file.Text[start:]}), required, nil
}

// whole reports whether a text ends outside of any form, or is malformed, which the compiler reports.
func whole(text string) bool {
	for {
		found, end := parser.First(text, parser.Options{})
		if found != parser.Form {
			return found != parser.Unfinished
		}
		text = text[end:]
	}
}

// findLoaded reads the file that load names: below the paths for a name that begins with /, and else beside the file of
// the namespace. Its name is "" if there is none.
func (l *loading) findLoaded(ns, name string) (ptc.SourceFile, error) {
	rel, root := strings.CutPrefix(name, "/")
	if !root {
		rel = path.Join(path.Dir(strings.NewReplacer(".", "/", "-", "_").Replace(ns)), rel)
	}
	return l.findFile(filepath.FromSlash(rel))
}
