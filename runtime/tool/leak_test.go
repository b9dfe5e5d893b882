package tool

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain holds that no test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
