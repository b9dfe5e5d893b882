// This file defines the parts of ptc remote that read the journal of a run: journal, trace and replay.

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/runtime/journal"
)

// remoteJournalCommand declares ptc remote journal.
func remoteJournalCommand() command {
	return remotePart(command{
		name:    "remote journal",
		summary: "download the journal of a run",
		usage:   []string{"RUN -o FILE.journal"},
		about: `Downloads the journal of a run, up to its present end. The secrets in it are encrypted with the key
of the service.`,
		examples:  []string{"ptc remote journal 01k9xv0y6ndd7t0f3c2m8h5a4e -o deploy.journal"},
		declare:   func(v *settings) []flags.Spec { return []flags.Spec{toFlag(v)} },
		arguments: nameArguments,
	}, func(r *remote, ctx context.Context) int {
		id, err := r.one()
		if err != nil {
			return failInput(r.streams, err)
		}
		err = writeFile(r.drawing, r.streams, func(w io.Writer) error { return r.service.Journal(ctx, id, w) })
		if err != nil && r.out.err == nil { // which dispatch tells
			return failRemote(r.streams, err)
		}
		return exitOK
	})
}

// remoteTraceCommand declares ptc remote trace.
func remoteTraceCommand() command {
	return remotePart(command{
		name:      "remote trace",
		summary:   "draw a run from the journal of the service",
		usage:     []string{"RUN -o FILE.html", "RUN --format chrome -o FILE.json"},
		about:     "Draws a run of the service as ptc trace draws one from its journal.",
		examples:  []string{"ptc remote trace 01k9xv0y6ndd7t0f3c2m8h5a4e -o deploy.html"},
		declare:   pictureFlags,
		arguments: nameArguments,
	}, func(r *remote, ctx context.Context) int {
		id, rec, code := r.recording(ctx)
		if rec == nil {
			return code
		}
		if err := r.picture(ctx, rec, r.streams); err != nil && r.out.err == nil { // which dispatch tells
			return failInput(r.streams, inFile(id, err))
		}
		return exitOK
	})
}

// recording returns the run of the argument and the recording of its journal; nil with the exit code of an error.
func (r *remote) recording(ctx context.Context) (id string, rec *journal.Recording, code int) {
	id, err := r.one()
	if err != nil {
		return id, nil, failInput(r.streams, err)
	}
	var text bytes.Buffer
	if err := r.service.Journal(ctx, id, &text); err != nil {
		return id, nil, failRemote(r.streams, err)
	}
	if rec, err = journal.Read(&text); err != nil {
		return id, nil, failInput(r.streams, fmt.Errorf("the journal of run %s: %w", id, err))
	}
	return id, rec, exitOK
}

// remoteReplayCommand declares ptc remote replay.
func remoteReplayCommand() command {
	return remotePart(command{
		name:    "remote replay",
		summary: "run the program of a run again here, with the recorded outcomes",
		usage:   []string{"[flags] RUN"},
		about: `Replays a run of the service here, from its journal, as ptc replay does: no tool is called and
nothing waits. The schemas of the tools are those that the service has now. If it has changed them since the run,
or if this ptc is of another version, the replay may end with the error divergence. A run whose outcome depends on
a secret can't be replayed, because only the service has the key to it.`,
		examples: []string{"ptc remote replay 01k9xv0y6ndd7t0f3c2m8h5a4e --output pretty"},
		declare: func(v *settings) []flags.Spec {
			return slices.Concat(outcomeFlags(v), logFlags(v), flags.Limits(&v.limits))
		},
		arguments: nameArguments,
	}, (*remote).replay)
}

func (r *remote) replay(ctx context.Context) int {
	id, rec, code := r.recording(ctx)
	if rec == nil {
		return code
	}
	run, err := r.service.Get(ctx, id)
	if err != nil {
		return failRemote(r.streams, err)
	}
	tools, err := r.service.Tools(ctx)
	if err != nil {
		return failRemote(r.streams, err)
	}
	if rec.Final == nil && run.State.Final() && len(run.Error) == 0 {
		return failInput(r.streams, fmt.Errorf("run %s was ended before its program, so it can't be replayed: %s", id,
			run.Reason))
	}
	f := execution{invocation: r.invocation}
	return f.replay(ctx, id, rec, recorded{Limits: run.Limits, Output: r.output, Tools: tools.Tools,
		Approve: tools.Approve, OnFull: tools.OnFull}, r.streams)
}
