package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/journal/trace"
)

// recording makes a recording of n calls of two tools on eight workers; every 13th call has failed.
func recording(n int) *journal.Recording {
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	rec := &journal.Recording{Header: journal.Header{Program: "p.ptc", Run: "R", Start: start, Source: "(pmap f data/hosts)"},
		Final: &journal.Final{Error: []byte(`{"code":"exception","message":"</script><img src=x onerror=alert(1)>"}`)}}
	for i := range n {
		e := journal.Entry{Effect: effect.Effect{ID: fmt.Sprintf("0.1.%d#1", i), Kind: effect.KindCall, Name: "get", Worker: 1 + i%8,
			Args: fmt.Appendf(nil, `{"host":"web-%d"}`, i%20)}, Attempt: 1, Start: start.Add(time.Duration(i/8) * time.Second),
			Duration: 900 * time.Millisecond, Done: true, Outcome: effect.Record{Result: []byte(`"fine <b>"`)}}
		if i%2 == 1 {
			e.Name = "put"
		}
		if i%13 == 12 {
			e.Outcome = effect.Record{Error: []byte(`{"code":"unavailable","message":"try later"}`)}
		}
		rec.Entries = append(rec.Entries, e)
	}
	return rec
}

// file writes the page of a recording and returns its URL.
func file(t *testing.T, rec *journal.Recording) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "trace.html")
	f, err := os.Create(name)
	require.NoError(t, err)
	require.NoError(t, trace.HTML(f, rec))
	require.NoError(t, f.Close())
	return "file://" + name
}

// TestTrace drives the page of ptc trace.
func TestTrace(t *testing.T) {
	t.Parallel()
	url := file(t, recording(5000))
	for _, v := range []view{{400, false}, {1600, true}} {
		t.Run(fmt.Sprint(v.width), func(t *testing.T) {
			t.Parallel()
			tb := newTab(t, v, url)
			tb.do(chromedp.Navigate(url))
			tb.fits()
			require.Equal(t, v.dark, eval[string](tb, `getComputedStyle(document.body).backgroundColor`) != "rgb(255, 255, 255)")
			const shown = `document.querySelectorAll(".rows li:not([hidden])").length`
			require.Equal(t, 5000, eval[int](tb, shown))

			tb.keys("x")
			require.Equal(t, 384, eval[int](tb, shown), "failed only")
			require.Equal(t, "384 of 5000", eval[string](tb, `document.querySelector(".count").textContent`))
			require.Equal(t, 384, eval[int](tb, `document.querySelectorAll(".axis a:not(.off)").length`))
			tb.do(chromedp.SetValue(chromedp.CSS("[name=tool]"), "put"))
			eval[bool](tb, `document.querySelector("[name=tool]").dispatchEvent(new Event("input", {bubbles: true}))`)
			require.Equal(t, 192, eval[int](tb, shown))
			tb.keys(strings.Split("/web-5", "")...)
			require.Equal(t, "web-5", eval[string](tb, `document.querySelector("[name=text]").value`))
			require.Equal(t, 20, eval[int](tb, shown))

			tb.keys("Escape", "j")
			require.Equal(t, "put", eval[string](tb, `document.activeElement.children[1].textContent`))
			require.Equal(t, 1, eval[int](tb, `document.querySelectorAll(".axis a.on").length`))
			tb.keys("j", "j", "k", "+", "+")
			require.Equal(t, "z16", eval[string](tb, `document.querySelector("[name=zoom]:checked").id`))
			require.Greater(t, eval[int](tb, `document.querySelector(".view").scrollWidth`), int(v.width)*8)
			tb.fits()
		})
	}
}

// TestTraceWithoutScript: the page can be read, its bars are links, and the lanes can be chosen.
func TestTraceWithoutScript(t *testing.T) {
	t.Parallel()
	url := file(t, recording(16))
	tb := newTab(t, view{900, false}, url)
	tb.withoutScript()
	tb.do(chromedp.Navigate(url), chromedp.Click(chromedp.CSS(`[for=by-workers]`)))
	require.Equal(t, "none", eval[string](tb, `getComputedStyle(document.querySelector(".tl.elements")).display`))
	require.Equal(t, "none", eval[string](tb, `getComputedStyle(document.querySelector("form")).display`))
	tb.do(chromedp.Click(chromedp.CSS(`.tl.workers a[href="#e4"]`)))
	require.Equal(t, "0.1.3#1", eval[string](tb, `document.querySelector(":target span").textContent`))
}

// contrasts is an expression that returns the texts with insufficient contrast, by WCAG, among the labels
// in bars, the state of the run, and a selected row.
const contrasts = `(() => {
	const color = (text) => text.match(/[\d.]+/g).slice(0, 3).map(Number);
	const light = (c) => { const [r, g, b] = c.map((v) => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
	const found = [];
	const compare = (name, above, below) => {
		const [a, b] = [light(above), light(below)].sort();
		if ((b + .05) / (a + .05) < 4.5) found.push(name + " " + ((b + .05) / (a + .05)).toFixed(2));
	};
	const lane = color(getComputedStyle(document.querySelector(".lane")).fill);
	for (const text of document.querySelectorAll(".tl a text")) {
		const bar = getComputedStyle(text.parentElement.querySelector("rect")), part = Number(bar.fillOpacity);
		compare("bar " + text.closest("a").getAttribute("class"), color(getComputedStyle(text).fill), color(bar.fill).map((v, i) => part * v + (1 - part) * lane[i]));
	}
	for (const e of document.querySelectorAll(".state")) compare("state", color(getComputedStyle(e).color), color(getComputedStyle(e).backgroundColor));
	for (const row of document.querySelectorAll(".rows li")) {
		row.focus();
		for (const e of row.children) compare("row", color(getComputedStyle(e).color), color(getComputedStyle(row).backgroundColor));
	}
	return found.join(", ");
})()`

// TestTraceContrast: each label of a bar, the state of the run and each selected row can be read, light and dark.
func TestTraceContrast(t *testing.T) {
	t.Parallel()
	rec := recording(12)
	for i := range rec.Entries {
		e := &rec.Entries[i]
		e.Name, e.Outcome = fmt.Sprint("tool", i), effect.Record{Result: []byte("1")}
	}
	rec.Entries[8].Done = false
	rec.Entries[9].Outcome = effect.Record{Error: []byte(`{"code":"unavailable","message":"try later"}`)}
	rec.Entries[10].Kind = effect.KindQuestion
	rec.Entries[11].Kind = effect.KindPause
	for i := range 3 { // the colors of a run that has failed, stopped, and ended in order
		rec.Final = [...]*journal.Final{rec.Final, nil, {Value: "1"}}[i]
		url := file(t, rec)
		for _, dark := range []bool{false, true} {
			tb := newTab(t, view{1600, dark}, url)
			tb.do(chromedp.Navigate(url))
			require.GreaterOrEqual(t, eval[int](tb, `document.querySelectorAll(".tl a text").length`), 12)
			require.Empty(t, eval[string](tb, contrasts), dark)
		}
	}
}
