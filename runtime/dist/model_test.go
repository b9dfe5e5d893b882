// This file explores all interleavings of a small run: three nodes, two units, a write in each element and one after
// them, and one death, which may be a mistake. It checks the rules of the state with the protocol of the nodes.

package dist

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
)

const (
	modelNodes = 3
	modelUnits = 2
	// The writes: one in each element, and the last one of the main evaluation.
	modelWrites = modelUnits + 1
	modelOp     = "0.1"
)

var (
	modelNames  = [modelNodes]string{"a", "b", "c"}
	modelIDs    = [modelWrites]string{"0.1.0#1", "0.1.1#1", "0#1"}
	modelHeader = &Record{Kind: Begun, Line: []byte{}, parsed: []journal.Record{{Type: "run", Header: &journal.Header{}}}}
)

// slots are the records that a node can wait for at the same time: those of the main evaluation, and those
// of each unit.
type slots [modelUnits + 1]int // the index of the record in the log, 0 for none

// modelNode is a node as the model has it.
type modelNode struct {
	read     int // records that it has applied
	waits    slots
	crashed  bool
	stopped  bool // it has read that it is dead
	at, done [modelWrites]bool
}

// modelState is a state of the world. Its log is shared with others, and never changed.
type modelState struct {
	log   []modelEntry
	nodes [modelNodes]modelNode
	world [modelWrites]int // times that each write was done
	death struct{ chosen, real, told bool }
	dies  int
}

// modelEntry is a record with the state after it.
type modelEntry struct {
	rec    *Record
	name   string
	counts bool
	state  *State
	id     int // of the state
}

// model explores one kind of run.
type model struct {
	drop    rule
	fails   bool // element 0 fails, so that element 1 is not needed
	ids     map[string]int
	steps   map[transition]modelEntry
	seen    map[string]bool
	ends    int
	problem string
	// lags are how many records each node may be late. A record that is wrong because its node has not read
	// another one needs only one late node.
	lags [modelNodes]int
}

func (m *model) step(log []modelEntry, r *Record, name string) []modelEntry {
	last := &log[len(log)-1]
	key := transition{last.id, name}
	e, ok := m.steps[key]
	if !ok {
		st := last.state.clone()
		e = modelEntry{rec: r, name: name, counts: st.apply(r), state: st}
		print := st.fingerprint()
		if e.id, ok = m.ids[print]; !ok {
			e.id = len(m.ids) + 1
			m.ids[print] = e.id
		}
		m.steps[key] = e
	}
	return append(slices.Clip(log), e)
}

// transition is a record that is applied to a state.
type transition struct {
	state int
	name  string
}

// clone copies the parts of a state that the model uses.
func (s *State) clone() *State {
	c := NewState()
	c.header, c.leader, c.final, c.drop, c.halts, c.halted = s.header, s.leader, s.final, s.drop, s.halts, s.halted
	for k, v := range s.nodes {
		c.nodes[k] = v
	}
	for k, v := range s.effects {
		e := *v
		c.effects[k] = &e
	}
	for k, o := range s.operations {
		p := *o
		p.holders, p.given, p.missing = slices.Clone(o.holders), slices.Clone(o.given), slices.Clone(o.missing)
		c.operations[k] = &p
	}
	return c
}

// fingerprint returns a string that is equal for states that behave alike.
func (s *State) fingerprint() string {
	var b strings.Builder
	b.WriteString(s.leader)
	for _, n := range modelNames {
		b.WriteByte('0' + byte(s.nodes[n]))
	}
	for _, id := range modelIDs {
		if e := s.effects[id]; e != nil {
			fmt.Fprintf(&b, "|%s%t%t", e.node, e.Done, e.Withdrawn)
		} else {
			b.WriteString("|-")
		}
	}
	if o := s.operations[modelOp]; o != nil {
		fmt.Fprintf(&b, "/%q%v%t%d", o.holders, o.missing, o.closed, o.last)
	}
	if s.final != nil {
		b.WriteString("F")
	}
	return b.String()
}

func (w *modelState) key() string {
	least := len(w.log)
	for i := range w.nodes {
		if n := &w.nodes[i]; !n.crashed {
			least = min(least, n.read)
		}
	}
	b := make([]byte, 0, 128)
	num := func(n int) { b = append(strconv.AppendInt(b, int64(n), 36), ',') }
	flags := func(all ...bool) {
		k := 0
		for _, yes := range all {
			k = 2*k + int(flagByte(yes))
		}
		num(k)
	}
	num(w.log[least-1].id)
	for _, e := range w.log[least:] {
		b = append(append(b, e.name...), ' ')
	}
	for i := range w.nodes {
		n := &w.nodes[i]
		flags(n.crashed, n.stopped, n.at[0], n.at[1], n.at[2], n.done[0], n.done[1], n.done[2])
		if n.crashed {
			continue
		}
		num(n.read - least)
		for _, at := range n.waits {
			num(max(at-least, -1))
		}
	}
	for _, n := range w.world {
		num(n)
	}
	flags(w.death.chosen, w.death.real, w.death.told)
	num(w.dies)
	return string(b)
}

// explore visits all states that follow one.
func (m *model) explore(first modelState) {
	stack := []modelState{first}
	for len(stack) > 0 && m.problem == "" {
		w := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		k := w.key()
		if m.seen[k] {
			continue
		}
		m.seen[k] = true
		next := m.next(&w)
		if len(next) == 0 {
			m.terminal(&w)
		}
		stack = append(stack, next...)
	}
}

func (m *model) fail(w *modelState, format string, args ...any) {
	if m.problem != "" {
		return
	}
	m.problem = fmt.Sprintf(format, args...) + "\n"
	for _, e := range w.log[1:] {
		m.problem += fmt.Sprintf("%s %t\n", e.name, e.counts)
	}
}

// terminal checks a state in which nothing more can happen.
func (m *model) terminal(w *modelState) {
	m.ends++
	last := w.log[len(w.log)-1].state
	if last.final == nil {
		m.fail(w, "the run does not go on")
		return
	}
	for i, n := range w.world {
		if n != 1 && !(m.fails && i == 1) {
			m.fail(w, "write %s was done %d times at the end", modelIDs[i], n)
		}
	}
}

// next returns the states that can follow one.
func (m *model) next(w *modelState) (all []modelState) {
	add := func(change func(c *modelState)) {
		c := *w
		change(&c)
		for i := range c.nodes {
			for n := &c.nodes[i]; !n.crashed && len(c.log)-n.read > m.lags[i]; {
				m.readNext(&c, i)
			}
		}
		all = append(all, c)
	}
	for d := range modelNodes {
		if !w.death.chosen {
			add(func(c *modelState) { c.death.chosen, c.death.real, c.dies, c.nodes[d].crashed = true, true, d, true })
			add(func(c *modelState) { c.death.chosen, c.dies = true, d })
		}
	}
	if w.death.chosen && !w.death.told {
		add(func(c *modelState) {
			name := modelNames[c.dies]
			c.death.told = true
			c.log = m.step(c.log, &Record{Kind: Dead, Node: name}, "dead "+name)
		})
	}
	for i := range w.nodes {
		if n := &w.nodes[i]; !n.crashed {
			m.node(w, i, add)
		}
	}
	return all
}

// node adds the possible steps of a node.
func (m *model) node(w *modelState, i int, add func(func(*modelState))) {
	n, me := &w.nodes[i], modelNames[i]
	for k := range modelWrites {
		if n.at[k] {
			add(func(c *modelState) { m.perform(c, i, k) })
		}
		if n.done[k] {
			add(func(c *modelState) {
				c.nodes[i].done[k] = false
				c.log = m.step(c.log, endRecord(me, modelIDs[k], "end"), fmt.Sprint("end ", me, k))
			})
		}
	}
	if n.stopped {
		n.read = len(w.log) // nothing that it reads matters
		return
	}
	if n.read < len(w.log) {
		add(func(c *modelState) { m.readNext(c, i) })
	}
	st := w.log[n.read-1].state
	if st.final != nil {
		return
	}
	ask := func(slot int, r *Record, name string) {
		add(func(c *modelState) {
			r.Node = me
			c.log = m.step(c.log, r, name+" "+me)
			c.nodes[i].waits[slot] = len(c.log)
			if r.Kind == Begin && m.drop == readBack {
				c.nodes[i].at[slices.Index(modelIDs[:], r.ID)] = true
			}
		})
	}
	if n.waits[modelUnits] == 0 {
		m.main(w, i, st, ask, add)
	}
	for u := range modelUnits {
		if n.waits[u] == 0 {
			m.unit(w, i, u, st, ask, add)
		}
	}
}

type asking func(slot int, r *Record, name string)

// main adds the steps of a node for the main evaluation.
func (m *model) main(w *modelState, i int, st *State, ask asking, add func(func(*modelState))) {
	n, me, o := &w.nodes[i], modelNames[i], st.operations[modelOp]
	switch {
	case st.leader == "":
		ask(modelUnits, &Record{Kind: Lead}, "lead")
	case st.leader != me:
	case o == nil:
		ask(modelUnits, &Record{Kind: Open, ID: modelOp, Elements: modelUnits, Size: 1}, "open")
	case m.fails && !o.closed:
		if o.given[0] != nil || m.drop == closeComplete {
			ask(modelUnits, &Record{Kind: Close, ID: modelOp}, "close")
		}
	case m.fails && o.busy(0, me) && m.drop != closeWaits:
	case m.fails && n.at[1] && m.drop != closeWaits: // its own element has not been abandoned yet
	case !m.fails && o.known < modelUnits && m.drop != allValues:
	default:
		m.write(w, i, modelUnits, st, ask, add, func() { ask(modelUnits, finalRecord(), "final") })
	}
}

// unit adds the steps of a node for a unit.
func (m *model) unit(w *modelState, i, u int, st *State, ask asking, add func(func(*modelState))) {
	n, me, o := &w.nodes[i], modelNames[i], st.operations[modelOp]
	if o == nil && m.drop != openFirst || o != nil && o.given[u] != nil {
		return
	}
	switch {
	case o != nil && o.unneeded(u):
		if o.holders[u] == me && !n.at[u] {
			ask(u, &Record{Kind: Release, ID: modelOp, Unit: u}, fmt.Sprint("release", u))
		}
	case o == nil || o.holders[u] == "":
		if m.fails && u == 0 && o != nil && o.closed {
			return
		}
		ask(u, &Record{Kind: Claim, ID: modelOp, Unit: u}, fmt.Sprint("claim", u))
	case o.holders[u] == me:
		m.write(w, i, u, st, ask, add, func() {
			ask(u, &Record{Kind: Values, ID: modelOp, Values: []ElementValue{{Index: u}}}, fmt.Sprint("value", u))
		})
	}
}

// write adds the steps of a node for a write that it performs; then is called when the write has an outcome.
func (m *model) write(w *modelState, i, k int, st *State, ask asking, add func(func(*modelState)), then func()) {
	n, me, e := &w.nodes[i], modelNames[i], st.effects[modelIDs[k]]
	switch {
	case e != nil && e.Done:
		then()
	case n.at[k] || n.done[k]:
	case e == nil || !e.InDoubt():
		ask(k, endRecord("", modelIDs[k], "begin"), fmt.Sprint("begin", k))
	case e.node == me:
	case st.nodes[e.node] != alive || !st.holds(settleDoubtOnly):
		m.settle(w, i, k, add)
	case m.drop == beginOnce:
		ask(k, endRecord("", modelIDs[k], "begin"), fmt.Sprint("begin", k))
	}
}

// settle settles a write in doubt by the state of the world, when no node can be performing it any more.
func (m *model) settle(w *modelState, i, k int, add func(func(*modelState))) {
	if w.world[k] == 0 && m.drop != retryAfterGrace {
		for j := range w.nodes {
			o := &w.nodes[j]
			if !o.crashed && (o.at[k] || !o.stopped && slices.ContainsFunc(w.log[o.read:], func(e modelEntry) bool {
				return e.rec.Kind == Begin && e.rec.Node == modelNames[j] && e.rec.ID == modelIDs[k]
			})) {
				return // it may still be done
			}
		}
	}
	as := effect.Done
	if w.world[k] == 0 {
		as = effect.Retry
	}
	add(func(c *modelState) {
		r := &Record{Kind: Settle, Node: modelNames[i], ID: modelIDs[k],
			parsed: []journal.Record{{Type: "settle", ID: modelIDs[k], As: as}}}
		c.log = m.step(c.log, r, fmt.Sprint("settle", k, as, modelNames[i]))
		c.nodes[i].waits[k] = len(c.log)
	})
}

// perform does a write.
func (m *model) perform(c *modelState, i, k int) {
	if c.world[k]++; c.world[k] > 1 {
		m.fail(c, "write %s was done twice, the second time by %s", modelIDs[k], modelNames[i])
	}
	c.nodes[i].at[k], c.nodes[i].done[k] = false, true
	if k != modelUnits {
		return
	}
	last := c.log[len(c.log)-1].state
	for j := range c.nodes {
		for u := range modelUnits {
			if c.nodes[j].at[u] && !c.nodes[j].crashed && last.nodes[modelNames[j]] == alive {
				m.fail(c, "%s does what follows the operation while %s is at element %d", modelNames[i], modelNames[j], u)
			}
		}
	}
}

// readNext has a node apply a record.
func (m *model) readNext(c *modelState, i int) {
	n := &c.nodes[i]
	e := &c.log[n.read]
	n.read++
	for s := range n.waits {
		if n.waits[s] == n.read {
			n.waits[s] = 0
		}
	}
	if e.rec.Node != modelNames[i] {
		return
	}
	switch {
	case e.rec.Kind == Dead:
		n.stopped = true
	case e.rec.Kind == Begin && e.counts && m.drop != readBack:
		n.at[slices.Index(modelIDs[:], e.rec.ID)] = true
	}
}

func endRecord(node, id, how string) *Record {
	r := &Record{Kind: End, Node: node, ID: id, parsed: []journal.Record{{Type: how, ID: id}}}
	if how == "begin" {
		r.Kind = Begin
		r.parsed[0].Entry = journal.Entry{Effect: effect.Effect{ID: id, Kind: effect.KindCall}, Attempt: 1}
	}
	return r
}

func finalRecord() *Record {
	return &Record{Kind: Final, parsed: []journal.Record{{Type: "final", Final: &journal.Final{Value: "1"}}}}
}

// exploreRun explores a kind of run, with a rule dropped.
func exploreRun(drop rule, fails bool, late, lag int) *model {
	m := &model{drop: drop, fails: fails, ids: map[string]int{}, steps: map[transition]modelEntry{},
		seen: map[string]bool{}}
	m.lags[late] = lag
	st := NewState()
	st.drop = drop
	w := modelState{log: []modelEntry{{state: st}}}
	w.log = m.step(w.log, modelHeader, "begun")[1:]
	for i := range modelNodes {
		w.log = m.step(w.log, &Record{Kind: Lead, Node: modelNames[i]}, "lead "+modelNames[i])
		w.nodes[i].read = 1
	}
	for i := range modelNodes { // all have joined
		w.nodes[i].read = len(w.log)
	}
	m.explore(w)
	return m
}

// TestModelOfRuns explores all runs in which one node may be late, with and without a failing element. In
// short test runs, only the first leader may be late without a failing element, and only another node with
// one.
func TestModelOfRuns(t *testing.T) {
	lag := 1
	if *thorough {
		lag = 4
	}
	for i, fails := range []bool{false, true} {
		for late := range 2 { // the first leader, and another node: the third is like the second
			if !testlevel.Takes(i+late, 2) {
				continue
			}
			m := exploreRun(noRule, fails, late, lag)
			require.Empty(t, m.problem)
			require.Positive(t, m.ends)
			t.Logf("an element fails: %t, late: %s: %d states, %d ends", fails, modelNames[late], len(m.seen), m.ends)
		}
	}
}

// TestModelNeedsItsRules drops rules: the exploration then finds the resulting errors.
func TestModelNeedsItsRules(t *testing.T) {
	for _, one := range []struct {
		name    string
		drop    rule
		fails   bool
		late    int
		problem string
	}{
		{"records of the dead do not count", deadAreSilent, false, 0, "go on"},
		{"nothing begins above the last element", beginNotAbove, true, 0, "at element"},
		{"what follows waits for the holders", closeWaits, true, 0, "at element"},
		{"a write waits for its own beginning", readBack, false, 0, "twice"},
		{"a retry waits until nobody can be at the write", retryAfterGrace, false, 0, "twice"},
		{"the units of the dead are free", freeOfTheDead, false, 0, "does not go on"},
		{"the operation has all its values", allValues, false, 0, "at element"},
	} {
		t.Run(one.name, func(t *testing.T) {
			m := exploreRun(one.drop, one.fails, one.late, 1)
			require.Contains(t, m.problem, one.problem)
			t.Log(strings.SplitN(m.problem, "\n", 2)[0], len(m.seen))
		})
	}
}
