// This file defines the test of the tables in tables.go, which are written out, since
// computing them takes 0.06 ms of every start of a process.

package limits

import (
	"flag"
	"fmt"
	"go/format"
	"os"
	"testing"
)

//go:generate go test -run TestTables -update

var update = flag.Bool("update", false, "write tables.go")

func TestTables(t *testing.T) {
	text := "// Written by go generate from the size classes; see tables_test.go.\n\npackage limits\n\n" +
		"// classOf8 and classOf128 give the size to which a size is rounded up, by its steps.\n" +
		table("classOf8", "uint16", buildClasses(0, smallMax, smallStep)) + table("classOf128", "uint16", buildClasses(smallMax, maxSmall, bigStep)) +
		"// classAt8 and classAt128 give the class of a size.\n" +
		table("classAt8", "Class", buildClassAt(0, smallMax, smallStep)) + table("classAt128", "Class", buildClassAt(smallMax, maxSmall, bigStep)) +
		"// layouts are those of the classes.\n" + table("layouts", "layout", buildLayouts())
	want, err := format.Source([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("tables.go", want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile("tables.go"); err != nil || string(got) != string(want) {
		t.Errorf("tables.go is not what the size classes say (%v): run go generate ./runtime/limits", err)
	}
}

// table writes a variable, twelve elements a line.
func table[T any](name, of string, elements []T) string {
	text := fmt.Sprintf("var %s = [...]%s{", name, of)
	for i, e := range elements {
		if i%12 == 0 {
			text += "\n"
		}
		literal := fmt.Sprint(e)
		if l, ok := any(e).(layout); ok {
			literal = fmt.Sprintf("{%d, %d}", l.block, l.span)
		}
		text += literal + ", "
	}
	return text + "\n}\n\n"
}

func buildClasses(from, to, step int) []uint16 {
	table := make([]uint16, 0, (to-from)/step+1)
	c := 0
	for n := from; n <= to; n += step {
		for int(classes[c]) < n {
			c++
		}
		table = append(table, classes[c])
	}
	return table
}

func buildLayouts() []layout {
	table := make([]layout, numClasses)
	for i, size := range classes {
		l := layout{int64(size), int64(spanPages[i]) * pageSize}
		table[1+i], table[1+len(classes)+i] = l, l
	}
	return table
}

func buildClassAt(from, to, step int) []Class {
	table := make([]Class, 0, (to-from)/step+1)
	c := 0
	for n := from; n <= to; n += step {
		for int(classes[c]) < n {
			c++
		}
		table = append(table, Class(1+c))
	}
	return table
}
