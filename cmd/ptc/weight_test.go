// This file tests the weight of the command: the size of its binary, and its work before main.

package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/internal/testlevel"
)

// The budgets, for the released binary of linux/amd64: the measured value, and a few percent for changes
// that nobody would notice. Raise them in a commit that names the purpose; lower them after saving a tenth.
//
// The start is measured by the memory that the packages allocate in their initialisation. It is the same in
// every run and on every machine, unlike a time, and everything that takes time there (tables, patterns,
// registries) allocates. Time itself is for bench/cmd/startup.
const (
	// With the client of a service and of its cluster, and the SDK of MCP. The classes of java.util.concurrent, java.text,
	// java.net and java.security, OAuth, and ptc test took the last megabyte, the findings of check about values 0.14, and
	// bean and the Japanese charsets 0.05.
	maxBinary     = 34_000_000
	maxInitBytes  = 290_000
	maxInitAllocs = 2_500
)

func TestWeight(t *testing.T) {
	testlevel.System(t) // it links the binary of a release
	bin := filepath.Join(t.TempDir(), "ptc")
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", bin, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	info, err := os.Stat(bin)
	if err != nil {
		t.Fatal(err)
	}
	within(t, "bytes of the binary", info.Size(), maxBinary, "")
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return
	}
	inits := initialised(t, bin)
	var bytes, allocs int64
	for _, i := range inits {
		bytes, allocs = bytes+i.bytes, allocs+i.allocs
	}
	slices.SortFunc(inits, func(a, b initialisation) int { return cmp.Compare(b.bytes, a.bytes) })
	var heaviest strings.Builder
	for _, i := range inits[:10] {
		fmt.Fprintf(&heaviest, "\n%7d bytes %5d allocations  %s", i.bytes, i.allocs, i.pkg)
	}
	within(t, "bytes allocated before main", bytes, maxInitBytes, heaviest.String())
	within(t, "allocations before main", allocs, maxInitAllocs, heaviest.String())
}

// within checks that a measurement is below its budget, but not so far below that the budget would be
// meaningless.
func within(t *testing.T, what string, got, budget int64, more string) {
	t.Helper()
	t.Logf("%s: %d, budget %d", what, got, budget)
	if got > budget || got < budget-budget/5 {
		t.Errorf("%s: %d, the budget is %d%s", what, got, budget, more)
	}
}

// initialisation is the runtime's report about the initialisation of a package.
type initialisation struct {
	pkg           string
	bytes, allocs int64
}

// initialised returns the packages that a start initialises.
func initialised(t *testing.T, bin string) []initialisation {
	t.Helper()
	cmd := exec.Command(bin, "run", "-e", "1")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var all []initialisation
	for line := range strings.Lines(string(out)) {
		var i initialisation
		var at, clock float64
		if n, _ := fmt.Sscanf(line, "init %s @%f ms, %f ms clock, %d bytes, %d allocs", &i.pkg, &at, &clock, &i.bytes, &i.allocs); n == 5 {
			all = append(all, i)
		}
	}
	if len(all) < 50 {
		t.Fatalf("%d packages are initialised:\n%s", len(all), out)
	}
	return all
}
