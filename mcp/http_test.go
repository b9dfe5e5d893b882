package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/mcp"
)

// initialize is the first request of a client of an older revision.
const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
	`"capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`

// post sends a request with headers, and returns the status and the body.
func post(t testing.TB, url, body string, headers map[string]string) (int, string) {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for name, v := range headers {
		if name == "Host" {
			r.Host = v
		}
		r.Header.Set(name, v)
	}
	client := bearer(t, secretToken)
	if _, ok := headers["Authorization"]; ok {
		client = &http.Client{Transport: client.Transport.(*authorized).base}
	}
	res, err := client.Do(r)
	require.NoError(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, string(text)
}

func TestRefusedRequests(t *testing.T) {
	web := httptest.NewServer(serve(t, mcp.Options{}).Handler(mcp.BearerToken(secretToken)))
	defer web.Close()
	for name, c := range map[string]struct {
		body    string
		headers map[string]string
		want    int
	}{
		"good":               {initialize, nil, 200},
		"no token":           {initialize, map[string]string{"Authorization": ""}, 401},
		"wrong token":        {initialize, map[string]string{"Authorization": "Bearer " + secretToken + "x"}, 401},
		"another scheme":     {initialize, map[string]string{"Authorization": "Basic " + secretToken}, 401},
		"page of a site":     {initialize, map[string]string{"Origin": "https://evil.example"}, 403},
		"fetch of a site":    {initialize, map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		"rebound name":       {initialize, map[string]string{"Host": "evil.example"}, 403},
		"no JSON":            {"{", nil, 400},
		"an array of nulls":  {"[null]", nil, 400},
		"unknown session":    {initialize, map[string]string{"Mcp-Session-Id": "guessed"}, 404},
		"unknown revision":   {`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, map[string]string{"Mcp-Protocol-Version": "2999-01-01"}, 400},
		"not initialized":    {`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil, 200},
		"larger than 32 MiB": {`{"x":"` + strings.Repeat("x", 33<<20) + `"}`, nil, 413},
	} {
		status, text := post(t, web.URL, c.body, c.headers)
		require.Equal(t, c.want, status, "%s: %s", name, text)
		if name == "not initialized" {
			require.Contains(t, text, `"error"`)
		}
	}
}

// A session of the transport belongs to the caller that began it.
func TestStolenTransportSession(t *testing.T) {
	both := httptest.NewServer(serve(t, mcp.Options{}).Handler(anyToken))
	defer both.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, both.URL, strings.NewReader(initialize))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	res, err := bearer(t, "ann").Do(r)
	require.NoError(t, err)
	res.Body.Close()
	id := res.Header.Get("Mcp-Session-Id")
	require.NotEmpty(t, id)
	list := `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	status, text := post(t, both.URL, list, map[string]string{"Mcp-Session-Id": id, "Authorization": "Bearer bob"})
	require.Equal(t, 403, status, text)
}

// A client whose connection is cut leaves no run behind.
func TestCutConnection(t *testing.T) {
	w := newWorld()
	s := serve(t, mcp.Options{Run: ptc.Options{Tools: tools(t, w)}})
	web := httptest.NewServer(s.Handler(mcp.BearerToken(secretToken)))
	defer web.Close()
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_program","arguments":{"program":"(tool/slow {})"},` +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	conn, err := net.Dial("tcp", web.Listener.Addr().String())
	require.NoError(t, err)
	_, err = fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
		"Accept: application/json, text/event-stream\r\nMcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"+
		"Mcp-Name: run_program\r\nContent-Length: %d\r\n\r\n%s", secretToken, len(body), body)
	require.NoError(t, err)
	<-w.started
	require.NoError(t, conn.Close())
	select {
	case <-w.stopped:
	case <-time.After(time.Minute):
		t.Fatal("the run goes on")
	}
}

// The structured answers match the schemas that clients are told. tryRun refuses unknown members; this covers the rest.
func TestAnswersMatchTheirSchemas(t *testing.T) {
	w := newWorld()
	c := dial(t, serve(t, mcp.Options{Run: ptc.Options{Tools: tools(t, w)}}), "new", nil)
	list, err := c.ListTools(t.Context(), nil)
	require.NoError(t, err)
	for _, call := range []sdk.CallToolParams{
		{Name: "run_program", Arguments: program(`(println "x") (tool/orders.find {:to "a"})`)},
		{Name: "run_program", Arguments: program(`(vec (range 100000))`)},
		{Name: "run_program", Arguments: program(`(ask {:question "x" :options [1 "a"]})`)},
		{Name: "run_program", Arguments: program(`(throw (ex-info "x" {:a 1}))`)},
		{Name: "run_program", Arguments: program(`(a) (b)`)},
		{Name: "run_program", Arguments: program(`)`)},
		{Name: "check_program", Arguments: program(`(map inc) (foo) (tool/mail.send {:to 1})`)},
		{Name: "check_program", Arguments: program(`(+ 1 1)`)},
		{Name: "search_tools", Arguments: map[string]any{"query": "send a message"}},
		{Name: "search_tools", Arguments: map[string]any{"query": "zzz"}},
		{Name: "describe_tools", Arguments: map[string]any{"names": []string{"mail.send", "tool/slow", "map", "none", "str/join"}}},
	} {
		res, err := c.CallTool(t.Context(), &call)
		require.NoError(t, err)
		for _, known := range list.Tools {
			if known.Name != call.Name {
				continue
			}
			schema, err := json.Marshal(known.OutputSchema)
			require.NoError(t, err)
			text, err := json.Marshal(res.StructuredContent)
			require.NoError(t, err)
			require.NoError(t, matches(schema, text), "%v: %s", call, text)
			require.NotEmpty(t, res.Content)
			require.NotContains(t, string(bytes.ToLower(text)), "null")
		}
	}
}

// TestCatalogue tests the answers of search_tools and describe_tools.
func TestCatalogue(t *testing.T) {
	c := dial(t, serve(t, mcp.Options{Run: ptc.Options{Tools: tools(t, newWorld())}}), "old", nil)
	res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "search_tools",
		Arguments: map[string]any{"query": "message to a customer", "limit": 1}})
	require.NoError(t, err)
	require.Contains(t, res.Content[0].(*sdk.TextContent).Text, "tool/mail.send")
	require.EqualValues(t, 1, res.StructuredContent.(map[string]any)["more"])
	res, err = c.CallTool(t.Context(), &sdk.CallToolParams{Name: "describe_tools",
		Arguments: map[string]any{"names": []string{"mail.send", "group-by", "(println 1)", "x) (tool/slow {}"}}})
	require.NoError(t, err)
	text := res.Content[0].(*sdk.TextContent).Text
	require.Contains(t, text, "Sends a message to a customer.")
	require.Contains(t, text, "group-by")
	require.Equal(t, []any{"(println 1)", "x) (tool/slow {}"}, res.StructuredContent.(map[string]any)["unknown"])
}

// Arguments that don't match are refused with the place, and cost nothing.
func TestBadArguments(t *testing.T) {
	c := dial(t, serve(t, mcp.Options{}), "new", nil)
	for want, args := range map[string]map[string]any{
		"want the argument program":  {},
		"program":                    {"program": 7},
		"progam":                     {"progam": "1"},
		"data":                       {"program": "1", "input": []int{1}},
		"1m":                         {"program": "1", "limits": map[string]any{"timeout": "1m"}},
		"timeout":                    {"program": "1", "limits": map[string]any{"timeout": "soon"}},
		"steps":                      {"program": "1", "limits": map[string]any{"steps": -5}},
		"records no runs":            {"program": "1", "journal": "x"},
		"restart forgets":            {"program": "1", "restart": true},
		"answers belong":             {"program": "1", "answers": map[string]any{"0#1": 1}},
		"the continuation is not":    {"continuation": "%%%"},
		"keeps the limits":           {"program": "1", "session": "x", "limits": map[string]any{"steps": 5}},
		"there is no session":        {"program": "1", "session": strings.Repeat("x", 10000)},
		"such a thing does not run ": nil,
	} {
		a := run(t, c, args)
		require.True(t, a.isError, want)
		if args != nil && want != "data" {
			require.Contains(t, a.text, want)
		}
	}
	a := run(t, c, map[string]any{"program": "(reduce + (range 1000000))", "limits": map[string]any{"steps": 1000}})
	require.Equal(t, "steps-exceeded", a.Error["code"])
}
