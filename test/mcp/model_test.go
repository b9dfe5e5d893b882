// This file defines a model whose answers are scripted, with the endpoints that coding agents speak.

package mcp_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// say is an answer of the model: a call of a tool whose name ends so, or words.
type say struct {
	tool  string
	args  map[string]any
	words string
}

// offered is a tool that the application offers to the model.
type offered struct {
	Name, Description string
	Schema            json.RawMessage
	namespace         string
}

// question is a request to the model, in the terms that all endpoints share.
type question struct {
	tools   []offered
	results []string // of the calls so far
}

// model answers with the part of its script that follows the results that a request has. A request without
// run_program, such as one for a title, gets a word.
type model struct {
	*httptest.Server
	script []say

	mu      sync.Mutex
	asked   []question // those with run_program
	strange []string   // requests that no endpoint takes
}

func newModel(t *testing.T) *model {
	m := &model{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", m.answer(anthropicQuestion, anthropicAnswer))
	mux.HandleFunc("POST /v1/responses", m.answer(responsesQuestion, responsesAnswer))
	mux.HandleFunc("POST /v1/chat/completions", m.answer(chatQuestion, chatAnswer))
	mux.HandleFunc("POST /v1beta/models/{call}", m.answer(geminiQuestion, geminiAnswer))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.strange = append(m.strange, r.Method+" "+r.URL.Path)
		http.NotFound(w, r)
	})
	m.Server = httptest.NewServer(mux)
	t.Cleanup(m.Close)
	return m
}

// answer returns the handler of an endpoint.
func (m *model) answer(read func([]byte) (question, error), write func(event func(string, any), q question, s say)) (
	handler http.HandlerFunc) {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var q question
		if err == nil {
			q, err = read(body)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		s := m.next(q)
		w.Header().Set("Content-Type", "text/event-stream")
		write(func(name string, data any) {
			text, err := json.Marshal(data)
			if err != nil {
				panic(err)
			}
			if data == any(end{}) {
				text = []byte("[DONE]")
			}
			if name != "" {
				fmt.Fprintf(w, "event: %s\n", name)
			}
			fmt.Fprintf(w, "data: %s\n\n", text)
		}, q, s)
	}
}

// next returns the answer to a question.
func (m *model) next(q question) say {
	m.mu.Lock()
	defer m.mu.Unlock()
	if q.named("run_program").Name == "" {
		return say{words: "title"}
	}
	m.asked = append(m.asked, q)
	if len(q.results) >= len(m.script) {
		return say{words: "the script is over"}
	}
	return m.script[len(q.results)]
}

// last returns the last question, which has all results.
func (m *model) last() question {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.asked) == 0 {
		return question{}
	}
	return m.asked[len(m.asked)-1]
}

// named returns the tool whose name ends so.
func (q question) named(end string) offered {
	for _, t := range q.tools {
		if strings.HasSuffix(t.Name, end) {
			return t
		}
	}
	return offered{}
}

// number is the number of the next call in the conversation.
func (q question) number() string { return fmt.Sprintf("call_%d", len(q.results)) }

// argumentsOf returns the arguments of a call as JSON.
func argumentsOf(s say) string {
	text, err := json.Marshal(s.args)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// wordsOf returns the words of a content, which is a string or a list of parts.
func wordsOf(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []struct{ Text string }
	if json.Unmarshal(content, &parts) != nil {
		return string(content)
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

type object = map[string]any

// end ends a stream of chat completions.
type end struct{}

func anthropicQuestion(body []byte) (q question, err error) {
	var r struct {
		Tools []struct {
			Name, Description string
			Schema            json.RawMessage `json:"input_schema"`
		}
		Messages []struct{ Content json.RawMessage }
	}
	err = json.Unmarshal(body, &r)
	for _, t := range r.Tools {
		q.tools = append(q.tools, offered{Name: t.Name, Description: t.Description, Schema: t.Schema})
	}
	for _, msg := range r.Messages {
		var parts []struct {
			Type    string
			Content json.RawMessage
		}
		if json.Unmarshal(msg.Content, &parts) != nil {
			continue // a string
		}
		for _, p := range parts {
			if p.Type == "tool_result" {
				q.results = append(q.results, wordsOf(p.Content))
			}
		}
	}
	return q, err
}

func anthropicAnswer(event func(string, any), q question, s say) {
	send := func(kind string, data object) {
		data["type"] = kind
		event(kind, data)
	}
	send("message_start", object{"message": object{"id": "msg_" + q.number(), "type": "message", "role": "assistant",
		"model": "scripted", "content": []any{}, "usage": object{"input_tokens": 1, "output_tokens": 1}}})
	why := "end_turn"
	if s.tool == "" {
		send("content_block_start", object{"index": 0, "content_block": object{"type": "text", "text": ""}})
		send("content_block_delta", object{"index": 0, "delta": object{"type": "text_delta", "text": s.words}})
	} else {
		why = "tool_use"
		send("content_block_start", object{"index": 0, "content_block": object{"type": "tool_use", "id": "toolu_" + q.number(),
			"name": q.named(s.tool).Name, "input": object{}}})
		send("content_block_delta", object{"index": 0, "delta": object{"type": "input_json_delta", "partial_json": argumentsOf(s)}})
	}
	send("content_block_stop", object{"index": 0})
	send("message_delta", object{"delta": object{"stop_reason": why}, "usage": object{"output_tokens": 1}})
	send("message_stop", object{})
}

func responsesQuestion(body []byte) (q question, err error) {
	type given struct {
		Type, Name, Description string
		Parameters              json.RawMessage
	}
	var r struct {
		Tools []struct {
			given
			Tools []given
		}
		Input []struct {
			Type   string
			Output json.RawMessage
		}
	}
	err = json.Unmarshal(body, &r)
	for _, t := range r.Tools {
		for _, of := range append(t.Tools, t.given) {
			one := offered{Name: of.Name, Description: of.Description, Schema: of.Parameters}
			if len(t.Tools) > 0 {
				one.namespace = t.Name
			}
			q.tools = append(q.tools, one)
		}
	}
	for _, in := range r.Input {
		if in.Type == "function_call_output" {
			q.results = append(q.results, wordsOf(in.Output))
		}
	}
	return q, err
}

func responsesAnswer(event func(string, any), q question, s say) {
	send := func(kind string, data object) {
		data["type"] = kind
		event(kind, data)
	}
	send("response.created", object{"response": object{"id": "resp_" + q.number()}})
	if s.tool == "" {
		send("response.output_item.done", object{"output_index": 0, "item": object{"type": "message", "role": "assistant",
			"id": "msg_" + q.number(), "content": []any{object{"type": "output_text", "text": s.words}}}})
	} else {
		t := q.named(s.tool)
		item := object{"type": "function_call", "id": "fc_" + q.number(), "call_id": q.number(), "name": t.Name,
			"arguments": argumentsOf(s)}
		if t.namespace != "" {
			item["namespace"] = t.namespace
		}
		send("response.output_item.done", object{"output_index": 0, "item": item})
	}
	send("response.completed", object{"response": object{"id": "resp_" + q.number(),
		"usage": object{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}})
}

func chatQuestion(body []byte) (q question, err error) {
	var r struct {
		Tools []struct {
			Function struct {
				Name, Description string
				Parameters        json.RawMessage
			}
		}
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	err = json.Unmarshal(body, &r)
	for _, t := range r.Tools {
		q.tools = append(q.tools, offered{Name: t.Function.Name, Description: t.Function.Description,
			Schema: t.Function.Parameters})
	}
	for _, msg := range r.Messages {
		if msg.Role == "tool" {
			q.results = append(q.results, wordsOf(msg.Content))
		}
	}
	return q, err
}

func chatAnswer(event func(string, any), q question, s say) {
	delta, why := object{"role": "assistant", "content": s.words}, "stop"
	if s.tool != "" {
		delta, why = object{"role": "assistant", "tool_calls": []any{object{"index": 0, "id": q.number(), "type": "function",
			"function": object{"name": q.named(s.tool).Name, "arguments": argumentsOf(s)}}}}, "tool_calls"
	}
	for _, choice := range []object{{"index": 0, "delta": delta}, {"index": 0, "delta": object{}, "finish_reason": why}} {
		event("", object{"id": "chat", "object": "chat.completion.chunk", "model": "scripted", "choices": []any{choice},
			"usage": object{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}})
	}
	event("", end{})
}

func geminiQuestion(body []byte) (q question, err error) {
	var r struct {
		Tools []struct {
			Declarations []struct {
				Name, Description string
				Schema            json.RawMessage `json:"parametersJsonSchema"`
			} `json:"functionDeclarations"`
		}
		Contents []struct {
			Parts []struct {
				Response *struct{ Response json.RawMessage } `json:"functionResponse"`
			}
		}
	}
	err = json.Unmarshal(body, &r)
	for _, all := range r.Tools {
		for _, t := range all.Declarations {
			q.tools = append(q.tools, offered{Name: t.Name, Description: t.Description, Schema: t.Schema})
		}
	}
	for _, c := range r.Contents {
		for _, p := range c.Parts {
			if p.Response != nil {
				q.results = append(q.results, string(p.Response.Response))
			}
		}
	}
	return q, err
}

func geminiAnswer(event func(string, any), q question, s say) {
	part := object{"text": s.words}
	if s.tool != "" {
		part = object{"functionCall": object{"name": q.named(s.tool).Name, "args": s.args}}
	}
	event("", object{"candidates": []any{object{"index": 0, "finishReason": "STOP",
		"content": object{"role": "model", "parts": []any{part}}}}, "usageMetadata": object{"promptTokenCount": 1, "totalTokenCount": 2}})
}
