package examples

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/examples/internal/service"
	"github.com/ptc-lang/ptc/tools/grant"
)

// TestPoll asks a service that bounds its rate and fails by chance.
func TestPoll(t *testing.T) {
	items := service.New(1000, 1000, 1)
	srv := httptest.NewServer(items)
	t.Cleanup(srv.Close)
	dir := t.TempDir()
	var s grant.Set
	for key, value := range map[string]string{"http": strings.TrimPrefix(srv.URL, "http://") + "=GET,rate=900", "fs": dir} {
		if err := s.Grant(key, value, ""); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { s.Close() })
	tools, err := s.Registry(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	compareWith(t, poll, ptc.Options{Tools: tools}, map[string]any{"base": srv.URL, "out": dir}, "expected.txt")
	text, err := os.ReadFile(filepath.Join(dir, "items.csv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for i, line := range lines[1:] {
		if want := fmt.Sprintf(`%d,"item, %[1]d",`, i); !strings.HasPrefix(line, want) {
			t.Errorf("line %d is %s, want %s…", i+1, line, want)
		}
	}
	if got := items.Counts(); len(lines) != 1001 || got.Answered != 1010 || got.Failed < 50 {
		t.Errorf("%d lines, %+v; want 1001, 1010 answered, and 50 that failed", len(lines), got)
	}
}
