// This file makes entries of the prelude, the part of the library that is written in the language
// itself.

package builtins

import (
	"embed"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/internal/entry"
)

//go:embed prelude late
var preludeFiles embed.FS

// preludeEntries cuts the files of a directory of the prelude into top-level forms. Each form begins
// at the start of a line with "(defn name" or "(defn- name"; the first form of a
// file is "(ns name)". The forms are compiled when they are first used.
func preludeEntries(name string) [][]entry.Entry {
	var entries [][]entry.Entry
	dir, err := preludeFiles.ReadDir(name)
	if err != nil {
		panic(err)
	}
	for _, f := range dir {
		src, err := preludeFiles.ReadFile(name + "/" + f.Name())
		if err != nil {
			panic(err)
		}
		// Nothing changes src, a copy. Copying it again to a string would take as long as the code
		// that follows.
		entries = append(entries, entry.OfPrelude(unsafe.String(unsafe.SliceData(src), len(src))))
	}
	return entries
}
