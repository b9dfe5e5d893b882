// Package linktest checks that the links in the documents point to existing targets.
package linktest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// root is the top folder of the module.
const root = "../.."

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
	fenced  = regexp.MustCompile("(?ms)^```.*?^```$")
)

func TestLinks(t *testing.T) {
	links := 0
	anchors := make(map[string]map[string]bool) // of the documents that links with an anchor go to
	for _, file := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(prose(t, file), -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			links++
			path := file
			if target != "" {
				path = filepath.Join(filepath.Dir(file), target)
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s: nothing is at %s", file, m[1])
				continue
			}
			if anchor == "" {
				continue
			}
			if anchors[path] == nil {
				anchors[path] = anchorsOf(t, path)
			}
			if !anchors[path][anchor] {
				t.Errorf("%s: %s has no heading #%s", file, path, anchor)
			}
		}
	}
	if links < 10 {
		t.Errorf("%d links found: the test shows nothing", links)
	}
}

// documents returns the Markdown files of the module.
func documents(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == ".git" {
			return filepath.SkipDir
		}
		if filepath.Ext(path) == ".md" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// prose returns the text of a document without its code blocks.
func prose(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return fenced.ReplaceAllString(string(text), "")
}

// anchorsOf returns the anchors of the headings of a document: in lower case, with a hyphen for each space, and
// without other punctuation.
func anchorsOf(t *testing.T, file string) map[string]bool {
	t.Helper()
	anchors := make(map[string]bool)
	for _, m := range heading.FindAllStringSubmatch(prose(t, file), -1) {
		anchors[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, m[1])] = true
	}
	return anchors
}
