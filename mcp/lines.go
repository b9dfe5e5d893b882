// This file defines how the lines of a client are read.

package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// lines reads the messages of a client, one on each line. A line that is not a message is answered with an
// error, and dropped: the SDK would end the connection.
type lines struct {
	from   io.ReadCloser
	in     *bufio.Reader
	answer io.Writer
	rest   []byte // of a line, which was not read yet
}

func newLines(from io.ReadCloser, answer io.Writer) *lines {
	return &lines{from: from, in: bufio.NewReader(from), answer: answer}
}

// Read implements io.Reader.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.next()
		if err != nil {
			return 0, err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		wrong := wrongMessage(line)
		if wrong == nil {
			l.rest = line
			break
		}
		if err := l.refuse(wrong); err != nil {
			return 0, err
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// next returns the next line, with its end.
func (l *lines) next() (line []byte, err error) {
	for {
		part, err := l.in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxMessageBytes:
			return nil, fmt.Errorf("mcp: a message of the client has more than %d bytes", maxMessageBytes)
		case err == io.EOF && len(line) > 0:
			return append(line, '\n'), nil
		case err != bufio.ErrBufferFull:
			return line, err
		}
	}
}

// Close implements io.Closer.
func (l *lines) Close() error { return l.from.Close() }

// refuse answers a line that is no message.
func (l *lines) refuse(wrong *jsonrpc.Error) error {
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": wrong})
	if err != nil {
		return err
	}
	_, err = l.answer.Write(append(text, '\n'))
	return err
}

// wrongMessage returns the error in a line; nil if it is a message, or a batch of them.
func wrongMessage(line []byte) *jsonrpc.Error {
	if !json.Valid(line) {
		return &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "the line is not JSON"}
	}
	all := []json.RawMessage{line}
	if bytes.TrimSpace(line)[0] == '[' {
		all = nil
		if json.Unmarshal(line, &all) != nil || len(all) == 0 {
			return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the batch is empty"}
		}
	}
	for _, one := range all {
		if _, err := jsonrpc.DecodeMessage(one); err != nil {
			return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the line is no message of JSON-RPC 2.0"}
		}
	}
	return nil
}

// lockedWriter lets several goroutines write whole messages.
type lockedWriter struct {
	io.WriteCloser
	mu sync.Mutex
}

// Write implements io.Writer.
func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.WriteCloser.Write(p)
}
