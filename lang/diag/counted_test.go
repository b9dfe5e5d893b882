package diag_test

import (
	"testing"

	"github.com/ptc-lang/ptc/lang/diag"
)

func TestCounted(t *testing.T) {
	for n, want := range map[int]string{0: "0 forms", 1: "1 form", 2: "2 forms", -1: "-1 forms"} {
		if got := diag.Counted(n, "form"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
