// This file keeps the sources of the definitions of a session, and defines the commands that read and write
// files.

package repl

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/cmd/internal/files"
	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/parser"
)

// written is the sources that have defined something, in their order.
type written struct{ forms []definition }

// definition is a source that defines.
type definition struct {
	text    string
	name    string          // qualified; "" if it is not one definition of one name
	symbols map[string]bool // that stand in it
}

// add keeps a source, if there is a form in it that defines. An earlier definition of
// the same name goes, if nothing in between could have used it.
func (w *written) add(ns, text string) {
	if !strings.Contains(text, "(") {
		return
	}
	tokens, err := tokensOf(text)
	if err != nil { // it has an alias or a tag that only the session knows; it was evaluated
		return
	}
	d := definition{text: text, symbols: make(map[string]bool)}
	defines := false
	for i, tok := range tokens {
		name := text[tok.Start:tok.End]
		if tok.Kind != parser.Atom {
			continue
		}
		d.symbols[name[1+strings.LastIndexByte(name[:len(name)-1], '/'):]] = true
		if i > 0 && text[tokens[i-1].Start:tokens[i-1].End] == "(" && isDefiner(name) {
			defines = true
		}
	}
	if !defines {
		return
	}
	if name := definedName(text, tokens); name != "" {
		d.name = qualified(ns, name)
		w.replace(d.name, name)
	}
	w.forms = append(w.forms, d)
}

// isDefiner reports whether a form with this head defines: one of the library that does, or
// one of a macro of the program whose name says so.
func isDefiner(head string) bool {
	head = head[1+strings.LastIndexByte(head, '/'):]
	if e := builtins.Named(head); e != nil {
		return e.Defines()
	}
	return strings.HasPrefix(head, "def") && head != "default"
}

// replace drops the definition of a name that another one takes the place of.
func (w *written) replace(qualified, name string) {
	for i := len(w.forms) - 1; i >= 0; i-- {
		if w.forms[i].name == qualified {
			w.forms = slices.Delete(w.forms, i, i+1)
			return
		}
		if w.forms[i].symbols[name] {
			return
		}
	}
}

// definedName returns the name in a source that is one form (def… name …), "" for others.
func definedName(text string, tokens []parser.Token) string {
	part := func(i int) string { return text[tokens[i].Start:tokens[i].End] }
	if len(tokens) < 4 || part(0) != "(" || !strings.HasPrefix(part(1), "def") ||
		part(1) == "defmethod" || tokens[len(tokens)-1].End != len(text) {
		return ""
	}
	i := 2
	for i < len(tokens) && tokens[i].Kind == parser.Prefix { // metadata
		i++
		for depth := 0; i < len(tokens); i++ {
			switch tokens[i].Kind {
			case parser.Open:
				depth++
			case parser.Close:
				depth--
			}
			if depth == 0 && tokens[i].Kind != parser.Prefix {
				i++
				break
			}
		}
	}
	if i >= len(tokens) || tokens[i].Kind != parser.Atom {
		return ""
	}
	return part(i)
}

func qualified(ns, name string) string {
	if strings.Contains(name[1:], "/") || name == "" {
		return name
	}
	return ns + "/" + name
}

// source returns the source that has defined a name last.
func (w *written) source(ns, name string) (string, bool) {
	full, local := qualified(ns, name), name[1+strings.LastIndexByte(name[:len(name)-1], '/'):]
	var in string
	for i := len(w.forms) - 1; i >= 0; i-- {
		if w.forms[i].name == full {
			return w.forms[i].text, true
		}
		if in == "" && w.forms[i].name == "" && w.forms[i].symbols[local] {
			in = w.forms[i].text
		}
	}
	return in, in != ""
}

// maxFile bounds the bytes of a file that is loaded. The limit on source bytes is far
// below it; the compiler reports that.
const maxFile = 64 << 20

func (r *repl) load(ctx context.Context, arg string) {
	name := unquoted(arg)
	var text []byte
	var whole bool
	var err error
	r.interruptible(ctx, func(ctx context.Context) {
		text, err = files.Await(ctx, func() (text []byte, err error) {
			text, whole, err = files.Read(name, maxFile)
			return text, err
		})
	})
	switch {
	case errors.Is(err, context.Canceled):
		r.complain("%s: interrupted", name)
	case err != nil:
		r.complain("%v", err)
	case !whole:
		r.complain("%s: more than %d MB, which is not a program", name, maxFile>>20)
	case r.evaluate(ctx, name, string(text)):
		r.files[files.Absolute(name)] = string(text)
	}
}

// save writes the definitions. It replaces a file only if the session has loaded or written it, and no other
// program has written it since.
func (r *repl) save(_ context.Context, arg string) {
	name := unquoted(arg)
	if len(r.defined.forms) == 0 {
		r.complain("nothing is defined")
		return
	}
	var b strings.Builder
	for i, d := range r.defined.forms {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strings.TrimSpace(d.text) + "\n")
	}
	if err := r.write(name, b.String()); err != nil {
		r.complain("%v", err)
		return
	}
	r.note("wrote the definitions to %s", name)
}

// write makes a file, or replaces one of the session.
func (r *repl) write(name, text string) error {
	path := files.Absolute(name)
	old, known := r.files[path]
	if known {
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			known = false // it was removed in the meantime
		}
	}
	var err error
	if known {
		err = files.Replace(name, old, text)
	} else {
		err = files.Create(name, text)
	}
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists, and was not written by this session; use another name", name)
	}
	if err == nil {
		r.files[path] = text
	}
	return err
}

// unquoted returns the name of a file without the quotes that it may be written in.
func unquoted(name string) string {
	return strings.TrimSuffix(strings.TrimPrefix(name, `"`), `"`)
}

// unknown reports an unknown name, and suggests the probable one.
func (r *repl) unknown(name string) {
	if best, ok := diag.Suggest(name, r.allNames()); ok {
		r.complain("unknown name %s; did you mean %s?", name, best)
		return
	}
	r.complain("unknown name %s", name)
}
