// This file defines recordings of the answers of a model, and the server that replays them.

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

// recording is the file of -record and -replay. It has no keys and no requests, which have the card.
type recording struct {
	API     string   `json:"api"`
	Answers []answer `json:"answers"`
}

// answer is the body of an answer. Messages is the number of messages of its request, the system prompt left out.
type answer struct {
	Path     string          `json:"path"`
	Messages int             `json:"messages"`
	Body     json.RawMessage `json:"body"`
}

// about returns the part of a request that a recording has.
func about(path string, body []byte) (answer, error) {
	var r struct {
		Messages []message `json:"messages"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return answer{}, err
	}
	n := len(r.Messages)
	if n > 0 && r.Messages[0].Role == "system" {
		n--
	}
	return answer{Path: path, Messages: n}, nil
}

// recorder keeps the answers that pass through it.
type recorder struct {
	api, base string
	to        http.RoundTripper
	answers   []answer
}

// RoundTrip sends a request, and keeps the answer if its status is 200.
func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	asked, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	again := req.Clone(req.Context())
	again.Body = io.NopCloser(bytes.NewReader(asked))
	res, err := r.to.RoundTrip(again)
	if err != nil || res.StatusCode != http.StatusOK {
		return res, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxBody))
	if err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	one, err := about(strings.TrimPrefix(req.URL.String(), r.base), asked)
	if err != nil {
		return nil, err
	}
	one.Body = body
	r.answers = append(r.answers, one)
	return res, nil
}

// write writes the recording.
func (r *recorder) write(file string) error {
	text, err := json.MarshalIndent(recording{r.api, r.answers}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o600)
}

// replay returns a model whose endpoint is a server with the answers of a file. stop ends the server, and reports an
// answer that nobody asked for.
func replay(file string) (m *model, stop func() error, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	s := &script{}
	if err := json.Unmarshal(text, &s.recording); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	server := &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	over := make(chan error, 1)
	go func() { over <- server.Serve(l) }()
	client := &http.Client{Transport: &http.Transport{}}
	stop = func() error {
		client.CloseIdleConnections()
		err := server.Close()
		<-over
		if left := len(s.Answers) - s.given; err == nil && left > 0 {
			err = fmt.Errorf("%s: %d of %d answers were not asked for", file, left, len(s.Answers))
		}
		return err
	}
	m = &model{api: s.API, base: "http://" + l.Addr().String(), name: "replay", client: client}
	return m, stop, m.complete()
}

// script is the handler that replays the answers of a recording, in their order.
type script struct {
	recording
	mu    sync.Mutex
	given int
}

// ServeHTTP answers with status 400 if the conversation differs from the recorded one.
func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	got, err := about(r.URL.Path, body)
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
	case s.given == len(s.Answers):
		http.Error(w, fmt.Sprintf("all %d answers of the recording are given", s.given), http.StatusBadRequest)
	case got.Path != s.Answers[s.given].Path || got.Messages != s.Answers[s.given].Messages:
		want := s.Answers[s.given]
		http.Error(w, fmt.Sprintf("answer %d: got %s with %d messages, want %s with %d", s.given+1, got.Path, got.Messages,
			want.Path, want.Messages), http.StatusBadRequest)
	default:
		w.Header().Set("Content-Type", "application/json")
		w.Write(s.Answers[s.given].Body) // a client that hangs up does not want it
		s.given++
	}
}
