// This file defines what a journal keeps in memory.

package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// hashedBytes is the length of the JSON text of a hash. Payloads that are not longer
// are kept however full it is: so much an entry takes anyway.
const hashedBytes = len(`"sha256:"`) + 2*sha256.Size

// fit gives a payload, or its hash when there is no room for it.
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

// fitOutcome does so with what an outcome has.
func (j *Journal) fitOutcome(o Outcome) (_ Outcome, hashed bool) {
	payload := o.payload()
	*payload, hashed = j.fit(*payload)
	return o, hashed
}

// keep adds an entry to those kept. The caller holds mu.
func (j *Journal) keep(e *Entry) {
	j.stats.Begun++
	if len(j.kept) >= j.entries {
		j.stats.Dropped++
		return
	}
	j.kept = append(j.kept, e)
}

// Entries gives the entries kept, in the order in which the effects began: in a
// parallel run that depends on timing.
func (j *Journal) Entries() []Entry { return j.list(func(*Entry) bool { return true }) }

// Calls gives the entries that are calls of tools.
func (j *Journal) Calls() []Entry { return j.list(func(e *Entry) bool { return e.Kind == Call }) }

func (j *Journal) list(wanted func(*Entry) bool) []Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	all := make([]Entry, 0, len(j.kept))
	for _, e := range j.kept {
		if wanted(e) {
			all = append(all, *e)
		}
	}
	return all
}

// Stats gives the counts so far.
func (j *Journal) Stats() Stats {
	j.mu.Lock()
	s := j.stats
	for _, e := range j.kept {
		if e.ArgsHashed {
			s.Hashed++
		}
		if e.OutcomeHashed {
			s.Hashed++
		}
	}
	j.mu.Unlock()
	if j.log != nil {
		s.Bytes, s.Syncs = j.log.count()
	}
	return s
}
