//go:build unix

package grant

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// TestRelative grants a relative path from a file, by a flag, and by the result of Given in another working
// directory: it is the same file each time.
func TestRelative(t *testing.T) {
	dir := t.TempDir()
	conf, elsewhere := filepath.Join(dir, "conf"), filepath.Join(dir, "elsewhere")
	for at, says := range map[string]string{conf: "right", elsewhere: "wrong"} {
		require.NoError(t, os.Mkdir(at, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(at, "step"), []byte("#!/bin/sh\necho "+says+"\n"), 0o755))
	}
	program := func(s *Set) string {
		reg, err := s.Registry(t.Context())
		require.NoError(t, err)
		defer s.Close()
		res, err := ptc.Run(context.Background(), `(tool/sql.execute {:sql "create table if not exists t (a)"})
			(str/trim (:out (tool/exec.run {:program "step"})))`, ptc.Options{Tools: reg})
		require.NoError(t, err)
		v, err := res.Value()
		require.NoError(t, err)
		return fmt.Sprint(v)
	}
	for i, dsn := range []string{"%s.db", "sqlite:%s.db", "sqlite://%s.db", "file:%s.db",
		"file://%s.db", "x=sqlite:%s.db"} {
		name := fmt.Sprint("db", i)
		dsn = fmt.Sprintf(dsn, name) + ",write"
		var flags Set
		t.Chdir(conf)
		require.NoError(t, flags.Grant("exec", "./step", ""))
		require.NoError(t, flags.Grant("sql", dsn, ""))
		t.Chdir(elsewhere)
		var file, again Set
		require.NoError(t, file.ReadFile("../conf/ptc.yaml", []byte("allow:\n  exec: [./step]\n  sql: [\""+dsn+"\"]\n")))
		for _, g := range flags.Given() {
			require.NoError(t, again.Grant(g.Key, g.Value, g.Base))
		}
		require.Equal(t, "right", program(&file))
		require.Equal(t, "right", program(&again))
		require.FileExists(t, filepath.Join(conf, name+".db"))
	}
	for _, at := range []string{dir, elsewhere} {
		entries, err := filepath.Glob(filepath.Join(at, "*db*"))
		require.NoError(t, err)
		require.Empty(t, entries)
	}
	made, err := os.ReadDir(conf)
	require.NoError(t, err)
	require.Len(t, made, 7, "step and six databases")
}

// TestSQLiteBesideTarget checks that tools can't touch the files that SQLite creates beside the target of a
// link: SQLite would take a journal there for that of an interrupted transaction.
func TestSQLiteBesideTarget(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "data"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "data", "real.db"), nil, 0o600))
	require.NoError(t, os.Symlink("data/real.db", filepath.Join(dir, "link.db")))
	var s Set
	require.NoError(t, s.Grant("fs", dir, ""))
	require.NoError(t, s.Grant("sql", filepath.Join(dir, "link.db")+",write", ""))
	reg, err := s.Registry(t.Context())
	require.NoError(t, err)
	defer s.Close()
	for _, name := range []string{"link.db", "link.db-journal", "data/real.db",
		"data/real.db-journal", "data/real.db-wal", "data/real.db-shm"} {
		program := `(tool/fs.write {:path "` + filepath.Join(dir, name) + `" :text "x"})`
		_, err := ptc.Run(context.Background(), program, ptc.Options{Tools: reg})
		require.ErrorContains(t, err, "is a granted database, which no tool may change", name)
	}
}

// TestSSHFiles checks that tools can't touch the files that SSH would use the next time: missing ones too,
// and keys although an agent has them.
func TestSSHFiles(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("SSH_AUTH_SOCK", filepath.Join(home, "agent"))
	at := func(name string) string { return filepath.Join(home, ".ssh", name) }
	require.NoError(t, os.Mkdir(filepath.Join(home, ".ssh"), 0o700))
	require.NoError(t, os.WriteFile(at("id_rsa"), []byte("secret"), 0o600))
	var s Set
	s.ssh.Hosts = []string{"web-1"}
	require.NoError(t, s.Grant("fs", home, ""))
	tools, err := s.fileTools()
	require.NoError(t, err)
	reg, err := tool.NewRegistry(tools...)
	require.NoError(t, err)
	for program, want := range map[string]string{
		`(tool/fs.write {:path "` + at("known_hosts") + `" :text "x"})`: "is the file of hosts that are known by SSH",
		`(tool/fs.write {:path "` + at("id_ed25519") + `" :text "x"})`:  "is a key of SSH, which no tool may change",
		`(tool/fs.read "` + at("id_rsa") + `")`:                         "is a key of SSH, which no tool may read",
	} {
		_, err := ptc.Run(context.Background(), program, ptc.Options{Tools: reg})
		require.ErrorContains(t, err, want)
	}
}
