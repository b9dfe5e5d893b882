package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// machineFiles are the files of the lower floor of lang/eval: the machine, which runs
// instructions. The import table keeps it from importing the floor above.
const machineFiles = "../../lang/eval/internal/machine/*.go"

// treeWords are words of the upper layer: the evaluation tree, and its connections to the outside world. A
// machine that needs such a word needs a method of machine.Tree instead. Do not change this to fix a build:
// change the code.
var treeWords = regexp.MustCompile(`(?i)operation|journal|scope|recall|tool|guard|effect`)

// TestMachineKnowsNoTree requires none of these words in code, comments and messages of the machine.
func TestMachineKnowsNoTree(t *testing.T) {
	files, err := filepath.Glob(machineFiles)
	if err != nil || len(files) < 10 {
		t.Fatalf("got %d files, want those of the machine: %v", len(files), err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if word := treeWords.FindString(line); word != "" {
				t.Errorf("%s:%d: a machine knows no %s: %s", filepath.Base(file), i+1, word, strings.TrimSpace(line))
			}
		}
	}
}
