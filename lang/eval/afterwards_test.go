// This file tests the values that may be taken after a run.

package eval

import (
	"context"
	"testing"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// The time of a run counts: an hour has passed of an hour.
func TestAfterwardsTakesWhatIsLeftOfTheTime(t *testing.T) {
	after := Afterwards{Limits: limits.Limits{Timeout: time.Hour}.OrDefault(), Memory: 1 << 20, Elapsed: time.Hour}
	work := func(t *value.Task) { t.Work(100_000) }
	if err := after.Do(context.Background(), work); err == nil || err.Code != diag.Timeout {
		t.Errorf("got %v, want timeout", err)
	}
	after.Untimed = true
	if err := after.Do(context.Background(), work); err != nil {
		t.Errorf("without a deadline: got %v", err)
	}
	after.Untimed, after.Elapsed = false, 0
	if err := after.Do(context.Background(), work); err != nil {
		t.Errorf("with all of the time: got %v", err)
	}
	err := after.Do(context.Background(), func(t *value.Task) { t.Charge(1<<20 + 1) })
	if err == nil || err.Code != diag.MemoryExceeded {
		t.Errorf("got %v, want memory-exceeded", err)
	}
}
