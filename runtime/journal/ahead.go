// This file defines what a journal tells of what comes next in an earlier run.

package journal

import (
	"slices"
	"strconv"
	"strings"
)

// trail is what an earlier run had of one evaluation.
type trail struct {
	effects    []int  // their numbers, in order
	operations uint64 // the number of the last one that had effects
}

// trails orders the entries by the evaluations that had them.
func trails(entries []Entry) (evaluations map[string]*trail, operations map[string]struct{}) {
	evaluations, operations = make(map[string]*trail), make(map[string]struct{})
	of := func(path string) *trail {
		t := evaluations[path]
		if t == nil {
			t = &trail{}
			evaluations[path] = t
		}
		return t
	}
	for i := range entries {
		path, text, _ := strings.Cut(entries[i].ID, "#")
		number, _ := strconv.Atoi(text) // of an id that was checked
		t := of(path)
		t.effects = append(t.effects, number)
		for strings.Contains(path, ".") {
			operation := path[:strings.LastIndexByte(path, '.')] // without the element
			if _, ok := operations[operation]; ok {
				break // and so are those around it
			}
			operations[operation] = struct{}{}
			at := strings.LastIndexByte(operation, '.')
			number, _ := strconv.ParseUint(operation[at+1:], 10, 64)
			path = operation[:at]
			t := of(path)
			t.operations = max(t.operations, number)
		}
	}
	for _, t := range evaluations {
		slices.Sort(t.effects)
	}
	return evaluations, operations
}

// Ahead is what an earlier run had of an evaluation from some effect and operation on.
type Ahead struct {
	// Known says that it had a further effect, or effects in a further operation.
	Known bool
	Next  *Entry // its next effect, nil if it had none
	// Stop is how a bound stopped the run: of the main evaluation, if the journal replays it.
	Stop []byte
}

// Ahead tells what the earlier run had of the evaluation at a path behind the effect and
// the operation of the given numbers. It is empty if there is no earlier run.
func (j *Journal) Ahead(path string, effect int, operation uint64) (a Ahead) {
	if t := j.evaluations[path]; t != nil {
		i, _ := slices.BinarySearch(t.effects, effect+1)
		a.Known = i < len(t.effects) || t.operations > operation
		if i < len(t.effects) {
			a.Next = j.earlier[path+"#"+strconv.Itoa(t.effects[i])].entry
		}
	}
	if path == mainPath && j.replay {
		a.Stop = j.doubted.Stopped
	}
	return a
}

// mainPath is that of the main evaluation.
const mainPath = "0"

// Cut says that the earlier run began an effect and its outcome is not known.
func (j *Journal) Cut(id string) bool {
	r := j.earlier[id]
	return r != nil && !r.entry.Done
}

// Had says whether the earlier run had effects in an operation.
func (j *Journal) Had(operation string) bool {
	_, ok := j.operations[operation]
	return ok
}

// Recalls says whether there is an earlier run.
func (j *Journal) Recalls() bool { return j.earlier != nil }
