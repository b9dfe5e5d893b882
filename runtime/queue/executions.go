// This file defines executions, the table of the executions of one action.

package queue

// executions has all that wait or are active: a hash table with open addressing. A call
// puts its execution in and takes it out again, and most leave nothing there meanwhile
// but a name. A map of Go would hash the name four times for that, and draw a new seed
// whenever it has become empty.
type executions struct {
	slots  []slot // a power of two of them
	length int
}

// slot is a place in the table. It is free if its hash is 0.
type slot struct {
	key
	waiter *waiter // nil if the execution is active
}

const (
	minSlots = 8
	// keepSlots is how many slots stay when their executions have gone: making them
	// again would cost more than the 4 KB that they hold.
	keepSlots = 128
)

func newExecutions() executions { return executions{slots: make([]slot, minSlots)} }

// find gives the place of an execution, or the free one where it belongs.
func (x *executions) find(k key) (place int) {
	mask := len(x.slots) - 1
	place = int(k.hash) & mask
	for x.slots[place].hash != 0 && x.slots[place].key != k {
		place = (place + 1) & mask
	}
	return place
}

// get gives the slot of an execution, or the free one where it belongs.
func (x *executions) get(k key) *slot { return &x.slots[x.find(k)] }

// put fills a free place. Some are always left, since they are where searches end.
func (x *executions) put(place int, s slot) {
	x.slots[place] = s
	if x.length++; x.length > len(x.slots)/4*3 {
		x.resize(2 * len(x.slots))
	}
}

// remove frees a place. Executions that stand behind it because it was taken when they
// came move up, or no search would find them any more.
func (x *executions) remove(place int) {
	mask := len(x.slots) - 1
	for i := (place + 1) & mask; x.slots[i].hash != 0; i = (i + 1) & mask {
		if first := int(x.slots[i].hash); (i-first)&mask >= (i-place)&mask {
			x.slots[place] = x.slots[i]
			place = i
		}
	}
	x.slots[place] = slot{}
	if x.length--; x.length < len(x.slots)/8 && len(x.slots) > keepSlots {
		x.resize(len(x.slots) / 2)
	}
}

func (x *executions) resize(slots int) {
	old := x.slots
	x.slots = make([]slot, slots)
	for _, s := range old {
		if s.hash != 0 {
			*x.get(s.key) = s
		}
	}
}
