// Package token defines source positions.
//
// A Pos is one 32-bit number that names a byte of a file within a FileSet, so
// that a form can carry its place in four bytes. A Span adds the file, and is
// what an error message shows.
package token

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// Pos is a byte of a source file, counted through all files of its FileSet.
// The zero Pos means "no position".
type Pos uint32

// File is one source text. Its bytes occupy the positions Base to
// Base+len(Source) of the FileSet it belongs to.
type File struct {
	Name   string
	Source string
	Base   Pos
	lines  []int // byte offset of the start of each line
}

// NewFile gives a file that stands alone, with base 1.
func NewFile(name, source string) *File {
	return newFile(name, source, 1)
}

func newFile(name, source string, base Pos) *File {
	lines := []int{0}
	for off := 0; ; {
		i := strings.IndexByte(source[off:], '\n')
		if i < 0 {
			break
		}
		off += i + 1
		lines = append(lines, off)
	}
	return &File{Name: name, Source: source, Base: base, lines: lines}
}

// Pos gives the position of byte offset off of the file.
func (f *File) Pos(off int) Pos { return f.Base + Pos(off) }

// Offset gives the byte offset of p in the file.
func (f *File) Offset(p Pos) int { return int(p - f.Base) }

// Contains says whether p lies in the file (its end included).
func (f *File) Contains(p Pos) bool {
	return p >= f.Base && int(p-f.Base) <= len(f.Source)
}

// LineCol gives the 1-based line and the 1-based column, in code points, of a
// byte offset.
func (f *File) LineCol(off int) (line, col int) {
	off = min(max(off, 0), len(f.Source))
	line = sort.Search(len(f.lines), func(i int) bool { return f.lines[i] > off })
	return line, utf8.RuneCountInString(f.Source[f.lines[line-1]:off]) + 1
}

// LineStart returns the byte at which a 1-based line begins; the end of the source if there is no such line.
func (f *File) LineStart(line int) int {
	if line > len(f.lines) {
		return len(f.Source)
	}
	return f.lines[max(line, 1)-1]
}

// Line gives the text of a 1-based line without its line end.
func (f *File) Line(line int) string {
	if line < 1 || line > len(f.lines) {
		return ""
	}
	text := f.Source[f.lines[line-1]:]
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}
	return strings.TrimSuffix(text, "\r")
}

// Span is a stretch of source text: bytes Start to End (exclusive) of File.
// The zero Span means "no place known".
type Span struct {
	File       *File
	Start, End int
}

// IsZero says whether the span names no place.
func (s Span) IsZero() bool { return s.File == nil }

// String gives "file:line:col".
func (s Span) String() string {
	if s.File == nil {
		return "-"
	}
	line, col := s.File.LineCol(s.Start)
	return fmt.Sprintf("%s:%d:%d", s.File.Name, line, col)
}

// FileSet holds the files that positions may refer to. Add is not safe for
// concurrent use; look-ups are, once no more files are added.
type FileSet struct {
	files []*File
	next  Pos
}

// Add takes a source into the set and gives the file.
func (s *FileSet) Add(name, source string) *File {
	if s.next == 0 {
		s.next = 1
	}
	f := newFile(name, source, s.next)
	s.next += Pos(len(source)) + 1
	s.files = append(s.files, f)
	return f
}

// Span gives the one-byte span at p, or the zero Span if no file holds p.
func (s *FileSet) Span(p Pos) Span {
	if s == nil || p == 0 {
		return Span{}
	}
	i := sort.Search(len(s.files), func(i int) bool { return s.files[i].Base > p }) - 1
	if i < 0 || !s.files[i].Contains(p) {
		return Span{}
	}
	off := s.files[i].Offset(p)
	return Span{File: s.files[i], Start: off, End: off + 1}
}
