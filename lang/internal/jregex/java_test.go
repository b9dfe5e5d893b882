package jregex

// This file compares the package with java.util.regex of Java 17.

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// unescape decodes the table's \n, \t, \\ and \uxxxx.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'u':
			n, _ := strconv.ParseUint(s[i+1:i+5], 16, 32)
			b.WriteRune(rune(n))
			i += 4
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

func locText(loc []int) string {
	if loc == nil {
		return "nil"
	}
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(loc), "[]"), " ", ",")
}

func allText(t *testing.T, re *Regexp, s string) string {
	t.Helper()
	var out []string
	sc := re.Scan(s, nil)
	for {
		loc, err := sc.Next()
		if err != nil {
			t.Fatal(err)
		}
		if loc == nil {
			return strings.Join(out, ";")
		}
		out = append(out, locText(loc))
	}
}

func splitText(re *Regexp, s string, limit int) string {
	var out []string
	_ = Split(re, s, limit, nil, func(p string) error { out = append(out, p); return nil })
	if out == nil {
		return "\x02"
	}
	return strings.Join(out, "\x01")
}

func replaceText(re *Regexp, s, replacement string) string {
	var b strings.Builder
	replaced, err := Replace(re, s, replacement, false, nil, func(p string) error { b.WriteString(p); return nil })
	if err != nil {
		return "!" + err.Error()
	}
	if !replaced {
		return s
	}
	return b.String()
}

var tableLimits = Limits{1 << 10, 100_000}

// checkLine compares one line. It returns false if the pattern is not supported.
func checkLine(t *testing.T, cols []string) bool {
	t.Helper()
	pattern := unescape(cols[0])
	re, err := Compile(pattern, tableLimits)
	if e, ok := errors.AsType[*Error](err); ok && e.Kind != Syntax {
		return false
	}
	if want, bad := strings.CutPrefix(cols[1], "!"); bad && len(cols) == 2 {
		if err == nil {
			t.Errorf("%q: no error, want %s", pattern, want)
		} else if e, _ := errors.AsType[*Error](err); e.Message != want {
			t.Errorf("%q: error %s, want %s", pattern, e.Message, want)
		}
		return true
	}
	if err != nil {
		t.Errorf("%q: %v", pattern, err)
		return true
	}
	s := unescape(cols[1])
	check := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s of %q in %q:\n got %q\nwant %q", what, pattern, s, got, want)
		}
	}
	check("matches", allText(t, re, s), cols[2])
	full, _ := re.FullMatch(nil, s, nil)
	check("full match", locText(full), cols[3])
	limit, _ := strconv.Atoi(cols[4])
	check("split "+cols[4], splitText(re, s, limit), unescape(cols[5]))
	if !strings.HasPrefix(cols[7], "!") {
		check("replacement "+cols[6], replaceText(re, s, unescape(cols[6])), unescape(cols[7]))
	} else {
		check("replacement "+cols[6], replaceText(re, s, unescape(cols[6])), cols[7])
	}
	return true
}

func TestAgainstJava(t *testing.T) {
	files, _ := filepath.Glob("testdata/java*.tsv")
	checked, skipped := 0, 0
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for sc := bufio.NewScanner(f); sc.Scan(); {
			if strings.HasPrefix(sc.Text(), "#") && len(strings.Split(sc.Text(), "\t")) == 1 {
				continue
			}
			if checkLine(t, strings.Split(sc.Text(), "\t")) {
				checked++
			} else {
				skipped++
			}
		}
	}
	t.Logf("%d checked, %d with constructs that are not supported", checked, skipped)
	if checked < 1000 {
		t.Error("too few cases")
	}
}
