// Package token defines source positions.
//
// A Pos is a 32-bit number that identifies a byte of a file within a FileSet, so that a form stores
// its position in four bytes. A Span adds the file; error messages show spans.
package token

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// Pos is the position of a byte, counted through all files of its FileSet. The zero Pos means "no
// position".
type Pos uint32

// File is one source file. Its bytes occupy the positions Base to Base+len(Source) of the FileSet
// it belongs to.
type File struct {
	Name   string
	Source string
	Base   Pos
	lines  []int // byte offset of the start of each line
}

// NewFile returns a file that belongs to no set. Its base is 1.
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

// Pos returns the position of byte offset off of the file.
func (f *File) Pos(off int) Pos { return f.Base + Pos(off) }

// Offset returns the byte offset of p in the file.
func (f *File) Offset(p Pos) int { return int(p - f.Base) }

// Contains reports whether p lies in the file, including the position after its last byte.
func (f *File) Contains(p Pos) bool {
	return p >= f.Base && int(p-f.Base) <= len(f.Source)
}

// LineCol returns the 1-based line and column of a byte offset. The column counts code points.
func (f *File) LineCol(off int) (line, col int) {
	off = min(max(off, 0), len(f.Source))
	line = sort.Search(len(f.lines), func(i int) bool { return f.lines[i] > off })
	if line == 0 { // of the zero File, which has no lines
		return 1, 1
	}
	return line, utf8.RuneCountInString(f.Source[f.lines[line-1]:off]) + 1
}

// LineStart returns the byte offset at which a 1-based line begins, or the end of the source if
// there is no such line.
func (f *File) LineStart(line int) int {
	line = max(line, 1)
	if line > len(f.lines) {
		return len(f.Source)
	}
	return f.lines[line-1]
}

// Line returns a 1-based line without its line end, or "" if there is no such line.
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

// Span is a range of source text: bytes Start to End (exclusive) of File. The zero Span means that
// the position is unknown.
type Span struct {
	File       *File
	Start, End int
}

// IsZero reports whether s is the zero Span.
func (s Span) IsZero() bool { return s.File == nil }

// String returns "file:line:col", or "-" for the zero Span.
func (s Span) String() string {
	if s.File == nil {
		return "-"
	}
	line, col := s.File.LineCol(s.Start)
	return fmt.Sprintf("%s:%d:%d", s.File.Name, line, col)
}

// FileSet holds the files that positions refer to. Add is not safe for concurrent use. Look-ups
// are, once no more files are added.
type FileSet struct {
	files []*File
	next  Pos
}

// Add adds a source to the set and returns its file.
func (s *FileSet) Add(name, source string) *File {
	if s.next == 0 {
		s.next = 1
	}
	f := newFile(name, source, s.next)
	s.next += Pos(len(source)) + 1
	s.files = append(s.files, f)
	return f
}

// Files returns the files of the set. The caller does not change them.
func (s *FileSet) Files() []*File {
	if s == nil {
		return nil
	}
	return s.files
}

// Span returns the one-byte span at p, or the zero Span if no file contains p.
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
