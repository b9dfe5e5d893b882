// Package ahocorasick finds the occurrences of many texts in another text, in time proportional to
// the length of that text.
package ahocorasick

import (
	"bytes"
	"slices"
)

// State is the state of an Automaton after the text that it has read: the longest prefix of one of
// its texts with which that text ends. The zero State has read nothing.
type State uint32

// Automaton is the automaton of Aho and Corasick for some texts. It is immutable.
//
// States are numbered by depth, then by predecessor, then by byte. So the successors of a state are
// neighbours in the order of their bytes, and so are the states of a depth. A state takes 13 bytes,
// and a table by byte would take 1,024. There are at most as many states as the texts have bytes.
type Automaton struct {
	root   [256]State                 // successors of the state 0; 0 for none
	nodes  []node                     // of each state, and one more
	labels []byte                     // of each state: the last byte of its prefix
	levels []State                    // of each depth: the first state
	least  int                        // the length of the shortest text
	grams  [1 << gramBits / 64]uint64 // see skip
}

// node is a state without its label.
type node struct {
	first  State  // the first successor; the successors end where those of the next state begin
	fail   State  // the state of the longest proper suffix that is a prefix of a text
	length uint32 // of the longest text with which it ends, or 0
}

// group is the range of sorted texts that begin with the prefix of a state.
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

// states returns the number of prefixes of sorted texts.
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

// follow makes the successors of a state, and adds their groups to next.
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

// gramBits is the number of bits of the hash of three bytes. The table takes 8 KB, and a thousand
// texts of six bytes set one bit in sixteen.
const gramBits = 16

// gram returns the bit for the three bytes before end.
func gram[T string | []byte](text T, end int) uint32 {
	return (uint32(text[end-3]) | uint32(text[end-2])<<8 | uint32(text[end-1])<<16) * 0x9e3779b1 >> (32 - gramBits)
}

// gather sets the bits of all three bytes in the prefixes of the texts that are as long as the
// shortest text.
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

// skip skips bytes in which no text begins. If the last three bytes of a part that is as long as
// the shortest text are in no prefix, no text begins in that part before them.
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

// Next reads a text up to the end of the first occurrence, or to its end, and returns the number of
// bytes read.
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

// Begun returns the length of the longest prefix of a text that ends here, or 0.
func (a *Automaton) Begun(at State) int {
	depth, found := slices.BinarySearch(a.levels, at)
	if !found {
		depth--
	}
	return depth
}
