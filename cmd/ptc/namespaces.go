// This file defines how the namespaces that a program requires are found in files.

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/cmd/internal/files"
	"github.com/ptc-lang/ptc/cmd/internal/flags"
)

// pathFlag returns the flag for the directories of namespaces.
func pathFlag(v *settings) flags.Spec {
	return flags.Spec{Name: "path", Value: "DIR", Repeats: true, Text: "load the namespaces that the program requires " +
		"from files below this directory: a.b-c from a/b_c.ptc, .clj or .cljc; " +
		"macros may read the text files below it", To: flags.Func(func(dir string) error {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return fmt.Errorf("want a directory that exists")
		}
		v.paths = append(v.paths, dir)
		return nil
	})}
}

// sourceExtensions are those of the files of namespaces, the preferred ones first.
var sourceExtensions = []string{".ptc", ".clj", ".cljc"}

// withNamespaces returns a source after the files of the namespaces that it requires, if there are any.
func (v *settings) withNamespaces(ctx context.Context, name, source string) (string, error) {
	if len(v.paths) == 0 {
		return source, nil
	}
	l := loading{ctx: ctx, paths: v.paths, open: map[string]bool{}, loads: map[string]bool{name: true}}
	if err := l.dataReaders(); err != nil {
		return "", err
	}
	parts, required, err := l.expand(ptc.SourceFile{Name: name, Text: source}, "user", "")
	if err != nil {
		return "", err
	}
	own, _ := ptc.Namespaces(source)
	if err := l.require(own, required); err != nil {
		return "", err
	}
	if len(l.files) == 0 && len(parts) == 1 {
		return source, nil
	}
	all := append(l.files, parts...)
	for _, f := range all {
		v.loaded = append(v.loaded, f.Name)
	}
	return ptc.JoinFiles(all...), nil
}

// sizeOfFile is the least that a file counts as: files that load others twice are read often.
const sizeOfFile = 8 << 10

// loading reads the files of namespaces, each after the files that it requires.
type loading struct {
	ctx   context.Context
	paths []string
	files []ptc.SourceFile
	open  map[string]bool // namespaces: true while those that they require are read, false after that
	loads map[string]bool // files: true while they are read by load
	chain []string        // those that are open
	size  int             // bytes of the files that were read, each at least sizeOfFile
}

// require reads the namespaces that ns requires. Namespaces without a file are left to the compiler. ns is
// the name by which others require the file, whatever name the file declares.
func (l *loading) require(ns string, required []string) error {
	l.open[ns] = true
	l.chain = append(l.chain, ns)
	for _, ns := range required {
		if open, seen := l.open[ns]; open {
			cycle := append(l.chain[slices.Index(l.chain, ns):], ns)
			return fmt.Errorf("namespaces require each other: %s", strings.Join(cycle, " → "))
		} else if seen {
			continue
		}
		file, err := l.find(ns)
		if err != nil {
			return err
		}
		if file.Name == "" {
			l.open[ns] = false
			continue
		}
		parts, required, err := l.expand(file, ns, "")
		if err != nil {
			return err
		}
		if err := l.require(ns, required); err != nil {
			return err
		}
		l.files = append(l.files, parts...)
	}
	l.chain = l.chain[:len(l.chain)-1]
	l.open[ns] = false
	return nil
}

// find reads the file of a namespace. The name is "" if there is none.
func (l *loading) find(ns string) (ptc.SourceFile, error) {
	return l.findFile(filepath.FromSlash(strings.NewReplacer(".", "/", "-", "_").Replace(ns)))
}

// findFile reads the file of a name without an extension below the paths. The name is "" if there is none.
func (l *loading) findFile(rel string) (ptc.SourceFile, error) {
	if !filepath.IsLocal(rel) {
		return ptc.SourceFile{}, nil
	}
	for _, dir := range l.paths {
		for _, ext := range sourceExtensions {
			if file, err := l.file(filepath.Join(dir, rel+ext)); err != nil || file.Name != "" {
				return file, err
			}
		}
	}
	return ptc.SourceFile{}, nil
}

// file reads a file. Its name is "" if there is none.
func (l *loading) file(name string) (ptc.SourceFile, error) {
	if found, err := isRegular(name); err != nil || !found {
		return ptc.SourceFile{}, err
	}
	text, whole, err := files.Read(name, maxSource)
	if err == nil && !whole {
		err = limitError{fmt.Sprintf("%s: more than %s", name, flags.SizeText(maxSource))}
	}
	if l.size += max(len(text), sizeOfFile); err == nil && l.size > maxSource {
		err = limitError{fmt.Sprintf("%s: the program loads more than %s of files, of at least %s each", name,
			flags.SizeText(maxSource), flags.SizeText(sizeOfFile))}
	}
	return ptc.SourceFile{Name: name, Text: string(text)}, errors.Join(err, l.ctx.Err())
}

// dataReaders reads data_readers.clj and data_readers.cljc of the folders: maps from tags to the names of the functions
// by which read-string reads them.
func (l *loading) dataReaders() error {
	for _, dir := range l.paths {
		for _, ext := range []string{".clj", ".cljc"} {
			file, err := l.file(filepath.Join(dir, "data_readers"+ext))
			if err != nil {
				return err
			}
			if file.Name != "" {
				file.Text = fmt.Sprintf(readersSource, inString.Replace(file.Text))
				l.files = append(l.files, file)
			}
		}
	}
	return nil
}

// readersSource is the source that reads a map of data readers from a string and adds its functions. They are looked up
// when they are called, because their namespaces are loaded later.
const readersSource = `(set! *data-readers* (into *data-readers* (let [fail #(throw (RuntimeException. (str
  "got the data readers " %% ", want one map from tags to names of functions")))
  text "%s"
  all (try (read-string {:read-cond :allow :eof nil} text) (catch Exception e (fail (ex-message e))))]
  (when-not (and (map? all) (every? symbol? (mapcat identity all))) (fail (pr-str all)))
  (map (fn [[tag f]]
    [tag (fn [form]
      ((or (resolve f) (throw (IllegalStateException. (str "Attempting to call unbound fn: " f)))) form))])
    all))))`

// inString escapes a text for a string literal.
var inString = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// isRegular reports whether there is a file of that name, and it is no folder, pipe or device, which may have no end.
func isRegular(name string) (bool, error) {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return false, nil
	}
	return err == nil && info.Mode().IsRegular(), files.Plain(err)
}
