// This file defines Resources: the files that belong to a program.

package compile

// Resources are the files that belong to a program beside its source, such as a grammar from which a macro makes a
// parser.
type Resources struct {
	// Dirs are the folders below which clojure.java.io/resource looks for a file, before the folder resources.
	Dirs []string
	// Read returns the text of a file for a macro that calls slurp or clojure.java.io/resource while the program is
	// compiled. If there is no such file, its error is fs.ErrNotExist. Read bounds the size of the text; a
	// macro may read the same file more than once. If Read is nil, macros read no files.
	Read func(name string) (text string, err error)
}
