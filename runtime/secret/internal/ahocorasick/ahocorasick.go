// Package ahocorasick finds the occurrences of any of many texts in another, in time
// proportional to the length of that one, whatever the texts are.
package ahocorasick

import (
	"bytes"
	"slices"
)

// State is what an Automaton knows of the text that it has read: the longest beginning of
// one of its texts by which that ends. The zero State has read nothing.
type State uint32

// Automaton is the automaton of Aho and Corasick for some texts. It never changes.
//
// States are numbered by their depth, and within that by the states that they follow and
// by byte: so those that follow one state are neighbours, in the order of their bytes, and
// those of a depth are too. This takes 13 bytes for each state, of which there are
// at most as many as the texts have bytes, where a table by byte would take 1,024.
type Automaton struct {
	root   [256]State                 // those that follow the state 0; 0 if none does
	nodes  []node                     // of each state, and one more
	labels []byte                     // of each state: the last byte of the beginning that it is
	levels []State                    // of each depth: the first state
	least  int                        // the length of the shortest text
	grams  [1 << gramBits / 64]uint64 // see skip
}

// node is what a state has beside its label.
type node struct {
	first  State  // of those that follow it; they end where those of the next state begin
	fail   State  // that of the longest shorter beginning by which it ends
	length uint32 // of the longest text by which it ends, or 0
}

// group is those of the sorted texts that begin as a state does.
type group struct{ from, to int }

// New makes the automaton for some texts. Empty ones are never found.
func New(texts []string) *Automaton {
	texts = slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text == "" })
	slices.Sort(texts)
	size := states(texts)
	a := &Automaton{labels: make([]byte, 1, size), nodes: make([]node, 1, size+1)}
	a.gather(texts)
	groups, next := []group{{0, len(texts)}}, []group(nil)
	for at := State(0); len(groups) > 0; groups, next = next, groups[:0] {
		depth := len(a.levels)
		a.levels = append(a.levels, at)
		for _, g := range groups {
			next = a.follow(at, texts, g, depth, next)
			at++
		}
	}
	a.nodes = append(a.nodes, node{first: State(len(a.labels))})
	return a
}

// states counts the beginnings of sorted texts.
func states(texts []string) int {
	n, last := 1, ""
	for _, text := range texts {
		shared := 0
		for shared < len(last) && text[shared] == last[shared] {
			shared++
		}
		n, last = n+len(text)-shared, text
	}
	return n
}

// follow makes the states that follow one, and adds their groups to next.
func (a *Automaton) follow(at State, texts []string, g group, depth int, next []group) []group {
	a.nodes[at].first = State(len(a.labels))
	for g.from < g.to && len(texts[g.from]) == depth {
		g.from++
	}
	for g.from < g.to {
		c, end := texts[g.from][depth], g.from+1
		for end < g.to && texts[end][depth] == c {
			end++
		}
		n := node{}
		if at != 0 {
			n.fail = a.step(a.nodes[at].fail, c)
			n.length = a.nodes[n.fail].length
		} else {
			a.root[c] = State(len(a.labels))
		}
		if len(texts[g.from]) == depth+1 {
			n.length = uint32(depth + 1)
		}
		a.labels, a.nodes = append(a.labels, c), append(a.nodes, n)
		next = append(next, group{g.from, end})
		g.from = end
	}
	return next
}

// step reads one byte.
func (a *Automaton) step(at State, c byte) State {
	for at != 0 {
		n, end := &a.nodes[at], a.nodes[at+1].first
		switch following := a.labels[n.first:end]; len(following) {
		case 0:
		case 1:
			if following[0] == c {
				return n.first
			}
		default:
			if i := bytes.IndexByte(following, c); i >= 0 {
				return n.first + State(i)
			}
		}
		at = n.fail
	}
	return a.root[c]
}

// gramBits is how many bits tell of three bytes: 8 KB, of which a thousand texts of six
// bytes set one in sixteen.
const gramBits = 16

// gram returns the bit that tells of the three bytes in front of end.
func gram[T string | []byte](text T, end int) uint32 {
	return (uint32(text[end-3]) | uint32(text[end-2])<<8 | uint32(text[end-1])<<16) * 0x9e3779b1 >> (32 - gramBits)
}

// gather notes which three bytes are in the beginnings of the texts that have the length of
// the shortest.
func (a *Automaton) gather(texts []string) {
	for i, text := range texts {
		if i == 0 || len(text) < a.least {
			a.least = len(text)
		}
	}
	for _, text := range texts {
		for end := 3; end <= a.least; end++ {
			bit := gram(text, end)
			a.grams[bit/64] |= 1 << (bit % 64)
		}
	}
}

// skip passes what no text begins in: if the last three bytes of a part that is as long as
// the shortest text are in no beginning, none has them, and each that begins in front of
// them would.
func skip[T string | []byte](a *Automaton, text T, from int) int {
	for a.least >= 3 && from+a.least <= len(text) {
		bit := gram(text, from+a.least)
		if a.grams[bit/64]&(1<<(bit%64)) != 0 {
			break
		}
		from += a.least - 2
	}
	for from < len(text) && a.root[text[from]] == 0 {
		from++
	}
	return from
}

// Next reads a text as far as to the end of the first occurrence, or to its own, and returns
// how much that was.
func Next[T string | []byte](a *Automaton, at State, text T) (State, int) {
	for i := 0; i < len(text); i++ {
		if at == 0 {
			if i = skip(a, text, i); i == len(text) {
				break
			}
		}
		if at = a.step(at, text[i]); a.nodes[at].length > 0 {
			return at, i + 1
		}
	}
	return at, len(text)
}

// Found returns the length of the longest text whose occurrence ends here, or 0.
func (a *Automaton) Found(at State) int { return int(a.nodes[at].length) }

// Begun returns the length of the longest beginning of a text that ends here, or 0.
func (a *Automaton) Begun(at State) int {
	depth, found := slices.BinarySearch(a.levels, at)
	if !found {
		depth--
	}
	return depth
}
