// Package browser tests the pages of the project in Chromium.
package browser

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/testlevel"
)

// browsers are the names of the programs that can run the tests.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "chrome-headless-shell"}

// browser is the context of the process that all tests share; nil if there is no browser.
var browser context.Context

// needed skips a test without a browser.
func needed(t *testing.T) {
	t.Helper()
	testlevel.System(t)
	if browser == nil {
		t.Skipf("there is none of %s, which runs the pages", strings.Join(browsers, ", "))
	}
}

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	flag.Parse()
	if !testlevel.All() {
		return m.Run()
	}
	for _, name := range browsers {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.DisableGPU)
		if os.Getuid() == 0 {
			options = append(options, chromedp.NoSandbox) // which refuses to run as root
		}
		allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
		defer stop()
		var end context.CancelFunc
		browser, end = chromedp.NewContext(allocator)
		defer end()
		if err := chromedp.Do(browser); err != nil {
			fmt.Fprintf(os.Stderr, "%s does not start: %v\n", path, err)
			return 1
		}
		break
	}
	return m.Run()
}

// tab is a tab of the browser.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	refusal  string   // the end of the message of a form that is refused, as the test wants it
	problems []string // errors on the console and exceptions
	requests []string // URLs
}

// view is how a page is looked at.
type view struct {
	width int64
	dark  bool
}

// newTab opens an empty tab. The test fails at its end if the console has an error or the tab has requested a URL
// that begins with none of the origins. URLs that begin with data: are the browser's own, for the icons of inputs.
func newTab(t *testing.T, v view, origins ...string) *tab {
	t.Helper()
	needed(t)
	tb := &tab{t: t}
	ctx, closeTab := chromedp.NewContext(browser, chromedp.WithNewBrowserContext(), chromedp.WithListener(tb.listen))
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	tb.ctx = ctx
	t.Cleanup(func() {
		cancel()
		closeTab()
		tb.check(origins)
	})
	scheme := "light"
	if v.dark {
		scheme = "dark"
	}
	tb.do(chromedp.EmulateViewport(v.width, 1000))
	_, err := chromedp.Call(tb.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	require.NoError(t, err)
	return tb
}

// listen records events that must not happen.
func (tb *tab) listen(event any) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		tb.requests = append(tb.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		tb.problems = append(tb.problems, e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		if e.Entry.Level == "error" || e.Entry.Level == "warning" {
			problem := e.Entry.Text + " " + e.Entry.URL
			if tb.refusal == "" || !strings.HasSuffix(problem, tb.refusal) {
				tb.problems = append(tb.problems, problem)
			}
		}
	}
}

func (tb *tab) check(origins []string) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	require.Empty(tb.t, tb.problems)
	require.NotEmpty(tb.t, tb.requests)
requests:
	for _, url := range tb.requests {
		for _, origin := range append(origins, "data:") {
			if strings.HasPrefix(url, origin) {
				continue requests
			}
		}
		tb.t.Errorf("the page requests %s", url)
	}
}

// withoutScript turns the scripts of pages off.
func (tb *tab) withoutScript() {
	tb.t.Helper()
	off := emulation.SetScriptExecutionDisabledParams{Value: true}
	_, err := chromedp.Call(tb.ctx, emulation.SetScriptExecutionDisabled, off)
	require.NoError(tb.t, err)
}

// do runs actions.
func (tb *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	tb.t.Helper()
	require.NoError(tb.t, chromedp.Do(tb.ctx, actions...))
}

// click clicks on an element of a page that is live: one that is replaced meanwhile is looked up again.
func (tb *tab) click(selector string) {
	tb.t.Helper()
	require.Eventually(tb.t, func() bool {
		return chromedp.Do(tb.ctx, chromedp.Click(chromedp.CSS(selector))) == nil
	}, time.Minute, 20*time.Millisecond, selector)
}

// fill sets the value of a field of a page that may be loading.
func (tb *tab) fill(selector, value string) {
	tb.t.Helper()
	require.Eventually(tb.t, func() bool {
		return chromedp.Do(tb.ctx, chromedp.SetValue(chromedp.CSS(selector), value)) == nil
	}, time.Minute, 20*time.Millisecond, selector)
}

// keys presses keys, each of which is a character or a name such as "Escape". A key whose event the page prevents
// types nothing, as on a keyboard; with chromedp.KeyEvent it would.
func (tb *tab) keys(keys ...string) {
	tb.t.Helper()
	for _, key := range keys {
		down := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: key}
		if len(key) == 1 {
			down.Text = key
		}
		up := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyUp, Key: key}
		for _, event := range []input.DispatchKeyEventParams{down, up} {
			_, err := chromedp.Call(tb.ctx, input.DispatchKeyEvent, event)
			require.NoError(tb.t, err)
		}
	}
}

// eval returns the value of an expression in the page.
func eval[T any](tb *tab, expression string) T {
	tb.t.Helper()
	v, err := chromedp.Run(tb.ctx, chromedp.Evaluate[T](expression))
	require.NoError(tb.t, err, expression)
	return v
}

// until waits until an expression is true in the page, which may be loading.
func (tb *tab) until(expression string) {
	tb.t.Helper()
	require.Eventually(tb.t, func() bool {
		v, err := chromedp.Run(tb.ctx, chromedp.Evaluate[bool](expression))
		return err == nil && v
	}, time.Minute, 20*time.Millisecond, expression)
}

// fits wants the page not to be wider than its window.
func (tb *tab) fits() {
	tb.t.Helper()
	require.LessOrEqual(tb.t, eval[int](tb, "document.documentElement.scrollWidth"), eval[int](tb, "innerWidth"))
}
