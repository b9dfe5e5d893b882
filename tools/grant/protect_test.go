package grant

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
)

// TestProtect checks that the file tools of a set can't touch the files of the set, nor the files that the
// host names.
func TestProtect(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.WriteFile("step", []byte("#!/bin/sh\n"), 0o755))
	var s Set
	s.Protect(Protected{Path: filepath.Join(dir, "config"), What: "the configuration"})
	for key, value := range map[string]string{"fs": ".", "exec": "./step", "kv": "kv.db"} {
		require.NoError(t, s.Grant(key, value, ""))
	}
	for _, db := range []string{"a=a.db,write", "b=sqlite:b.db,write", "c=postgres://u@h/c.db"} {
		require.NoError(t, s.Grant("sql", db, ""))
	}
	c := s.Clone()
	c.Protect(Protected{Path: filepath.Join(dir, "other"), What: "another file"})
	reg, err := s.Registry(t.Context())
	require.NoError(t, err)
	defer s.Close()
	for path, want := range map[string]string{
		"step": "is a granted program", "kv.db": "is the granted store", "a.db": "is a granted database",
		"a.db-wal":     "is a granted database",
		"b.db-journal": "is a granted database", "config": "is the configuration", "other": "", "c.db": "",
	} {
		_, err := ptc.Run(context.Background(), `(tool/fs.write {:path "`+path+`" :text "x"})`, ptc.Options{Tools: reg})
		if want == "" {
			require.NoError(t, err, path)
		} else {
			require.ErrorContains(t, err, path+" "+want)
		}
	}
}

// TestFromFile checks that only the grants of a file are listed.
func TestFromFile(t *testing.T) {
	s := Set{Describe: true}
	require.NoError(t, s.Grant("time", "", ""))
	require.NoError(t, s.ReadFile("ptc.yaml",
		[]byte("allow:\n  exec: [git]\n  time: true\n  kv: [state.db]\n  http:\n    - a.test\n    - host: b.test\n"+
			"  sql: [\"postgres://u:p@h/d\", \"x=postgres://h/d?password=p\", y=plain.db]\n")))
	require.Equal(t, []string{"--allow-exec git", "--allow-http a.test", "--allow-http b.test", "--allow-kv state.db",
		"--allow-sql postgres://…@h/d", "--allow-sql x=postgres://h/d?…", "--allow-sql y=plain.db", "--allow-time"},
		s.FromFile())
	require.Error(t, s.ReadFile("ptc.yaml", []byte("allow:\n  env: [A, B=]\n")))
	require.Len(t, s.FromFile(), 8, "a file with a mistake grants nothing")
}
