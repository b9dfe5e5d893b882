package examples

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/tools/grant"
)

// TestApprove answers the question of the program, and approves all orders but one.
func TestApprove(t *testing.T) {
	source, want := read(t, approve), read(t, "approve/expected.txt")
	input := decode(t, read(t, "data/idle.json"))
	config, err := filepath.Abs("approve/ptc.yaml")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.Mkdir("out", 0o700); err != nil {
		t.Fatal(err)
	}
	var granted grant.Set
	text, err := os.ReadFile(config)
	if err == nil {
		err = granted.ReadFile(config, text)
	}
	if err == nil {
		err = granted.Grant("fs", "out", "")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { granted.Close() })
	tools, err := granted.Registry(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	prog, err := ptc.Compile(t.Context(), approve, source, ptc.Options{Tools: tools, Approve: granted.Approvals()})
	if err != nil {
		t.Fatal(err)
	}
	rounds := 0
	decide := func(_ context.Context, all []effect.Pending) (settle []effect.Settlement, err error) {
		rounds++
		for _, p := range all {
			s := effect.Settlement{ID: p.ID, As: effect.Approve}
			switch {
			case p.Kind == effect.PendingQuestion:
				s.As, s.Result = effect.Done, json.RawMessage(`"90"`)
			case strings.Contains(string(p.Args), "db-old"):
				s.As, s.Reason = effect.Refuse, "it has the archive"
			}
			settle = append(settle, s)
		}
		return settle, nil
	}
	res, err := prog.Run(t.Context(), ptc.RunOptions{Data: input, OnPending: decide})
	if err != nil || res.Prints != want {
		t.Errorf("got %q, %v, want %q", res.Prints, err, want)
	}
	if rounds != 2 {
		t.Errorf("the host was asked %d times, want the question, and all orders at once", rounds)
	}
	if files, err := os.ReadDir("out"); err != nil || len(files) != 2 {
		t.Errorf("got %v, %v", files, err)
	}
}
