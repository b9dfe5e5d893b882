// This file defines the entries that a journal keeps in memory.

package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// hashedBytes is the length of the JSON text of a hash. Payloads that are not longer
// are always kept.
const hashedBytes = len(`"sha256:"`) + 2*sha256.Size

// fit returns a payload, or its hash when there is no room for it.
func (j *Journal) fit(text json.RawMessage) (json.RawMessage, bool) {
	n := int64(len(text))
	if n <= int64(hashedBytes) {
		return text, false
	}
	if j.room.Add(-n) >= 0 {
		return text, false
	}
	j.room.Add(n)
	sum := sha256.Sum256(text)
	out := append(make([]byte, 0, hashedBytes), `"sha256:`...)
	return append(hex.AppendEncode(out, sum[:]), '"'), true
}

// fitOutcome does the same with an outcome.
func (j *Journal) fitOutcome(o effect.Record) (_ effect.Record, hashed bool) {
	payload := o.Payload()
	*payload, hashed = j.fit(*payload)
	return o, hashed
}

// keep stores an entry among those kept, or alone if they are too many, and returns the stored one.
// Entries are in blocks of 4, and later of 64: with an object for each, the allocator and the collector
// take a tenth more time for an effect. The caller holds mu.
func (j *Journal) keep(e *Entry) *Entry {
	j.stats.Begun++
	if j.stats.Begun-j.stats.Dropped > int64(j.entries) {
		j.stats.Dropped++
		alone := *e
		return &alone
	}
	if n := len(j.kept); n == 0 || len(j.kept[n-1]) == cap(j.kept[n-1]) {
		j.kept = append(j.kept, make([]Entry, 0, 4<<min(n, 4)))
	}
	last := &j.kept[len(j.kept)-1]
	*last = append(*last, *e)
	return &(*last)[len(*last)-1]
}

// everyKept returns the entries kept, in their order. The caller holds mu.
func (j *Journal) everyKept(yield func(*Entry) bool) {
	for _, block := range j.kept {
		for i := range block {
			if !yield(&block[i]) {
				return
			}
		}
	}
}

// Entries returns the entries kept, in the order in which the effects began: in a
// parallel run that depends on timing.
func (j *Journal) Entries() []Entry { return j.list(func(*Entry) bool { return true }) }

// Calls returns the entries that are calls of tools.
func (j *Journal) Calls() []Entry {
	if j.shared != nil {
		return j.shared.Calls()
	}
	return j.list(func(e *Entry) bool { return e.Kind == effect.KindCall })
}

func (j *Journal) list(wanted func(*Entry) bool) []Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	all := make([]Entry, 0, j.stats.Begun-j.stats.Dropped)
	for e := range j.everyKept {
		if wanted(e) {
			all = append(all, *e)
		}
	}
	return all
}

// Stats returns the counts so far.
func (j *Journal) Stats() Stats {
	j.mu.Lock()
	s := j.stats
	for e := range j.everyKept {
		if e.ArgsHashed {
			s.Hashed++
		}
		if e.OutcomeHashed {
			s.Hashed++
		}
	}
	j.mu.Unlock()
	if f, ok := j.log.(*fileLog); ok {
		s.Bytes, s.Syncs = f.count()
	}
	return s
}
