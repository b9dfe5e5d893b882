package trace_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/journal/trace"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name string, draw func(io.Writer, *journal.Recording) error) {
	t.Helper()
	rec, err := journal.ReadFile("../testdata/v1.journal")
	require.NoError(t, err)
	var got bytes.Buffer
	require.NoError(t, draw(&got, rec))
	if *update {
		require.NoError(t, os.WriteFile("testdata/"+name, got.Bytes(), 0o644))
	}
	want, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	require.Equal(t, string(want), got.String())
}

func TestGolden(t *testing.T) {
	golden(t, "v1.html", func(w io.Writer, rec *journal.Recording) error { return trace.Section(w, rec, trace.Moment{}) })
	golden(t, "v1.chrome.json", trace.Chrome)
}

// element is an element as the page shows it.
type element struct {
	name  string
	attrs map[string]string
	text  string // of it, and one level below
}

// parse reads a page, which is XML except for its style and its script, and checks that every element is closed.
func parse(t *testing.T, text []byte) []*element {
	t.Helper()
	for _, own := range []string{"style", "script"} {
		before, after, found := bytes.Cut(text, []byte("<"+own+">"))
		_, after, closed := bytes.Cut(after, []byte("</"+own+">"))
		require.True(t, found && closed)
		text = slices.Concat(before, after)
	}
	in := xml.NewDecoder(bytes.NewReader(text))
	var all, open []*element
	for {
		tok, err := in.Token()
		if errors.Is(err, io.EOF) {
			require.Empty(t, open)
			return all
		}
		require.NoError(t, err)
		switch tok := tok.(type) {
		case xml.StartElement:
			e := &element{name: tok.Name.Local, attrs: map[string]string{}}
			for _, a := range tok.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			all, open = append(all, e), append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			for _, e := range open[max(0, len(open)-2):] {
				e.text += string(tok)
			}
		}
	}
}

func named(all []*element, name, class string) []*element {
	var found []*element
	for _, e := range all {
		if e.name == name && strings.Contains(" "+e.attrs["class"]+" ", " "+class+" ") {
			found = append(found, e)
		}
	}
	return found
}

// run makes a recording of n calls on four workers, each of a millisecond.
func run(n int) *journal.Recording {
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	rec := &journal.Recording{Header: journal.Header{Program: "p.ptc", Run: "R", Start: start}, Final: &journal.Final{Value: "1"}}
	for i := range n {
		rec.Entries = append(rec.Entries, journal.Entry{Effect: effect.Effect{ID: fmt.Sprintf("0.1.%d#1", i), Kind: effect.KindCall, Name: "get",
			Class: effect.ReadOnly, Worker: 1 + i%4, Args: fmt.Appendf(nil, `{"host":"host-%d","n":%d}`, i%20, i)}, Attempt: 1, Start: start.Add(time.Duration(i/4) * time.Millisecond),
			Duration: time.Millisecond, Done: true, Outcome: effect.Record{Result: []byte(`"fine"`)}})
	}
	return rec
}

func html(t *testing.T, rec *journal.Recording) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, trace.HTML(&out, rec))
	return out.Bytes()
}

// bars returns the links of bars.
func bars(all []*element) []*element {
	var found []*element
	for _, e := range all {
		if e.name == "a" && e.attrs["tabindex"] == "-1" {
			found = append(found, e)
		}
	}
	return found
}

// TestPage: ten thousand calls are all there, in their lanes and places.
func TestPage(t *testing.T) {
	text := html(t, run(10_000))
	require.Less(t, len(text), 5<<20)
	all := parse(t, text)
	require.Len(t, bars(all), 10_000)
	require.Len(t, named(all, "rect", "lane"), 4)
	calls := named(all, "rect", "")
	require.Equal(t, "50%", calls[5_000].attrs["x"])
	require.Equal(t, "0.04%", calls[5_000].attrs["width"])
	require.Equal(t, calls[0].attrs["y"], calls[4].attrs["y"], "a worker has one row")
	require.NotEqual(t, calls[0].attrs["y"], calls[1].attrs["y"])
	require.Equal(t, "0.1.77#1gethost-172"+"19ms1ms"+"ok"+`{"host":"host-17","n":77}`+`"fine"`, named(all, "li", "")[10+77].text)
	targets := map[string]bool{}
	for _, e := range all {
		if e.attrs["id"] != "" {
			require.False(t, targets["#"+e.attrs["id"]], "two elements have the id %s", e.attrs["id"])
			targets["#"+e.attrs["id"]] = true
		}
	}
	for _, a := range named(all, "a", "") {
		require.True(t, targets[a.attrs["href"]])
	}
}

// TestTooMany: the page says what it does not draw.
func TestTooMany(t *testing.T) {
	rec := run(20_001)
	require.Contains(t, string(html(t, rec)), " 1 more effects are not drawn")
	var out bytes.Buffer
	require.NoError(t, trace.Chrome(&out, rec))
	require.Contains(t, out.String(), `"effects left out": "1"`)
}

func TestEmpty(t *testing.T) {
	parse(t, html(t, &journal.Recording{}))
	require.NoError(t, trace.Chrome(io.Discard, &journal.Recording{}))
}

// TestStates: failed, unfinished and doubtful effects are marked as such; overlapping effects have separate
// rows, up to a bound.
func TestStates(t *testing.T) {
	rec := run(40)
	for i := range rec.Entries {
		rec.Entries[i].Worker, rec.Entries[i].Start = 1, rec.Header.Start
	}
	rec.Entries[0].Outcome = effect.Record{Error: []byte(`{"code":"unavailable","message":"try later"}`)}
	rec.Entries[1].Done = false
	rec.Entries[2].Done, rec.Entries[2].Class = false, effect.Write
	rec.Entries[3].Done, rec.Entries[3].Pends = false, effect.PendingApproval
	rec.Final = nil
	page := html(t, rec)
	all := parse(t, page)
	for class, n := range map[string]int{"failed": 0, "open": 1, "doubt": 2, "pending": 3} {
		require.Equal(t, fmt.Sprint("#e", n+1), named(all, "a", class)[0].attrs["href"])
		require.Equal(t, fmt.Sprint("e", n+1), named(all, "li", class)[len(named(all, "li", class))-1].attrs["id"])
	}
	require.Contains(t, string(page), "✗ host-0 get")
	require.Contains(t, string(page), "? host-2 get")
	require.Contains(t, string(page), "unavailable: try later")
	lanes := named(all, "rect", "lane")
	require.Equal(t, strconv.Itoa(8*18), lanes[len(lanes)-1].attrs["height"])
	require.Contains(t, string(page), "The run was interrupted")

	var live bytes.Buffer
	now := trace.Moment{Until: rec.Header.Start.Add(10 * time.Millisecond), Live: true}
	require.NoError(t, trace.Section(&live, rec, now))
	require.NotContains(t, live.String(), "in doubt")
	require.Equal(t, 2, strings.Count(live.String(), `<span class="s">running</span>`))
	require.Contains(t, live.String(), `<span class="n">10ms</span><span class="s">running</span>`)

	var ended bytes.Buffer
	require.NoError(t, trace.Section(&ended, rec, trace.Moment{Until: rec.Header.Start.Add(10 * time.Millisecond)}))
	require.Equal(t, 1, strings.Count(ended.String(), `<span class="n">10ms</span><span class="s">unfinished</span>`))
}

// TestFailedRun: the element in which the error of the run happened is red, although no call of it has failed, and
// the error is shown with the line of the program.
func TestFailedRun(t *testing.T) {
	rec := run(8)
	rec.Header.Source = "(def xs data/xs)\n(pmap f xs)\n"
	rec.Final = &journal.Final{Error: []byte(`{"code":"exception","message":"no stock","file":"p.ptc","line":2,"column":1,"endLine":2,"endColumn":12,
		"elements":[{"operation":"pmap","index":3,"text":"3","completed":2,"of":8,"file":"p.ptc","line":2,"column":1}]}`)}
	page := html(t, rec)
	all := parse(t, page)
	require.Len(t, named(all, "rect", "failed"), 1, "the element in the lane of its worker")
	lanes := named(all, "text", "failed")
	require.Len(t, lanes, 1)
	require.Equal(t, "host-3 0.1.3", lanes[0].text)
	require.Len(t, named(all, "line", "ended"), 2, "one in each view")
	require.Contains(t, named(all, "span", "failed")[0].text, "failed")
	failure := named(all, "div", "failed")[0].text
	require.Contains(t, failure, "error[exception]: no stock --> p.ptc:2:1\n  |\n2 | (pmap f xs)\n  | ^^^^^^^^^^^\n")
	require.Equal(t, "   2  (pmap f xs)", named(all, "mark", "")[0].text)

	rec.Final.Error = []byte(`{"code":"exception","message":"no stock","place":"p.ptc:2:1"}`) // as a journal has it
	all = parse(t, html(t, rec))
	require.Contains(t, named(all, "div", "failed")[0].text, "error[exception]: no stock --> p.ptc:2:1\n  |\n2 | (pmap f xs)\n")
	require.Equal(t, "   2  (pmap f xs)", named(all, "mark", "")[0].text)
	for _, place := range []string{"", "p.ptc", "p.ptc:2", "p.ptc:2:x", "p.ptc:0:0", ":2:1", "::", "p.ptc:99:99"} {
		rec.Final.Error = []byte(`{"code":"exception","message":"no stock","place":"` + place + `"}`)
		require.Contains(t, named(parse(t, html(t, rec)), "div", "failed")[0].text, "no stock", place)
	}

	rec.Final.Error = []byte("7")
	require.Contains(t, named(parse(t, html(t, rec)), "div", "failed")[0].text, "7")
}

// TestTimeBetweenRuns: the hour before the run was resumed is not on the axis.
func TestTimeBetweenRuns(t *testing.T) {
	rec := run(2)
	rec.Resumed = []time.Time{rec.Header.Start.Add(time.Hour)}
	rec.Entries[1].Session, rec.Entries[1].Start = 1, rec.Resumed[0].Add(time.Millisecond)
	page := html(t, rec)
	require.Contains(t, string(page), `<svg x="66.6667%"`)
	require.Equal(t, "33.3333%", named(parse(t, page), "line", "resumed")[0].attrs["x1"])
}

// waited makes a recording of a call that has waited for a millisecond in a queue, and for half a
// millisecond for a host.
func waited() *journal.Recording {
	rec := run(1)
	e := &rec.Entries[0]
	e.Start = e.Start.Add(2 * time.Millisecond)
	e.Waits = []effect.Wait{{Kind: effect.WaitHost, Key: "web-1", Start: rec.Header.Start.Add(time.Millisecond / 2), Duration: time.Millisecond / 2},
		{Kind: effect.WaitQueue, Key: "get", Start: rec.Header.Start.Add(time.Millisecond), Duration: time.Millisecond}}
	return rec
}

// TestPeople: the wait for an approval is before the call, from the run in which it was asked for, and a question is
// not a call.
func TestPeople(t *testing.T) {
	rec := run(2)
	start := rec.Header.Start
	rec.Resumed = []time.Time{start.Add(time.Hour)}
	e := &rec.Entries[0]
	e.Approved, e.Announced, e.Session, e.Attempt = true, start.Add(time.Millisecond), 1, 1
	e.Start, e.Duration = start.Add(time.Hour+time.Millisecond), time.Millisecond
	q := &rec.Entries[1]
	q.Kind, q.Name, q.Start, q.Duration = effect.KindQuestion, "ask", start, 2*time.Millisecond
	all := parse(t, html(t, rec))
	waits := named(all, "rect", "for-approval")
	require.Len(t, waits, 2, "one in each view")
	require.Equal(t, "25%", waits[0].attrs["x"])
	require.Equal(t, "50%", waits[0].attrs["width"])
	require.Len(t, named(all, "a", "asked"), 2)
	text := string(html(t, rec))
	require.Contains(t, text, "waited for approval 1h")
	require.Contains(t, text, ">waited for an approval</i>")
	require.Contains(t, text, ">question</i>")
	require.NotContains(t, text, "not a call")
}

// TestWaits: the wait of an effect is drawn before it, in its lane; another effect of the worker at that
// time has a separate row.
func TestWaits(t *testing.T) {
	rec := waited()
	between := run(1).Entries[0]
	between.ID = "0.1.0#2"
	rec.Entries = append(rec.Entries, between)
	page := html(t, rec)
	all := parse(t, page)
	hosts, queues, calls := named(all, "rect", "for-host"), named(all, "rect", "for-queue"), named(all, "svg", "")
	require.Len(t, hosts, 1)
	require.Len(t, queues, 1)
	calls = calls[len(calls)-2:]
	for i, want := range []struct {
		e        *element
		x, width string
	}{{hosts[0], "16.6667%", "16.6667%"}, {queues[0], "33.3333%", "33.3333%"}, {calls[0], "66.6667%", "33.3333%"}} {
		require.Equal(t, want.x, want.e.attrs["x"], i)
		require.Equal(t, want.width, want.e.attrs["width"], i)
	}
	require.Equal(t, hosts[0].attrs["y"], queues[0].attrs["y"])
	require.NotEqual(t, calls[0].attrs["y"], calls[1].attrs["y"])
	require.Contains(t, calls[0].text, "web-1 get", "the host on the bar")
	require.Contains(t, queues[0].text, "waited for queue get 1ms")
	require.Contains(t, string(page), "<em>waited for host web-1 500µs, queue get 1ms</em>")
	require.Len(t, named(all, "i", "for-queue"), 1, "the key")
	require.Empty(t, named(all, "i", "for-token"))
	require.Contains(t, string(page), "<th>wait: host</th><th>wait: queue</th></tr>")
	require.Contains(t, string(page), "<td>2</td><td>0</td><td>2ms</td><td>1ms</td><td>500µs</td><td>1ms</td></tr>", "the sums")

	var out bytes.Buffer
	require.NoError(t, trace.Chrome(&out, rec))
	require.Contains(t, out.String(), `"name": "queue get"`)
}

// TestTicks: a tick has a round time, and a window has few of them.
func TestTicks(t *testing.T) {
	for _, total := range []time.Duration{1, 7, 999, 1234567, 40 * time.Millisecond, 3217 * time.Millisecond,
		61 * time.Second, 17 * time.Minute, 5 * time.Hour, 40 * 24 * time.Hour, 1 << 59} {
		rec := run(1)
		rec.Entries[0].Duration = total
		_, after, _ := strings.Cut(string(html(t, rec)), `<g class="ticks t1">`)
		group, _, _ := strings.Cut(after, "</g>")
		labels := regexp.MustCompile(`>([^<>]+)</text>`).FindAllStringSubmatch(group, -1)
		require.LessOrEqual(t, len(labels), 7)
		require.GreaterOrEqual(t, len(labels), 2, total)
		for _, l := range labels[1:] {
			require.Regexp(t, `^\d{1,3}(\.\d)?(ns|µs|ms|s)$|^(\d+h)?(\d+m)?(\d+s)?$`, l[1], total)
			require.LessOrEqual(t, len(l[1]), 9, total)
		}
	}
}

// TestHostile: all contents of a recording become text of the page.
func TestHostile(t *testing.T) {
	rec := waited()
	rec.Entries = append(rec.Entries, run(2).Entries[1])
	rec.Entries[1].Name, rec.Entries[1].Worker = rec.Entries[0].Name, rec.Entries[0].Worker
	clean := parse(t, html(t, rec))
	for _, evil := range []string{
		`</script><script>alert(1)</script>`, `</title></rect></svg><img src=x onerror=alert(1)>`, `"><b x="`, `' onload='alert(1)`,
		`<!--`, `]]>`, `</style><style>*{}`, `{{.}}`, `&lt;script&gt;`, "\x00\x1b[31m\u202e", "javascript:alert(1)", strings.Repeat("<b>", 5_000), "\xff\xfe\uffff",
	} {
		quoted, err := json.Marshal(evil)
		require.NoError(t, err)
		for _, text := range []string{evil, string(quoted)} {
			rec := waited()
			rec.Header.Program, rec.Header.Run = text, text
			e := &rec.Entries[0]
			e.Name, e.Args, e.Outcome.Result = text, []byte(text), []byte(text)
			e.Waits[0].Key = text
			host, err := json.Marshal(map[string]string{"host": text})
			require.NoError(t, err)
			rec.Final.Value = text
			other := run(2).Entries[1]
			other.Name, other.Worker, other.Args = text, e.Worker, host
			rec.Entries = append(rec.Entries, other)
			page := html(t, rec)
			all := parse(t, page)
			require.Len(t, all, len(clean), "%q has made an element", text)
			for i, e := range all {
				require.Equal(t, clean[i].name, e.name)
				for name, value := range e.attrs {
					require.Equal(t, clean[i].attrs[name], value, "%q has changed attribute %s", text, name)
				}
			}
			require.Equal(t, 1, strings.Count(string(page), "<script"))
			require.Equal(t, 1, strings.Count(string(page), "<style"))
			require.NotContains(t, string(page), "\u202e")
			require.Less(t, len(page), 160_000)

			var out bytes.Buffer
			require.NoError(t, trace.Chrome(&out, rec))
			require.True(t, json.Valid(out.Bytes()))
		}
	}
}

// TestChrome: the events match the format.
func TestChrome(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, trace.Chrome(&out, run(8)))
	var got struct {
		Events []struct {
			Name, Ph string
			Ts, Dur  *float64
			Pid, Tid *int
			Args     map[string]string
		} `json:"traceEvents"`
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &got))
	require.Len(t, got.Events, 4+8)
	for i, e := range got.Events {
		require.True(t, e.Ts != nil && e.Pid != nil && e.Tid != nil)
		if i >= 4 {
			require.Equal(t, "X", e.Ph)
			require.InDelta(t, 1000, *e.Dur, 0)
			require.Equal(t, `"fine"`, e.Args["outcome"])
		} else {
			require.Equal(t, fmt.Sprintf("worker %d", i+1), e.Args["name"])
		}
	}
}

func ExampleHTML() {
	rec, err := journal.ReadFile("../testdata/v1.journal")
	if err != nil {
		fmt.Println(err)
		return
	}
	var page strings.Builder
	if err := trace.HTML(&page, rec); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Count(page.String(), "<li id="), "effects")
	// Output: 5 effects
}

// TestHostileTimes has times that no run takes, which a file may say all the same.
func TestHostileTimes(t *testing.T) {
	rec := run(30)
	start := rec.Header.Start
	for i := range rec.Entries {
		e := &rec.Entries[i]
		e.Session, e.Done = i, true
		e.Start, e.Duration = start.Add(math.MaxInt64), math.MaxInt64
		e.Waits = []effect.Wait{
			{Kind: effect.WaitHost, Start: start.Add(math.MinInt64), Duration: math.MaxInt64},
			{Kind: effect.WaitToken, Start: e.Start, Duration: math.MaxInt64},
		}
		rec.Resumed = append(rec.Resumed, start)
	}
	require.NotEmpty(t, html(t, rec))
	require.NoError(t, trace.Chrome(io.Discard, rec))
}
