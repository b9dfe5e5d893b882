// This file defines the section of the card about the bounds of a run.

package prompt

import (
	"fmt"
	"strconv"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
)

// boundsPiece lists the bounds that a program can hit.
func boundsPiece(l ptc.Limits) *piece {
	l = l.OrDefault()
	text := fmt.Sprintf("%s of time; %s of memory, and %s for each parallel worker (%d at most); %s steps; %s (`loop` "+
		"and `recur` nest none); "+
		"%s, %d of one tool, each with up to %s of arguments and %s of result; %s printed; an answer of %s. "+
		"Exceeding one ends the run with its name; output is cut.\n",
		diag.Duration(l.Timeout), size(l.Memory), size(l.WorkerMemory), l.Workers, grouped(l.Steps), diag.Counted(l.Depth,
			"nested call"),
		diag.Counted(l.Calls, "tool call"), l.ToolCalls, size(int64(l.Arguments)), size(int64(l.CallResult)),
		size(int64(l.OutputBytes)), size(int64(l.ResultBytes)))
	return &piece{section: bounds, text: text, kind: "limits"}
}

// size writes a number of bytes in the largest unit that divides it.
func size(n int64) string {
	for _, u := range []struct {
		name  string
		bytes int64
	}{{"GB", 1 << 30}, {"MB", 1 << 20}, {"KB", 1 << 10}} {
		if n%u.bytes == 0 {
			return fmt.Sprintf("%d %s", n/u.bytes, u.name)
		}
	}
	return diag.Counted(n, "byte")
}

// grouped writes a number with commas between its thousands.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
