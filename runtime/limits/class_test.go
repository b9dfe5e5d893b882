package limits

// This file tests that the frozen tables match those of the running release.

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestClassesAreThoseOfGo(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("the sources of Go are not there: ", err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "src/internal/runtime/gc/sizeclasses.go"))
	if err != nil {
		t.Skip("the sources of Go are not there: ", err)
	}
	for name, table := range map[string]string{"SizeClassToSize": list(classes[:]),
		"SizeClassToNPages": list(spanPages[:])} {
		if !strings.Contains(string(text), name+" = [NumSizeClasses]") || !strings.Contains(string(text), "{0, "+table+"}") {
			t.Errorf("%s is not {0, %s}", name, table)
		}
	}
}

func list[T any](table []T) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(table), "[]"), " ", ", ")
}

func TestClassOfSize(t *testing.T) {
	for n := 1; n <= maxSmall; n++ {
		size := BytesSize(n)
		if c := BytesClass(size); layouts[c].block != size {
			t.Fatalf("%d bytes are charged with %d and of class %d, of %d", n, size, c, layouts[c].block)
		}
	}
	if c := ObjectClass(maxSmall + pageSize); c != NoClass {
		t.Errorf("a large block is of class %d, want none", c)
	}
}
