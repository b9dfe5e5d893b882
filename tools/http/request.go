// This file defines how the arguments of a tool become a request.

package http

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
)

func badArguments(format string, args ...any) error {
	return &tool.Error{Code: effect.CodeBadArguments, Message: fmt.Sprintf(format, args...)}
}

func decode(text []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return dec.Decode(into)
}

// agent is the User-Agent of requests.
const agent = "ptc"

func newRequest(ctx context.Context, method string, o Options, content Content) (*http.Request, error) {
	u, err := url.Parse(o.URL)
	if err != nil {
		return nil, &tool.Error{Code: "bad-url", Message: "got a malformed URL, want one such as " +
			"https://api.example.com/orders", Err: reasonOf(err)}
	}
	query, err := encode("query", o.Query)
	if err != nil {
		return nil, err
	}
	if query != "" && u.RawQuery != "" {
		query = "&" + query
	}
	u.RawQuery += query
	body, kind, err := content.encode()
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return nil, &tool.Error{Code: "bad-url", Message: "the request can't be made", Err: reasonOf(err)}
	}
	req.Header.Set("User-Agent", agent)
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Headers)) {
		if err := checkHeader(name, o.Headers[name]); err != nil {
			return nil, err
		}
		req.Header.Set(name, o.Headers[name])
	}
	return req, nil
}

// encode returns the content of a request, and its type.
func (c Content) encode() (body io.Reader, kind string, err error) {
	given := 0
	for _, is := range []bool{c.JSON != nil, len(c.Form) > 0, c.Body != ""} {
		if is {
			given++
		}
	}
	switch {
	case given > 1:
		return nil, "", badArguments("got several of :json, :form and :body, want one")
	case c.JSON != nil:
		var text bytes.Buffer
		enc := json.NewEncoder(&text)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(c.JSON); err != nil {
			return nil, "", err
		}
		return bytes.NewReader(bytes.TrimSuffix(text.Bytes(), []byte("\n"))), "application/json", nil
	case len(c.Form) > 0:
		text, err := encode("form", c.Form)
		return strings.NewReader(text), "application/x-www-form-urlencoded", err
	case c.Body != "":
		return strings.NewReader(c.Body), "text/plain; charset=utf-8", nil
	}
	return nil, "", nil
}

// encode writes names and values as in the query of a URL. A nil value is left out, and a list is written
// as several values.
func encode(argument string, values map[string]any) (string, error) {
	out := make(url.Values, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list, several := values[name].([]any)
		if !several {
			list = []any{values[name]}
		}
		for _, v := range list {
			switch v := v.(type) {
			case nil:
			case string:
				out.Add(name, v)
			case bool, json.Number:
				out.Add(name, fmt.Sprint(v))
			default:
				return "", badArguments("[:%s %q]: got a collection, want a text, a number, true, false, nil, or a list of them",
					argument, name)
			}
		}
	}
	return out.Encode(), nil
}

// ownHeaders are the headers that only the client sets: a program that sets them could make two servers
// interpret the request differently, or bypass the bound of the answer.
var ownHeaders = []string{"Host", "Content-Length", "Transfer-Encoding", "Connection", "Upgrade", "Te", "Trailer",
	"Keep-Alive",
	"Proxy-Authorization", "Proxy-Connection", "Accept-Encoding", "Expect"}

func checkHeader(name, value string) error {
	const token = "!#$%&'*+-.^_`|~"
	bad := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(token, r))
	}
	switch {
	case name == "" || strings.ContainsFunc(name, bad):
		return badArguments("got the header %.80q, want a name of letters, digits and -", name)
	case slices.Contains(ownHeaders, http.CanonicalHeaderKey(name)):
		return badArguments("the header %s is not the program's to set", name)
	case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
		return badArguments("the value of the header %s has a control character, want one line of text", name)
	}
	return nil
}
