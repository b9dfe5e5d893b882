package lint_test

import (
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// TestRefused puts values that are no collections where an entry is said to refuse them into its examples, which must
// fail then.
func TestRefused(t *testing.T) {
	c := newTicks(t)
	samples := []struct {
		text string
		kind value.Kind
	}{{"5", value.KindInt}, {":k", value.KindKeyword}, {"inc", value.KindFn}, {`"s"`, value.KindString}}
	tried := 0
	for e := range builtins.Entries() {
		if e.Private || e.Macro != nil {
			continue
		}
		for _, text := range refusedCalls(t, e) {
			f := readForm(t, text)
			call := f.call(e)
			if call == nil {
				continue
			}
			for i := 1; i < len(call.parts); i++ {
				kept := call.parts[i]
				for _, s := range samples {
					if e.Refuses(len(call.parts)-1, i-1, value.Kinds(s.kind)) != "a collection" {
						continue
					}
					tried++
					call.parts[i] = &form{text: s.text}
					if got, _ := c.run(t, "(let [x "+f.String()+"] (if (seq? x) (doall (take 5 x)) x))"); !strings.HasPrefix(got, "!") {
						t.Errorf("%s: %s is said to refuse %s, and returned %s", e.Name, f, s.text, got)
					}
				}
				call.parts[i] = kept
			}
		}
	}
	if tried < 100 {
		t.Errorf("%d calls were tried: the test shows nothing", tried)
	}
}

// refusedCalls returns some examples of an entry.
func refusedCalls(t *testing.T, e *entry.Entry) []string {
	t.Helper()
	all := examples(e)
	return all[:min(len(all), 2)]
}
