// This file defines the comparisons of the test of faults: the records that were acknowledged, the logs of
// the nodes, what their watches have seen, and the fences of leases.

//go:build unix

package etcd

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// ack is a record that was acknowledged.
type ack struct {
	writer, hash string
	n            int
	revision     int64
	at, took     int64 // in µs
	node         int
}

func (c *chaos) acks() (list []ack) {
	for i := range c.nodes {
		files, _ := filepath.Glob(nodeFile(c.work, i) + "-*.acks")
		for _, path := range files {
			for line := range c.linesOf(path) {
				a := ack{node: i}
				if n, _ := fmt.Sscanf(line, "A %s %d %d %s %d %d", &a.writer, &a.n, &a.revision, &a.hash, &a.at, &a.took); n == 6 {
					list = append(list, a)
				}
			}
		}
	}
	return list
}

func (c *chaos) linesOf(path string) func(func(string) bool) {
	text, err := os.ReadFile(path)
	require.NoError(c.t, err)
	return strings.SplitSeq(string(text), "\n")
}

// row is a record in the log of a node.
type row struct {
	writer, prev, hash string
	n                  int
	ok                 bool
}

// logOf returns the log of a node, and its positions in order.
func (c *chaos) logOf(n *node) (rows map[int64]row, order []int64, err error) {
	client := http.Client{Timeout: time.Minute}
	r, err := client.Get("http://" + n.control + "/log")
	if err != nil {
		return nil, nil, err
	}
	defer r.Body.Close()
	rows = map[int64]row{}
	scan := bufio.NewScanner(r.Body)
	for scan.Scan() {
		var revision int64
		var x row
		if got, _ := fmt.Sscanf(scan.Text(), "%d %s %d %s %s %t", &revision, &x.writer, &x.n, &x.prev, &x.hash, &x.ok); got == 6 {
			rows[revision] = x
			order = append(order, revision)
		} else if scan.Text() == "end" {
			return rows, order, nil
		}
	}
	return nil, nil, fmt.Errorf("the log of %s is cut off: %v", nodeName(n.i), scan.Err())
}

// check compares the acknowledged records with the log of each node, and the logs with each other. A node may be behind
// for a while.
func (c *chaos) check() (wrong []string, records int) {
	for end := time.Now().Add(patience); ; time.Sleep(200 * time.Millisecond) {
		acks := c.acks()
		wrong, records = c.compare(acks)
		if len(wrong) == 0 || time.Now().After(end) || !slices.ContainsFunc(wrong, func(s string) bool {
			return strings.HasPrefix(s, "behind: ")
		}) {
			return wrong, records
		}
	}
}

func (c *chaos) compare(acks []ack) (wrong []string, records int) {
	add := func(format string, args ...any) {
		if len(wrong) < 20 {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	var first map[int64]row
	for _, n := range c.nodes {
		rows, order, err := c.logOf(n)
		if err != nil {
			return []string{"behind: " + err.Error()}, 0
		}
		if first == nil {
			first, records = rows, len(rows)
		}
		last := map[string]row{}
		for i, revision := range order {
			x := rows[revision]
			before := last[x.writer]
			if i > 0 && revision <= order[i-1] || !x.ok || x.n != before.n+1 || x.n > 1 && x.prev != before.hash {
				add("%s: the chain of %s is broken at %d: %+v after %+v", nodeName(n.i), x.writer, revision, x, before)
			}
			last[x.writer] = x
			if y, ok := first[revision]; ok && x != y {
				add("%s differs at %d: %+v, %+v", nodeName(n.i), revision, x, y)
			}
		}
		for _, a := range acks {
			x, ok := rows[a.revision]
			switch {
			case !ok && (len(order) == 0 || a.revision > order[len(order)-1]):
				return []string{fmt.Sprintf("behind: %s has not %d", nodeName(n.i), a.revision)}, records
			case !ok || x.writer != a.writer || x.n != a.n || x.hash != a.hash:
				add("LOST on %s: %+v, there is %+v", nodeName(n.i), a, x)
			}
		}
	}
	return append(wrong, c.compareSeen(first)...), records
}

// compareSeen compares the events that the watches of all processes have seen, and the fences of leases.
func (c *chaos) compareSeen(log map[int64]row) (wrong []string) {
	files, _ := filepath.Glob(filepath.Join(c.work, "*.seen"))
	for _, path := range files {
		var last int64
		for line := range c.linesOf(path) {
			var revision int64
			var hash string
			if got, _ := fmt.Sscanf(line, "%d %s", &revision, &hash); got != 2 {
				continue
			}
			if revision <= last {
				wrong = append(wrong, fmt.Sprintf("%s: %d after %d", filepath.Base(path), revision, last))
			}
			last = revision
			if x, ok := log[revision]; ok && x.hash != hash {
				wrong = append(wrong, fmt.Sprintf("%s: %s at %d, and the log has %s", filepath.Base(path), hash, revision, x.hash))
			}
		}
	}
	fences := map[string]bool{}
	files, _ = filepath.Glob(filepath.Join(c.work, "*.acks"))
	for _, path := range files {
		for line := range c.linesOf(path) {
			if fence, ok := strings.CutPrefix(line, "L "); ok {
				if fences[fence] {
					wrong = append(wrong, "two holders have the fence "+fence)
				}
				fences[fence] = true
			}
		}
	}
	return wrong
}
