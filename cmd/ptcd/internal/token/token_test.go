package token

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/serve/access"
)

// run runs the command.
func run(args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	code = Main(args, nil, &o, &e)
	return code, o.String(), e.String()
}

func TestCreateListRevoke(t *testing.T) {
	dir := t.TempDir()
	tokens, err := access.Open(dir, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	code, out, errs := run("create", "--dir", dir, "--name", "ci", "--role=submitter", "--tenant", "acme",
		"--expires", "90d", "--running", "3", "--memory", "2GB", "--per-second", "0.5", "--burst", "5", "--queued", "10", "--calls", "100")
	require.Equal(t, 0, code, errs)
	text := strings.TrimSpace(out)
	assert.Equal(t, text+"\n", out, "the token alone, for $(…)")
	assert.NotContains(t, errs, text)
	token, err := tokens.Verify(text)
	require.NoError(t, err, "a service that runs knows the token at once")
	assert.Equal(t, access.Who{Name: "ci", Tenant: "acme", Role: access.Submitter}, token.Who)
	share := access.Share{Running: 3, Queued: 10, Memory: 2 << 30, Calls: 100, PerSecond: 0.5, Burst: 5}
	assert.Equal(t, share, token.Share)
	assert.WithinDuration(t, time.Now().Add(90*24*time.Hour), *token.Expires, time.Minute)

	code, out, _ = run("list", "--dir", dir)
	assert.Equal(t, 0, code)
	assert.Regexp(t, `(?m)^`+token.ID+`\s+ci\s+acme\s+submitter\s+\d{4}-\d\d-\d\d\s+`, out)
	assert.Regexp(t, `(?m)\boperator\s+default\s+operator\s.*never$`, out)
	assert.NotContains(t, out, token.Hash)

	code, out, _ = run("list", "--dir", dir, "--json")
	assert.Equal(t, 0, code)
	var listed []access.Token
	require.NoError(t, json.Unmarshal([]byte(out), &listed))
	assert.Len(t, listed, 2)
	assert.NotContains(t, out, "hash")

	code, out, errs = run("revoke", "--dir", dir, "nobody", "ci")
	assert.Equal(t, 1, code)
	assert.Contains(t, out, "revoked ci (id "+token.ID+")")
	assert.Contains(t, errs, "there is no token with the id or name nobody")
	_, err = tokens.Verify(text)
	assert.ErrorIs(t, err, access.ErrUnknown)
}

func TestExpires(t *testing.T) {
	for text, want := range map[string]time.Time{
		"2099-01-31":                time.Date(2099, 1, 31, 0, 0, 0, 0, time.UTC),
		"2099-01-31T18:00:00+02:00": time.Date(2099, 1, 31, 16, 0, 0, 0, time.UTC),
		"12h":                       time.Now().Add(12 * time.Hour),
		"1d":                        time.Now().Add(24 * time.Hour),
	} {
		s := &settings{}
		require.NoError(t, s.expires(text), text)
		assert.WithinDuration(t, want, *s.token.Expires, time.Minute, text)
	}
	for _, text := range []string{"", "d", "0d", "-1h", "0s", "soon", "99999999d", "2099-02-30"} {
		assert.Error(t, (&settings{}).expires(text), text)
	}
}

func TestMistakes(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"", 2, "ptcd token create"},
		{"--help", 0, "ptcd token create"},
		{"destroy", 2, `no command "destroy"`},
		{"create --help", 0, "--expires TIME"},
		{"create --name a --role viewer", 2, "want --dir, which names the directory of the service, or --config"},
		{"create --dir D --name a", 2, "--name and --role are required"},
		{"create --dir D --name a --role root", 2, "want one of viewer, submitter, operator"},
		{"create --dir D --name a --role viewer --expires never", 2, "want a time such as"},
		{"create --dir D --name a --role viewer --per-second NaN", 2, "want a number above 0"},
		{"create --dir D --name a --role viewer x", 2, `got the argument "x"`},
		{"create --dir D --name a --role viewer --expires 2020-01-01", 1, "in the past"},
		{"create --dir D/none --name a --role viewer", 1, "no such file or directory"},
		{"create --dir D --nam a", 2, "did you mean --name?"},
		{"list --dir D", 1, "no such file or directory"},
		{"list --dir D x", 2, `got the argument "x"`},
		{"revoke --dir D", 2, "want the name or the id"},
	} {
		code, out, errs := run(strings.Fields(strings.ReplaceAll(c.args, "D", dir))...)
		assert.Equal(t, c.code, code, c.args)
		assert.Contains(t, errs, c.want, c.args)
		assert.Empty(t, out, c.args)
	}
}
