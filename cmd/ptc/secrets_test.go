package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSecretsStayInside has a program that reads a credential, hands it on under other names and fails with it
// in every place that an error shows: in message, data, cause and the text of an element. Nothing that leaves
// the run contains it, except the prints and the value of the program.
func TestSecretsStayInside(t *testing.T) {
	const secret = `hunter2"hunter2/hunter2`
	t.Setenv("PTC_TEST_SECRET", secret)
	path, profile := filepath.Join(t.TempDir(), "journal"), filepath.Join(t.TempDir(), "profile")
	var spans []byte
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		spans, _ = io.ReadAll(r.Body)
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	const read = `(def token (tool/env.get "PTC_TEST_SECRET"))`
	for _, body := range []string{
		`(throw (ex-info (str "refused: " token) {:token token}))`,
		`(throw (ex-info "outer" {} (ex-info token {})))`,
		`(fail "no" {:used token})`,
		`(doall (pmap (fn [x] (tool/fs.read (:path x))) [{:path (str "none/" token) :token [token]}]))`,
		`(doall (pmap (fn [_] (/ 1 0)) [(str "a long text in front of it, so that it is cut" token) ]))`,
		`(doall (pmap (fn [_] (/ 1 0)) [(str "a text, so that it is cut …. " token)]))`,
		`(host-exclusive token (host-exclusive token 1))`,
		`(tool/time.format {:ms 1 :zone token})`,
		`(throw (ex-info "long" {:a (vec (repeat 3 token))}))`,
	} {
		os.Remove(path)
		args := []string{"run", "--stats", "--allow-env", "PTC_TEST_SECRET", "--allow-time", "--allow-fs", ".", "--journal", path, "--profile", profile,
			"-e", read + body}
		got := ptcWith("", args...)
		if got.code != 1 {
			t.Errorf("%s: got the exit code %d\n%s", body, got.code, got.err)
		}
		os.Remove(path)
		wrapped := ptcWith("", append(args, "--output", "envelope")...)
		journal, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		drawn, err := os.ReadFile(profile)
		if err != nil || !strings.Contains(string(spans), "ptc.run") {
			t.Fatal(err, string(spans))
		}
		page, chrome := ptcWith("", "trace", path), ptcWith("", "trace", path, "--format", "chrome")
		for where, text := range map[string]string{"error": got.err, "output": got.out, "envelope": wrapped.out, "stats": wrapped.err,
			"journal": string(journal), "page": page.out, "trace": chrome.out, "spans": string(spans), "profile": string(drawn)} {
			if strings.Contains(text, "unter2") || strings.Contains(text, "hunt") {
				t.Errorf("%s: the %s has the secret:\n%s", body, where, text)
			}
		}
		if again := ptcWith("", "replay", path); again.code != got.code || strings.Contains(again.err, "divergence") {
			t.Errorf("%s: a replay differs: %s", body, again.err)
		}
	}
	os.Remove(path)
	printed := ptcWith("", "run", "--allow-env", "PTC_TEST_SECRET", "--journal", path, "-e", read+`(println token) (count token)`)
	wants{0, secret + "\n23\n", ""}.check(t, printed)
}

// TestSecretsAreReplayed reads a credential and computes with it. With the key, a replay prints the same
// without the environment.
func TestSecretsAreReplayed(t *testing.T) {
	t.Setenv("PTC_TEST_SECRET", "hunter2-hunter2")
	dir := t.TempDir()
	path, key := filepath.Join(dir, "journal"), filepath.Join(dir, "key")
	for _, use := range []string{`(str "Bearer " t)`, `(count t)`, `(subs t 1 5)`, `(hash t)`, `{t 1}`, `(throw (ex-info (str "no " t) {:t t}))`} {
		os.Remove(path)
		first := ptcWith("", "run", "--allow-env", "PTC_TEST_SECRET", "--journal", path, "--journal-key", key, "-e",
			`(def t (tool/env.get "PTC_TEST_SECRET")) (println `+use+`) `+use)
		t.Setenv("PTC_TEST_SECRET", "another")
		if again := ptcWith("", "replay", path, "--journal-key", key); again != first {
			t.Errorf("%s: the replay gave\n%+v\nand the run\n%+v", use, again, first)
		}
		t.Setenv("PTC_TEST_SECRET", "hunter2-hunter2")
		wants{1, "", "hint: give the key of the recorded run (--journal-key FILE"}.check(t, ptcWith("", "replay", path))
		if page := ptcWith("", "trace", path); page.code != 0 || strings.Contains(page.out, "hunter2-") {
			t.Errorf("a trace needs no key, and shows no secret: %d, %s", page.code, page.err)
		}
	}
}

// TestJournalKey has keys that are none, that others may read, and a user without a folder for
// one.
func TestJournalKey(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	hex := strings.Repeat("0a", 32)
	for _, test := range []struct{ key, want string }{
		{file("short", "0a", 0o600), "not a key, want 64 hexadecimal digits"},
		{file("long", hex+hex, 0o600), "not a key"},
		{file("words", strings.Repeat("xy", 32), 0o600), "not a key"},
		{file("open", hex, 0o644), "chmod 600 makes it"},
	} {
		journal := filepath.Join(dir, "journal")
		wants{2, "", test.want}.check(t, ptcWith("", "run", "--journal", journal, "--journal-key", test.key, "-e", "1"))
		if _, err := os.Stat(journal); err == nil {
			t.Errorf("%s: a journal without a key was made", test.key)
		}
	}
	made := filepath.Join(dir, "made")
	wants{0, "1\n", ""}.check(t, ptcWith("", "run", "--journal", filepath.Join(dir, "a"), "--journal-key", made, "-e", "1"))
	first, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	wants{0, "1\n", ""}.check(t, ptcWith("", "run", "--journal", filepath.Join(dir, "b"), "--journal-key", made, "-e", "1"))
	if again, _ := os.ReadFile(made); string(again) != string(first) {
		t.Error("a key that was there was made anew")
	}
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("HOME", "")
	wants{2, "", "use --journal-key FILE"}.check(t, ptcWith("", "run", "--journal", filepath.Join(dir, "c"), "-e", "1"))
}

// TestCredentialGivenBack has a service return the header of its grant.
func TestCredentialGivenBack(t *testing.T) {
	const credential = "gr4nt-credential"
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(`{"you":"` + token + `"}`))
	}))
	t.Cleanup(srv.Close)
	host := strings.TrimPrefix(srv.URL, "http://")
	name := script(t, `(def got (:you (:json (tool/http.get "`+srv.URL+`")))) (println (count got)) (throw (ex-info got {:got got}))`, "")
	config := "allow:\n  http:\n    - host: " + host + "\n      headers: {Authorization: Bearer " + credential + "}\n"
	if err := os.WriteFile(filepath.Join(filepath.Dir(name), "ptc.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "journal")
	first := ptcWith("", "run", "--journal", path, name)
	wants{1, "16\n", "[secret]"}.check(t, first)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(first.err+string(text), credential) {
		t.Errorf("the credential is written down: %s\n%s", first.err, text)
	}
	srv.Close()
	if again := ptcWith("", "replay", path); again.out != first.out || again.code != 1 || !strings.HasSuffix(first.err, again.err) {
		t.Errorf("the replay gave\n%+v\nand the run\n%+v", again, first)
	}
}
