// This file defines the table of results and its form in Markdown.

package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/ptc-lang/ptc/bench"
)

// base is the peer that the ratios refer to.
const base = "ptc"

type table struct {
	workloads []bench.Workload
	peers     []bench.Peer
	cells     map[string]*cell // by workload/peer
}

// cell is the least cost over the rounds.
type cell struct {
	reply
	measured bool
	done     bool // skipped or failed
}

func newTable(workloads, peers string) *table {
	t := &table{cells: map[string]*cell{}}
	keep := matching(peers)
	for _, p := range bench.Peers() {
		if keep(p.Name()) {
			t.peers = append(t.peers, p)
		}
	}
	keep = matching(workloads)
	for _, w := range bench.Workloads {
		if !keep(w.Name) {
			continue
		}
		t.workloads = append(t.workloads, w)
		for _, p := range t.peers {
			t.cells[w.Name+"/"+p.Name()] = &cell{}
		}
	}
	return t
}

func (c *cell) add(r reply) {
	switch {
	case r.Skipped != "" || r.Failed != "":
		c.reply, c.done, c.measured = r, true, false
	case !c.measured:
		c.reply, c.measured = r, true
	default:
		c.Sample.CPU = min(c.Sample.CPU, r.Sample.CPU)
		c.Sample.Wall = min(c.Sample.Wall, r.Sample.Wall)
		c.Sample.Bytes = min(c.Sample.Bytes, r.Sample.Bytes)
	}
}

func (t *table) print(out io.Writer) {
	t.section(out, "Processor time (minimum)", func(_ string, c *cell) string { return duration(c.Sample.CPU) })
	if t.measured(base) {
		t.section(out, "Ratio of processor time ("+base+" = 1.0)", func(w string, c *cell) string {
			b, ok := t.cells[w+"/"+base]
			if !ok || !b.measured {
				return "–"
			}
			return fmt.Sprintf("%.2f", c.Sample.CPU/b.Sample.CPU)
		})
	} else {
		fmt.Fprintf(out, "No ratios: %s was not measured.\n\n", base)
	}
	t.section(out, "Elapsed time (minimum)", func(_ string, c *cell) string { return duration(c.Sample.Wall) })
	t.section(out, "Bytes allocated per operation (minimum)", func(_ string, c *cell) string {
		return size(c.Sample.Bytes)
	})
	t.reasons(out)
}

func (t *table) measured(peer string) bool {
	for _, w := range t.workloads {
		if c, ok := t.cells[w.Name+"/"+peer]; ok && c.measured {
			return true
		}
	}
	return false
}

// section prints one table with a row for each workload and a column for each
// peer.
func (t *table) section(out io.Writer, title string, text func(workload string, c *cell) string) {
	fmt.Fprintf(out, "### %s\n\n| workload |", title)
	for _, p := range t.peers {
		fmt.Fprintf(out, " %s |", p.Name())
	}
	fmt.Fprint(out, "\n|---|")
	for range t.peers {
		fmt.Fprint(out, "---:|")
	}
	fmt.Fprintln(out)
	for _, w := range t.workloads {
		fmt.Fprintf(out, "| %s |", w.Name)
		for _, p := range t.peers {
			fmt.Fprintf(out, " %s |", t.cells[w.Name+"/"+p.Name()].text(w.Name, text))
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out)
}

func (c *cell) text(workload string, text func(string, *cell) string) string {
	switch {
	case c.Failed != "":
		return "FAILED"
	case !c.measured:
		return "–"
	}
	return text(workload, c)
}

// reasons prints why cells are empty.
func (t *table) reasons(out io.Writer) {
	fmt.Fprintf(out, "### Not measured\n\n")
	for _, p := range t.peers {
		var order []string
		workloads := map[string][]string{}
		for _, w := range t.workloads {
			c := t.cells[w.Name+"/"+p.Name()]
			if !c.done {
				continue
			}
			reason := c.Skipped
			if c.Failed != "" {
				reason = "FAILED: " + strings.Join(strings.Fields(c.Failed), " ")
			}
			if workloads[reason] == nil {
				order = append(order, reason)
			}
			workloads[reason] = append(workloads[reason], w.Name)
		}
		for _, reason := range order {
			fmt.Fprintf(out, "- %s (%s): %s\n", p.Name(), strings.Join(workloads[reason], ", "), reason)
		}
	}
}

// failed reports whether a measurement failed.
func (t *table) failed() bool {
	for _, c := range t.cells {
		if c.Failed != "" {
			return true
		}
	}
	return false
}

// duration shows ns with three digits.
func duration(ns float64) string {
	switch {
	case ns >= 1e6:
		return fmt.Sprintf("%.1f ms", ns/1e6)
	case ns >= 1e4:
		return fmt.Sprintf("%.1f µs", ns/1e3)
	}
	return fmt.Sprintf("%.0f ns", ns)
}

// size shows a number of bytes.
func size(b float64) string {
	switch {
	case b == bench.Unknown:
		return "–"
	case b >= 10<<20:
		return fmt.Sprintf("%.0f MiB", b/(1<<20))
	case b >= 10<<10:
		return fmt.Sprintf("%.0f KiB", b/(1<<10))
	}
	return fmt.Sprintf("%.0f B", b)
}
