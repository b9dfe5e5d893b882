// This file defines the nodes of sorted maps and sets.

package value

// tnode is a node of a weight-balanced tree: neither side has more than treeDelta times the entries
// of the other (adding one to each), so a tree of a million entries has at most 48 levels, and in
// practice 23.
type tnode struct {
	Header
	left, right *tnode
	key, val    Value
	count       int32 // entries in the subtree
}

const (
	treeDelta = 3
	treeGamma = 2
	// treeRun is the number of nodes that an iterator fetches at a time.
	treeRun = 16
)

var sizeTNode = objectSize[tnode]()

func (n *tnode) size() int32 {
	if n == nil {
		return 0
	}
	return n.count
}

// tnode returns a node. The caller has checked that it is balanced.
func (t *Task) tnode(left *tnode, k, v Value, right *tnode) *tnode {
	t.Charge(sizeTNode)
	return &tnode{Header: t.nodeHeader(nodeTree), left: left, right: right, key: k, val: v,
		count: left.size() + right.size() + 1}
}

// at returns the i-th node in order.
func (n *tnode) at(i int) *tnode {
	for {
		switch l := int(n.left.size()); {
		case i < l:
			n = n.left
		case i == l:
			return n
		default:
			n, i = n.right, i-l-1
		}
	}
}

// collect puts nodes from the i-th on into buf and returns their number. With desc, it counts from
// the end.
func (n *tnode) collect(i int, desc bool, buf *[treeRun]*tnode) int {
	return n.fill(i, desc, buf, 0)
}

func (n *tnode) fill(i int, desc bool, buf *[treeRun]*tnode, got int) int {
	for n != nil && i < int(n.count) && got < treeRun {
		near, far := n.left, n.right
		if desc {
			near, far = far, near
		}
		size := int(near.size())
		if i < size {
			got = near.fill(i, desc, buf, got)
		}
		if i <= size && got < treeRun {
			buf[got] = n
			got++
		}
		n, i = far, max(i-size-1, 0)
	}
	return got
}

// balance makes a node of two trees whose sizes changed by at most one entry, with k and v between
// them, and restores the balance.
func (t *Task) balance(l *tnode, k, v Value, r *tnode) *tnode {
	ls, rs := l.size()+1, r.size()+1
	switch {
	case rs > treeDelta*ls:
		if r.left.size()+1 < treeGamma*(r.right.size()+1) {
			return t.tnode(t.tnode(l, k, v, r.left), r.key, r.val, r.right)
		}
		m := r.left
		return t.tnode(t.tnode(l, k, v, m.left), m.key, m.val, t.tnode(m.right, r.key, r.val, r.right))
	case ls > treeDelta*rs:
		if l.right.size()+1 < treeGamma*(l.left.size()+1) {
			return t.tnode(l.left, l.key, l.val, t.tnode(l.right, k, v, r))
		}
		m := l.right
		return t.tnode(t.tnode(l.left, l.key, l.val, m.left), m.key, m.val, t.tnode(m.right, k, v, r))
	}
	return t.tnode(l, k, v, r)
}

// join makes a tree of two trees of any sizes with k and v between them.
func (t *Task) join(l *tnode, k, v Value, r *tnode) *tnode {
	ls, rs := l.size()+1, r.size()+1
	switch {
	case rs > treeDelta*ls:
		return t.balance(t.join(l, k, v, r.left), r.key, r.val, r.right)
	case ls > treeDelta*rs:
		return t.balance(l.left, l.key, l.val, t.join(l.right, k, v, r))
	}
	return t.tnode(l, k, v, r)
}

// without returns the tree without its i-th entry.
func (n *tnode) without(t *Task, i int) *tnode {
	switch l := int(n.left.size()); {
	case i < l:
		return t.balance(n.left.without(t, i), n.key, n.val, n.right)
	case i > l:
		return t.balance(n.left, n.key, n.val, n.right.without(t, i-l-1))
	case n.left == nil:
		return n.right
	case n.right == nil:
		return n.left
	case n.left.count > n.right.count:
		last := n.left.at(l - 1)
		return t.balance(n.left.without(t, l-1), last.key, last.val, n.right)
	default:
		first := n.right.at(0)
		return t.balance(n.left, first.key, first.val, n.right.without(t, 0))
	}
}

// insert returns the tree with an entry inserted before the i-th.
func (n *tnode) insert(t *Task, i int, k, v Value) *tnode {
	if n == nil {
		return t.tnode(nil, k, v, nil)
	}
	if l := int(n.left.size()); i <= l {
		return t.balance(n.left.insert(t, i, k, v), n.key, n.val, n.right)
	} else {
		return t.balance(n.left, n.key, n.val, n.right.insert(t, i-l-1, k, v))
	}
}

// replace returns the tree with the value of the i-th entry set.
func (n *tnode) replace(t *Task, i int, v Value) *tnode {
	switch l := int(n.left.size()); {
	case i < l:
		return t.tnode(n.left.replace(t, i, v), n.key, n.val, n.right)
	case i > l:
		return t.tnode(n.left, n.key, n.val, n.right.replace(t, i-l-1, v))
	}
	return t.tnode(n.left, n.key, v, n.right)
}

// from returns the tree of the entries from the i-th on.
func (n *tnode) from(t *Task, i int) *tnode {
	if n == nil || i <= 0 {
		return n
	}
	if l := int(n.left.size()); i <= l {
		return t.join(n.left.from(t, i), n.key, n.val, n.right)
	} else {
		return n.right.from(t, i-l-1)
	}
}

// upTo returns the tree of the first i entries.
func (n *tnode) upTo(t *Task, i int) *tnode {
	if n == nil || i >= int(n.count) {
		return n
	}
	if l := int(n.left.size()); i > l {
		return t.join(n.left, n.key, n.val, n.right.upTo(t, i-l-1))
	} else {
		return n.left.upTo(t, i)
	}
}
