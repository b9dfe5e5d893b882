// This file defines the warning, at the end of a run, of calls that the program has and never makes.

package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/ptc-lang/ptc"
)

// tellUnread warns of lazy sequences with tool calls that nothing reads: the run has succeeded without the calls.
func (f *execution) tellUnread(ctx context.Context, name, source string, opts ptc.Options, s streams) {
	if !strings.Contains(source, "tool/") || len(f.tools.All()) == 0 {
		return
	}
	for _, d := range ptc.Check(ctx, name, source, opts).Diagnostics {
		if d.Code == "unread-effects" {
			fmt.Fprintln(s.err)
			d.Render(s.err, wantsColor(s.err))
		}
	}
}
