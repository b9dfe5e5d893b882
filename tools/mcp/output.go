// This file defines the standard output of a server that is a command.

package mcp

import (
	"bufio"
	"bytes"
	"io"
)

// maxBanner bounds the bytes that a process may print before its first message.
const maxBanner = 64 << 10

// childOutput is the standard output of a process. Lines before its first message are taken for its standard error:
// some servers, or the libraries that they load, greet when they start. Any other line that is no message ends the
// connection.
type childOutput struct {
	io.Closer
	in     *bufio.Reader
	banner io.Writer
	first  []byte // of the first message, which was not read yet
	begun  bool
}

func newChildOutput(c *child) *childOutput {
	return &childOutput{Closer: c.out, in: bufio.NewReaderSize(c.out, maxBanner), banner: c.stderr}
}

// Read implements io.Reader.
func (o *childOutput) Read(p []byte) (int, error) {
	for printed := 0; !o.begun; {
		line, err := o.in.ReadSlice('\n')
		printed += len(line)
		if o.begun = err != nil || beginsMessage(line) || printed > maxBanner; o.begun {
			o.first = bytes.Clone(line)
			break
		}
		_, _ = o.banner.Write(line) // it never fails
	}
	if len(o.first) > 0 {
		n := copy(p, o.first)
		o.first = o.first[n:]
		return n, nil
	}
	return o.in.Read(p)
}

// beginsMessage reports whether a line begins a message, or a batch of messages.
func beginsMessage(line []byte) bool {
	line = bytes.TrimSpace(line)
	if bytes.HasPrefix(line, []byte("[")) {
		line = bytes.TrimSpace(line[1:])
	}
	return bytes.HasPrefix(line, []byte("{"))
}
