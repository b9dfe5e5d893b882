package diag_test

import (
	"testing"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
)

func TestCounted(t *testing.T) {
	for n, want := range map[int]string{0: "0 forms", 1: "1 form", 2: "2 forms", -1: "-1 forms"} {
		if got := diag.Counted(n, "form"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0s", time.Second: "1s", 10 * time.Second: "10s", time.Minute: "1m",
		90 * time.Second: "1m30s",
		time.Hour:        "1h", 10 * time.Hour: "10h", 61 * time.Minute: "1h1m", time.Hour + time.Second: "1h0m1s",
		1500 * time.Millisecond: "1.5s", -time.Hour: "-1h"} {
		if got := diag.Duration(d); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
