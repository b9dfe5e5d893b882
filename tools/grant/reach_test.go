package grant

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// digests returns those of a set with grants "KIND VALUE".
func digests(t *testing.T, grants ...[2]string) map[string]string {
	t.Helper()
	s := Set{Describe: true}
	for _, g := range grants {
		require.NoError(t, s.Grant(g[0], g[1], "/base"))
	}
	return s.Digests()
}

// TestDigests requires sets that reach the same to have the same digests, and others not.
func TestDigests(t *testing.T) {
	type all = [][2]string
	for name, c := range map[string]struct{ one, other all }{
		"order":    {all{{"http", "a.example=GET,POST"}, {"http", "b.example"}}, all{{"http", "b.example"}, {"http", "a.example=POST,GET"}}},
		"password": {all{{"sql", "main=postgres://me:one@db/x"}}, all{{"sql", "main=postgres://me:two@db/x"}}},
		"setting": {all{{"sql", "main=postgres://me@db/x?password=one&sslmode=require"}},
			all{{"sql", "main=postgres://me@db/x?sslmode=require&password=two"}}},
		"time":    {all{{"time", ""}}, all{{"time", ""}}},
		"reading": {all{{"facts", "read"}, {"kv", "a.db"}}, all{{"facts", "write"}, {"kv", "a.db:ro"}}},
		"twice":   {all{{"env", "A"}, {"env", "A"}}, all{{"env", "A"}}},
	} {
		assert.Equal(t, digests(t, c.one...), digests(t, c.other...), name)
		assert.NotEmpty(t, digests(t, c.one...), name)
	}
	for name, c := range map[string]struct {
		tool       string
		one, other all
	}{
		"host":      {"http.get", all{{"http", "a.example"}}, all{{"http", "b.example"}}},
		"method":    {"http.get", all{{"http", "a.example=GET"}}, all{{"http", "a.example"}}},
		"private":   {"http.get", all{{"http", "a.example"}}, all{{"http", "a.example"}, {"http-private", "10.0.0.0/8"}}},
		"database":  {"sql.query", all{{"sql", "main=postgres://me:one@db/x"}}, all{{"sql", "main=postgres://me:one@db/y"}}},
		"user":      {"sql.query", all{{"sql", "main=postgres://me:one@db/x"}}, all{{"sql", "main=postgres://you:one@db/x"}}},
		"server":    {"sql.query", all{{"sql", "main=postgres://me@/x?host=db1"}}, all{{"sql", "main=postgres://me@/x?host=db2"}}},
		"directory": {"fs.read", all{{"fs", "data"}}, all{{"fs", "data:ro"}}},
		"variable":  {"env.get", all{{"env", "A"}}, all{{"env", "B"}}},
		"program":   {"exec.run", all{{"exec", "true"}}, all{{"exec", "false"}}},
		"store":     {"kv.get", all{{"kv", "a.db"}}, all{{"kv", "b.db"}}},
	} {
		one, other := digests(t, c.one...), digests(t, c.other...)
		assert.NotEmpty(t, one[c.tool], name)
		assert.NotEqual(t, one[c.tool], other[c.tool], name)
	}
	both := digests(t, [2]string{"http", "a.example"}, [2]string{"env", "A"})
	assert.Equal(t, digests(t, [2]string{"env", "A"})["env.get"], both["env.get"], "each kind has its own")
}

// TestDigestOfHeader checks that the names of headers count, but not their values.
func TestDigestOfHeader(t *testing.T) {
	with := func(name, value string) string {
		s := Set{Describe: true}
		require.NoError(t, s.Grant("http", "a.example", ""))
		s.http.Hosts[0].Header = http.Header{name: {value}}
		return s.Digests()["http.get"]
	}
	assert.Equal(t, with("Authorization", "one"), with("Authorization", "two"))
	assert.NotEqual(t, with("Authorization", "one"), with("X-Team", "one"))
}

// TestDigestsOfAllKinds requires each kind that has tools to have digests.
func TestDigestsOfAllKinds(t *testing.T) {
	for _, k := range Kinds() {
		assert.Equal(t, k.names == nil, k.reach == nil, k.Key)
	}
}
