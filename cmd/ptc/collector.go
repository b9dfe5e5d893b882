// This file defines the export of the spans of a run to a collector of OpenTelemetry.

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/cmd/internal/buildinfo"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/telemetry/otlp"
	"github.com/ptc-lang/ptc/telemetry/spans"
)

// collected is a run whose spans are exported. A nil collected exports nothing.
type collected struct {
	to  *otlp.Exporter
	run *spans.Run
}

// collect has the spans of a run exported, if the environment names a collector: by OTEL_EXPORTER_OTLP_ENDPOINT and the
// other standard variables. TRACEPARENT names the span of the process that has started the command.
func (f *execution) collect(ctx context.Context, name string, given *ptc.RunOptions,
	w io.Writer) (context.Context, *collected) {
	if f.journal != nil && f.journal.Replays() {
		return ctx, nil
	}
	to, err := otlp.FromEnvironment(os.Getenv, "ptc", buildinfo.Version(version))
	if err != nil {
		warnExport(w, err)
	}
	if to == nil {
		return ctx, nil
	}
	ctx = spans.Under(ctx, func(name string) string { return os.Getenv(strings.ToUpper(name)) })
	ctx, span := to.Run(ctx, name, "")
	return ctx, &collected{to, spans.Follow(span, given)}
}

// warnExport reports why spans are missing. That changes neither the run nor the exit code.
func warnExport(w io.Writer, err error) {
	fmt.Fprintln(w, "ptc: the spans of the run are not exported:", diag.Visible(err.Error()))
}

// end ends the span of the run.
func (c *collected) end(res *ptc.Result, err error) {
	if c != nil {
		c.run.End(res, err)
	}
}

// exportAfter bounds the export after an interruption: a person waits.
const exportAfter = time.Second

// send exports the spans that are left. A run whose program does not compile has none.
func (c *collected) send(ctx context.Context, w io.Writer) {
	if c == nil {
		return
	}
	interrupted := ctx.Err() != nil
	if ctx = context.WithoutCancel(ctx); interrupted {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, exportAfter)
		defer cancel()
	}
	if err := c.to.Close(ctx); err != nil {
		warnExport(w, err)
	}
}
