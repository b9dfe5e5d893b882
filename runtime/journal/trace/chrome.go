// This file defines the trace-event format.

package trace

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/ptc-lang/ptc/runtime/journal"
)

type chromeTrace struct {
	Unit   string            `json:"displayTimeUnit"`
	Data   map[string]string `json:"otherData"`
	Events []chromeEvent     `json:"traceEvents"`
}

// chromeEvent is an event; times are in microseconds.
type chromeEvent struct {
	Name     string            `json:"name"`
	Category string            `json:"cat,omitempty"`
	Phase    string            `json:"ph"`
	At       float64           `json:"ts"`
	Duration float64           `json:"dur,omitempty"`
	Process  int               `json:"pid"`
	Thread   int               `json:"tid"`
	Scope    string            `json:"s,omitempty"`
	Args     map[string]string `json:"args,omitempty"`
}

// Chrome writes a recording in the trace-event format: a process for each node with a thread for each of its workers, a
// complete event for each effect and each of its waits, and an instant where the run was resumed.
func Chrome(w io.Writer, rec *journal.Recording) error {
	if w == nil || rec == nil {
		return errNil
	}
	d := draw(rec, Moment{})
	t := chromeTrace{Unit: "ms",
		Data: map[string]string{"program": shown(rec.Header.Program), "run": shown(rec.Header.Run)}}
	if d.left > 0 {
		t.Data["effects left out"] = strconv.Itoa(d.left)
	}
	for i, node := range d.nodes {
		if node != "" {
			t.Events = append(t.Events, chromeEvent{Name: "process_name", Phase: "M", Process: 1 + i,
				Args: map[string]string{"name": visible(node, maxName)}})
		}
	}
	for _, l := range d.byWorker().lanes {
		t.Events = append(t.Events, chromeEvent{Name: "thread_name", Phase: "M", Process: 1 + l.node, Thread: l.worker,
			Args: map[string]string{"name": l.name}})
	}
	for _, at := range d.resumed {
		t.Events = append(t.Events, chromeEvent{Name: "resumed", Phase: "i", At: micros(at), Process: 1, Scope: "p"})
	}
	for i := range d.spans {
		s := &d.spans[i]
		process := 1 + d.runner(s).node
		for _, w := range s.waits {
			t.Events = append(t.Events, chromeEvent{Name: nameOf(&w.Wait), Category: "wait", Phase: "X", At: micros(w.at),
				Duration: micros(w.took), Process: process, Thread: s.Worker,
				Args: map[string]string{"id": s.ID, "before": s.name()}})
		}
		args := map[string]string{"id": s.ID, "class": s.Class.String(), "arguments": shown(string(s.Entry.Args)),
			"outcome": s.outcome(), "state": string(s.state), "attempt": fmt.Sprint(s.Attempt)}
		if len(s.waits) > 0 {
			args["waited"] = s.waited()
		}
		t.Events = append(t.Events, chromeEvent{Name: s.name(), Category: string(s.Kind), Phase: "X", At: micros(s.at),
			Duration: micros(s.took), Process: process, Thread: s.Worker, Args: args})
	}
	out := json.NewEncoder(w)
	out.SetIndent("", " ")
	return out.Encode(t)
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
