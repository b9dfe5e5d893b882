// This file tests the server of Codex CLI, which its editor extensions drive, as a client of ptc mcp.

package mcp_test

import (
	"bufio"
	"encoding/json"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// codexMessage is a message of codex app-server.
type codexMessage struct {
	ID     json.RawMessage
	Method string
	Params struct {
		TurnID  string
		Message string
		Turn    struct{ ID, Status string }
	}
	Result struct{ Thread struct{ ID string } }
}

// codexServer is a codex app-server with a turn under way.
type codexServer struct {
	t      *testing.T
	in     io.Writer
	out    *bufio.Reader
	thread string
}

// startCodex begins a turn.
func (a *agent) startCodex(t *testing.T) *codexServer {
	cmd := a.cmd(t, "codex", "app-server")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	s := &codexServer{t: t, in: in, out: bufio.NewReader(out)}
	s.send(object{"id": 1, "method": "initialize", "params": object{"clientInfo": object{"name": "test", "title": "test", "version": "1"}}})
	s.send(object{"method": "initialized"})
	s.send(object{"id": 2, "method": "thread/start", "params": object{"approvalPolicy": "on-request"}})
	s.thread = s.until(func(m codexMessage) bool { return m.Result.Thread.ID != "" }).Result.Thread.ID
	s.send(object{"id": 3, "method": "turn/start", "params": object{"threadId": s.thread,
		"input": []any{object{"type": "text", "text": "go"}}}})
	return s
}

func (s *codexServer) send(m object) {
	text, err := json.Marshal(m)
	require.NoError(s.t, err)
	_, err = s.in.Write(append(text, '\n'))
	require.NoError(s.t, err)
}

// until reads messages until one is wanted.
func (s *codexServer) until(wanted func(codexMessage) bool) codexMessage {
	for {
		line, err := s.out.ReadBytes('\n')
		require.NoError(s.t, err)
		var m codexMessage
		if json.Unmarshal(line, &m) == nil && wanted(m) {
			return m
		}
	}
}

// named wants messages with a method.
func named(method string) func(codexMessage) bool {
	return func(m codexMessage) bool { return m.Method == method }
}

// TestCodexApproval has Codex ask twice: whether the tool may be called, which is its own question, and the
// question of ptc.
func TestCodexApproval(t *testing.T) {
	for action, want := range map[string]string{"accept": "written", "decline": ""} {
		a := newCodex(t)
		a.model.script = a.writeScript()
		a.configureCodex(t, "--approval", "write")
		s := a.startCodex(t)
		first := s.until(named("mcpServer/elicitation/request"))
		s.send(object{"id": first.ID, "result": object{"action": "accept"}})
		second := s.until(named("mcpServer/elicitation/request"))
		require.Contains(t, second.Params.Message, "Call tool/fs.write (idempotent), at program:1:1")
		answer := object{"action": action}
		if action == "accept" {
			answer["content"] = object{"decision_1": "approve"}
		}
		s.send(object{"id": second.ID, "result": answer})
		require.Equal(t, "completed", s.until(named("turn/completed")).Params.Turn.Status)
		a.wantNote(t, want)
	}
}

// TestCodexCancel interrupts Codex in a call.
func TestCodexCancel(t *testing.T) {
	slow := newSlow(t)
	a := newCodex(t)
	a.model.script = slow.script()
	a.configureCodex(t, "--allow-http", slow.host()+"=GET")
	s := a.startCodex(t)
	turn := s.until(named("turn/started")).Params.Turn.ID
	first := s.until(named("mcpServer/elicitation/request"))
	s.send(object{"id": first.ID, "result": object{"action": "accept"}})
	await(t, slow.begun, "the call")
	s.send(object{"id": 4, "method": "turn/interrupt", "params": object{"threadId": s.thread, "turnId": turn}})
	await(t, slow.ended, "the end of the call")
	require.Equal(t, "interrupted", s.until(named("turn/completed")).Params.Turn.Status)
}
