// Package tools proves the path of a tool call: arguments, results, errors, guards, queues,
// secrets, the clock and memory, for tools that behave and for hostile ones.
package tools

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails if the tests leave a goroutine running.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
