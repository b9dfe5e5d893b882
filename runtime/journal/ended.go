// This file defines how far the run of a journal has come, for those who compare two moments.

package journal

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// over are the types of the lines after which an effect is not done again. Others follow also when a resumed run does
// the same again.
var over = []string{"end", "skip", "settle", "withdraw"}

// Ended returns the number of lines of a journal that end an effect. It increases if a run makes progress,
// and stays the same if a resumed run only gets as far as before. It checks nothing, takes 64 KB, and reads
// a gigabyte in a second.
func Ended(from io.Reader) (n int, err error) {
	if from == nil {
		return 0, errors.New("journal: got a nil reader, want one")
	}
	in := bufio.NewReaderSize(from, 64<<10)
	for first, ended := true, false; ; {
		part, err := in.ReadSlice('\n')
		if first {
			ended = ends(part)
		}
		switch {
		case err == nil && ended:
			n++
			fallthrough
		case err == nil:
			first = true
		case errors.Is(err, bufio.ErrBufferFull):
			first = false
		case errors.Is(err, io.EOF): // the last line may be torn
			return n, nil
		default:
			return n, err
		}
	}
}

// ends reports whether a line, given by its beginning, ends an effect.
func ends(text []byte) bool {
	for _, t := range over {
		if bytes.HasPrefix(text, newLine(t)) {
			return true
		}
	}
	return false
}
