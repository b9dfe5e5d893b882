// This file defines the state that a prefix of a log means.

package dist

import (
	"fmt"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
)

// State is the meaning of the records of a log up to a position. It depends on the records alone: it reads no clock and
// draws no random number, so all nodes that have applied the same records agree. It is not safe for concurrent use.
type State struct {
	applied    Position
	header     *journal.Header // nil before the first record
	platform   string
	sharing    Policy
	nodes      map[string]life
	leader     string // "" if nobody leads
	effects    map[string]*known
	past       map[string]past // by the paths of evaluations
	had        map[string]bool // the operations with effects in them
	operations map[string]*operation
	secrets    []string // sealed
	final      *journal.Final
	halts      int
	halted     bool
	failure    string          // the error of the last halt, as JSON
	work       map[string]Work // by the names of nodes, see Work

	drop rule // that does not hold, in tests of the rules
}

// life is the known state of an incarnation.
type life uint8

const (
	unknown life = iota
	alive
	dead
	gone // dead, and its process has ended
)

// known is the state of an effect in the log.
type known struct {
	journal.Entry
	node string // the incarnation that has begun it last
}

// past is how far an evaluation has come.
type past struct {
	effect    int    // number of the last one
	operation uint64 // number of the last one that was shared, or has effects in it
}

// NewState returns the state of an empty log.
func NewState() *State {
	return &State{nodes: map[string]life{}, effects: map[string]*known{}, past: map[string]past{},
		had: map[string]bool{}, operations: map[string]*operation{}, work: map[string]Work{}}
}

// A rule is a condition of a record, or of an action of a node. Tests drop one rule at a time, and show the
// consequences.
type rule uint8

const (
	noRule rule = iota
	leadOnce
	deadAreSilent
	openFirst
	openByOwner
	claimOnce
	beginByOwner
	beginOnce
	beginNotAbove
	endByOwner
	endsOfTheDead
	valueByHolder
	closeByOwner
	closeComplete
	settleDoubtOnly
	finalEnds
	haltEnds
	freeOfTheDead

	// Of nodes.
	readBack
	closeWaits
	allValues
	doubtsDoNotClose
	canonicalValues
	retryAfterGrace
	openedIsAhead
	askAtBounds
	restartWhenAhead
)

// holds reports whether a rule is in force, which only tests change.
func (s *State) holds(r rule) bool { return s.drop != r }

// Apply takes the next record, and reports whether it counts. The error is that of a record that no node has written:
// then the log is damaged.
func (s *State) Apply(at Position, r *Record) (counts bool, err error) {
	if err := s.parse(r); err != nil {
		return false, err
	}
	s.applied = at
	return s.apply(r), nil
}

// parse reads the journal's records of r.
func (s *State) parse(r *Record) (err error) {
	if r.Line == nil || r.parsed != nil {
		return nil
	}
	h := s.header
	if h == nil {
		h = &journal.Header{}
	}
	if r.parsed, err = journal.ParseRecords(r.Line, h.Start); err != nil {
		return fmt.Errorf("dist: a %s record of %s: %w", r.Kind, r.Node, err)
	}
	for i := range r.parsed {
		if one := &r.parsed[i]; r.ID != "" && one.ID != r.ID {
			return fmt.Errorf("dist: a %s record of effect %.200q is about %.200q", r.Kind, r.ID, one.ID)
		}
	}
	return nil
}

// apply changes the state by a record, unless it does not count.
func (s *State) apply(r *Record) bool {
	if (s.header == nil) != (r.Kind == Begun) {
		return false
	}
	if s.final != nil && s.holds(finalEnds) {
		return false // nobody decides anything any more
	}
	switch r.Kind {
	case Begun:
		s.header, s.platform = r.parsed[0].Header, r.Text
		s.sharing = Policy{Elements: r.Elements, Unit: r.Size, Computing: r.Computing}
		return s.header != nil
	case Lead:
		return s.lead(r)
	case Dead:
		return s.die(r)
	case Settle:
		return s.settle(r)
	case Halt:
		return s.halt(r)
	case End:
		return s.end(r)
	}
	if s.nodes[r.Node] != alive && s.holds(deadAreSilent) {
		return false
	}
	switch r.Kind {
	case Open:
		return s.open(r)
	case Claim:
		return s.claim(r)
	case Release:
		o := s.operations[r.ID]
		if o == nil || r.Unit >= len(o.holders) || o.holders[r.Unit] != r.Node {
			return false
		}
		o.holders[r.Unit] = ""
	case Begin:
		return s.begin(r)
	case Values:
		return s.values(r)
	case Close:
		return s.close(r)
	case Secret:
		s.secrets = append(s.secrets, r.parsed[0].Secret)
	case Final:
		if r.Node != s.leader {
			return false
		}
		s.final = r.parsed[0].Final
	}
	return true
}

// lead makes a node a member, and the leader if there is none and it wants to be. A node that joins for a later session
// than the one that was halted continues the run.
func (s *State) lead(r *Record) bool {
	switch life := s.nodes[r.Node]; {
	case life == dead || life == gone, r.Session != s.halts:
		return false
	case life == unknown:
		s.nodes[r.Node] = alive
		s.halted, s.failure = false, ""
	case r.Follow, s.leader != "" && s.holds(leadOnce):
		return false
	}
	if r.Follow {
		return true
	}
	if s.leader == "" || !s.holds(leadOnce) {
		if s.leader = r.Node; r.Text != "" {
			s.platform = r.Text
		}
	}
	return true
}

// die declares a node dead. Its units are free, and so is the lead.
func (s *State) die(r *Record) bool {
	was := s.nodes[r.Node]
	if was == gone {
		return false
	}
	if s.nodes[r.Node] = dead; r.Gone {
		s.nodes[r.Node] = gone
	}
	if s.leader == r.Node {
		s.leader = ""
	}
	if s.holds(freeOfTheDead) {
		for _, o := range s.operations {
			o.free(r.Node)
		}
	}
	return was != dead
}

// halt ends the part of all nodes in the run. Nobody hears of the reason before it counts.
func (s *State) halt(r *Record) bool {
	if r.Node != "" && r.Node != s.leader || s.halted {
		return false
	}
	if r.Alone && s.Held(s.leader) > 0 {
		return false
	}
	s.halts++
	s.halted, s.failure = true, r.Text
	if !s.holds(haltEnds) {
		return true
	}
	s.leader = ""
	for name, life := range s.nodes {
		if life == alive {
			s.nodes[name] = dead
			for _, o := range s.operations {
				o.free(name)
			}
		}
	}
	return true
}

// begin begins an effect. A write that is in doubt does not begin again before it is settled.
func (s *State) begin(r *Record) bool {
	path, _ := cutID(r.ID)
	e := s.effects[r.ID]
	switch {
	case s.owner(path) != r.Node && s.holds(beginByOwner):
		return false
	case s.unneeded(path) && s.holds(beginNotAbove):
		return false
	case e != nil && (e.Done || e.Pends != ""):
		return false
	case e != nil && e.InDoubt() && s.holds(beginOnce):
		return false
	}
	s.take(r)
	s.effects[r.ID].node = r.Node
	return true
}

// end takes the records of an effect that do not begin it. The end of a write by the node that had begun it
// counts even if that node is dead, because the write has happened, and nobody has repeated it. Choices and
// reads of a dead node do not count.
func (s *State) end(r *Record) bool {
	path, _ := cutID(r.ID)
	e := s.effects[r.ID]
	if e != nil && e.Done {
		return false
	}
	how := r.parsed[len(r.parsed)-1].Type
	own := e != nil && e.node == r.Node && e.Attempt > 0
	late := own && how == "end" && len(r.parsed) == 1 && e.Class == effect.Write && s.holds(endsOfTheDead)
	if !late {
		if s.nodes[r.Node] != alive && s.holds(deadAreSilent) || s.owner(path) != r.Node && s.holds(endByOwner) {
			return false
		}
		switch begins := r.parsed[0].Type; {
		case begins == "end" || begins == "withdraw" || begins == "suspend":
			if !own {
				return false
			}
		case e != nil && (e.InDoubt() || e.Pends != ""):
			return false
		}
	}
	s.take(r)
	if r.parsed[0].Type == "begin" {
		s.effects[r.ID].node = r.Node
	}
	return true
}

// take changes the known state of an effect.
func (s *State) take(r *Record) {
	e := s.effects[r.ID]
	if e == nil {
		e = &known{}
		s.effects[r.ID] = e
		s.enter(r.ID)
	}
	for i := range r.parsed {
		e.Take(&r.parsed[i])
	}
	e.ID = r.ID
}

// enter notes that the evaluations around an effect have come that far.
func (s *State) enter(id string) {
	path, number := cutID(id)
	p := s.past[path]
	p.effect = max(p.effect, number)
	s.past[path] = p
	for path != "" {
		operation := parentOf(path)
		if operation == "" || s.had[operation] {
			return // and so the evaluations around it have it already
		}
		s.had[operation] = true
		path = parentOf(operation)
		p := s.past[path]
		p.operation = max(p.operation, numberOf(operation))
		s.past[path] = p
	}
}

// settle decides an effect that is pending, or a write whose node is dead. Anybody may settle: the condition is that
// nobody is at the write.
func (s *State) settle(r *Record) bool {
	e := s.effects[r.ID]
	if e == nil || len(r.parsed) != 1 {
		return false
	}
	doubted := e.InDoubt() && (s.nodes[e.node] != alive || !s.holds(settleDoubtOnly))
	as := r.parsed[0].As
	switch {
	case e.Pends == "" && !doubted:
		return false
	case as == effect.Approve && e.Pends != effect.PendingApproval:
		return false
	case as == effect.Retry && !doubted && e.Pends != effect.PendingOutcome:
		return false
	}
	e.Take(&r.parsed[0])
	return true
}
