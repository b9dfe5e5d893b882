package main

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// TestFullDisk requires each command whose output can't be written to say so, once, and to fail.
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

// TestValueIsWrittenAfterItFits requires a value that is too long to leave no part of it on the output, in each form.
func TestValueIsWrittenAfterItFits(t *testing.T) {
	for _, form := range []string{"edn", "json", "pretty"} {
		got := ptcWith("", "run", "--output", form, "--output-limit", "400KB", "-e", `(print "begun") (vec (range 100000))`)
		if got.code != exitLimit || got.out != "begun" || !strings.Contains(got.err, "error[result-too-large]") {
			t.Errorf("%s: got the exit code %d, %.100q and %s", form, got.code, got.out, got.err)
		}
	}
	got := ptcWith("", "run", "--output", "envelope", "--output-limit", "400KB", "-e", `(print "begun") (vec (range 100000))`)
	if got.code != exitLimit || !strings.HasPrefix(got.out, `{"status":"error","value":null,"prints":"begun","error":{"code":"result-too-large"`) {
		t.Errorf("got the exit code %d, %.100q and %s", got.code, got.out, got.err)
	}
}

// TestLongValueOnAFullDisk fails within the text of a value.
func TestLongValueOnAFullDisk(t *testing.T) {
	for _, form := range []string{"edn", "json", "pretty", "envelope"} {
		var err strings.Builder
		written := 0
		full := writer(func(text string) error {
			if written += len(text); written > 100_000 {
				return errors.New("no space left")
			}
			return nil
		})
		code := dispatch(t.Context(), []string{"run", "--output", form, "-e", "(vec (range 100000))"},
			streams{in: strings.NewReader(""), out: &output{Writer: full}, err: &err, printing: func() {}})
		if got := err.String(); code != 1 || got != "ptc: can't write the output: no space left\n" {
			t.Errorf("%s: code %d, %s", form, code, got)
		}
	}
}

// TestKeysOfTheSameText requires an error in the place of an object that lacks a key.
func TestKeysOfTheSameText(t *testing.T) {
	got := ptcWith("", "run", "--output", "json", "-e", `{:rows [{:a 1 "a" 2}]}`)
	if got.code != exitFailed || got.out != "" || !strings.Contains(got.err, `the map at [:rows 0] has the keys "a" and :a`) {
		t.Errorf("got %+v", got)
	}
	got = ptcWith("", "run", "--output", "envelope", "-e", `{:a 1 "a" 2}`)
	if got.code != exitFailed || got.err != "" || !strings.HasPrefix(got.out, `{"status":"error","value":null,`) {
		t.Errorf("got %+v", got)
	}
}
