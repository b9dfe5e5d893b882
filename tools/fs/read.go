// This file defines the tools that read the content of files.

package fs

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// ReadArgs are the arguments of fs.read.
type ReadArgs struct {
	Path     string `json:"path"`
	Encoding string `json:"encoding,omitempty" jsonschema:"utf-8 (default), latin-1, or base64 for other bytes"`
}

func (f *Files) read(ctx context.Context, in ReadArgs) (string, error) {
	file, err := f.Reader(ctx, in.Path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	most := f.Most(ctx)
	if file.Size > most {
		return "", tooLarge(file.Shown, file.Size, most)
	}
	content, err := io.ReadAll(io.LimitReader(file, most+1))
	switch {
	case err != nil:
		return "", Failure(file.Shown, err)
	case int64(len(content)) > most: // it has grown, or does not know its size
		return "", tooLarge(file.Shown, int64(len(content)), most)
	case in.Encoding == "base64":
		return base64.StdEncoding.EncodeToString(content), nil
	}
	text, err := Decode(file.Shown, content, 0, in.Encoding)
	if err == nil {
		err = tool.Fits(ctx, text)
	}
	return text, err
}

func tooLarge(shown string, size, most int64) error {
	return &tool.Error{Code: "too-large", Data: map[string]int64{"size": size, "most": most},
		Message: fmt.Sprintf("%s has %d bytes or more, a call may read %d; read it in windows, with fs.lines, csv.read "+
			"or jsonl.read", shown, size, most)}
}

// Decode returns the text of bytes that begin at offset in a file. The encoding is utf-8,
// which "" means too, or latin-1.
func Decode(shown string, content []byte, offset int64, encoding string) (string, error) {
	switch strings.ToLower(encoding) {
	case "", "utf-8", "utf8":
		if utf8.Valid(content) {
			return string(content), nil
		}
		at := offset + int64(firstInvalid(content))
		return "", &tool.Error{Code: "not-text", Data: map[string]int64{"offset": at},
			Message: fmt.Sprintf(`%s is no UTF-8 text: byte %d; say :encoding "latin-1", `+
				`or read it with fs.read and :encoding "base64"`, shown, at)}
	case "latin-1", "latin1", "iso-8859-1":
		var text strings.Builder
		text.Grow(len(content))
		for _, b := range content {
			text.WriteRune(rune(b))
		}
		return text.String(), nil
	}
	return "", &tool.Error{Code: effect.CodeBadArguments,
		Message: fmt.Sprintf("got the encoding %q, want utf-8, latin-1 or, with fs.read, base64", encoding)}
}

// firstInvalid returns the offset of the first byte that is part of no UTF-8 character.
func firstInvalid(content []byte) int {
	for at := 0; at < len(content); {
		r, n := utf8.DecodeRune(content[at:])
		if r == utf8.RuneError && n == 1 {
			return at
		}
		at += n
	}
	return len(content)
}

// LinesArgs are the arguments of fs.lines.
type LinesArgs struct {
	Path     string `json:"path"`
	From     int64  `json:"from,omitempty" jsonschema:"first byte; 0 or :next of the previous window"`
	Limit    int    `json:"limit,omitempty" jsonschema:"maximum number of lines; default 1000"`
	Encoding string `json:"encoding,omitempty" jsonschema:"utf-8 (the default) or latin-1"`
}

// Lines is a window of the lines of a file.
type Lines struct {
	Lines []string `json:"lines"`
	Next  *int64   `json:"next,omitempty" jsonschema:"where the next window begins; absent at the end of the file"`
}

func (f *Files) lines(ctx context.Context, in LinesArgs) (Lines, error) {
	out := Lines{Lines: []string{}}
	next, err := f.Window(ctx, in.Path, in.From, in.Limit, func(line []byte, at int64) error {
		text, err := Decode(in.Path, line, at, in.Encoding)
		out.Lines = append(out.Lines, text)
		return err
	})
	out.Next = next
	return out, err
}

// The bounds of a window.
const (
	DefaultLimit = 1000
	MaxLimit     = 100_000
	maxWindow    = 1 << 20 // bytes, so that a program can go through a file of any size in little memory
)

// Window calls f with up to limit lines of a file, beginning at byte from, each without its line end and
// with its position; f must not keep the line. It returns the place where the next window begins, nil at
// the end of the file. A limit of 0 means DefaultLimit.
func (f *Files) Window(ctx context.Context, name string, from int64, limit int,
	line func(text []byte, at int64) error) (next *int64, err error) {
	if limit, err = CheckWindow(from, limit); err != nil {
		return nil, err
	}
	file, err := f.Reader(ctx, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if _, err := file.Seek(from, io.SeekStart); err != nil {
		return nil, Failure(file.Shown, err)
	}
	most := min(f.Most(ctx), maxWindow)
	r := bufio.NewReaderSize(io.LimitReader(file, most+1), 32<<10)
	at := from
	for range limit {
		text, err := r.ReadBytes('\n')
		end := errors.Is(err, io.EOF)
		cut := end && at+int64(len(text)) > from+most // the line may continue beyond the window
		switch {
		case err != nil && !end:
			return nil, Failure(file.Shown, err)
		case cut && at == from:
			return nil, &tool.Error{Code: "too-large", Message: fmt.Sprintf("%s: the line at byte %d has more than %d "+
				"bytes, which is all that a window may have", file.Shown, at, most)}
		case cut:
			return &at, nil // the line begins the next window
		case end && len(text) == 0:
			return nil, nil
		}
		if err := line(trimEnd(text), at); err != nil {
			return nil, err
		}
		at += int64(len(text))
	}
	if _, err := r.Peek(1); errors.Is(err, io.EOF) && at <= from+most {
		return nil, nil
	}
	return &at, nil
}

// CheckWindow checks the bounds of a window that a program asks for, and returns the limit.
func CheckWindow(from int64, limit int) (int, error) {
	switch {
	case from < 0:
		return 0, &tool.Error{Code: effect.CodeBadArguments,
			Message: fmt.Sprintf("got :from %d, want 0 or the :next of a window", from)}
	case limit < 0 || limit > MaxLimit:
		return 0, &tool.Error{Code: effect.CodeBadArguments, Message: fmt.Sprintf("got :limit %d, want 1 to %d", limit,
			MaxLimit)}
	case limit == 0:
		return DefaultLimit, nil
	}
	return limit, nil
}

func trimEnd(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
}

// Line returns the number of the line, from 1, to which a byte of a file belongs, for an error message; 0 if it
// is unknown.
func (f *Files) Line(ctx context.Context, name string, offset int64) int {
	file, err := f.Reader(ctx, name)
	if err != nil {
		return 0
	}
	defer file.Close()
	line, chunk := 1, make([]byte, 32<<10)
	for r := io.LimitReader(file, offset); ; {
		n, err := r.Read(chunk)
		line += bytes.Count(chunk[:n], []byte("\n"))
		if errors.Is(err, io.EOF) {
			return line
		} else if err != nil {
			return 0
		}
	}
}
