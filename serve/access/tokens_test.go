package access

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// opened returns the tokens of a new directory, and the text of its operator's token.
func opened(t *testing.T) (dir string, tokens *Tokens, operator string) {
	t.Helper()
	dir = t.TempDir()
	tokens, err := Open(dir, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	return dir, tokens, read(t, filepath.Join(dir, OperatorFile))
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return strings.TrimSpace(string(text))
}

// created returns the text of a new token.
func created(t *testing.T, dir, name string, role Role) string {
	t.Helper()
	text, _, err := Create(dir, Token{Who: Who{Name: name, Tenant: "acme", Role: role}})
	require.NoError(t, err)
	return text
}

// write replaces a file of a test.
func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

func TestOperatorOfAnEmptyDirectory(t *testing.T) {
	dir, tokens, text := opened(t)
	token, err := tokens.Verify(text)
	require.NoError(t, err)
	assert.Equal(t, Who{"operator", DefaultTenant, Operator}, token.Who)
	for _, name := range []string{OperatorFile, TokensFile} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		if runtime.GOOS != "windows" {
			assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), name)
		}
	}
	assert.NotContains(t, read(t, filepath.Join(dir, TokensFile)), text[len(prefix)+idLen+1:])
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 3, "besides the lock, no file of a change may stay")

	again, err := Open(dir, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	_, err = again.Verify(text)
	assert.NoError(t, err)
	assert.Equal(t, text, read(t, filepath.Join(dir, OperatorFile)))
}

// TestStartAfterCrash opens a directory in which a process died after it had written the token, and before its
// hash.
func TestStartAfterCrash(t *testing.T) {
	dir, _, text := opened(t)
	require.NoError(t, os.Remove(filepath.Join(dir, TokensFile)))
	tokens, err := Open(dir, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	_, err = tokens.Verify(text)
	require.NoError(t, err)

	require.NoError(t, os.Remove(filepath.Join(dir, TokensFile)))
	write(t, filepath.Join(dir, OperatorFile), "ptc_broken")
	tokens, err = Open(dir, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	fresh := read(t, filepath.Join(dir, OperatorFile))
	assert.NotEqual(t, text, fresh)
	_, err = tokens.Verify(fresh)
	assert.NoError(t, err)
}

func TestCreateListRevoke(t *testing.T) {
	dir, tokens, operator := opened(t)
	text, token, err := Create(dir, Token{Who: Who{Name: "ci", Role: Submitter}, Share: Share{Running: 2}})
	require.NoError(t, err)
	assert.Len(t, text, textLen)
	got, err := tokens.Verify(text)
	require.NoError(t, err)
	assert.Equal(t, token, got)
	assert.Equal(t, DefaultTenant, got.Tenant)
	assert.Equal(t, Share{Running: 2}, tokens.Share("ci"))
	assert.Equal(t, Share{}, tokens.Share("nobody"))

	list, err := List(dir)
	require.NoError(t, err)
	require.Len(t, list, 2)
	assert.Equal(t, "ci", list[1].Name)

	_, _, err = Create(dir, Token{Who: Who{Name: "ci", Role: Viewer}})
	assert.ErrorContains(t, err, "there is a token ci (id "+token.ID+")")

	revoked, err := Revoke(dir, "ci")
	require.NoError(t, err)
	assert.Equal(t, token, revoked)
	_, err = tokens.Verify(text)
	assert.ErrorIs(t, err, ErrUnknown, "a revoked token holds for no further request")
	_, err = Revoke(dir, token.ID)
	assert.ErrorContains(t, err, "there is no token with the id or name "+token.ID)

	id, _ := idOf(operator)
	_, err = Revoke(dir, id)
	require.NoError(t, err)
	assert.NoFileExists(t, filepath.Join(dir, OperatorFile))
	_, err = tokens.Verify(operator)
	assert.ErrorIs(t, err, ErrUnknown)
	tokens, err = Open(dir, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	assert.NoFileExists(t, filepath.Join(dir, OperatorFile), "an empty list is no empty directory")
	_, err = tokens.Verify(operator)
	assert.ErrorIs(t, err, ErrUnknown)
}

func TestCreateRefuses(t *testing.T) {
	dir, _, _ := opened(t)
	past := time.Now().Add(-time.Hour)
	for want, token := range map[string]Token{
		`got the role "admin"`:        {Who: Who{Name: "a", Role: "admin"}},
		`got the role ""`:             {Who: Who{Name: "a"}},
		`got the name ""`:             {Who: Who{Role: Viewer}},
		`got the name "a b"`:          {Who: Who{Name: "a b", Role: Viewer}},
		`got the name "a\nb"`:         {Who: Who{Name: "a\nb", Role: Viewer}},
		`got the tenant "<x>"`:        {Who: Who{Name: "a", Tenant: "<x>", Role: Viewer}},
		`is in the past`:              {Who: Who{Name: "a", Role: Viewer}, Expires: &past},
		`as the share "running"`:      {Who: Who{Name: "a", Role: Viewer}, Share: Share{Running: -1}},
		`without a number per second`: {Who: Who{Name: "a", Role: Viewer}, Share: Share{Burst: 5}},
		`got the name "` + long(101):  {Who: Who{Name: long(101), Role: Viewer}},
	} {
		_, _, err := Create(dir, token)
		assert.ErrorContains(t, err, want)
	}
	list, err := List(dir)
	require.NoError(t, err)
	assert.Len(t, list, 1)
}

func long(n int) string { return strings.Repeat("x", n) }

func TestExpiry(t *testing.T) {
	dir, tokens, _ := opened(t)
	end := time.Now().Add(time.Hour).Truncate(time.Second)
	text, token, err := Create(dir, Token{Who: Who{Name: "a", Role: Viewer}, Expires: &end})
	require.NoError(t, err)
	_, err = tokens.Verify(text)
	require.NoError(t, err)
	assert.NoError(t, token.current(end.Add(-time.Nanosecond)))
	var expired *ExpiredError
	require.ErrorAs(t, token.current(end), &expired)
	assert.Equal(t, "a", expired.Name)

	_, err = tokens.Verify(text[:len(text)-1] + "b")
	assert.ErrorIs(t, err, ErrUnknown)
}

// TestVerifyRefuses tries texts that are almost the token.
func TestVerifyRefuses(t *testing.T) {
	_, tokens, text := opened(t)
	other := newText()
	for _, bad := range []string{
		"", text + "a", text[1:], strings.ToUpper(text), " " + text, text[:textLen-1], strings.Repeat("a", textLen), other,
		text[:len(prefix)+idLen+1] + other[len(prefix)+idLen+1:], strings.Replace(text, "_", "-", 2), text[:textLen-1] + "\x00",
	} {
		_, err := tokens.Verify(bad)
		assert.ErrorIs(t, err, ErrUnknown, bad)
	}
}

// TestChangesAtOnce creates tokens from many goroutines, which the file must all have.
func TestChangesAtOnce(t *testing.T) {
	dir, tokens, _ := opened(t)
	texts := make([]string, 16)
	var wg sync.WaitGroup
	for i := range texts {
		wg.Go(func() {
			text, _, err := Create(dir, Token{Who: Who{Name: fmt.Sprint("t", i), Role: Viewer}})
			assert.NoError(t, err)
			texts[i] = text
		})
	}
	wg.Wait()
	for _, text := range texts {
		_, err := tokens.Verify(text)
		assert.NoError(t, err)
	}
}

func TestBadFileKeepsTheOldTokens(t *testing.T) {
	dir := t.TempDir()
	var log bytes.Buffer
	tokens, err := Open(dir, slog.New(slog.NewTextHandler(&log, nil)))
	require.NoError(t, err)
	path := filepath.Join(dir, TokensFile)
	good, text := read(t, path), read(t, filepath.Join(dir, OperatorFile))

	write(t, path, good[:len(good)/2])
	for range 3 {
		_, err = tokens.Verify(text)
		require.NoError(t, err)
	}
	assert.Equal(t, 1, strings.Count(log.String(), "stay in use"), "one line, and not one per request: %s", &log)
	_, err = Open(dir, slog.New(slog.DiscardHandler))
	assert.ErrorContains(t, err, path, "a start with a bad file fails")
	_, _, err = Create(dir, Token{Who: Who{Name: "a", Role: Viewer}})
	assert.Error(t, err, "a bad file is not replaced")

	require.NoError(t, os.Remove(path))
	_, err = tokens.Verify(text)
	require.NoError(t, err)

	write(t, path, `{"version": 1, "tokens": []}`)
	_, err = tokens.Verify(text)
	assert.ErrorIs(t, err, ErrUnknown)
}

// TestChangeWithinOneTick changes the file so that neither its size nor its time change.
func TestChangeWithinOneTick(t *testing.T) {
	dir, tokens, text := opened(t)
	path := filepath.Join(dir, TokensFile)
	_, err := tokens.Verify(text)
	require.NoError(t, err)
	before, err := os.Stat(path)
	require.NoError(t, err)
	write(t, path, strings.Replace(read(t, path), hash(text), hash("another"), 1)+"\n")
	require.NoError(t, os.Chtimes(path, before.ModTime(), before.ModTime()))
	after, err := os.Stat(path)
	require.NoError(t, err)
	require.True(t, unchanged(before, after))
	_, err = tokens.Verify(text)
	assert.ErrorIs(t, err, ErrUnknown)
}

func TestDecodeRefuses(t *testing.T) {
	token := func(change string) string {
		base := map[string]any{"id": "abcdefgh", "name": "a", "tenant": "b", "role": "viewer",
			"created": "2026-01-02T03:04:05Z", "hash": hash("x")}
		require.NoError(t, json.Unmarshal([]byte(change), &base))
		text, err := json.Marshal(map[string]any{"version": 1, "tokens": []any{base}})
		require.NoError(t, err)
		return string(text)
	}
	_, err := decode([]byte(token(`{}`)))
	require.NoError(t, err)
	for text, want := range map[string]string{
		``:                                    "EOF",
		`{"version": 2}`:                      "got version 2",
		`{"version": 1, "token": []}`:         "unknown field",
		`{"version": 1} {}`:                   "there is more",
		token(`{"expire": "2027"}`):           "unknown field",
		token(`{"expires": "tomorrow"}`):      "cannot parse",
		token(`{"role": "root"}`):             "token 1: got the role",
		token(`{"id": "short"}`):              "token 1: got the id",
		token(`{"id": "ABCDEFGH"}`):           "token 1: got the id",
		token(`{"hash": ""}`):                 "token 1: the hash",
		token(`{"hash": "` + long(64) + `"}`): "token 1: the hash",
		token(`{"share": {"queued": -1}}`):    "token 1: got -1",
		strings.Repeat(" ", maxFile+1):        "want at most",
	} {
		_, err := decode([]byte(text))
		assert.ErrorContains(t, err, want, text)
	}
	one := token(`{}`)
	one = one[strings.Index(one, "[")+1 : strings.LastIndex(one, "]")]
	_, err = decode([]byte(`{"version": 1, "tokens": [` + one + `,` + one + `]}`))
	assert.ErrorContains(t, err, "token 2: there is another one")
}

func TestWritableByOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no mode")
	}
	dir, _, _ := opened(t)
	require.NoError(t, os.Chmod(filepath.Join(dir, TokensFile), 0o620))
	_, err := Open(dir, slog.New(slog.DiscardHandler))
	assert.ErrorContains(t, err, "chmod 600")
}

func FuzzTokensFile(f *testing.F) {
	f.Add([]byte(`{"version":1,"tokens":[{"id":"abcdefgh","name":"a","tenant":"b","role":"viewer",` +
		`"created":"2026-01-02T03:04:05Z","expires":"2027-01-02T03:04:05Z","share":{"per_second":0.5},"hash":"` + hash("x") + `"}]}`))
	f.Add([]byte(`{"version":1,"tokens":null}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, text []byte) {
		tokens, err := decode(text)
		if err != nil {
			return
		}
		out, err := json.Marshal(document{Version: 1, Tokens: tokens})
		require.NoError(t, err)
		again, err := decode(out)
		require.NoError(t, err, "%s", out)
		twice, err := json.Marshal(document{Version: 1, Tokens: again})
		require.NoError(t, err)
		assert.Equal(t, string(out), string(twice))
		for i := range tokens {
			assert.False(t, tokens[i].matches(""))
		}
	})
}
