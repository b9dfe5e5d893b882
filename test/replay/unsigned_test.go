// This file tests that secrets stay hidden when somebody has taken the lines that tell them out of a journal.

package replay

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/tool"
)

var keyOfJournal = regexp.MustCompile(`,"key":"[0-9a-f]{16}"`)

// unsigned returns the lines of a journal that keep reports true for, as somebody without the key can write them.
func unsigned(text []byte, keep func(line string) bool) []byte {
	var out bytes.Buffer
	var sum uint32
	for line := range strings.Lines(string(text)) {
		if !keep(line) {
			continue
		}
		body, _, _ := strings.Cut(line, `,"sum":`)
		body = keyOfJournal.ReplaceAllString(body, "")
		sum = crc32.Update(sum, crc32.MakeTable(crc32.Castagnoli), []byte(body))
		fmt.Fprintf(&out, "%s,\"sum\":\"%08x\"}\n", body, sum)
	}
	return out.Bytes()
}

// A recorded outcome makes its secrets known again, whatever the file says about them.
func TestSecretsOfRecordedOutcomes(t *testing.T) {
	const secret, field = "hunter2-xyz", "tok-12345"
	tools, err := tool.NewRegistry(
		tool.New("whole", "Returns a secret.", func(context.Context, struct{}) (string, error) { return secret, nil },
			tool.ReadOnly(), tool.SecretResult()),
		tool.New("part", "Returns a secret in a field.", func(context.Context, struct{}) (map[string]string, error) {
			return map[string]string{"token": field}, nil
		}, tool.ReadOnly(), tool.Secret("token")),
		tool.New("echo", "Returns its argument.", func(_ context.Context, in struct {
			V string `json:"v"`
		}) (string, error) {
			return in.V, nil
		}, tool.ReadOnly()))
	if err != nil {
		t.Fatal(err)
	}
	prog, err := ptc.Compile(context.Background(), "p.ptc", `(def a (str (tool/whole) (:token (tool/part)))) (tool/echo {:v a}) (throw (ex-info a {}))`,
		ptc.Options{Tools: tools})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.journal")
	opts := journal.Options{Key: ptctest.JournalKey()}
	j, err := journal.Create(path, prog.Header(), opts)
	if err != nil {
		t.Fatal(err)
	}
	_, runErr := prog.Run(context.Background(), ptc.RunOptions{Journal: j})
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	hidden := func(when, shown string) {
		t.Helper()
		if strings.Contains(shown, secret) || strings.Contains(shown, field) {
			t.Errorf("%s: there is a secret in %s", when, shown)
		}
	}
	noSecrets := func(line string) bool { return !strings.HasPrefix(line, `{"t":"secret"`) }

	rec, err := journal.Read(bytes.NewReader(unsigned(text, noSecrets)), opts.Key)
	if err != nil {
		t.Fatal(err)
	}
	_, err = prog.Run(context.Background(), ptc.RunOptions{Journal: journal.Replay(rec)})
	if err == nil || err.Error() != runErr.Error() {
		t.Errorf("replay: got %v, want %v", err, runErr)
	}
	hidden("replay", fmt.Sprint(err))

	ends := 0
	calls := unsigned(text, func(line string) bool { // both secrets are recorded, and no more
		was := ends
		if strings.HasPrefix(line, `{"t":"end"`) {
			ends++
		}
		return was < 2 && noSecrets(line)
	})
	if err := os.WriteFile(path, calls, 0o600); err != nil {
		t.Fatal(err)
	}
	j, _, err = journal.Resume(path, nil, opts)
	if err != nil {
		t.Fatal(err)
	}
	_, err = prog.Run(context.Background(), ptc.RunOptions{Journal: j})
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	hidden("resumed run", fmt.Sprint(err))
	if text, err = os.ReadFile(path); err != nil || !bytes.Contains(text, []byte(`"name":"echo"`)) {
		t.Fatalf("the resumed run has not gone on: %v", err)
	}
	hidden("journal", string(text))
}
