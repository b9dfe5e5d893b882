//go:build unix

package fs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tree makes files, by their paths below a new directory, and returns that.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return dir
}

// run returns the value of a program that is granted directories.
func run(t *testing.T, g Grant, program string) (string, error) {
	t.Helper()
	tools, err := Tools(g)
	require.NoError(t, err)
	reg, err := tool.NewRegistry(tools...)
	require.NoError(t, err)
	for name, how := range Names() {
		reg.Withhold(name, how)
	}
	res, err := ptc.Run(context.Background(), program,
		ptc.Options{Tools: reg, Limits: ptc.Limits{Timeout: 5 * time.Minute}})
	if err != nil {
		return "", err
	}
	return res.EDN()
}

// both grants a directory as d, to read and write.
func both(dir string) Grant { return Grant{Dirs: []Dir{{Path: dir, Name: "d", Write: true}}} }

func TestPrograms(t *testing.T) {
	g := both(tree(t, map[string]string{
		"a.txt": "one\ntwo\r\n\nlast", "empty": "", "sub/b.log": "b", "sub/deep/c.log": "c", "sub/deep/.hidden.log": "h", "grüße ☃.txt": "ü", "latin": "gr\xfc\xdfe", "ctl": "a\x00b\x1b",
	}))
	for _, test := range []struct{ program, want string }{
		{`(tool/fs.read "d/a.txt")`, `"one\ntwo\r\n\nlast"`},
		{`(tool/fs.read "./d//sub/../a.txt")`, `"one\ntwo\r\n\nlast"`},
		{`(tool/fs.read "d/grüße ☃.txt")`, `"ü"`},
		{`(tool/fs.read "d/empty")`, `""`},
		{`(count (tool/fs.read "d/ctl"))`, `4`},
		{`(tool/fs.read {:path "d/latin" :encoding "latin-1"})`, `"grüße"`},
		{`(tool/fs.read {:path "d/latin" :encoding "base64"})`, `"Z3L832U="`},
		{`(tool/fs.lines "d/a.txt")`, `{:lines ["one" "two" "" "last"]}`},
		{`(tool/fs.lines "d/empty")`, `{:lines []}`},
		{`(tool/fs.lines {:path "d/a.txt" :limit 2})`, `{:lines ["one" "two"], :next 9}`},
		{`(tool/fs.lines {:path "d/a.txt" :from 9 :limit 2})`, `{:lines ["" "last"]}`},
		{`(tool/fs.lines {:path "d/a.txt" :from 1000})`, `{:lines []}`},
		{`(mapcat identity (iteration #(tool/fs.lines {:path "d/a.txt" :limit 1 :from %}) :initk 0 :vf :lines :kf :next))`, `("one" "two" "" "last")`},
		{`(map (juxt :name :type :size) (tool/fs.list "d/sub"))`, `(["b.log" "file" 1] ["deep" "directory" ` + fmt.Sprint(dirSize(t, filepath.Join(g.Dirs[0].Path, "sub/deep"))) + `])`},
		{`(:size (tool/fs.stat "d/a.txt"))`, `14`},
		{`(tool/fs.stat "d/none")`, `nil`},
		{`(:name (tool/fs.stat "d"))`, `"d"`},
		{`(pos? (:modified (tool/fs.stat "d/a.txt")))`, `true`},
		{`(tool/fs.glob "d/*.txt")`, `["d/a.txt" "d/grüße ☃.txt"]`},
		{`(tool/fs.glob "d/**/*.log")`, `["d/sub/b.log" "d/sub/deep/c.log"]`},
		{`(tool/fs.glob "d/**/deep/**")`, `["d/sub/deep" "d/sub/deep/c.log"]`},
		{`(tool/fs.glob "d/**/**/[bc].log")`, `["d/sub/b.log" "d/sub/deep/c.log"]`},
		{`(tool/fs.glob "d/sub/deep/.*")`, `["d/sub/deep/.hidden.log"]`},
		{`(tool/fs.glob "d/sub/b.log")`, `["d/sub/b.log"]`},
		{`(tool/fs.glob "d/none/*")`, `[]`},
		{`[(tool/fs.write {:path "d/new.txt" :text "first"}) (tool/fs.write {:path "d/new.txt" :text "ü"}) (tool/fs.read "d/new.txt")]`, `[5 2 "ü"]`},
		{`[(tool/fs.append {:path "d/log" :text "a\n"}) (tool/fs.append {:path "d/log" :text "b\n"}) (tool/fs.read "d/log")]`, `[2 4 "a\nb\n"]`},
		{`[(tool/fs.mkdir "d/x/y") (tool/fs.mkdir "d/x/y") (tool/fs.write {:path "d/x/y/z" :text "AAH/" :encoding "base64"}) (tool/fs.read {:path "d/x/y/z" :encoding "base64"})]`, `[true true 3 "AAH/"]`},
		{`[(tool/fs.remove "d/x/y/z") (tool/fs.remove "d/x/y/z") (tool/fs.remove "d/x/y") (tool/fs.stat "d/x/y")]`, `[true false true nil]`},
		{`(count (pmap (fn [i] (tool/fs.append {:path "d/many" :text (str i "\n")})) (range 50)))`, `50`},
		{`(= (set (map str (range 50))) (set (:lines (tool/fs.lines "d/many"))))`, `true`},
	} {
		t.Run(test.program, func(t *testing.T) {
			got, err := run(t, g, test.program)
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
		})
	}
}

func dirSize(t *testing.T, dir string) int64 {
	info, err := os.Stat(dir)
	require.NoError(t, err)
	return info.Size()
}

func TestFailures(t *testing.T) {
	dir := tree(t, map[string]string{"a.txt": "text", "sub/b": "b", "bad": "ok\n\xff", "far/\xff": "", "long": strings.Repeat("x", 2<<20)})
	outside := tree(t, map[string]string{"secret": "secret"})
	for name, to := range map[string]string{"out": outside, "file": filepath.Join(outside, "secret"), "up": "../" + filepath.Base(outside), "loop": "loop", "inside": "a.txt"} {
		require.NoError(t, os.Symlink(to, filepath.Join(dir, name)))
	}
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
	g := Grant{Dirs: []Dir{{Path: dir, Name: "d", Write: true}, {Path: filepath.Join(dir, "sub"), Name: "ro"}}, MaxBytes: 3 << 20}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "big"), make([]byte, g.MaxBytes+1), 0o644))
	for _, test := range []struct{ program, code, message string }{
		{`(tool/fs.read "d/none")`, "not-found", "d/none does not exist"},
		{`(tool/fs.read "/etc/passwd")`, "refused", "none of the granted directories (d, ro)"},
		{`(tool/fs.read "d/../../etc/passwd")`, "refused", "none of the granted"},
		{`(tool/fs.read "dd/a.txt")`, "refused", "--allow-fs"},
		{`(tool/fs.read "")`, "bad-path", "want the name of a file such as d/notes.txt"},
		{`(tool/fs.read "d/a\u0000b")`, "bad-path", "got the path"},
		{`(tool/fs.read (apply str "d/" (repeat 5000 "x")))`, "bad-path", "too long"},
		{`(tool/fs.read "d/out/secret")`, "refused", "leads out of the granted directory"},
		{`(tool/fs.read "d/up/secret")`, "refused", "leads out"},
		{`(tool/fs.read "d/file")`, "refused", "leads out"},
		{`(tool/fs.stat "d/file")`, "refused", "leads out"},
		{`(tool/fs.list "d/out")`, "refused", "leads out"},
		{`(tool/fs.glob "d/out/*")`, "refused", "leads out"},
		{`(tool/fs.write {:path "d/out/new" :text "x"})`, "refused", "leads out"},
		{`(tool/fs.write {:path "d/file" :text "x"})`, "not-a-file", "is a link, want a regular file"},
		{`(tool/fs.write {:path "d/inside" :text "x"})`, "not-a-file", "is a link"},
		{`(tool/fs.append {:path "d/file" :text "x"})`, "refused", "leads out"},
		{`(tool/fs.mkdir "d/out/new")`, "refused", "leads out"},
		{`(tool/fs.remove "d/out/secret")`, "refused", "leads out"},
		{`(tool/fs.read "d/loop")`, "refused", "symbolic link"},
		{`(tool/fs.read "d/pipe")`, "not-a-file", "is a pipe"},
		{`(tool/fs.append {:path "d/pipe" :text "x"})`, "", "d/pipe"},
		{`(tool/fs.read "d/sub")`, "is-directory", "fs.list"},
		{`(tool/fs.write {:path "d/far" :text "x"})`, "is-directory", "d/far"},
		{`(tool/fs.write {:path "d" :text "x"})`, "is-directory", "d is"},
		{`(tool/fs.read (apply str "d/" (repeat 300 "x")))`, "bad-path", "too long"},
		{`(tool/fs.list "d/a.txt")`, "not-directory", "d/a.txt"},
		{`(tool/fs.read "d/a.txt/x")`, "not-directory", "d/a.txt/x"},
		{`(tool/fs.write {:path "d/none/x" :text "x"})`, "not-found", "fs.mkdir makes it"},
		{`(tool/fs.append {:path "d/none/x" :text "x"})`, "not-found", "fs.mkdir makes it"},
		{`(tool/fs.mkdir "d/a.txt")`, "", "d/a.txt"},
		{`(tool/fs.remove "d/far")`, "not-empty", "d/far"},
		{`(tool/fs.remove "d")`, "refused", "granted directory"},
		{`(tool/fs.write {:path "ro/b" :text "x"})`, "refused", "ro/b may only be read; grant writing with --allow-fs ro"},
		{`(tool/fs.remove "ro/b")`, "refused", "may only be read"},
		{`(tool/fs.read "d/bad")`, "not-text", "byte 3"},
		{`(tool/fs.lines "d/bad")`, "not-text", "byte 3"},
		{`(tool/fs.read {:path "d/bad" :encoding "utf-16"})`, "bad-arguments", "utf-16"},
		{`(tool/fs.write {:path "d/w" :text "not base64!" :encoding "base64"})`, "bad-arguments", "base64"},
		{`(tool/fs.write {:path "d/w" :text "x" :encoding "ebcdic"})`, "bad-arguments", "ebcdic"},
		{`(tool/fs.read "d/big")`, "too-large", "fs.lines"},
		{`(tool/fs.lines "d/long")`, "too-large", "the line at byte 0"},
		{`(tool/fs.lines {:path "d/a.txt" :from -1})`, "bad-arguments", "-1"},
		{`(tool/fs.lines {:path "d/a.txt" :limit 1000000})`, "bad-arguments", "1 to 100000"},
		{`(tool/fs.glob "d/[")`, "bad-arguments", "malformed"},
		{`(tool/fs.glob "/**")`, "refused", "none of the granted"},
		{`(tool/fs.glob "**")`, "refused", "none of the granted"},
	} {
		t.Run(test.program, func(t *testing.T) {
			_, err := run(t, g, test.program)
			var e *ptc.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, diag.ToolFailed, e.Code)
			assert.Contains(t, e.Message, test.message)
			assert.NotContains(t, e.Message, dir, "the path on the host is not the program's to know")
			if test.code != "" {
				got, err := run(t, g, `(try `+test.program+` (catch Exception e (:code (ex-data e))))`)
				require.NoError(t, err)
				assert.Equal(t, ":"+test.code, got)
			}
		})
	}
	text, err := os.ReadFile(filepath.Join(outside, "secret"))
	require.NoError(t, err)
	assert.Equal(t, "secret", string(text))
	assert.Empty(t, leftovers(t, dir), "temporary files")
}

// leftovers returns the temporary files in a directory.
func leftovers(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, ".ptc-*"))
	require.NoError(t, err)
	return names
}

// TestNotPermitted has files that the system withholds. Root may do everything.
func TestNotPermitted(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read every file")
	}
	dir := tree(t, map[string]string{"a": "x", "closed/b": "y"})
	require.NoError(t, os.Chmod(filepath.Join(dir, "a"), 0))
	require.NoError(t, os.Chmod(filepath.Join(dir, "closed"), 0o500))
	t.Cleanup(func() { assert.NoError(t, os.Chmod(filepath.Join(dir, "closed"), 0o700)) }) // so that it can be removed
	for _, program := range []string{`(tool/fs.read "d/a")`, `(tool/fs.write {:path "d/closed/c" :text ""})`} {
		_, err := run(t, both(dir), program)
		require.ErrorContains(t, err, "permissions of the system")
	}
}

// TestGrants checks that the grant decides which tools there are, and the meaning of names.
func TestGrants(t *testing.T) {
	tools, err := Tools(Grant{})
	require.NoError(t, err)
	assert.Empty(t, tools, "the zero value grants nothing")
	_, err = run(t, Grant{}, `(tool/fs.read "a")`)
	var e *ptc.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, diag.NotGranted, e.Code)
	assert.Equal(t, "grant it with --allow-fs DIR:ro", e.Hint)

	dir := tree(t, map[string]string{"a": "1", "in/b": "2"})
	_, err = run(t, Grant{Dirs: []Dir{{Path: dir}}}, `(tool/fs.write {:path "a" :text ""})`)
	require.ErrorAs(t, err, &e)
	assert.Equal(t, diag.NotGranted, e.Code)
	assert.Equal(t, "grant it with --allow-fs DIR", e.Hint)

	_, err = Tools(Grant{Dirs: []Dir{{Path: filepath.Join(dir, "none")}}})
	require.ErrorContains(t, err, "can't be opened: no such file")
	_, err = Tools(Grant{Dirs: []Dir{{Path: filepath.Join(dir, "a")}}})
	require.ErrorContains(t, err, "can't be opened: not a directory")
	_, err = Tools(Grant{Dirs: []Dir{{Path: dir, Name: "x"}, {Path: filepath.Join(dir, "in"), Name: "x"}}})
	require.ErrorContains(t, err, "two granted directories have the name x")

	t.Chdir(dir)
	for _, test := range []struct {
		dirs          []string
		program, want string
	}{
		{[]string{"."}, `[(tool/fs.read "a") (tool/fs.read "./in/b")]`, `["1" "2"]`},
		{[]string{"in"}, `(tool/fs.read "in/b")`, `"2"`},
		{[]string{"in:ro", ".:ro"}, `(tool/fs.glob "*")`, `["a" "in"]`},
		{[]string{"in:ro", "."}, `[(tool/fs.write {:path "c" :text "3"}) (try (tool/fs.write {:path "in/c" :text "3"}) (catch Exception e :refused))]`, `[1 :refused]`},
		{[]string{"in:ro", "in"}, `(tool/fs.write {:path "in/c" :text "3"})`, `1`},
		{[]string{dir}, `(tool/fs.read "` + dir + `/in/b")`, `"2"`},
		{[]string{"/"}, `(tool/fs.read "` + dir + `/in/b")`, `"2"`},
		{[]string{"./in/../in/"}, `(tool/fs.read "in/b")`, `"2"`},
		{[]string{"../" + filepath.Base(dir)}, `(tool/fs.read "../` + filepath.Base(dir) + `/a")`, `"1"`},
	} {
		var g Grant
		for _, text := range test.dirs {
			d, err := ParseDir(text, "")
			require.NoError(t, err)
			g.Dirs = append(g.Dirs, d)
		}
		got, err := run(t, g, test.program)
		require.NoError(t, err, test.dirs)
		assert.Equal(t, test.want, got, test.dirs)
	}
	for _, bad := range []string{"", ":ro", "a\x00b"} {
		_, err := ParseDir(bad, "")
		require.Error(t, err, bad)
	}
	d, err := ParseDir("data:ro", "/srv")
	require.NoError(t, err)
	assert.Equal(t, Dir{Path: "/srv/data", Name: "data"}, d)
}

// TestDeclarations checks the declarations of the tools.
func TestDeclarations(t *testing.T) {
	tools, err := Tools(both(t.TempDir()))
	require.NoError(t, err)
	reg, err := tool.NewRegistry(tools...)
	require.NoError(t, err)
	assert.Len(t, tools, len(Names()))
	changes := map[string]effect.Class{"fs.write": effect.Idempotent, "fs.mkdir": effect.Idempotent, "fs.remove": effect.Idempotent, "fs.append": effect.Write}
	for _, x := range tools {
		assert.Contains(t, Names(), x.Name())
		want, ok := changes[x.Name()]
		if !ok {
			want = effect.ReadOnly
		}
		assert.Equal(t, want, x.Class(), x.Name())
		assert.NotEmpty(t, x.Examples(), x.Name())
		for _, e := range x.Examples() {
			_, err := ptc.Compile(context.Background(), "", e, ptc.Options{Tools: reg})
			require.NoError(t, err, e)
		}
	}
	assert.Equal(t, "fs.lines {:path string :from int? :limit int? :encoding string?} -> {:lines [string] :next int|nil?}", reg.Lookup("fs.lines").Signature())
}
