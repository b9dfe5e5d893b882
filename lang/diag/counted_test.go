package diag_test

import (
	"math"
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

func TestRounded(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0s", 999: "999ns", 1234567: "1.23ms", 45*time.Millisecond + 4: "45ms", 999_999_999: "1s",
		12345 * time.Millisecond: "12.3s", 59_990 * time.Millisecond: "1m", 125*time.Second + 400*time.Millisecond: "2m5s",
		3*time.Hour + 4*time.Minute + 5*time.Second: "3h4m", 59*time.Minute + 59*time.Second + 900*time.Millisecond: "1h",
		-1500 * time.Microsecond: "-1.5ms", math.MaxInt64: "2562047h47m", math.MinInt64: "-2562047h47m"} {
		if got := diag.Rounded(d); got != want {
			t.Errorf("%d: got %s, want %s", d, got, want)
		}
	}
}
