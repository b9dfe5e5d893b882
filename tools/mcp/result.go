// This file defines how the results of a server become values.

package mcp

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// The bounds of a result.
const (
	maxBlob   = 1 << 20 // bytes of an image, of audio or of a resource
	maxBlocks = 10_000
	// maxFailure bounds the content of a failure, which is its data.
	maxFailure = 32 << 10
)

// Blob is a block of content that is no text.
type Blob struct {
	Type     string `json:"type"` // image, audio, resource or resource-link
	URI      string `json:"uri,omitempty"`
	Name     string `json:"name,omitempty"`
	MIMEType string `json:"mime-type,omitempty"`
	Text     string `json:"text,omitempty"`
	Base64   string `json:"base64,omitempty"`
	Dropped  int    `json:"dropped,omitempty"` // the size in bytes of the omitted data
}

// result returns the value of a result.
func (s *server) result(ctx context.Context, d *declared, res *sdk.CallToolResult) (json.RawMessage, error) {
	if res.NeedsInput() || len(res.InputRequests) > 0 {
		return nil, &tool.Error{Code: CodeNeedsInput, Retryable: len(res.InputRequests) == 0,
			Message: "the server " + s.Name + " wants to ask a person or a model, and a call of a program cannot"}
	}
	if res.IsError {
		return nil, s.toolError(res)
	}
	value, err := valueOf(ctx, res)
	if err != nil {
		return nil, err
	}
	value = s.tokens.hidden().JSON(value)
	if d.result == nil {
		s.learn(d, value)
	}
	return value, nil
}

// valueOf returns the value of a result as JSON.
func valueOf(ctx context.Context, res *sdk.CallToolResult) (json.RawMessage, error) {
	if len(res.Content) > maxBlocks {
		return nil, &tool.Error{Code: effect.CodeTooLarge,
			Message: fmt.Sprintf("the result has %s of content, want at most %d", diag.Counted(len(res.Content), "block"),
				maxBlocks)}
	}
	var value any
	switch {
	case res.StructuredContent != nil:
		value = structured(res)
	case len(res.Content) == 1:
		value = blockOf(res.Content[0])
	case len(res.Content) > 1:
		blocks := make([]any, len(res.Content))
		for i, c := range res.Content {
			blocks[i] = blockOf(c)
		}
		value = blocks
	}
	text, err := encode(value)
	if err != nil {
		return nil, &tool.Error{Code: effect.CodeBadResult, Message: "the result is not JSON", Err: err}
	}
	if room := tool.ResultRoom(ctx); tool.CallID(ctx) != "" && int64(len(text)) > room {
		return nil, &tool.Error{Code: effect.CodeTooLarge,
			Message: fmt.Sprintf("the result has %d bytes, it may have %d; ask for less", len(text), room)}
	}
	return text, nil
}

// structured returns the structured content. The SDK has decoded its numbers to floats, which do not hold large
// integers. If a block of text has the same data, as the protocol recommends, it is returned in its place.
func structured(res *sdk.CallToolResult) any {
	for _, c := range res.Content {
		t, isText := c.(*sdk.TextContent)
		if !isText {
			continue
		}
		if data, ok := dataOf(t.Text); ok {
			var same any
			if json.Unmarshal(data, &same) == nil && reflect.DeepEqual(same, res.StructuredContent) {
				return data
			}
		}
	}
	return res.StructuredContent
}

// dataOf returns the data of a text that is a JSON object or array.
func dataOf(text string) (json.RawMessage, bool) {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || trimmed[0] != '{' && trimmed[0] != '[' || !json.Valid([]byte(trimmed)) {
		return nil, false
	}
	return json.RawMessage(trimmed), true
}

// blockOf returns the value of a block of content.
func blockOf(c sdk.Content) any {
	switch c := c.(type) {
	case *sdk.TextContent:
		if data, ok := dataOf(c.Text); ok {
			return data
		}
		return c.Text
	case *sdk.ImageContent:
		return blob(Blob{Type: "image", MIMEType: c.MIMEType}, c.Data)
	case *sdk.AudioContent:
		return blob(Blob{Type: "audio", MIMEType: c.MIMEType}, c.Data)
	case *sdk.ResourceLink:
		return Blob{Type: "resource-link", URI: c.URI, Name: c.Name, MIMEType: c.MIMEType}
	case *sdk.EmbeddedResource:
		if c.Resource == nil {
			return nil
		}
		b := Blob{Type: "resource", URI: c.Resource.URI, MIMEType: c.Resource.MIMEType, Text: c.Resource.Text}
		return blob(b, c.Resource.Blob)
	}
	return nil
}

// blob adds bytes to a block, or their number if there are too many.
func blob(b Blob, data []byte) Blob {
	if len(data) > maxBlob {
		b.Dropped = len(data)
		return b
	}
	b.Base64 = base64.StdEncoding.EncodeToString(data)
	return b
}

// toolError returns the failure of a tool that reports one.
func (s *server) toolError(res *sdk.CallToolResult) error {
	var texts []string
	size := 0
	for _, c := range res.Content {
		if t, ok := c.(*sdk.TextContent); ok && size < maxFailure {
			texts = append(texts, printable(t.Text, maxText))
			size += len(t.Text)
		}
	}
	e := &tool.Error{Code: CodeToolError, Message: s.clean(strings.Join(texts, " "))}
	if e.Message == "" {
		e.Message = "the tool reports that it has failed, and not why"
	}
	if res.StructuredContent != nil {
		if data, err := encode(structured(res)); err == nil && len(data) <= maxFailure {
			e.Data = s.tokens.hidden().JSON(data)
		}
	}
	return e
}

// encode returns the JSON of a value, without escaping < and &.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
