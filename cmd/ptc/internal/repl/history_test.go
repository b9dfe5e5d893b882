package repl

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// history opens a file, which must succeed.
func history(t *testing.T, path string) *History {
	t.Helper()
	h, err := OpenHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func add(t *testing.T, h *History, entries ...string) {
	t.Helper()
	for _, e := range entries {
		if err := h.Add(e); err != nil {
			t.Fatal(err)
		}
	}
}

func TestHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "ptc", "history")
	h := history(t, path)
	other := history(t, path)
	add(t, h, "a", "a", "", "b", "c\nd", strings.Repeat("x", maxEntry+1), "ä")
	add(t, other, "e")
	if got := strings.Join(history(t, path).entries, "|"); got != "a|b|ä|e" {
		t.Errorf("got %s", got)
	}
	if runtime.GOOS == "windows" {
		return
	}
	for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	add(t, h, "f")
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("a file that others could read stays so: %v", info.Mode())
	}
}

func TestHistoryIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	h := history(t, path)
	for i := range 2*maxEntries + 1 {
		add(t, h, fmt.Sprint(i))
	}
	text, err := os.ReadFile(path)
	if err != nil || strings.Count(string(text), "\n") != maxEntries || len(h.entries) != maxEntries {
		t.Errorf("%d lines, %d entries, %v", strings.Count(string(text), "\n"), len(h.entries), err)
	}
	var long strings.Builder
	for i := range 3 * maxEntries {
		fmt.Fprintln(&long, i)
	}
	if err := os.WriteFile(path, []byte(long.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	h = history(t, path)
	if text, _ := os.ReadFile(path); strings.Count(string(text), "\n") != maxEntries || h.entries[maxEntries-1] != "2999" {
		t.Error("a file that is too long stays so")
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the new file: %v, %v", info.Mode(), err)
	}
	if err := os.WriteFile(path, []byte(strings.Repeat("x", maxFileBytes)+"\nlast\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if h := history(t, path); strings.Join(h.entries, "|") != "last" {
		t.Errorf("of a huge file, %d entries", len(h.entries))
	}
}

// TestHistoryThatCannotBe holds that a session does without.
func TestHistoryThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	h, err := OpenHistory(dir)
	if err == nil {
		t.Error("a folder was read")
	}
	add(t, h, "a")
	if len(h.entries) != 1 {
		t.Errorf("got %q", h.entries)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h = &History{path: filepath.Join(file, "history")}
	if h.Add("a") == nil {
		t.Error("no error")
	}
}

func TestHistoryFile(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	if got, err := HistoryFile(); err != nil || got != filepath.Join(dir, "ptc", "history") {
		t.Errorf("got %s, %v", got, err)
	}
	t.Setenv("XDG_STATE_HOME", "relative")
	t.Setenv("HOME", dir)
	if got, err := HistoryFile(); err != nil || !filepath.IsAbs(got) || filepath.Base(filepath.Dir(got)) != "ptc" {
		t.Errorf("got %s, %v", got, err)
	}
}
