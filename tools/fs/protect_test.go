//go:build unix

package fs

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
)

// link makes a symbolic link in a directory.
func link(t *testing.T, dir, name, to string) {
	t.Helper()
	require.NoError(t, os.Symlink(to, filepath.Join(dir, name)))
}

// contents returns the texts of all files below a directory, and where links lead.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	require.NoError(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			all[path] = "directory"
			return err
		}
		if e.Type()&os.ModeSymlink != 0 {
			to, err := os.Readlink(path)
			all[path] = "-> " + to
			return err
		}
		text, err := os.ReadFile(path)
		all[path] = string(text)
		return err
	}))
	return all
}

// refused wants a program to be refused, with a message, and to change nothing.
func refused(t *testing.T, g Grant, dir, program, message string) {
	t.Helper()
	before := contents(t, dir)
	_, err := run(t, g, program)
	var e *ptc.Error
	require.ErrorAs(t, err, &e, program)
	assert.Contains(t, e.Message, message, program)
	assert.NotContains(t, e.Message, dir, "the path on the host is not the program's to know")
	code, err := run(t, g, `(try `+program+` (catch Exception e (:code (ex-data e))))`)
	require.NoError(t, err)
	assert.Equal(t, ":refused", code, program)
	assert.Equal(t, before, contents(t, dir), program)
}

// TestProtected tries to change protected files in each way that leads to them.
func TestProtected(t *testing.T) {
	dir := tree(t, map[string]string{"job.ptc": "1", "real/run.journal": "{}", "real/other": "o", "state/key": "secret",
		"state/deep/seen": "", "bin/step": "#!"})
	link(t, dir, "journals", "real")
	link(t, dir, "dangling", "ptc.yaml")
	link(t, dir, "here", ".")
	link(t, dir, "key", "state/key")
	link(t, dir, "tostate", "state/deep")
	for name, of := range map[string]string{"hard": "job.ptc", "hardkey": "state/key", "hardbin": "bin/step"} {
		require.NoError(t, os.Link(filepath.Join(dir, of), filepath.Join(dir, name)))
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	g := Grant{Dirs: []Dir{{Path: dir, Name: "d", Write: true}}, Protect: []Protected{
		{Path: at("job.ptc"), What: "the script"}, {Path: at("ptc.yaml"), What: "what the script is granted"},
		{Path: at("journals/run.journal"), What: "the journal"}, {Path: at("bin/step"), What: "a granted program"},
		{Path: at("policies/policy.yaml"), What: "the policy"}, {Path: at("größe.db"), What: "a database"},
		{Path: at("first.db-journal"), What: "a database"},
		{Path: at("state"), What: "the state of ptc"}, {Path: at("state/key"), What: "the key", Secret: true},
	}}
	write := func(path string) string { return `(tool/fs.write {:path "d/` + path + `" :text "evil"})` }
	add := func(path string) string { return `(tool/fs.append {:path "d/` + path + `" :text "evil"})` }
	mkdir := func(path string) string { return `(tool/fs.mkdir "d/` + path + `")` }
	remove := func(path string) string { return `(tool/fs.remove "d/` + path + `")` }
	for _, c := range []struct{ program, message string }{
		{write("job.ptc"), "d/job.ptc is the script, which no tool may change"},
		{add("job.ptc"), "is the script"},
		{remove("job.ptc"), "is the script"},
		{write("real/../job.ptc"), "is the script"},
		{write("here/here/job.ptc"), "is the script"},
		{write("hard"), "is the script"},
		{add("hard"), "is the script"},
		{add("hardbin"), "is a granted program"},
		{remove("hard"), "is the script"},

		{write("ptc.yaml"), "d/ptc.yaml is what the script is granted"},
		{add("ptc.yaml"), "is what"},
		{mkdir("ptc.yaml"), "is what"},
		{mkdir("ptc.yaml/x/y"), "is what"},
		{mkdir("here/ptc.yaml"), "is what"},
		{add("dangling"), "is what"},
		{mkdir("dangling"), "is what"},
		{write("PTC.yaml"), "is what"},
		{write("ptc.Yaml"), "is what"},
		{write("ptc.yaml."), "is what"},
		{write("ptc.yaml::$DATA"), "is what"},
		{write(`p\u200ctc.yaml`), "is what"},
		{write("GRÖßE.DB"), "is a database"},
		{write("ﬁrﬆ.db-journal"), "is a database"},
		{write("Firſt.db-journal"), "is a database"},

		{write("real/run.journal"), "is the journal"},
		{write("journals/run.journal"), "is the journal"},
		{add("here/journals/run.journal"), "is the journal"},
		{remove("journals/../real/run.journal"), "is the journal"},
		{remove("journals"), "d/journals leads to the journal"},
		{remove("real"), "leads to the journal"},
		{mkdir("policies"), "leads to the policy"},
		{write("policies"), "leads to the policy"},

		{write("state/new"), "lies in the state of ptc"},
		{write("state/deep/new"), "lies in the state of ptc"},
		{write("tostate/new"), "lies in the state of ptc"},
		{mkdir("tostate/new"), "lies in the state of ptc"},
		{remove("state/deep/seen"), "lies in the state of ptc"},
		{remove("state/key"), "is the key"},
		{`(tool/fs.read "d/state/key")`, "d/state/key is the key, which no tool may read"},
		{`(tool/fs.lines "d/state/key")`, "may read"},
		{`(tool/fs.read "d/key")`, "may read"},
		{`(tool/fs.read "d/hardkey")`, "may read"},
		{`(tool/fs.read {:path "d/here/state/../key" :encoding "base64"})`, "may read"},
	} {
		refused(t, g, dir, c.program, c.message)
	}
	for _, program := range []string{write("job.ptcx"), write("ptc.yml"), add("real/other"), write("journals/notes"),
		write("real/ptc.yaml"), mkdir("real/x/y"), remove("real/x/y"),
		remove("here"), `(tool/fs.read "d/job.ptc")`, `(tool/fs.read "d/state/deep/seen")`, mkdir("state"),
		mkdir("state/deep")} {
		_, err := run(t, g, program)
		require.NoError(t, err, program)
	}
}

// TestProtectedLater has files that come to be while the tools are in use.
func TestProtectedLater(t *testing.T) {
	dir := tree(t, map[string]string{"x": ""})
	at := func(name string) string { return filepath.Join(dir, name) }
	files, err := Open(Grant{Dirs: []Dir{{Path: dir, Name: "d", Write: true}},
		Protect: []Protected{{Path: at("state"), What: "the state"}, {Path: at("state/key"), What: "the key", Secret: true}}})
	require.NoError(t, err)
	_, err = files.mkdir(t.Context(), PathArgs{"d/state"})
	require.ErrorContains(t, err, "d/state is the state")
	require.NoError(t, os.Mkdir(at("state"), 0o755))
	require.NoError(t, os.WriteFile(at("state/key"), []byte("secret"), 0o644))
	_, err = files.read(t.Context(), ReadArgs{Path: "d/state/key"})
	require.ErrorContains(t, err, "no tool may read")
	_, err = files.Write(t.Context(), "d/state/new", nil)
	require.ErrorContains(t, err, "lies in the state")
}

// TestProtectedReplaced replaces the directory of protected files while the tools are in use: the names are
// protected in the new one, including missing ones.
func TestProtectedReplaced(t *testing.T) {
	dir := tree(t, map[string]string{"jobs/job.ptc": "1"})
	at := func(name string) string { return filepath.Join(dir, name) }
	files, err := Open(Grant{Dirs: []Dir{{Path: dir, Name: "d", Write: true}},
		Protect: []Protected{{Path: at("jobs/job.ptc"), What: "the script"},
			{Path: at("jobs/ptc.yaml"), What: "its grants"}}})
	require.NoError(t, err)
	require.NoError(t, os.Rename(at("jobs"), at("old")))
	require.NoError(t, os.Mkdir(at("jobs"), 0o755))
	for name, want := range map[string]string{"d/jobs/ptc.yaml": "is its grants", "d/jobs/job.ptc": "is the script",
		"d/old/ptc.yaml": "is its grants", "d/jobs": "leads to"} {
		_, err = files.Write(t.Context(), name, []byte("evil"))
		require.ErrorContains(t, err, want, name)
	}
	_, err = files.Write(t.Context(), "d/jobs/notes", nil)
	require.NoError(t, err)
}

// TestReadOnlyReplaced has a directory that may only be read be replaced by another one.
func TestReadOnlyReplaced(t *testing.T) {
	dir := tree(t, map[string]string{"keep/a": "a"})
	at := func(name string) string { return filepath.Join(dir, name) }
	files, err := Open(Grant{Dirs: []Dir{{Path: dir, Name: "d", Write: true}, {Path: at("keep"), Name: "keep"}}})
	require.NoError(t, err)
	require.NoError(t, os.Rename(at("keep"), at("old")))
	require.NoError(t, os.Mkdir(at("keep"), 0o755))
	for _, name := range []string{"d/keep/new", "d/old/new"} {
		_, err = files.Write(t.Context(), name, []byte("evil"))
		require.ErrorContains(t, err, "is in keep, which is read-only", name)
	}
}

// TestAppendSwapped replaces a file by a link between the check of an append and its opening: nothing is
// appended to the target of the link.
func TestAppendSwapped(t *testing.T) {
	dir := tree(t, map[string]string{"keep/a": "a", "log": "l"})
	at := func(name string) string { return filepath.Join(dir, name) }
	files, err := Open(Grant{Dirs: []Dir{{Path: dir, Name: "d", Write: true}, {Path: at("keep"), Name: "keep"}}})
	require.NoError(t, err)
	for _, name := range []string{"log", "new"} {
		e, err := files.toChange("d/"+name, true)
		require.NoError(t, err)
		defer e.Close()
		os.Remove(at(name))
		for _, to := range []string{"keep/a", "keep/b"} {
			link(t, dir, name, to)
			_, _, err = files.openEnd(e)
			require.ErrorIs(t, err, errReplaced, name)
			require.NoError(t, os.Remove(at(name)))
		}
	}
	require.NoFileExists(t, at("keep/b"))
}

// TestAppendReplaced adds to a file that is replaced and removed all the time.
func TestAppendReplaced(t *testing.T) {
	dir := t.TempDir()
	files, err := Open(both(dir))
	require.NoError(t, err)
	other, err := Open(both(dir))
	require.NoError(t, err)
	var wg sync.WaitGroup
	for _, f := range []*Files{files, other} {
		wg.Go(func() {
			for range 300 {
				_, err := f.Append(t.Context(), "d/log", func(int64) ([]byte, error) { return []byte("x"), nil })
				assert.NoError(t, err)
			}
		})
	}
	wg.Go(func() {
		for range 300 {
			_, err := files.Write(t.Context(), "d/log", nil)
			assert.NoError(t, err)
			_, err = files.remove(t.Context(), PathArgs{"d/log"})
			assert.NoError(t, err)
		}
	})
	wg.Wait()
}

// TestUnreachableProtected protects files at impossible paths, which is not an error.
func TestUnreachableProtected(t *testing.T) {
	dir := tree(t, map[string]string{"x": ""})
	link(t, dir, "loop", "loop")
	for _, path := range []string{"x/under/a/file", "none/at/all"} {
		_, err := Open(Grant{Dirs: []Dir{{Path: dir, Write: true}}, Protect: []Protected{{Path: filepath.Join(dir, path),
			What: "it"}}})
		require.NoError(t, err, path)
	}
	_, err := Open(Grant{Dirs: []Dir{{Path: dir, Write: true}}, Protect: []Protected{{Path: filepath.Join(dir, "loop/x"),
		What: "it"}}})
	require.ErrorContains(t, err, "can't be protected from tools: too many levels of symbolic links")
}

// TestReadOnlyInside has a directory that may only be read inside one that may be written,
// and another one that may be written inside that.
func TestReadOnlyInside(t *testing.T) {
	dir := tree(t, map[string]string{"keep/a": "a", "keep/sub/b": "b", "keep/out/c": "c", "free/d": "d"})
	for name, to := range map[string]string{"k2": "keep", "k3": "keep/sub", "kf": "keep/a", "free/up": "../keep",
		"knew": "keep/new", "here": ".", "kout": "keep/out"} {
		link(t, dir, name, to)
	}
	require.NoError(t, os.Link(filepath.Join(dir, "keep/a"), filepath.Join(dir, "hard")))
	t.Chdir(dir)
	g := Grant{Dirs: []Dir{{Path: ".", Write: true}, {Path: "keep"}, {Path: "keep/out", Write: true}}}
	for _, c := range []struct{ program, message string }{
		{`(tool/fs.write {:path "keep/x" :text ""})`, "keep/x may only be read"},
		{`(tool/fs.write {:path "k2/x" :text ""})`, "k2/x is in keep, which is read-only"},
		{`(tool/fs.write {:path "k2/a" :text ""})`, "which is read-only"},
		{`(tool/fs.write {:path "k3/b" :text ""})`, "which is read-only"},
		{`(tool/fs.write {:path "here/keep/a" :text ""})`, "which is read-only"},
		{`(tool/fs.write {:path "free/up/sub/b" :text ""})`, "which is read-only"},
		{`(tool/fs.write {:path "k2/out/../x" :text ""})`, "which is read-only"},
		{`(tool/fs.append {:path "kf" :text "x"})`, "which is read-only"},
		{`(tool/fs.append {:path "k3/b" :text "x"})`, "which is read-only"},
		{`(tool/fs.append {:path "knew" :text "x"})`, "which is read-only"},
		{`(tool/fs.append {:path "hard" :text "x"})`, "hard has 2 names (hard links)"},
		{`(tool/fs.mkdir "k2/new")`, "which is read-only"},
		{`(tool/fs.mkdir "knew")`, "which is read-only"},
		{`(tool/fs.mkdir "k3/new/deep")`, "which is read-only"},
		{`(tool/fs.remove "k2/a")`, "which is read-only"},
		{`(tool/fs.remove "k3/b")`, "which is read-only"},
		{`(tool/fs.remove "here/keep")`, "a directory that may only be read"},
	} {
		refused(t, g, dir, c.program, c.message)
	}
	for _, program := range []string{`(tool/fs.write {:path "keep/out/c" :text "x"})`,
		`(tool/fs.write {:path "kout/c2" :text "x"})`, `(tool/fs.write {:path "k2/out/c3" :text "x"})`,
		`(tool/fs.write {:path "free/d" :text "x"})`, `(tool/fs.write {:path "hard" :text "x"})`, `(tool/fs.remove "k2")`,
		`(tool/fs.read "k3/b")`} {
		_, err := run(t, g, program)
		require.NoError(t, err, program)
	}
	text, err := os.ReadFile("keep/a")
	require.NoError(t, err)
	assert.Equal(t, "a", string(text), "a file of its own took the place of the link")
}

// TestSecretDirectory checks that nothing in a secret directory can be read or granted, whatever path leads there.
func TestSecretDirectory(t *testing.T) {
	dir := tree(t, map[string]string{"service/token": "secret", "service/runs/1": "secret", "seen": "1"})
	link(t, dir, "link", "service/token")
	link(t, dir, "runs", "service/runs")
	at := func(name string) string { return filepath.Join(dir, name) }
	secret := []Protected{{Path: at("service"), What: "the directory of the service", Secret: true}}
	files, err := Open(Grant{Dirs: []Dir{{Path: dir, Name: "d"}}, Protect: secret})
	require.NoError(t, err)
	for _, name := range []string{"service/token", "service/runs/1", "link", "runs/1", "runs/../token"} {
		_, err = files.read(t.Context(), ReadArgs{Path: "d/" + name})
		if name == "runs/../token" { // a path without the link: there is no such file
			require.ErrorContains(t, err, "d/token")
			continue
		}
		require.ErrorContains(t, err, "lies in the directory of the service, which no tool may read", name)
	}
	_, err = files.read(t.Context(), ReadArgs{Path: "d/seen"})
	require.NoError(t, err)
	for _, name := range []string{"service", "service/runs", "runs"} {
		_, err = Open(Grant{Dirs: []Dir{{Path: at(name), Name: "d"}}, Protect: secret})
		require.ErrorContains(t, err, "can't be granted: it is or lies in the directory of the service", name)
	}
}
