// This file defines the ";; limit" directive.

package filetest

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ptc-lang/ptc"
)

// setLimit sets one bound: a name and a number, which may end in KB or MB, or for
// the timeout a duration.
func setLimit(l *ptc.Limits, words []string) error {
	if len(words) != 2 {
		return fmt.Errorf("want a name and a number")
	}
	if words[0] == "timeout" {
		var err error
		l.Timeout, err = time.ParseDuration(words[1])
		return err
	}
	digits, unit := words[1], 1
	for suffix, bytes := range map[string]int{"KB": 1 << 10, "MB": 1 << 20} {
		if strings.HasSuffix(digits, suffix) {
			digits, unit = strings.TrimSuffix(digits, suffix), bytes
		}
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		return err
	}
	n *= unit
	switch words[0] {
	case "source":
		l.SourceBytes = n
	case "nesting":
		l.Nesting = n
	case "steps":
		l.Steps = int64(n)
	case "memory":
		l.Memory = int64(n)
	case "worker-memory":
		l.WorkerMemory = int64(n)
	case "workers":
		l.Workers = n
	case "depth":
		l.Depth = n
	case "calls":
		l.Calls = n
	case "tool-calls":
		l.ToolCalls = n
	case "arguments":
		l.Arguments = n
	case "call-result":
		l.CallResult = n
	case "output":
		l.OutputBytes = n
	case "result":
		l.ResultBytes = n
	default:
		return fmt.Errorf("no limit named %s", words[0])
	}
	return nil
}
