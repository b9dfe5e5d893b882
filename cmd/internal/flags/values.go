// This file defines the forms of the values of flags.

package flags

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
)

// Toggle returns the target of a flag that is written without a value.
func Toggle(on *bool) Target { return toggle{on} }

type toggle struct{ on *bool }

func (v toggle) String() string { return strconv.FormatBool(*v.on) }

func (v toggle) Set(text string) error {
	on, err := strconv.ParseBool(text)
	if err != nil {
		return errors.New("want no value, true or false")
	}
	*v.on = on
	return nil
}

// Word returns the target of a value that is taken unchanged.
func Word(text *string) Target { return word{text} }

type word struct{ text *string }

func (v word) String() string { return *v.text }

func (v word) Set(text string) error {
	*v.text = text
	return nil
}

// File returns the target of a value that names a file. An empty one is a mistake, such as a variable
// of a shell that is not set, and not a flag that was left out.
func File(name *string) Target { return file{name} }

type file struct{ name *string }

func (v file) String() string { return *v.name }

func (v file) Set(text string) error {
	if text == "" {
		return errors.New("want the name of a file")
	}
	*v.name = text
	return nil
}

// Func returns the target of values that a function takes.
func Func(set func(text string) error) Target { return setter(set) }

type setter func(text string) error

func (setter) String() string { return "" }

func (v setter) Set(text string) error { return v(text) }

// Duration returns the target of a time such as 30s.
func Duration(d *time.Duration, most time.Duration) Target { return duration{d, most} }

type duration struct {
	d    *time.Duration
	most time.Duration
}

func (v duration) String() string {
	return diag.Duration(*v.d)
}

func (v duration) Set(s string) error {
	d, err := time.ParseDuration(s)
	switch {
	case err != nil && isTime(s), d > v.most:
		return errors.New("want a time up to " + diag.Duration(v.most))
	case err != nil || d <= 0:
		return errors.New("want a time above 0 such as 500ms, 30s or 5m")
	}
	*v.d = d
	return nil
}

// isTime reports whether a string is a duration, even one that overflows Go's type.
func isTime(s string) bool {
	zeros := strings.Map(func(c rune) rune {
		if c >= '1' && c <= '9' {
			return '0'
		}
		return c
	}, s)
	_, err := time.ParseDuration(zeros)
	return err == nil && !strings.HasPrefix(s, "-")
}

// Count returns the target of a number such as 8 or 1_000_000.
func Count[T int | int64](n *T, most T) Target { return count[T]{n, most} }

type count[T int | int64] struct {
	n    *T
	most T
}

func (v count[T]) String() string {
	return strconv.FormatInt(int64(*v.n), 10)
}

func (v count[T]) Set(s string) error {
	n, err := strconv.ParseInt(strings.ReplaceAll(s, "_", ""), 10, 64)
	if errors.Is(err, strconv.ErrRange) && n > 0 || n > int64(v.most) {
		return fmt.Errorf("want a whole number up to %d", v.most)
	}
	if err != nil || n <= 0 {
		return errors.New("want a whole number above 0")
	}
	*v.n = T(n)
	return nil
}

// Size returns the target of a number of bytes such as 64MB; KB, MB and GB are powers of 1024.
func Size[T int | int64](n *T, least int64, most T) Target { return byteSize[T]{n, least, most} }

type byteSize[T int | int64] struct {
	n     *T
	least int64
	most  T
}

var sizeUnits = []string{"B", "KB", "MB", "GB"}

func (v byteSize[T]) String() string {
	return SizeText(int64(*v.n))
}

// SizeText returns a size in the largest unit that divides it.
func SizeText(n int64) string {
	unit := 0
	for unit+1 < len(sizeUnits) && n > 0 && n%1024 == 0 {
		n /= 1024
		unit++
	}
	return strconv.FormatInt(n, 10) + sizeUnits[unit]
}

func (v byteSize[T]) Set(s string) error {
	digits := strings.TrimRight(strings.ToUpper(s), "KMGIB")
	unit := strings.ReplaceAll(strings.ToUpper(s)[len(digits):], "I", "") // KiB is KB
	if unit == "" || unit != "B" && !strings.HasSuffix(unit, "B") {
		unit += "B"
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(digits, "_", ""), 10, 64)
	shift := 10 * slices.Index(sizeUnits, unit)
	switch {
	case (err == nil || errors.Is(err, strconv.ErrRange)) && shift >= 0 && n > int64(v.most)>>shift:
		return errors.New("want a size up to " + SizeText(int64(v.most)))
	case err != nil || n <= 0 || shift < 0:
		return errors.New("want a size above 0 such as 500KB, 64MB or 2GB")
	case n<<shift < v.least:
		return errors.New("want at least " + SizeText(v.least))
	}
	*v.n = T(n << shift)
	return nil
}

// Least returns the smallest value that a target takes, in the form of the flag; "" if it takes any.
func Least(t Target) string {
	switch v := t.(type) {
	case byteSize[int]:
		return SizeText(v.least)
	case byteSize[int64]:
		return SizeText(v.least)
	case duration:
		return "1ns"
	case count[int], count[int64]:
		return "1"
	}
	return ""
}

// Most returns the largest value that a target takes, in the form of the flag; "" if it takes any.
func Most(t Target) string {
	switch v := t.(type) {
	case byteSize[int]:
		return SizeText(int64(v.most))
	case byteSize[int64]:
		return SizeText(v.most)
	case duration:
		return diag.Duration(v.most)
	case count[int]:
		return strconv.Itoa(v.most)
	case count[int64]:
		return strconv.FormatInt(v.most, 10)
	}
	return ""
}
