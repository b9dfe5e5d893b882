package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// script makes a folder with a program, a file of grants if grants is not "", and a folder
// data, and returns the name of the program.
func script(t *testing.T, program, grants string) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{"main.ptc": program, "data/a.csv": "id,n\n1,2\n3,4\n"}
	if grants != "" {
		files["ptc.yaml"] = grants
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "main.ptc")
}

// TestNotGranted calls each standard tool without a grant: nothing runs, and the error names
// the flag.
func TestNotGranted(t *testing.T) {
	for call, flag := range map[string]string{
		`(tool/http.get "https://a.test")`: "--allow-http HOST", `(tool/http.request {:method "PUT" :url "x"})`: "--allow-http HOST",
		`(tool/fs.read "x")`: "--allow-fs DIR:ro", `(tool/fs.write {:path "x" :text ""})`: "--allow-fs DIR", `(tool/csv.read "x")`: "--allow-fs DIR:ro",
		`(tool/jsonl.append {:path "x" :rows []})`: "--allow-fs DIR", `(tool/env.get "HOME")`: "--allow-env NAME", `(tool/time.now)`: "--allow-time",
	} {
		want := wants{5, "", "hint: grant it with " + flag}
		want.check(t, ptcWith("", "run", "-e", `(println "it runs") `+call))
		want.check(t, ptcWith(`(println "it runs") `+call, "run", "-"))
		want.check(t, ptcWith(call, "check", "-"))
	}
	wants{3, "", "did you mean tool/http.get?"}.check(t, ptcWith("", "run", "-e", `(tool/http.gte "x")`))
	wants{5, "", "--allow-fs DIR"}.check(t, ptcWith("", "run", "--allow-fs", t.TempDir()+":ro", "-e", `(tool/fs.write {:path "x" :text ""})`))
}

func TestGrantFlags(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(`{"path": "` + r.URL.Path + `", "method": "` + r.Method + `"}`))
	}))
	t.Cleanup(srv.Close)
	t.Setenv("PTC_TEST_REGION", "north")
	t.Chdir(filepath.Dir(script(t, "", "")))
	host := strings.TrimPrefix(srv.URL, "http://")
	for _, c := range []struct {
		args []string
		want wants
	}{
		{[]string{"--allow-http", host, "-e", `(:json (tool/http.post "` + srv.URL + `/x"))`}, wants{0, `{:path "/x", :method "POST"}`, ""}},
		{[]string{"--allow-http", host + "=GET", "-e", `(:json (tool/http.post "` + srv.URL + `/x"))`}, wants{5, "", "with HOST=GET,POST"}},
		{[]string{"--allow-http", "a.test", "-e", `(tool/http.get "` + srv.URL + `/x")`}, wants{1, "", "grant it with --allow-http " + host}},
		{[]string{"--allow-fs", "data:ro", "-e", `(map :n (:rows (tool/csv.read "data/a.csv")))`}, wants{0, `("2" "4")`, ""}},
		{[]string{"--allow-fs", ".", "-e", `(tool/csv.append {:path "data/a.csv" :rows [{:n 6 :id 5}]}) (tool/fs.read "data/a.csv")`}, wants{0, `"id,n\n1,2\n3,4\n5,6\n"`, ""}},
		{[]string{"--allow-fs", "data", "-e", `(tool/fs.read "main.ptc")`}, wants{1, "", "none of the granted directories (data)"}},
		{[]string{"--allow-env", "PTC_TEST_REGION", "-e", `(tool/env.get "PTC_TEST_REGION")`}, wants{0, `"north"`, ""}},
		{[]string{"--allow-time", "-e", `(tool/time.format {:ms 0 :zone "Asia/Tokyo" :pattern "HH:mm"})`}, wants{0, `"09:00"`, ""}},
		{[]string{"--allow-fs", "none", "-e", "1"}, wants{2, "", "a grant can't be used: the granted directory none can't be opened: no such file"}},
		{[]string{"--allow-http", "https://a.test", "-e", "1"}, wants{2, "", `--allow-http is "https://a.test", got "https://a.test", which looks like a URL; want HOST[:PORT]`}},
		{[]string{"--allow-http-private", "intranet", "-e", "1"}, wants{2, "", "such as 10.1.2.3 or 10.0.0.0/8"}},
		{[]string{"--allow-env", "A=B", "-e", "1"}, wants{2, "", "want the name of an environment variable"}},
		{[]string{"--allow-time=false", "-e", "1"}, wants{2, "", "leave the flag out to grant nothing"}},
		{[]string{"--allow-htp", "a.test", "-e", "1"}, wants{2, "", "did you mean --allow-http?"}},
	} {
		c.want.check(t, ptcWith("", append([]string{"run"}, c.args...)...))
	}
}

// TestGrantFile checks that ptc.yaml is read beside the script, whatever the working directory is.
func TestGrantFile(t *testing.T) {
	program := `(count (:rows (tool/csv.read "data/a.csv")))`
	granted := script(t, program, "allow:\n  fs: [data:ro]\n")
	wants{0, "2\n", "ptc.yaml grants --allow-fs data:ro (shown once"}.check(t, ptcWith("", "run", granted))
	wants{0, "2\n", ""}.check(t, ptcWith("", "run", granted))
	wants{0, "", ""}.check(t, ptcWith("", "check", granted))
	wants{5, "", "--allow-fs DIR:ro"}.check(t, ptcWith("", "run", script(t, program, "")))
	wants{5, "", "--allow-fs DIR:ro"}.check(t, ptcWith("", "check", granted, script(t, program, "")))
	wants{0, "2\n", "grants --allow-fs data (shown"}.check(t, ptcWith("", "run", script(t,
		program+`(tool/env.get "PTC_NONE") 2`, "allow:\n  fs: [data]\n"), "--allow-env", "PTC_NONE"))
	bad := script(t, program, "allow:\n  fz: [data]\n")
	wants{2, "", "ptc.yaml:2:3: allow has no key fz"}.check(t, ptcWith("", "run", bad))
	wants{2, "", "ptc.yaml:2:3: allow has no key fz"}.check(t, ptcWith("", "check", bad))
	wants{2, "", "has no key f␛[31m"}.check(t, ptcWith("", "run", script(t, program, "allow:\n  f\x1b[31m: [data]\n")))
	wants{2, "", "ptc.yaml: more than 64KB"}.check(t, ptcWith("", "run", script(t, program, strings.Repeat("#", 1<<17))))

	// The file is of the script beside it, and of no expression or standard input.
	t.Chdir(filepath.Dir(granted))
	wants{5, "", "--allow-fs DIR:ro"}.check(t, ptcWith("", "run", "-e", program))
	wants{5, "", "--allow-fs DIR:ro"}.check(t, ptcWith(program, "run", "-"))
	wants{0, "2\n", ""}.check(t, ptcWith("", "run", "main.ptc"))
}

// TestDescribedGrants runs check and prompt with tools whose files and servers do not exist: they open and
// create nothing.
func TestDescribedGrants(t *testing.T) {
	program := script(t, `(tool/fs.write {:path "none/x" :text (tool/http.get "https://hooks.test")})
(tool/csv.write {:path "none/x.csv" :rows [(tool/sql.query "select 1")]})
(tool/exec.run {:program "no-such-program"})
(tool/kv.put {:key "k" :value (tool/ssh.run {:host "web-1" :argv ["true"]})})`,
		"allow:\n  fs: [none]\n  exec: [no-such-program]\n  kv: [none/state.db]\n  sql: [\"none/a.sqlite,write\"]\n  ssh: [\"web-*\"]\n"+
			"  http:\n    - host: hooks.test=GET\n      headers: {Authorization: \"Bearer ${PTC_TEST_NONE}\"}\n")
	t.Chdir(filepath.Dir(program))
	t.Setenv("HOME", t.TempDir()) // without keys
	t.Setenv("SSH_AUTH_SOCK", "")
	wants{0, "", ""}.check(t, ptcWith("", "check", "--strict", program))
	wants{2, "", `there is no program "no-such-program"`}.check(t, ptcWith("", "run", program))
	wants{0, "tool/kv.put {", ""}.check(t, ptcWith("", "prompt", "--allow-fs", "none", "--allow-exec", "no-such-program", "--allow-kv", "state.db",
		"--allow-sql", "a.sqlite,write", "--allow-ssh", "web-*"))
	wants{2, "", `got the host "web/1"`}.check(t, ptcWith("", "check", "--allow-ssh", "web/1", "-e", "1"))
	if made, _ := filepath.Glob("*"); strings.Join(made, " ") != "data main.ptc ptc.yaml" {
		t.Errorf("there are the files %v", made)
	}
}
