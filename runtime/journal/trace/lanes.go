// This file defines the lanes of a drawing, and the elements of parallel operations.

package trace

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
)

const (
	// maxRows bounds the rows of a lane, for overlapping effects of one worker, which occur after an abandoned
	// call.
	maxRows = 8
	// maxElementLanes is the maximum number of evaluations that get a lane each: more do not fit a screen.
	maxElementLanes = 48
)

// element is an evaluation that has effects: the main one, or an element of a parallel operation.
type element struct {
	path     string // "0.1.2"
	numbers  []int  // of the path
	from, to time.Duration
	host     string // of its first call that has one
	effects  int
	last     int // the index of its last effect
	failed   bool
}

// findElements collects the evaluations that have effects, and finds the failed ones.
func (d *drawing) findElements() {
	byPath := map[string]int{}
	for i := range d.spans {
		s := &d.spans[i]
		path, _, _ := strings.Cut(s.ID, "#")
		n, known := byPath[path]
		if !known {
			n = len(d.elements)
			byPath[path] = n
			d.elements = append(d.elements, element{path: path, numbers: numbers(path), from: s.from()})
		}
		e := &d.elements[n]
		e.from, e.to = min(e.from, s.from()), max(e.to, s.end())
		e.host = cmp.Or(e.host, s.host)
		e.last = i
		e.effects++
	}
	slices.SortStableFunc(d.elements, func(a, b element) int { return slices.Compare(a.numbers, b.numbers) })
	for i := range d.elements {
		byPath[d.elements[i].path] = i
	}
	for i := range d.spans {
		path, _, _ := strings.Cut(d.spans[i].ID, "#")
		d.spans[i].element = byPath[path]
	}
	d.findFailed()
}

// numbers returns the numbers of a path.
func numbers(path string) []int {
	var all []int
	for part := range strings.SplitSeq(path, ".") {
		n, _ := strconv.Atoi(part)
		all = append(all, n)
	}
	return all
}

// findFailed marks the evaluations that failed: the element that the error of the run names, and those
// whose last effect failed. The main evaluation has failed if the run has.
func (d *drawing) findFailed() {
	for i := range d.elements {
		e := &d.elements[i]
		e.failed = len(e.numbers) > 1 && d.spans[e.last].state.bad()
		if len(e.numbers) == 1 {
			e.failed = d.rec.Final != nil && d.rec.Final.Error != nil
		}
	}
	named := d.named()
	if named == nil {
		return
	}
	for i := len(d.elements) - 1; i >= 0; i-- { // the last operation is the one that ended the run
		if e := &d.elements[i]; slices.Equal(e.indices(), named) {
			e.failed = true
			return
		}
	}
}

// named returns the indices of the elements in which the error of the run happened, outermost first.
func (d *drawing) named() []int {
	if d.rec.Final == nil {
		return nil
	}
	var e struct {
		Elements []struct{ Index int }
	}
	if json.Unmarshal(d.rec.Final.Error, &e) != nil {
		return nil
	}
	var all []int
	for _, el := range slices.Backward(e.Elements) {
		all = append(all, el.Index)
	}
	return all
}

// indices returns the indices of the element in its operation and in those around it, outermost first:
// every second number of the path.
func (e *element) indices() []int {
	var all []int
	for i := 2; i < len(e.numbers); i += 2 {
		all = append(all, e.numbers[i])
	}
	return all
}

// name returns the name of a lane of the element.
func (e *element) name() string {
	switch {
	case len(e.numbers) == 1:
		return "main"
	case e.host != "":
		return e.host + " " + e.path
	}
	return e.path
}

// view is one way to arrange the effects in lanes.
type view struct {
	name   string // "workers" or "elements"
	lanes  []lane
	places []place // of each effect
}

type lane struct {
	name   string
	rows   int
	failed bool
	runner
}

// runner runs effects: it is a worker of a node.
type runner struct {
	node, worker int
}

// place is the place of an effect in a view: a lane, and a row of it in which nothing else is at that
// time.
type place struct{ lane, row int }

// views returns the ways to arrange the effects: by elements if they are few, and by workers.
func (d *drawing) views() []view {
	workers := d.byWorker()
	if len(d.elements) < 2 || len(d.elements) > maxElementLanes {
		return []view{workers}
	}
	v := view{name: "elements"}
	for i := range d.elements {
		v.lanes = append(v.lanes, lane{name: d.elements[i].name(), failed: d.elements[i].failed})
	}
	d.stack(&v, func(s *span) int { return s.element })
	return []view{v, workers}
}

// byWorker returns the view with a lane for each worker of each node.
func (d *drawing) byWorker() view {
	v := view{name: "workers"}
	of := map[runner]int{}
	for i := range d.spans {
		of[d.runner(&d.spans[i])] = 0
	}
	for r := range of {
		v.lanes = append(v.lanes, lane{name: d.nameOf(r), runner: r})
	}
	slices.SortFunc(v.lanes, func(a, b lane) int {
		return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.worker, b.worker))
	})
	for i, l := range v.lanes {
		of[l.runner] = i
	}
	d.stack(&v, func(s *span) int { return of[d.runner(s)] })
	return v
}

// findNodes collects the names of the nodes whose effects are drawn. Nodes without a name are one.
func (d *drawing) findNodes(entries []journal.Entry) {
	names := map[string]bool{}
	for i := range entries {
		names[entries[i].Node] = true
	}
	d.nodes = slices.Sorted(maps.Keys(names))
}

// runner returns the runner of an effect.
func (d *drawing) runner(s *span) runner {
	n, _ := slices.BinarySearch(d.nodes, s.Node)
	return runner{n, s.Worker}
}

// nameOf returns the name of a worker: with that of its node, if there are several.
func (d *drawing) nameOf(r runner) string {
	name := "main"
	if r.worker != 0 {
		name = "worker " + strconv.Itoa(r.worker)
	}
	if len(d.nodes) < 2 || d.nodes[r.node] == "" {
		return name
	}
	return visible(d.nodes[r.node], maxName) + " " + name
}

// numberOf returns the number of a worker, with the name of its node if there are several.
func (d *drawing) numberOf(r runner) string {
	if len(d.nodes) < 2 || d.nodes[r.node] == "" {
		return strconv.Itoa(r.worker)
	}
	return visible(d.nodes[r.node], maxName) + " " + strconv.Itoa(r.worker)
}

// stack sets the place of each effect, in the lane that of returns.
func (d *drawing) stack(v *view, of func(*span) int) {
	order := make([]int, len(d.spans))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(d.spans[a].from(), d.spans[b].from()) })
	v.places = make([]place, len(d.spans))
	ends := make([][]time.Duration, len(v.lanes))
	for _, i := range order {
		s := &d.spans[i]
		n := of(s)
		rows := &ends[n]
		row := slices.IndexFunc(*rows, func(end time.Duration) bool { return end <= s.from() })
		if row < 0 {
			row = min(len(*rows), maxRows-1)
			if len(*rows) < maxRows {
				*rows = append(*rows, 0)
			}
		}
		(*rows)[row] = max((*rows)[row], s.end())
		v.places[i] = place{n, row}
	}
	for i := range v.lanes {
		v.lanes[i].rows = max(1, len(ends[i]))
	}
}

// total is the sum of the effects of one tool, or of one kind.
type total struct {
	kind       effect.Kind
	name       string
	count      int
	failed     int
	open       int // that are not ended
	took, most time.Duration
	waits      [len(kinds)]time.Duration
}

// totals returns the sums, of calls first, those with the longest time first.
func (d *drawing) totals() []total {
	type key struct {
		kind effect.Kind
		name string
	}
	of := map[key]int{}
	var all []total
	for i := range d.spans {
		s := &d.spans[i]
		k := key{s.Kind, s.Name}
		n, known := of[k]
		if !known {
			n = len(all)
			of[k] = n
			all = append(all, total{kind: s.Kind, name: s.name()})
		}
		all[n].add(s)
	}
	slices.SortStableFunc(all, func(a, b total) int {
		if a.calls() != b.calls() {
			return cmp.Compare(b.calls(), a.calls())
		}
		return cmp.Compare(b.took, a.took)
	})
	return all
}

// calls returns 1 for calls and 0 for others.
func (t *total) calls() int {
	if t.kind == effect.KindCall {
		return 1
	}
	return 0
}

func (t *total) add(s *span) {
	t.count++
	if !s.state.waits() {
		t.took = min(t.took+s.took, maxAxis)
		t.most = max(t.most, s.took)
	}
	switch s.state {
	case failed:
		t.failed++
	case unfinished, inDoubt, pending, waiting, running:
		t.open++
	}
	if s.waiting != nil {
		if k := slices.Index(kinds[:], s.waiting.Kind); k >= 0 {
			t.waits[k] = min(t.waits[k]+s.took, maxAxis)
		}
	}
	for i := range s.waits {
		if k := slices.Index(kinds[:], s.waits[i].Kind); k >= 0 {
			t.waits[k] = min(t.waits[k]+min(s.waits[i].lasted(), maxAxis), maxAxis)
		}
	}
}
