// This file defines a machine whose process can die at any moment, and programs that
// run on it.

package journal

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"

	"github.com/ptc-lang/ptc/runtime/effect"
)

var errDead = errors.New("the machine is dead")

// machine is the disk and the world outside, which continue when the process dies. Each operation on one of
// them is an event; at event dieAt the process dies, and the operations under way happen in part.
type machine struct {
	mu       sync.Mutex
	rand     *rand.Rand
	event    int
	dieAt    int
	dead     bool
	file     []byte
	synced   int
	done     map[string]int    // times that a write-effect happened
	args     map[string]string // of write- and idempotent effects
	volatile int               // the result of reads, if it is not zero; it grows
	misdeeds []string
}

// step counts an event, and reports whether the process lives.
func (m *machine) step() bool {
	m.event++
	m.dead = m.dead || m.event == m.dieAt
	return !m.dead
}

func (m *machine) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dead {
		return 0, errDead
	}
	if !m.step() {
		p = p[:m.rand.IntN(len(p)+1)]
		m.file = append(m.file, p...)
		return len(p), errDead
	}
	m.file = append(m.file, p...)
	return len(p), nil
}

func (m *machine) Sync() error {
	runtime.Gosched() // others append in the meantime
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dead {
		return errDead
	}
	if !m.step() {
		m.synced += m.rand.IntN(len(m.file) - m.synced + 1)
		return errDead
	}
	m.synced = len(m.file)
	return nil
}

func (m *machine) Close() error { return nil }

// act is an effect on the world, with its result.
func (m *machine) act(e effect.Effect) (int, error) {
	runtime.Gosched()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dead {
		return 0, errDead
	}
	alive := m.step()
	if !alive && m.rand.IntN(2) == 0 {
		return 0, errDead // before it could happen
	}
	if e.Class == effect.Write {
		m.done[e.ID]++
	}
	if e.Class != effect.ReadOnly {
		if before, ok := m.args[e.ID]; ok && before != string(e.Args) {
			m.misdeeds = append(m.misdeeds, fmt.Sprintf("%s %s with %s, and before with %s", e.Class, e.ID, e.Args, before))
		}
		m.args[e.ID] = string(e.Args)
	}
	if !alive {
		return 0, errDead
	}
	if e.Class == effect.ReadOnly && m.volatile > 0 {
		m.volatile++
		return m.volatile, nil
	}
	return result(e), nil
}

// result is the result of an effect if the world does not change.
func result(e effect.Effect) int { return int(number(e.ID + string(e.Args))) }

// survive is the crash: synced data is on the disk, with a random part of the rest. The process starts
// again.
func (m *machine) survive(dieAt int) {
	m.file = m.file[:m.synced+m.rand.IntN(len(m.file)-m.synced+1)]
	m.synced = len(m.file)
	m.event, m.dieAt, m.dead = 0, dieAt, false
}

func newMachine(seed uint64, dieAt int, volatile bool) *machine {
	m := &machine{rand: rand.New(rand.NewPCG(seed, 3)), dieAt: dieAt, done: map[string]int{}, args: map[string]string{}}
	if volatile {
		m.volatile = 1
	}
	return m
}

// program runs a tree of evaluations whose shape depends on the seed, and whose
// effects depend on the outcomes of those before.
type program struct {
	seed uint64
	j    *Journal
	m    *machine // nil in a replay

	mu      sync.Mutex
	doubted []string
}

func number(text string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(text))
	return h.Sum32() % 1_000_003
}

// eval is one evaluation. It returns a number that depends on all outcomes below it.
func (p *program) eval(path string, depth int) (int, error) {
	r := rand.New(rand.NewPCG(p.seed, uint64(number(path))))
	value, effects, operations := 1, 0, 0
	for range 2 + r.IntN(5) {
		var got int
		var err error
		if k := r.IntN(8); k < 2 && depth > 0 {
			operations++
			got, err = p.parallel(fmt.Sprintf("%s.%d", path, operations), 2+r.IntN(3), depth-1)
		} else {
			effects++
			got, err = p.effect(effect.Effect{ID: fmt.Sprintf("%s#%d", path, effects), Kind: effect.KindCall, Name: "act",
				Class: []effect.Class{effect.ReadOnly, effect.Idempotent, effect.Write}[k%3], Args: fmt.Appendf(nil, `{"value":%d}`, value)})
		}
		if err != nil {
			return 0, err
		}
		value = (value*31 + got) % 1_000_003
	}
	return value, nil
}

// parallel runs all elements of an operation to their end, even if others fail.
func (p *program) parallel(operation string, n, depth int) (int, error) {
	values, errs := make([]int, n), make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { values[i], errs[i] = p.eval(fmt.Sprintf("%s.%d", operation, i), depth) })
	}
	wg.Wait()
	sum := 0
	for i := range n {
		if errs[i] != nil {
			return 0, errs[i]
		}
		sum = (sum*7 + values[i]) % 1_000_003
	}
	return sum, nil
}

func (p *program) effect(e effect.Effect) (int, error) {
	o, do, err := p.j.Begin(context.Background(), e)
	if doubt := (*InDoubt)(nil); errors.As(err, &doubt) {
		p.mu.Lock()
		p.doubted = append(p.doubted, doubt.Entry.ID)
		p.mu.Unlock()
	}
	if err != nil {
		return 0, err
	}
	if !do {
		return strconv.Atoi(string(o.Result))
	}
	got, err := p.m.act(e)
	if err != nil {
		return 0, err
	}
	return got, p.j.End(e.ID, effect.Record{Result: strconv.AppendInt(nil, int64(got), 10)})
}

// run runs it all, and ends the journal.
func (p *program) run() (string, error) {
	value, err := p.eval("0", 1+int(p.seed%3))
	if err != nil {
		return "", errors.Join(err, p.j.Close())
	}
	text := strconv.Itoa(value)
	return text, errors.Join(p.j.Finish(Final{Value: text}), p.j.Close())
}

// begin starts the program on an empty file.
func (m *machine) begin(seed uint64) (*program, error) {
	j, err := record(m, Header{Run: "crash", Program: "crash.ptc"}, Options{})
	if err != nil {
		return nil, err
	}
	j.log.(*fileLog).full = 300 // so that lines are written before they are synced, too
	return &program{seed: seed, j: j, m: m}, nil
}

// again continues it, after a crash.
func (m *machine) again(seed uint64, rec *Recording, settle []effect.Settlement) (*program, error) {
	j, err := ApplyGiven(resume(m, rec, settle, Options{}))
	if err != nil {
		return nil, err
	}
	j.log.(*fileLog).full = 300
	return &program{seed: seed, j: j, m: m}, nil
}
