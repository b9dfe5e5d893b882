package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/examples/internal/ledger"
	"github.com/ptc-lang/ptc/examples/internal/shop"
)

// noEnv is the environment of replays.
func noEnv(string) string { return "" }

// opened opens a shop. It returns its address, and the recording with programs for that address.
func opened(t *testing.T) (address, file string) {
	srv := httptest.NewServer(shop.New())
	t.Cleanup(srv.Close)
	address = strings.TrimPrefix(srv.URL, "http://")
	text, err := os.ReadFile("testdata/orders.json")
	require.NoError(t, err)
	file = filepath.Join(t.TempDir(), "orders.json")
	require.NoError(t, os.WriteFile(file, bytes.ReplaceAll(text, []byte("localhost:18077"), []byte(address)), 0o600))
	return address, file
}

// orders returns how many orders a shop has.
func orders(t *testing.T, address string) int {
	res, err := http.Get("http://" + address + "/orders")
	require.NoError(t, err)
	defer res.Body.Close()
	var all []any
	require.NoError(t, json.NewDecoder(res.Body).Decode(&all))
	return len(all)
}

const question = "Order ten pieces of each product of which fewer than ten are in stock. What do they cost?"

// The model makes three mistakes: an unknown name, no retry, and a wrong key after it has ordered.
func TestOrders(t *testing.T) {
	address, file := opened(t)
	var out, log strings.Builder
	args := []string{"-grant", "http=" + address + "=GET,POST", "-replay", file, question}
	require.NoError(t, run(t.Context(), args, noEnv, strings.NewReader("y\ny\ny\n"), &out, &log), "%s", &log)
	assert.Equal(t, "Products 1, 2 and 3 were short. Ten pieces of each are ordered, for 750.00 in all.\n", out.String())
	assert.Equal(t, 3, orders(t, address), "each product is ordered once")
	for want, n := range map[string]int{"= hint: did you mean doseq?": 1, "status 503": 1, "got nil for argument 2, (:price": 1,
		"Done already, do not repeat it: tool/http.post {": 3, `"value":75000`: 1, "allow it? y/n": 3,
		"-- tokens: 12500 read, of which 8000 from the cache": 1} {
		assert.Equal(t, n, strings.Count(log.String(), want), "%s in\n%s", want, &log)
	}
}

func TestRefused(t *testing.T) {
	address, file := opened(t)
	var out, log strings.Builder
	args := []string{"-grant", "http=" + address + "=GET,POST", "-replay", file, question}
	require.NoError(t, run(t.Context(), args, noEnv, strings.NewReader("n\n"), &out, &log), "%s", &log)
	assert.Zero(t, orders(t, address))
	assert.Contains(t, log.String(), "the person said no")
	assert.NotContains(t, log.String(), "Done already")
}

func TestLedger(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, ledger.Generate(dir, 20_000, 1))
	var out, log strings.Builder
	args := []string{"-grant", "sql=shop=" + filepath.Join(dir, "shop.db"), "-grant", "sql=ledger=" + filepath.Join(dir, "ledger.db"),
		"-replay", "testdata/ledger.json", "On how many days do the payments in the ledger differ from the orders of the shop, and by how much?"}
	require.NoError(t, run(t.Context(), args, noEnv, strings.NewReader(""), &out, &log), "%s", &log)
	assert.Contains(t, out.String(), "9 days")
	assert.Contains(t, log.String(), `"value":{"days":9,"net-cents":-160541,"largest":["2024-05-25",-48018]}`)
}

// A recording of a replay is the same recording. It has no key.
func TestRecord(t *testing.T) {
	for _, api := range []string{anthropic, openAI} {
		dir := t.TempDir()
		require.NoError(t, ledger.Generate(dir, 200, 1))
		want := recordingOf(t, api, dir)
		m, stop, err := replay(want)
		require.NoError(t, err)
		env := map[string]string{"AGENT_API": api, "AGENT_BASE_URL": m.base, "AGENT_MODEL": "some", "AGENT_KEY": "sec-ret"}
		file := filepath.Join(dir, "recorded.json")
		var out, log strings.Builder
		args := []string{"-grant", "sql=shop=" + filepath.Join(dir, "shop.db"), "-grant", "sql=ledger=" + filepath.Join(dir, "ledger.db"),
			"-record", file, "How many days differ?"}
		require.NoError(t, run(t.Context(), args, func(name string) string { return env[name] }, strings.NewReader(""), &out, &log),
			"%s", &log)
		require.NoError(t, stop())
		expected, err := os.ReadFile(want)
		require.NoError(t, err)
		got, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.JSONEq(t, string(expected), string(got))
		assert.NotContains(t, string(got), "sec-ret")
	}
}

// recordingOf returns the recording of the ledger in the form of an API.
func recordingOf(t *testing.T, api, dir string) string {
	if api == openAI {
		return "testdata/ledger.json"
	}
	text, err := os.ReadFile("testdata/ledger.json")
	require.NoError(t, err)
	var r recording
	require.NoError(t, json.Unmarshal(text, &r))
	r.API = anthropic
	for i := range r.Answers {
		var m model
		words, err := m.openAIAnswer(r.Answers[i].Body)
		require.NoError(t, err)
		r.Answers[i].Path = "/messages"
		r.Answers[i].Body, err = json.Marshal(map[string]any{"content": []any{map[string]string{"type": "text", "text": words}}})
		require.NoError(t, err)
	}
	text, err = json.Marshal(r)
	require.NoError(t, err)
	file := filepath.Join(dir, "anthropic.json")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	return file
}

// An endpoint that is busy is asked again; one that refuses a request is not.
func TestEndpoint(t *testing.T) {
	status, asked := []int{529, 429, 200}, 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "/v1/chat/completions", r.URL.Path)
		assert.Equal(t, "Bearer key", r.Header.Get("Authorization"))
		w.WriteHeader(status[asked])
		asked++
		w.Write([]byte(`{"choices":[{"message":{"content":"hello"}}],"usage":{"prompt_tokens":3}}`))
	}))
	defer srv.Close()
	m := &model{api: openAI, base: srv.URL + "/v1/", name: "some", key: "key", client: srv.Client(), firstWait: 1}
	require.NoError(t, m.complete())
	got, err := m.ask(t.Context(), []message{{"user", "hello"}})
	require.NoError(t, err)
	assert.Equal(t, "hello", got)
	assert.Equal(t, 3, m.used.Read)

	status, asked = []int{401}, 0
	_, err = m.ask(t.Context(), []message{{"user", "hello"}})
	assert.ErrorContains(t, err, "401")
	assert.Equal(t, 1, asked)
}

func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"hello"}, `AGENT_API: got "", want openai or anthropic`},
		{nil, "got 0 arguments, want one: the question"},
		{[]string{"-grant", "htp=localhost", "hello"}, "htp"},
		{[]string{"-replay", "testdata/ledger.json", "-turns", "2", "hello"}, "1 of 3 answers were not asked for"},
	} {
		var out, log strings.Builder
		err := run(t.Context(), c.args, noEnv, strings.NewReader(""), &out, &log)
		assert.ErrorContains(t, err, c.want)
		assert.Empty(t, out.String())
	}
}
