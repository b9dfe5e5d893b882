package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSecretsStayInside has a program that reads a credential, hands it on under other
// names and fails with it in every place that an error shows: in message, data, cause and
// the text of an element. What leaves the run does not have it; what the program prints
// and gives does.
func TestSecretsStayInside(t *testing.T) {
	const secret = `hunter2"hunter2/hunter2`
	t.Setenv("PTC_TEST_SECRET", secret)
	path := filepath.Join(t.TempDir(), "journal")
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
		args := []string{"run", "--stats", "--allow-env", "PTC_TEST_SECRET", "--allow-time", "--allow-fs", ".", "--journal", path, "-e", read + body}
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
		page, chrome := ptcWith("", "trace", path), ptcWith("", "trace", path, "--format", "chrome")
		for where, text := range map[string]string{"error": got.err, "output": got.out, "envelope": wrapped.out, "stats": wrapped.err,
			"journal": string(journal), "page": page.out, "trace": chrome.out} {
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
