package trace_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/journal/trace"
)

// onNodes makes a recording of eight calls on two workers of two nodes each.
func onNodes() *journal.Recording {
	rec := run(8)
	for i := range rec.Entries {
		rec.Entries[i].Node, rec.Entries[i].Worker = fmt.Sprint("node", 1+i%2), 1+i/2%2
	}
	return rec
}

// TestNodes: workers of two nodes that have the same number have a lane each, in the page and in the trace-event
// format, and rows name the node. One node has no name.
func TestNodes(t *testing.T) {
	rec := onNodes()
	text := string(html(t, rec))
	require.Len(t, named(parse(t, []byte(text)), "rect", "lane"), 8+4, "of elements, and of workers")
	for _, name := range []string{"node1 worker 1", "node1 worker 2", "node2 worker 1", "node2 worker 2"} {
		require.Equal(t, 1, strings.Count(text, ">"+name+"</text>"), name)
	}
	require.Equal(t, 2, strings.Count(text, `<span class="n">node2 1</span>`))
	var out bytes.Buffer
	require.NoError(t, trace.Chrome(&out, rec))
	var got struct {
		Events []struct {
			Name, Ph string
			Pid, Tid int
			Args     map[string]string
		} `json:"traceEvents"`
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &got))
	threads := map[string]string{}
	for _, e := range got.Events {
		if at := fmt.Sprintf("%d/%d", e.Pid, e.Tid); e.Name == "process_name" || e.Name == "thread_name" {
			threads[at] = e.Args["name"]
		} else {
			require.Contains(t, threads, at)
		}
	}
	require.Equal(t, map[string]string{"1/0": "node1", "2/0": "node2", "1/1": "node1 worker 1", "1/2": "node1 worker 2",
		"2/1": "node2 worker 1", "2/2": "node2 worker 2"}, threads)
	for i := range rec.Entries {
		rec.Entries[i].Node = "node1"
	}
	require.NotContains(t, string(html(t, rec)), "node1")
}

// TestWaiting: waits that are under way are bars of a run that continues, in the lanes of their workers.
func TestWaiting(t *testing.T) {
	rec := onNodes()
	rec.Final = nil
	m := trace.Moment{Live: true, Until: rec.Header.Start.Add(10 * time.Millisecond), Waits: []trace.Waiting{
		{Effect: effect.Effect{ID: "0.1.8#1", Kind: effect.KindCall, Name: "get", Worker: 2}, Node: "node2",
			Wait: effect.Wait{Kind: effect.WaitHost, Key: "web<1>", Start: rec.Header.Start.Add(4 * time.Millisecond)}},
		{Effect: effect.Effect{ID: "0.1.9#1", Kind: effect.KindGuard, Worker: 9}, Node: "node3",
			Wait: effect.Wait{Kind: effect.WaitGlobal, Start: rec.Header.Start.Add(5 * time.Millisecond)}}}}
	draw := func() string {
		var out bytes.Buffer
		require.NoError(t, trace.Section(&out, rec, m))
		return out.String()
	}
	text := draw()
	all := parse(t, []byte("<style></style><script></script>"+text))
	for kind, want := range map[string][]string{"host": {"40%", "60%", "waits for host web&lt;1&gt;"},
		"global": {"50%", "50%", "waits for global"}} {
		bars := named(all, "a", "for-"+kind)
		require.Len(t, bars, 2, "in the lanes of elements, and in those of workers")
		require.Equal(t, "waits for-"+kind, bars[0].attrs["class"])
		require.Contains(t, text, `y="12">`+want[2]+`</text>`)
		require.Contains(t, text, fmt.Sprintf(`<svg x="%s"`, want[0]))
		require.Contains(t, text, fmt.Sprintf(`width="%s"`, want[1]))
	}
	require.Equal(t, 1, strings.Count(text, ">node3 worker 9</text>"), "a node whose only effect waits has a lane")
	require.Contains(t, text, `<span class="n">6ms</span><span class="s">waiting</span>`)
	require.Len(t, rec.Entries, 8)
	m.Live = false
	require.NotContains(t, draw(), "waits for", "a run that has ended waits for nothing")
}
