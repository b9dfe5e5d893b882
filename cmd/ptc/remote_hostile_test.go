package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestRemoteHostile requires no text of a service to reach the terminal as commands, or a shell as more than one word.
func TestRemoteHostile(t *testing.T) {
	const id, evil = "06h0kbxrxk0q0j96qh00rn7qmr", "\x1b[2J\n$(false)\u009b"
	pending := []map[string]string{{"kind": "approval", "id": "0#1" + evil, "tool": evil, "place": evil},
		{"kind": "question", "id": evil, "question": evil, "place": evil}}
	run := map[string]any{"id": evil, "state": "waiting", "name": evil, "reason": evil, "tenant": evil, "by": evil,
		"labels": map[string]string{evil: evil}, "pending": pending}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var answer any = run
		if r.URL.Path == "/v1/runs" || r.URL.Path == "/v1/pending" {
			answer = map[string]any{"runs": []any{run}}
		}
		if r.Method == http.MethodPost {
			answer = map[string]string{"id": evil, "state": evil}
		}
		w.Header().Set("Content-Type", "application/json")
		assert.NoError(t, json.NewEncoder(w).Encode(answer))
	}))
	t.Cleanup(s.Close)
	for _, words := range [][]string{{"run", "-e", "1", "--detach"}, {"run", "-e", "1"}, {"list"}, {"show", id},
		{"pending"}, {"result", id}, {"cancel", id}, {"approve", id, "all"}} {
		got := ptcWith("", append([]string{"remote", words[0], "--server", s.URL}, words[1:]...)...)
		shown := got.out + got.err
		assert.NotEmpty(t, shown, words)
		assert.NotContains(t, shown, "\x1b", words)
		assert.NotContains(t, shown, "\u009b", words)
		if words[0] == "run" {
			assert.Equal(t, exitService, got.code, words)
			assert.Contains(t, got.err, "want an answer of ptcd", words)
		}
		if command := strings.Index(shown, "ptc remote settle "); words[0] == "result" && assert.Positive(t, command, shown) {
			assert.Equal(t, "'␛[2J␤$(false)\ufffd'", strings.SplitN(shown[command:], " ", 5)[3])
		}
	}
}
