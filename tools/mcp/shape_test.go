package mcp

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/testlog"
)

func TestShapes(t *testing.T) {
	wide := make(map[string]int)
	for i := range shapeFields + 1 {
		wide[fmt.Sprint("key", i)] = i
	}
	many, err := json.Marshal(wide)
	require.NoError(t, err)
	for want, results := range map[string][]string{
		`?`:                                nil,
		`int?`:                             {`1`, `2`},
		`number?`:                          {`1`, `2.5`, `3`},
		`string|nil?`:                      {`"a"`, `null`},
		`{:id int}?`:                       {`{"id": 1}`},
		`{:id int :name string?}?`:         {`{"id": 1}`, `{"id": 2, "name": "a"}`},
		`[{:id int|string}]?`:              {`[]`, `[{"id": 1}, {"id": "a"}]`},
		`{string int}?`:                    {string(many)},
		`{string bool}?`:                   {`{"ann@example.com": true}`, `{"bob": false}`},
		`{:a {:b {:c {:d {:e {:f …}}}}}}?`: {`{"a":{"b":{"c":{"d":{"e":{"f":{"g":{"h":1}}}}}}}}`},
	} {
		sh := openShapes("", &Server{Name: "s"})
		for _, r := range results {
			assert.Empty(t, sh.learn("a", json.RawMessage(r)))
		}
		assert.Equal(t, want, sh.seen("a"), results)
		assert.Equal(t, len(results), sh.count("a"))
	}
}

// TestDrift requires a result unlike many before to be told, once.
func TestDrift(t *testing.T) {
	log := &testlog.Buffer{}
	s := &server{Server: Server{Name: "s"}, log: slog.New(slog.NewTextHandler(log, nil)), shapes: openShapes("", &Server{})}
	d := &declared{name: "get"}
	for i := range settled {
		s.learn(d, json.RawMessage(fmt.Sprintf(`{"rows": [{"id": %d}]}`, i)))
	}
	assert.Empty(t, log.String())
	s.learn(d, json.RawMessage(`{"rows": [{"id": "s3cr3t"}]}`))
	assert.Contains(t, log.String(), `tool=tool/s.get drift="[:rows 0 :id]: want int as in 5 results"`)
	assert.NotContains(t, log.String(), "s3cr3t")
	s.learn(d, json.RawMessage(`{"rows": 1}`))
	assert.Equal(t, 1, strings.Count(log.String(), "drift"))
	assert.Equal(t, `{:rows [{:id int|string}]|int}?`, s.shapes.seen("get"))
	for range 2 * enough {
		s.learn(d, json.RawMessage(`{"rows": 1}`))
	}
	assert.Equal(t, settled+2+2*enough, s.shapes.count("get"))
}

// TestShapesFile keeps shapes between runs, and adds those of a run beside it.
func TestShapesFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "shapes")
	s := command(t, "s", "sdk")
	for range 3 {
		all, r := opened(t, Grant{Servers: []Server{s}, Shapes: dir})
		value(t, r, `(tool/s.pid {})`)
		require.NoError(t, all.Close())
	}
	_, r := opened(t, Grant{Servers: []Server{s}, Shapes: dir})
	assert.Equal(t, "s.pid {:text string?} -> {:pid int}?", r.Lookup("s.pid").Signature())
	assert.Contains(t, r.Lookup("s.pid").Doc(), "the shape is that of the 3 results before")
	files, err := filepath.Glob(filepath.Join(dir, "s-*.json"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	info, err := os.Stat(files[0])
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	one, other := openShapes(dir, &s), openShapes(dir, &s)
	one.learn("pid", json.RawMessage(`{"pid": 1}`))
	other.learn("pid", json.RawMessage(`{"pid": null}`))
	require.NoError(t, one.save())
	require.NoError(t, other.save())
	last := openShapes(dir, &s)
	assert.Equal(t, `{:pid int|nil}?`, last.seen("pid"))
	assert.Equal(t, 5, last.count("pid"))

	one, other = openShapes(dir, &s), openShapes(dir, &s)
	one.learn("pid", json.RawMessage(`{"pid": "1"}`))
	one.learn("env", json.RawMessage(`{"home": "/"}`))
	other.learn("cwd", json.RawMessage(`"/"`))
	require.NoError(t, one.save())
	require.NoError(t, other.save())
	last = openShapes(dir, &s)
	assert.Equal(t, `{:pid int|string|nil}?`, last.seen("pid"), "a run that has not called it")
	assert.Equal(t, `{:home string}?`, last.seen("env"), "a tool that another run has called first")
	assert.Equal(t, `string?`, last.seen("cwd"))

	for _, damage := range []string{`{"pid": null}`, `{"pid": {"count": 1}}`, `[`, `{"pid": {"count": 1, "shape": {"fields": {"a": null}}}}`,
		`{"pid": {"shape": ` + strings.Repeat(`{"items":`, 20) + `{}` + strings.Repeat(`}`, 20) + `}}`} {
		require.NoError(t, os.WriteFile(files[0], []byte(damage), 0o600))
		assert.Equal(t, unknownShape, openShapes(dir, &s).seen("pid"), damage)
	}
}
