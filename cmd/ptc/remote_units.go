// This file defines ptc remote units.

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/ptc-lang/ptc/cmd/internal/flags"
)

// remoteUnitsCommand declares ptc remote units.
func remoteUnitsCommand() command {
	return remotePart(command{
		name:    "remote units",
		summary: "show which nodes of a cluster have run the elements of a run",
		usage:   []string{"[flags] RUN"},
		about: `Shows for each node of a cluster how many units it has taken of the parallel operations of a
run that the nodes share, and how many elements it has run. A run of which nothing was shared has none.`,
		examples:  []string{"ptc remote units 01k9xv0y6ndd7t0f3c2m8h5a4e"},
		declare:   func(v *settings) []flags.Spec { return []flags.Spec{jsonFlag(&v.remote)} },
		arguments: nameArguments,
	}, (*remote).units)
}

// units is ptc remote units.
func (r *remote) units(ctx context.Context) int {
	id, err := r.one()
	if err != nil {
		return failInput(r.streams, err)
	}
	all, err := r.service.Units(ctx, id)
	if err != nil {
		return failRemote(r.streams, err)
	}
	if r.remote.json {
		enc := json.NewEncoder(r.out)
		for _, u := range all {
			enc.Encode(u) // r.out keeps its error
		}
		return exitOK
	}
	table := tabwriter.NewWriter(r.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NODE\tUNITS\tELEMENTS")
	for _, u := range all {
		fmt.Fprintf(table, "%s\t%d\t%d\n", u.Node, u.Units, u.Elements)
	}
	table.Flush()
	return exitOK
}
