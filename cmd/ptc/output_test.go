package main

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// TestFullDisk wants each command whose output can't be written to say so, once, and to fail.
func TestFullDisk(t *testing.T) {
	ended := filepath.Join(t.TempDir(), "ended.journal")
	wants{0, "1\n", ""}.check(t, ptcWith("", "run", "-e", "1", "--journal", ended))
	endless := write(t, "endless.ptc", "(loop [] (println 1) (recur))")
	for _, args := range []string{
		"run -e 1", "run " + endless, "run -e (println)", "run -e 1 --output envelope", "run -h", "repl", "replay " + ended, "trace " + ended,
		"check --effects -e 1", "check --effects -e 1 --json", "fmt -", "fmt --check -", "doc map", "doc map filter", "prompt",
		"man", "completion bash", "completion zsh", "completion fish", "version", "--version", "help", "help help", "help run", "-h",
	} {
		var err strings.Builder
		full := writer(func(string) error { return errors.New("no space left") })
		code := dispatch(t.Context(), strings.Fields(args), streams{in: strings.NewReader("(+ 1  2)\n"), out: &output{Writer: full}, err: &err, printing: func() {}})
		if got := err.String(); code != 1 || got != "ptc: can't write the output: no space left\n" {
			t.Errorf("%s: code %d, %s", args, code, got)
		}
	}
}
