// This file defines the tables of an encoding: names that are written once, and the keys of maps
// that are alike.

package value

import (
	"encoding/binary"
	"unsafe"

	"github.com/ptc-lang/ptc/runtime/limits"
)

// codecName is a name of an encoding: of a keyword, a symbol or a record type.
type codecName struct {
	ns, name string
	hash     uint32
	keyword  Value  // decoder: the keyword, once it is made
	text     string // decoder: a copy of name, once it is made
}

// codecNames is a table of names in the order of their first occurrence.
type codecNames struct {
	list  []codecName
	slots []uint32 // index into list + 1, by hash; empty for a few names
}

// fewNames is the number of names that are searched one by one.
const fewNames = 8

var sizeCodecName = limits.ObjectSize(int(unsafe.Sizeof(codecName{})))

// find returns the index of a name, or -1.
func (n *codecNames) find(ns, name string, hash uint32) int {
	if len(n.slots) == 0 {
		for i := range n.list {
			if n.list[i].is(ns, name, hash) {
				return i
			}
		}
		return -1
	}
	mask := uint32(len(n.slots) - 1)
	for at := hash & mask; n.slots[at] != 0; at = (at + 1) & mask {
		if i := int(n.slots[at]) - 1; n.list[i].is(ns, name, hash) {
			return i
		}
	}
	return -1
}

func (c *codecName) is(ns, name string, hash uint32) bool {
	return c.hash == hash && c.name == name && c.ns == ns
}

// add appends a name that is not in the table. charge is called before memory is allocated.
func (n *codecNames) add(ns, name string, hash uint32, charge func(int64)) int {
	if len(n.list) == cap(n.list) {
		size := max(2*cap(n.list), fewNames)
		charge(int64(size) * sizeCodecName)
		list := make([]codecName, len(n.list), size)
		copy(list, n.list)
		n.list = list
	}
	n.list = append(n.list, codecName{ns: ns, name: name, hash: hash})
	if len(n.list) > fewNames && 2*len(n.list) > len(n.slots) {
		size := max(2*len(n.slots), 4*fewNames)
		charge(limits.BytesSize(4 * size))
		n.slots = make([]uint32, size)
		for i := range n.list {
			n.put(i)
		}
	} else if len(n.slots) > 0 {
		n.put(len(n.list) - 1)
	}
	return len(n.list) - 1
}

// put enters the i-th name in the slots.
func (n *codecNames) put(i int) {
	mask := uint32(len(n.slots) - 1)
	at := n.list[i].hash & mask
	for n.slots[at] != 0 {
		at = (at + 1) & mask
	}
	n.slots[at] = uint32(i + 1)
}

// shapeName returns the indices of the keys of an array map as the name of its shape. It is valid
// until buf changes.
func shapeName(buf *[4 * maxArray]byte, keys []int) string {
	for i, k := range keys {
		binary.BigEndian.PutUint32(buf[4*i:], uint32(k))
	}
	return unsafe.String(&buf[0], 4*len(keys))
}
