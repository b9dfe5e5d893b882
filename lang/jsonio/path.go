// This file defines Path, which leads to the value that a conversion has reached, and finds pairs of keys
// that one JSON object or Go map can't hold together.

package jsonio

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// Path leads from a value that is converted to the part that the conversion has reached.
type Path struct {
	Of   string        // the whole value, for messages: "the result as JSON"
	keys []value.Value // and indexes
}

// Enter goes to the value under a key or index; Leave goes back.
func (p *Path) Enter(step value.Value) { p.keys = append(p.keys, step) }

// Leave goes back from the value that Enter went to.
func (p *Path) Leave() { p.keys = p.keys[:len(p.keys)-1] }

// maxSteps bounds the steps of a path that a message shows.
const maxSteps = 12

// text returns the path as get-in takes it, a single step without brackets.
func (p *Path) text(t *value.Task) string {
	if len(p.keys) == 1 {
		return value.Show(t, p.keys[0])
	}
	return p.steps(t)
}

// steps returns the path as get-in takes it.
func (p *Path) steps(t *value.Task) string {
	var steps []string
	for i, step := range p.keys {
		if i == maxSteps {
			steps = append(steps, fmt.Sprintf("… %s more", strconv.Itoa(len(p.keys)-i)))
			break
		}
		steps = append(steps, value.Show(t, step))
	}
	return "[" + strings.Join(steps, " ") + "]"
}

// MixedKeys reports whether keys of a map may have the same text: not if all are strings, all integers, or
// all keywords without a namespace.
func MixedKeys(m value.Value) bool {
	it := value.NewMapIter(m)
	if !it.Next() {
		return false
	}
	kind := it.Key.Kind()
	for ok := true; ok; ok = it.Next() {
		switch k := it.Key; {
		case k.Kind() != kind:
			return true
		case k.IsKeyword() && k.AsKeyword().NS == "", k.IsString(), k.IsInt():
		default:
			return true
		}
	}
	return false
}

// textOfKey is a key of a map and its text.
type textOfKey struct {
	text string
	key  value.Value
}

// WantDistinct throws if two keys of a map have the same text, which textOf returns. It charges a table of the texts,
// and sorts it.
func (p *Path) WantDistinct(t *value.Task, m value.Value, textOf func(k value.Value) string) {
	n := value.MapCount(m)
	t.Charge(limits.ObjectSize(n * int(unsafe.Sizeof(textOfKey{}))))
	keys := make([]textOfKey, 0, n)
	for it := value.NewMapIter(m); it.Next(); {
		t.Work(1)
		keys = append(keys, textOfKey{textOf(it.Key), it.Key})
	}
	slices.SortFunc(keys, func(a, b textOfKey) int {
		t.Work(2)
		return value.CompareText(t, a.text, b.text)
	})
	for i := 1; i < len(keys); i++ {
		if value.CompareText(t, keys[i].text, keys[i-1].text) == 0 {
			p.twice(t, keys[i-1].key, keys[i].key, keys[i].text)
		}
	}
}

// twice throws for two keys of the same text in the map at the path.
func (p *Path) twice(t *value.Task, a, b value.Value, text string) {
	first, second := value.Show(t, a), value.Show(t, b)
	if second < first {
		first, second = second, first
	}
	where := "the map"
	if len(p.keys) > 0 {
		where += " at " + p.steps(t)
	}
	t.FailHint(diag.IllegalArgument,
		"rename one of them, or take the result as EDN, which keeps them apart: (pr-str x), --output edn",
		"%s: %s has the keys %s and %s, which both become %s; want keys with different names", p.Of, where, first, second,
		strconv.Quote(short(text)))
}

// shortText is about how many bytes of the text of a key a message shows.
const shortText = 40

func short(text string) string {
	if len(text) <= shortText {
		return text
	}
	return strings.ToValidUTF8(text[:shortText], "") + "…"
}
