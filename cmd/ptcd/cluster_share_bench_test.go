package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/store"
)

var (
	benchElements = flag.Int("elements", 2000, "the elements of BenchmarkShare")
	benchSlots    = flag.Int("slots", 8, "the slots of each node in BenchmarkShare")
)

// BenchmarkShare runs an operation of elements that wait 50 ms each for a service, on 1, 2 and 3 nodes with
// 8 slots each, and two operations whose elements compute; for one of them a node can detect this. go test
// ./cmd/ptcd -run XXX -bench Share -benchtime 1x
func BenchmarkShare(b *testing.B) {
	calls := newSlow(b, 50*time.Millisecond)
	c := prepareCluster(b, calls.flags()...)
	c.set(fmt.Sprintf("log: debug\ntimeout: 1h\nworkers: %d\ncluster:\n", *benchSlots))
	c.startAll()
	elements := float64(*benchElements)
	all := fmt.Sprintf(" (range %d)", *benchElements)
	get := `(count (pmap (fn [i] (:status (tool/http.get (str "` + calls.URL + `/?key=" i))))` + all + `))`
	for _, bench := range []struct{ name, source string }{
		{"reads", get},
		{"writes", strings.ReplaceAll(strings.ReplaceAll(get, "(tool/http.get (str", "(tool/http.post {:body \"x\" :url (str"),
			"i))))", "i)})))")},
		{"may call", `(count (pmap (fn [i] (if (neg? i) (tool/http.get "") (reduce + (range 1000))))` + all + `))`},
		{"computes", `(when (zero? (count (pmap (fn [i] (reduce + (range 1000)))` + all + `)))
			(tool/http.get ""))`},
	} {
		for nodes := 1; nodes <= 3; nodes++ {
			b.Run(fmt.Sprintf("%s/nodes=%d", bench.name, nodes), func(b *testing.B) {
				for range b.N {
					before, sent := c.used(), c.metric("etcd_network_peer_sent_bytes_total")
					run, err := c.at("node1").Submit(b.Context(), store.Submission{Source: bench.source, Nodes: nodes}, 0)
					require.NoError(b, err)
					run, err = c.at("node1").Wait(b.Context(), run.ID)
					require.NoError(b, err)
					took := run.Ended.Sub(run.Started)
					require.Equal(b, store.Succeeded, run.State, run.Text)
					b.ReportMetric(elements/took.Seconds(), "elements/s")
					b.ReportMetric(float64((c.used()-before)/time.Microsecond)/elements, "cpu-us/element")
					b.ReportMetric(float64(len(run.Units)), "nodes")
					b.ReportMetric((c.metric("etcd_network_peer_sent_bytes_total")-sent)/elements, "sentbytes/element")
					b.ReportMetric(c.memory(), "MB/node")
					time.Sleep(5 * time.Second) // followers leave, and report their counts
					sums := c.sums(run.ID)
					b.ReportMetric(sums["Bytes"]/elements, "logbytes/element")
					b.ReportMetric(sums["Records"]/elements, "records/element")
					b.ReportMetric(sums["Batches"]/elements, "commits/element")
				}
			})
		}
	}
}

// used returns the processor time of all nodes.
func (c *members) used() (sum time.Duration) {
	for _, n := range c.nodes {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", n.Pid()))
		require.NoError(c.t, err)
		fields := strings.Fields(string(text)[strings.LastIndexByte(string(text), ')'):])
		for _, i := range []int{12, 13} { // user and system, in ticks of 10 ms
			ticks, err := strconv.Atoi(fields[i-1])
			require.NoError(c.t, err)
			sum += time.Duration(ticks) * 10 * time.Millisecond
		}
	}
	return sum
}

// memory returns the most megabytes that a node has had in memory.
func (c *members) memory() (most float64) {
	for _, n := range c.nodes {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", n.Pid()))
		require.NoError(c.t, err)
		var kb float64
		_, line, _ := strings.Cut(string(text), "VmHWM:")
		fmt.Sscan(line, &kb)
		most = max(most, kb/1024)
	}
	return most
}

// metric returns the sum of a metric over its labels and all nodes.
func (c *members) metric(name string) (sum float64) {
	for node := range c.nodes {
		text := c.get(node, "/metrics")
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, name+"{") || strings.HasPrefix(line, name+" ") {
				v, err := strconv.ParseFloat(strings.TrimSpace(line[strings.LastIndexByte(line, ' '):]), 64)
				require.NoError(c.t, err)
				sum += v
			}
		}
	}
	return sum
}

var stat = regexp.MustCompile(`(\w+):(\d+)`)

// sums returns the sums of the nodes' counts for a run.
func (c *members) sums(run string) map[string]float64 {
	sums := make(map[string]float64)
	for _, n := range c.nodes {
		for line := range strings.Lines(n.Log()) {
			if !strings.Contains(line, "the part of this node in a run has ended") || !strings.Contains(line, run) {
				continue
			}
			for _, m := range stat.FindAllStringSubmatch(line[strings.Index(line, "stats="):], -1) {
				v, _ := strconv.ParseFloat(m[2], 64)
				sums[m[1]] += v
			}
		}
	}
	return sums
}
