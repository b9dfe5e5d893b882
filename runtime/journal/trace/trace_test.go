package trace_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"math"
	"os"
	"regexp"
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
	golden(t, "v1.html", trace.HTML)
	golden(t, "v1.chrome.json", trace.Chrome)
}

// element is what the page has of one.
type element struct {
	name  string
	attrs map[string]string
	text  string // of it, and one level below
}

// parse reads a page, which is XML too, and wants every element to be closed.
func parse(t *testing.T, text []byte) []*element {
	t.Helper()
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
			Class: effect.ReadOnly, Worker: 1 + i%4, Args: fmt.Appendf(nil, "%d", i)}, Attempt: 1, Start: start.Add(time.Duration(i/4) * time.Millisecond),
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

// TestPage: ten thousand calls are all there, in their lanes and places.
func TestPage(t *testing.T) {
	text := html(t, run(10_000))
	require.Less(t, len(text), 10<<20)
	all := parse(t, text)
	calls := named(all, "rect", "call")
	require.Len(t, calls, 10_000)
	require.Len(t, named(all, "rect", "lane"), 4)
	require.Equal(t, "50.0000%", calls[5_000].attrs["x"])
	require.Equal(t, "0.0400%", calls[5_000].attrs["width"])
	require.Equal(t, calls[0].attrs["y"], calls[4].attrs["y"], "a worker has one row")
	require.NotEqual(t, calls[0].attrs["y"], calls[1].attrs["y"])
	require.Contains(t, calls[77].text, "0.1.77#1 get (call, read-only): ok")
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

// TestTooMany: what is not drawn is said.
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

// TestStates: what failed, is unfinished or in doubt looks so; effects that overlap
// have rows of their own, up to a bound.
func TestStates(t *testing.T) {
	rec := run(40)
	for i := range rec.Entries {
		rec.Entries[i].Worker, rec.Entries[i].Start = 1, rec.Header.Start
	}
	rec.Entries[0].Outcome = effect.Record{Error: []byte(`{"code":"unavailable"}`)}
	rec.Entries[1].Done = false
	rec.Entries[2].Done, rec.Entries[2].Class = false, effect.Write
	rec.Final = nil
	all := parse(t, html(t, rec))
	require.Contains(t, named(all, "rect", "failed")[0].text, `{"code":"unavailable"}`)
	require.Contains(t, named(all, "rect", "open")[0].text, "unfinished")
	require.Contains(t, named(all, "rect", "doubt")[0].text, "in doubt")
	require.Equal(t, strconv.Itoa(8*18), named(all, "rect", "lane")[0].attrs["height"])
	require.Contains(t, string(html(t, rec)), "the run was interrupted")
}

// TestTimeBetweenRuns: the hour before the run was resumed is not on the axis.
func TestTimeBetweenRuns(t *testing.T) {
	rec := run(2)
	rec.Resumed = []time.Time{rec.Header.Start.Add(time.Hour)}
	rec.Entries[1].Session, rec.Entries[1].Start = 1, rec.Resumed[0].Add(time.Millisecond)
	all := parse(t, html(t, rec))
	calls := named(all, "rect", "call")
	require.Equal(t, "66.6667%", calls[1].attrs["x"])
	require.Equal(t, "33.3333%", named(all, "line", "resumed")[0].attrs["x1"])
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

// TestWaits: what an effect waited for stands before it, in its lane; another effect of the worker
// at that time has a row of its own.
func TestWaits(t *testing.T) {
	rec := waited()
	between := run(1).Entries[0]
	between.ID = "0.1.0#2"
	rec.Entries = append(rec.Entries, between)
	all := parse(t, html(t, rec))
	calls, hosts, queues := named(all, "rect", "call"), named(all, "rect", "for-host"), named(all, "rect", "for-queue")
	require.Len(t, hosts, 1)
	require.Len(t, queues, 1)
	for i, want := range []struct {
		e        *element
		x, width string
	}{{hosts[0], "16.6667%", "16.6667%"}, {queues[0], "33.3333%", "33.3333%"}, {calls[0], "66.6667%", "33.3333%"}} {
		require.Equal(t, want.x, want.e.attrs["x"], i)
		require.Equal(t, want.width, want.e.attrs["width"], i)
		require.Equal(t, calls[0].attrs["y"], want.e.attrs["y"], i)
	}
	require.NotEqual(t, calls[0].attrs["y"], calls[1].attrs["y"])
	require.Contains(t, queues[0].text, "0.1.0#1 get waited for queue get 1ms")
	require.Contains(t, calls[0].text, "waited for host web-1 500µs, queue get 1ms")
	require.Len(t, named(all, "span", "for-token"), 1, "the legend")
	require.Empty(t, named(parse(t, html(t, run(1))), "span", "for-token"))

	var out bytes.Buffer
	require.NoError(t, trace.Chrome(&out, rec))
	require.Contains(t, out.String(), `"name": "queue get"`)
}

// TestHostile: whatever a recording has, it is text in the page.
func TestHostile(t *testing.T) {
	clean := parse(t, html(t, waited()))
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
			rec.Final.Value = text
			page := html(t, rec)
			all := parse(t, page)
			require.Len(t, all, len(clean), "%q has made an element", text)
			for i, e := range all {
				require.Equal(t, clean[i].name, e.name)
				for name, value := range e.attrs {
					require.Equal(t, clean[i].attrs[name], value, "%q has changed attribute %s", text, name)
				}
			}
			require.NotContains(t, string(page), "<script")
			require.NotContains(t, string(page), "\u202e")
			require.Less(t, len(page), 40_000)

			var out bytes.Buffer
			require.NoError(t, trace.Chrome(&out, rec))
			require.True(t, json.Valid(out.Bytes()))
		}
	}
}

// TestChrome: the events are those that the format asks for.
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
	fmt.Println(strings.Count(page.String(), "<tr id="), "effects,", strings.Count(page.String(), "<script"), "scripts")
	// Output: 4 effects, 0 scripts
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

// TestEscaped wants every value of the page to stand in text or in a quoted attribute that is
// neither a style nor an event, nor a URL but for a fragment: there what put escapes is safe.
func TestEscaped(t *testing.T) {
	page, err := os.ReadFile("page.html")
	require.NoError(t, err)
	_, body, ok := strings.Cut(string(page), "</style>")
	require.True(t, ok)
	require.Equal(t, 1, strings.Count(strings.TrimSuffix(string(page), body), "{{"), "the title, and nothing in the style")
	code, err := parser.ParseFile(token.NewFileSet(), "write.go", nil, 0)
	require.NoError(t, err)
	texts := []string{body}
	ast.Inspect(code, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			text, err := strconv.Unquote(l.Value)
			require.NoError(t, err)
			texts = append(texts, text)
		}
		return true
	})
	value := regexp.MustCompile(`\{\{[a-z]+\}\}|%[a-z]`)
	attribute := regexp.MustCompile(`([a-z0-9]+)="[^"<>]*$`)
	n := 0
	for _, text := range texts {
		for _, at := range value.FindAllStringIndex(text, -1) {
			n++
			before := text[:at[0]]
			if strings.LastIndexByte(before, '<') <= strings.LastIndexByte(before, '>') {
				continue // text
			}
			m := attribute.FindStringSubmatch(before)
			require.NotNil(t, m, "%s is in no quoted attribute", before[max(0, len(before)-40):])
			require.Contains(t, []string{"id", "class", "x", "y", "x1", "x2", "width", "height", "href"}, m[1])
			if m[1] == "href" {
				require.True(t, strings.HasSuffix(before, `href="#e`))
			}
		}
	}
	require.Greater(t, n, 60)
}
