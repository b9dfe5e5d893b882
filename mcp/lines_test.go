package mcp_test

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/mcp"
)

// A line that is no message is answered with an error, and ends nothing.
func TestLinesThatAreNoMessages(t *testing.T) {
	s := serve(t, mcp.Options{})
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	over := make(chan error, 1)
	go func() { over <- s.ServeStdio(t.Context(), fromClient, toClient) }()
	answers := bufio.NewScanner(fromServer)
	answers.Buffer(nil, 1<<20)
	ask := func(line string) (answer struct {
		ID    any             `json:"id"`
		Error json.RawMessage `json:"error"`
	}) {
		_, err := io.WriteString(toServer, line+"\n")
		require.NoError(t, err)
		require.True(t, answers.Scan(), line)
		require.NoError(t, json.Unmarshal(answers.Bytes(), &answer), answers.Text())
		return answer
	}
	require.Empty(t, ask(initialize).Error)
	for line, code := range map[string]string{
		"not JSON": "-32700", "{": "-32700", "\x00\xff": "-32700", "{} {}": "-32700", strings.Repeat("[", 100_000): "-32700",
		"null": "-32600", "1": "-32600", `"x"`: "-32600", "{}": "-32600", "[]": "-32600", "[null]": "-32600",
		`{"jsonrpc":"1.0","id":5,"method":"ping"}`: "-32600", `{"jsonrpc":"2.0","id":7,"method":5}`: "-32600",
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`: "-32600",
	} {
		a := ask(line)
		require.Nil(t, a.ID, line)
		require.Contains(t, string(a.Error), `"code":`+code, line)
	}
	a := ask("\r\n \n" + `{"jsonrpc":"2.0","id":9,"method":"ping"}` + "\r")
	require.Equal(t, 9.0, a.ID)
	require.Empty(t, a.Error)
	a = ask(`{"jsonrpc":"2.0","id":10,"method":"prompts/get","params":{"name":"write_program","arguments":{"task":""}}}`)
	require.Contains(t, string(a.Error), `"code":-32602`)
	a = ask(`{"jsonrpc":"2.0","id":11,"method":"prompts/get","params":{"name":"write_program","arguments":{"task":"t","tools":","}}}`)
	require.Contains(t, string(a.Error), `"code":-32602`)
	require.NoError(t, toServer.Close())
	require.NoError(t, <-over)
}
