package grant

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/tools/fs"
	"github.com/ptc-lang/ptc/tools/http"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == serverWord {
		serveMCP()
		return
	}
	goleak.VerifyTestMain(m)
}

func TestNothing(t *testing.T) {
	reg, err := (&Set{}).Registry(t.Context())
	require.NoError(t, err)
	assert.Empty(t, reg.All())
	withheld := reg.Withheld()
	assert.Equal(t, "grant it with --allow-http HOST", withheld["http.get"])
	assert.Equal(t, "grant it with --allow-fs DIR", withheld["csv.write"])
	flags := map[string]bool{}
	for _, k := range Kinds() {
		flags["--"+k.Flag()] = true
	}
	for name, how := range withheld {
		flag, _, _ := strings.Cut(strings.TrimPrefix(how, "grant it with "), " ")
		assert.True(t, flags[flag], "%s: %s", name, how)
	}
}

func TestGrants(t *testing.T) {
	var s Set
	for _, g := range [][2]string{{"http", "api.example.com=GET"}, {"http-private", "10.1.2.3"}, {"fs", t.TempDir() + ":ro"}, {"env", "REGION"}, {"time", ""}} {
		require.NoError(t, s.Grant(g[0], g[1], ""))
	}
	reg, err := s.Registry(t.Context())
	require.NoError(t, err)
	var names []string
	for _, x := range reg.All() {
		names = append(names, x.Name())
	}
	assert.Equal(t, []string{"csv.read", "env.get", "fs.glob", "fs.lines", "fs.list", "fs.read", "fs.stat", "http.get", "jsonl.read", "time.format",
		"time.now", "time.parse"}, names)
	assert.Contains(t, reg.Withheld(), "fs.write")
	assert.Equal(t, "grant it with --allow-http HOST, and if that lists methods, with HOST=GET,POST", reg.Withheld()["http.post"])
	assert.NotContains(t, reg.Withheld(), "fs.read")
	assert.Len(t, s.Given(), 5)

	c := s.Clone()
	require.NoError(t, c.Grant("env", "OTHER", ""))
	require.NoError(t, c.Grant("http", "b.test", ""))
	assert.Equal(t, []string{"REGION"}, s.env.Names)
	assert.Len(t, s.http.Hosts, 1)

	for _, bad := range [][2]string{{"http", "https://a"}, {"http-private", "intranet"}, {"fs", ""}, {"env", "A=B"}, {"htp", "a"}} {
		require.Error(t, s.Grant(bad[0], bad[1], ""), bad)
	}
	require.NoError(t, s.Grant("fs", "no-such-directory", ""))
	_, err = s.Registry(t.Context())
	require.ErrorContains(t, err, "the granted directory no-such-directory can't be opened")
}

// TestCallTimeout has real programs take longer than they may.
func TestCallTimeout(t *testing.T) {
	run := func(file string, grants ...string) error {
		var s Set
		require.NoError(t, s.Grant("exec", "sleep", ""))
		for _, g := range grants {
			require.NoError(t, s.Grant("call-timeout", g, ""))
		}
		require.NoError(t, s.ReadFile("ptc.yaml", []byte(file)))
		reg, err := s.Registry(t.Context())
		require.NoError(t, err)
		prog, err := ptc.Compile(context.Background(), "sleep", `(tool/exec.run {:program "sleep" :args ["0.3"]})`, ptc.Options{Tools: reg})
		require.NoError(t, err)
		_, err = prog.Run(t.Context(), ptc.RunOptions{})
		return err
	}
	require.NoError(t, run(""))
	require.ErrorContains(t, run("", "30ms"), "30ms")
	require.ErrorContains(t, run("allow:\n  call-timeout: [20ms]\n"), "20ms")
	require.NoError(t, run("allow:\n  call-timeout: [10ms]\n", "1h"), "the longest holds")
	for _, bad := range []string{"", "0s", "-1s", "5", "25h", "long"} {
		require.ErrorContains(t, new(Set).Grant("call-timeout", bad, ""), "want a time such as 90s or 10m, 24h at most", bad)
	}
}

func TestReadFile(t *testing.T) {
	t.Setenv("HOOK_TOKEN", "s3cret")
	var s Set
	require.NoError(t, s.ReadFile("dir/ptc.yaml", []byte(`
# what the nightly report may do
allow:
  http:
    - api.example.com:443=GET
    - host: "*.hooks.test=POST"
      headers:
        Authorization: Bearer ${HOOK_TOKEN}
        X-Version: 2
  http-private: [10.0.0.0/8, 192.168.1.7]
  fs: [data:ro, out, /var/log:ro]
  env:
    - REGION
  time: true
approve: [write, exec.run]
`)))
	assert.Equal(t, effect.Approvals{Writes: true, Tools: []string{"exec.run"}}, s.Approvals())
	assert.Equal(t, s.Approvals(), s.Clone().Approvals())
	assert.Equal(t, []http.Host{{Name: "api.example.com", Port: 443, Methods: []string{"GET"}},
		{Name: "*.hooks.test", Methods: []string{"POST"}, Header: map[string][]string{"Authorization": {"Bearer s3cret"}, "X-Version": {"2"}}}}, s.http.Hosts)
	assert.Equal(t, "[10.0.0.0/8 192.168.1.7/32]", fmt.Sprint(s.http.Private))
	assert.Equal(t, []fs.Dir{{Path: "dir/data", Name: "data"}, {Path: "dir/out", Name: "out", Write: true}, {Path: "/var/log", Name: "/var/log"}}, s.fs.Dirs)
	assert.Equal(t, []string{"REGION"}, s.env.Names)
	assert.True(t, s.time.Clock)

	for _, text := range []string{"", "# nothing\n", "allow: {}", "allow:\n  time: false", "allow:\n  fs: []"} {
		var s Set
		require.NoError(t, s.ReadFile("ptc.yaml", []byte(text)), text)
		assert.Equal(t, Set{}, s, text)
	}
}

func TestReadFileMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"allow:\n  htpp: [a.test]":              "ptc.yaml:2:3: allow has no key htpp; did you mean http?",
		"approve: [exec.rnu]":                   "ptc.yaml:1:11: approve: there is no tool exec.rnu; did you mean exec.run?",
		"approve: write":                        "ptc.yaml:1:10: approve: got write, want a list such as [write, http.get]",
		"alow:\n  time: true":                   "ptc.yaml:1:1: the file has no key alow; did you mean allow?",
		"limits: 1":                             "ptc.yaml:1:1: the file has no key limits, of allow",
		"- a":                                   "ptc.yaml:1:1: the file: want keys and values, of allow",
		"allow: all":                            "ptc.yaml:1:8: allow: want keys and values",
		"allow:\n  http: a.test":                "ptc.yaml:2:9: http: want a list such as [host[:port][=methods]]",
		"allow:\n  http:\n    - https://a.test": "ptc.yaml:3:7: http: https://a.test: got",
		"allow:\n  http:\n    - a.test\n    - [b.test]":                           "ptc.yaml:4:7: http: want a text",
		"allow:\n  http:\n    - hots: a.test":                                     "ptc.yaml:3:7: http has no key hots; did you mean host?",
		"allow:\n  http:\n    - headers: {A: b}":                                  "http: the key host is missing",
		"allow:\n  http:\n    - host: a/b":                                        "ptc.yaml:3:13: http: a/b: got",
		"allow:\n  http: [{host: a.test, headers: {A: \"${NO_SUCH_VARIABLE}\"}}]": "headers: A: there is no environment variable NO_SUCH_VARIABLE",
		"allow:\n  http: [{host: a.test, headers: {A: \"${x\"}}]":                 "${ without a closing }",
		"allow:\n  fs: [{dir: x}]":                                                "fs: want a text",
		"allow:\n  fs: [\"\"]":                                                    "fs: : want the name of a directory, DIR, or DIR:ro",
		"allow:\n  time: yes please":                                              "ptc.yaml:2:9: time: want true or false",
		"allow:\n  time: [1":                                                      "ptc.yaml:2:9: ",
		"allow:\n  env: [A]\n  env: [B]":                                          "ptc.yaml:3:3: ",
		"allow:\n  env: &x [A]\n  fs: *x":                                         "want a list",
		"\t- x":                                                                   "ptc.yaml:1:",
		"allow:\n  env: [" + strings.Repeat("A, ", MaxFile) + "]":                 "want at most 65536",
	} {
		s := Set{}
		err := s.ReadFile("ptc.yaml", []byte(text))
		if len(text) > 100 {
			text = text[:100]
		}
		require.ErrorContains(t, err, want, text)
		assert.NotContains(t, err.Error(), "\n", text)
		assert.Equal(t, Set{}, s, "a file with a mistake grants nothing")
	}
}

// TestReadFileNested has files of the greatest size for which the parser takes seconds and gigabytes.
func TestReadFileNested(t *testing.T) {
	for _, text := range []string{"[", "{", "- ", "{a: ", "[a: ", "- [", "[- ", "!!a - "} {
		s := Set{}
		err := s.ReadFile("ptc.yaml", []byte(strings.Repeat(text, MaxFile/len(text))))
		require.ErrorContains(t, err, "nested deeper than 50 levels", text)
	}
}

// TestReadFileMark reads a file that begins with a byte order mark.
func TestReadFileMark(t *testing.T) {
	s := Set{}
	require.NoError(t, s.ReadFile("ptc.yaml", []byte("\ufeffallow:\n  time: true\n")))
	require.Equal(t, []string{"--allow-time"}, s.FromFile())
}

// FuzzReadFile reads any text: an error or a grant, and no panic.
func FuzzReadFile(f *testing.F) {
	f.Add("allow:\n  http:\n    - host: a.test\n      headers: {A: b}\n  fs: [x:ro]\n  time: true\n")
	f.Add("allow: &a\n  env: [A]\n<<: *a\n---\nallow: !!map {}\n")
	f.Fuzz(func(t *testing.T, text string) {
		var s Set
		if err := s.ReadFile("ptc.yaml", []byte(text)); err != nil && len(s.given)+len(s.http.Hosts)+len(s.fs.Dirs) > 0 {
			t.Error("a file with a mistake grants something")
		}
	})
}

// TestBase has directories relative to the file.
func TestBase(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "data"), 0o755))
	var s Set
	require.NoError(t, s.ReadFile(filepath.Join(dir, FileName), []byte("allow:\n  fs: [data:ro]")))
	_, err := s.Registry(t.Context())
	require.NoError(t, err)
}

func TestReach(t *testing.T) {
	var s Set
	dir := t.TempDir()
	for _, g := range [][2]string{{"http", "api.example.com=GET,POST"}, {"fs", dir + ":ro"}, {"fs", dir + "/.."}, {"env", "REGION"}, {"http", "x.example.com:8443"}, {"time", ""}} {
		require.NoError(t, s.Grant(g[0], g[1], ""))
	}
	require.Equal(t, []string{"Paths begin with: " + dir + " (only to read), " + dir + "/..", "URLs of: api.example.com (GET,POST), x.example.com:8443", "Variables: REGION"}, s.Reach())
	require.Empty(t, (&Set{}).Reach())
}
