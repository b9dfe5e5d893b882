// Package styletest checks the measurable part of the house style in all files of the repository.
package styletest

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	root        = "../.."
	maxCode     = 120 // characters of a line of code
	maxMarkdown = 140 // characters of a line of Markdown
)

// words are the words and phrases that comments must not contain, with their replacements.
var words = []word{
	{regexp.MustCompile(`(?i)\bgives\b`), "returns"},
	{regexp.MustCompile(`(?i)\b(says|tells) whether\b`), "reports whether"},
	inMessages,
	{regexp.MustCompile(`(?i)\bleft behind\b`), "abandoned"},
	{regexp.MustCompile(`(?i)\b(by|for|from|of|to|with) whom\b|\bwhoever\b`), "the caller, the receiver, the node that …"},
	{regexp.MustCompile(`(?i)\b(goes|going|went) on\b`), "continues"},
	{regexp.MustCompile(`(?i)\bbut for\b`), "except"},
	{regexp.MustCompile(`\b(its|the|their) begin\b`), "beginning, start"},
	{regexp.MustCompile(`\b(Test|Fuzz)\w+ wants\b`), "checks that, requires"},
	{regexp.MustCompile(`\breturns what\b`), "the noun for it: the value, the effects, the state"},
	{regexp.MustCompile(`\b(is|are) what (a|an|are|has|have|is|it|the|they|was|were)\b`), "the noun for it"},
	{regexp.MustCompile(`(^ ?|[.] )What (are|has|have|is|it|the|they|was|were)\b`), "the noun for it"},
}

// inMessages must not occur in messages either.
var inMessages = word{regexp.MustCompile(`(?i)\bmend(s|ed|ing)?\b`), "fix, repair"}

type word struct {
	pattern *regexp.Regexp
	instead string
}

// A finding is a line that violates the style.
type finding struct {
	line int
	text string
}

// TestWords checks the comments and messages of Go files for the words of the table.
func TestWords(t *testing.T) {
	check(t, ".go", wordFindings)
}

// TestCodeLines checks the lengths of lines in Go files.
func TestCodeLines(t *testing.T) {
	check(t, ".go", codeFindings)
}

// TestMarkdownLines checks the lengths of lines in Markdown files.
func TestMarkdownLines(t *testing.T) {
	check(t, ".md", markdownFindings)
}

// check reports the findings in all files with an extension.
func check(t *testing.T, ext string, find func(name string, source []byte) []finding) {
	files := 0
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := d.Name(); name != root && (strings.HasPrefix(base, ".") || base == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ext {
			return nil
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files++
		if name, err = filepath.Rel(root, name); err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		for _, f := range find(name, source) {
			t.Errorf("%s:%d: %s", name, f.line, f.text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 10 {
		t.Errorf("found only %d files with the extension %s", files, ext)
	}
}

// scan calls each for the tokens of a Go file, comments included, with the line at which they begin.
func scan(name string, source []byte, each func(line int, tok token.Token, text string)) {
	file := token.NewFileSet().AddFile(name, -1, len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, scanner.ScanComments)
	for pos, tok, text := s.Scan(); tok != token.EOF; pos, tok, text = s.Scan() {
		each(file.Line(pos), tok, text)
	}
}

// wordFindings checks the comments of a Go file, and the messages of one that is not a test. It joins
// the comments on consecutive lines, because a phrase may be wrapped.
func wordFindings(name string, source []byte) (found []finding) {
	var comment strings.Builder
	first, last := 0, -1
	end := func() {
		for _, w := range words {
			if m := w.pattern.FindString(comment.String()); m != "" {
				found = append(found, finding{first, fmt.Sprintf("the comment has %q, want %q", m, w.instead)})
			}
		}
		comment.Reset()
	}
	scan(name, source, func(line int, tok token.Token, text string) {
		if tok == token.STRING && !strings.HasSuffix(name, "_test.go") {
			if m := inMessages.pattern.FindString(text); m != "" {
				found = append(found, finding{line, fmt.Sprintf("the string has %q, want %q", m, inMessages.instead)})
			}
		}
		if tok != token.COMMENT {
			return
		}
		if line != last+1 {
			end()
			first = line
		}
		last = line + strings.Count(text, "\n")
		comment.WriteString(strings.TrimPrefix(text, "//"))
	})
	end()
	return found
}

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// codeFindings checks the lengths of lines in a Go file. It exempts generated files, string literals
// of several lines, and test data: the lines of a test file that hold a string literal, or the output
// of an Example.
func codeFindings(name string, source []byte) (found []finding) {
	if generated.Match(source) {
		return nil
	}
	exempt := map[int]bool{}
	output := -1 // the last line of an Example's output
	scan(name, source, func(line int, tok token.Token, text string) {
		if tok == token.COMMENT && (text == "// Output:" || line == output+1) {
			output = line
			exempt[line] = strings.HasSuffix(name, "_test.go")
		}
		if tok == token.STRING && (strings.Contains(text, "\n") || strings.HasSuffix(name, "_test.go")) {
			for i := range strings.Count(text, "\n") + 1 {
				exempt[line+i] = true
			}
		}
	})
	for i, line := range strings.Split(string(source), "\n") {
		if n := utf8.RuneCountInString(line); n > maxCode && !exempt[i+1] {
			found = append(found, finding{i + 1, fmt.Sprintf("the line has %d characters, want at most %d", n, maxCode)})
		}
	}
	return found
}

// markdownFindings checks the lengths of lines in a Markdown file. It exempts tables and code blocks.
func markdownFindings(_ string, source []byte) (found []finding) {
	code := false
	for i, line := range strings.Split(string(source), "\n") {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "```") {
			code = !code
			continue
		}
		if code || strings.HasPrefix(trimmed, "|") || strings.HasPrefix(line, "    ") {
			continue
		}
		if n := utf8.RuneCountInString(line); n > maxMarkdown {
			found = append(found, finding{i + 1, fmt.Sprintf("the line has %d characters, want at most %d", n, maxMarkdown)})
		}
	}
	return found
}

// TestFindings tests the checks themselves.
func TestFindings(t *testing.T) {
	for name, c := range map[string]struct {
		find   func(name string, source []byte) []finding
		file   string
		source string
		lines  []int
	}{
		"words":         {wordFindings, "a.go", "package a\n\n// f gives 1.\nfunc f() int {\n\treturn 1 // it Mends\n}\n", []int{3, 5}},
		"message":       {wordFindings, "a.go", "package a\n\nvar s = \"mend it\"\n", []int{3}},
		"wrapped":       {wordFindings, "a.go", "package a\n\n// f says\n// whether.\nvar s = \"gives\"\n", []int{3}},
		"code":          {codeFindings, "a.go", "package a\n\nvar s = `" + strings.Repeat("x", 120) + "`\n", []int{3}},
		"string":        {codeFindings, "a.go", "package a\n\nvar s = `\n" + strings.Repeat("x", 121) + "`\n", nil},
		"test data":     {codeFindings, "a_test.go", "package a\n\nvar s = `" + strings.Repeat("x", 120) + "`\n", nil},
		"output":        {codeFindings, "a_test.go", "package a\n\n// Output:\n// " + strings.Repeat("x", 120), nil},
		"after output":  {codeFindings, "a_test.go", "package a\n\n// Output:\n// x\n\n// " + strings.Repeat("x", 120), []int{6}},
		"test":          {codeFindings, "a_test.go", "package a\n\nvar s" + strings.Repeat("x", 120) + " = 1\n", []int{3}},
		"generated":     {codeFindings, "a.go", "// Code generated by x. DO NOT EDIT.\n\npackage a\n\n// " + strings.Repeat("x", 120), nil},
		"Markdown":      {markdownFindings, "a.md", strings.Repeat("ä", 140) + "\n" + strings.Repeat("ä", 141) + "\n", []int{2}},
		"Markdown code": {markdownFindings, "a.md", "```\n" + strings.Repeat("x", 141) + "\n```\n|" + strings.Repeat("x", 141), nil},
	} {
		var lines []int
		for _, f := range c.find(c.file, []byte(c.source)) {
			lines = append(lines, f.line)
		}
		if !slices.Equal(lines, c.lines) {
			t.Errorf("%s: got findings in lines %v, want %v", name, lines, c.lines)
		}
	}
}
