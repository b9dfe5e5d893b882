// This file defines the model: an endpoint of one of the two common forms, over net/http.

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// message is a part of the conversation. Its role is system, user or assistant; the first one is of the system.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// tokens are the cost of a conversation. Cached is a part of Read.
type tokens struct{ Read, Cached, Written int }

// model is an endpoint.
type model struct {
	api, base, name, key string
	client               *http.Client
	firstWait            time.Duration // before a second attempt; it doubles after each
	used                 tokens
}

// The forms of endpoints.
const (
	openAI    = "openai"
	anthropic = "anthropic"
)

// maxAnswer bounds an answer of the model, in tokens. Only endpoints of the form anthropic need a bound.
const maxAnswer = 4096

// complete checks the settings, and completes the base URL.
func (m *model) complete() error {
	defaults := map[string]string{openAI: "https://api.openai.com/v1", anthropic: "https://api.anthropic.com/v1"}
	known, ok := defaults[m.api]
	switch {
	case !ok:
		return fmt.Errorf("AGENT_API: got %q, want openai or anthropic; or answer from a file with -replay", m.api)
	case m.name == "":
		return fmt.Errorf("AGENT_MODEL: want the name of a model of %s", m.api)
	case m.base == "":
		m.base = known
	}
	m.base = strings.TrimRight(m.base, "/")
	return nil
}

// ask returns the next message of the model.
func (m *model) ask(ctx context.Context, talk []message) (string, error) {
	path, body := "/chat/completions", any(map[string]any{"model": m.name, "messages": talk})
	if m.api == anthropic {
		path, body = "/messages", m.anthropicBody(talk)
	}
	text, err := json.Marshal(body)
	if err != nil {
		return "", err
	}
	got, err := m.post(ctx, path, text)
	if err != nil {
		return "", fmt.Errorf("%s%s: %w", m.base, path, err)
	}
	if m.api == anthropic {
		return m.anthropicAnswer(got)
	}
	return m.openAIAnswer(got)
}

// anthropicBody marks the card, which is the same in each request, for the cache of the endpoint. Endpoints of the
// other form find the common beginning of requests by themselves.
func (m *model) anthropicBody(talk []message) any {
	return map[string]any{"model": m.name, "max_tokens": maxAnswer, "messages": talk[1:],
		"system": []any{map[string]any{"type": "text", "text": talk[0].Content,
			"cache_control": map[string]string{"type": "ephemeral"}}}}
}

func (m *model) anthropicAnswer(body []byte) (string, error) {
	var a struct {
		Content []struct{ Type, Text string } `json:"content"`
		Usage   struct {
			Input   int `json:"input_tokens"`
			Output  int `json:"output_tokens"`
			Cached  int `json:"cache_read_input_tokens"`
			Written int `json:"cache_creation_input_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(body, &a); err != nil {
		return "", fmt.Errorf("the answer of the model: %w", err)
	}
	m.used.Read += a.Usage.Input + a.Usage.Cached + a.Usage.Written
	m.used.Cached += a.Usage.Cached
	m.used.Written += a.Usage.Output
	var b strings.Builder
	for _, c := range a.Content {
		b.WriteString(c.Text) // of blocks of text; others, such as thinking, have none
	}
	return b.String(), nil
}

func (m *model) openAIAnswer(body []byte) (string, error) {
	var a struct {
		Choices []struct{ Message message } `json:"choices"`
		Usage   struct {
			Prompt     int `json:"prompt_tokens"`
			Completion int `json:"completion_tokens"`
			Details    struct {
				Cached int `json:"cached_tokens"`
			} `json:"prompt_tokens_details"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(body, &a); err != nil {
		return "", fmt.Errorf("the answer of the model: %w", err)
	}
	if len(a.Choices) == 0 {
		return "", fmt.Errorf("the answer of the model has no choices: %.200s", body)
	}
	m.used.Read += a.Usage.Prompt
	m.used.Cached += a.Usage.Details.Cached
	m.used.Written += a.Usage.Completion
	return a.Choices[0].Message.Content, nil
}

// Bounds of requests.
const (
	attempts = 4
	maxBody  = 16 << 20
)

// post sends a request, again if the endpoint is busy, and returns the body of its answer.
func (m *model) post(ctx context.Context, path string, body []byte) ([]byte, error) {
	for i := 0; ; i++ {
		got, wait, err := m.once(ctx, path, body)
		if err == nil || wait < 0 || i == attempts-1 {
			return got, err
		}
		select {
		case <-time.After(max(wait, m.firstWait<<i)):
		case <-ctx.Done():
			return nil, err
		}
	}
}

// once sends a request. If it fails, wait is the least time until another attempt, or negative if none makes sense.
func (m *model) once(ctx context.Context, path string, body []byte) (got []byte, wait time.Duration, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, m.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, -1, err
	}
	r.Header.Set("Content-Type", "application/json")
	if m.api == anthropic {
		r.Header.Set("X-Api-Key", m.key)
		r.Header.Set("Anthropic-Version", "2023-06-01")
	} else if m.key != "" {
		r.Header.Set("Authorization", "Bearer "+m.key)
	}
	a, err := m.client.Do(r)
	if err != nil {
		return nil, 0, err
	}
	defer a.Body.Close()
	got, err = io.ReadAll(io.LimitReader(a.Body, maxBody))
	switch {
	case err != nil:
		return nil, 0, err
	case a.StatusCode == http.StatusOK:
		return got, 0, nil
	case a.StatusCode == http.StatusTooManyRequests || a.StatusCode >= 500:
		seconds, _ := strconv.Atoi(a.Header.Get("Retry-After")) // 0 if there is none
		wait = time.Duration(seconds) * time.Second
	default:
		wait = -1
	}
	return nil, wait, fmt.Errorf("status %s: %.500s", a.Status, got)
}
