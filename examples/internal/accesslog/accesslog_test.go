package accesslog

import (
	"hash/fnv"
	"regexp"
	"strings"
	"testing"
)

// The example's expected output depends on every byte: a change here means new expected files.
func TestGenerateIsStable(t *testing.T) {
	h := fnv.New64a()
	h.Write([]byte(Generate(200_000, 1)))
	const want = 0xfcc3512f7aebb3a1
	if got := h.Sum64(); got != want {
		t.Errorf("Generate(200000, 1) has FNV-1a hash %#x, want %#x", got, uint64(want))
	}
}

func TestGenerateKeepsItsSize(t *testing.T) {
	for _, size := range []int{-1, 0, 1, 50, 1000, 123_456} {
		log := Generate(size, 7)
		if len(log) > max(size, 0) {
			t.Errorf("Generate(%d, 7) has %d bytes", size, len(log))
		}
		if size >= 1000 && len(log) < size-maxLine {
			t.Errorf("Generate(%d, 7) has only %d bytes", size, len(log))
		}
		if log != "" && !strings.HasSuffix(log, "\n") {
			t.Errorf("Generate(%d, 7) ends inside a line", size)
		}
	}
}

func TestGenerateDependsOnSeed(t *testing.T) {
	if Generate(5000, 1) == Generate(5000, 2) {
		t.Error("seeds 1 and 2 give the same log")
	}
}

func TestLinesAreWellFormed(t *testing.T) {
	line := regexp.MustCompile(`^\S+ - \S+ \[12/Mar/2025:(\d\d):\d\d:\d\d \+0000\] "[A-Z]+ \S+ HTTP/1\.1" \d{3} (\d+|-) "[^"]*" "(\\"|[^"])*" \d+$`)
	log := Generate(2_000_000, 3)
	lines := strings.Split(strings.TrimSuffix(log, "\n"), "\n")
	damaged, previous, hours := 0, "", map[string]bool{}
	for _, l := range lines {
		m := line.FindStringSubmatch(l)
		if m == nil {
			damaged++
			continue
		}
		if m[1] < previous {
			t.Fatalf("time goes back at %q", l)
		}
		previous, hours[m[1]] = m[1], true
	}
	if len(hours) != 24 {
		t.Errorf("the log covers %d hours, want 24", len(hours))
	}
	if damaged == 0 || damaged > len(lines)/250 {
		t.Errorf("%d of %d lines are damaged", damaged, len(lines))
	}
}
