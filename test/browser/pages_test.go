package browser

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/api"
	"github.com/ptc-lang/ptc/serve/pages"
	"github.com/ptc-lang/ptc/serve/schedule"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
	"github.com/ptc-lang/ptc/store/dir"
)

// service is a whole service: an engine, the API and the pages behind a gate.
type service struct {
	t      *testing.T
	engine *serve.Engine
	store  store.Store
	url    string
	token  string // of an operator

	mu    sync.Mutex
	gates map[string]chan struct{} // closed: calls of tool/gate with this name end
}

type gateArgs struct {
	Name string `json:"name"`
}

// gate returns the gate of a name.
func (s *service) gate(name string) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gates[name] == nil {
		s.gates[name] = make(chan struct{})
	}
	return s.gates[name]
}

func newService(t *testing.T) *service {
	t.Helper()
	return serviceOn(t, func(folder string) (serve.Options, func(*serve.Engine, http.Handler) http.Handler) {
		st, err := dir.Open(filepath.Join(folder, "store"))
		require.NoError(t, err)
		return serve.Options{Store: st}, func(_ *serve.Engine, h http.Handler) http.Handler { return h }
	})
}

// serviceOn returns a service with a store that open opens, and a handler around its own that open returns.
func serviceOn(t *testing.T,
	open func(folder string) (serve.Options, func(*serve.Engine, http.Handler) http.Handler)) *service {
	t.Helper()
	needed(t)
	folder := t.TempDir()
	if inMemory, err := os.MkdirTemp("/dev/shm", "ptc"); err == nil { // where nothing waits for a disk
		folder = inMemory
		t.Cleanup(func() { require.NoError(t, os.RemoveAll(inMemory)) })
	} else {
		require.True(t, errors.Is(err, fs.ErrNotExist), err)
	}
	s := &service{t: t, gates: map[string]chan struct{}{}}
	o, around := open(folder)
	st, err := o.Store, error(nil)
	s.store = st
	o.Run = ptc.Options{Tools: s.tools()}
	s.engine, err = serve.New(t.Context(), o)
	require.NoError(t, err)
	log := slog.New(slog.DiscardHandler)
	tokens, err := access.Open(folder, log)
	require.NoError(t, err)
	token, err := os.ReadFile(filepath.Join(folder, access.OperatorFile))
	require.NoError(t, err)
	s.token = strings.TrimSpace(string(token))
	server := httptest.NewUnstartedServer(nil)
	gate, err := access.NewGate(access.Options{Tokens: tokens, Listen: server.Listener.Addr().String(),
		Rules: pages.Rules(), SignIn: pages.SignIn})
	require.NoError(t, err)
	schedules, err := schedule.New(t.Context(), s.engine, schedule.Options{Store: st, Identity: tokens.Identity})
	require.NoError(t, err)
	mux := http.NewServeMux()
	mux.Handle("/", pages.New(s.engine, pages.Options{Schedules: schedules}))
	mux.Handle("/v1/", api.New(s.engine, api.Options{Schedules: schedules}))
	server.Config.Handler = gate.Handler(around(s.engine, mux))
	server.Start()
	s.url = server.URL
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		schedules.Close()
		require.NoError(t, s.engine.Drain(context.Background(), 0))
		require.NoError(t, st.Close())
	})
	return s
}

func (s *service) tools() *tool.Registry {
	tools := &tool.Registry{}
	require.NoError(s.t, tools.Add(
		tool.New("gate", "Waits for a gate.", func(ctx context.Context, a gateArgs) (string, error) {
			select {
			case <-s.gate(a.Name):
				return "the gate " + a.Name + " is open", nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}, tool.ReadOnly()),
		tool.New("drop", "Drops a host.", func(_ context.Context, a gateArgs) (string, error) {
			return "dropped " + a.Name, nil
		}, tool.NeedsApproval(nil)),
		tool.New("echo", "Returns its argument.", func(_ context.Context, a gateArgs) (string, error) {
			return a.Name, nil
		}, tool.ReadOnly())))
	return tools
}

// signedIn returns a tab that has signed in, with the token typed into the page.
func (s *service) signedIn(t *testing.T, v view) *tab {
	t.Helper()
	tb := newTab(t, v, s.url)
	tb.do(chromedp.Navigate(s.url + "/runs"))
	tb.fits()
	require.Contains(t, eval[string](tb, "location.pathname"), "/login")
	tb.do(chromedp.SetValue(chromedp.CSS("[name=token]"), s.token), chromedp.Click(chromedp.CSS("button.main")),
		chromedp.WaitVisible(chromedp.CSS("nav")))
	require.Equal(t, "/runs", eval[string](tb, "location.pathname"))
	return tb
}

// submit submits a source with the form, and returns the path of the run.
func (tb *tab) submit(s *service, name, source string) string {
	tb.t.Helper()
	tb.do(chromedp.Navigate(s.url+"/submit"), chromedp.SetValue(chromedp.CSS("[name=source]"), source),
		chromedp.SetValue(chromedp.CSS("[name=name]"), name), chromedp.Click(chromedp.CSS("button.main")),
		chromedp.WaitVisible(chromedp.CSS("#head")))
	tb.fits()
	return eval[string](tb, "location.pathname")
}

// badge is the state that the page of a run shows.
const badge = `document.querySelector("#head .state").textContent`

// TestPages drives the pages: it signs in, submits, watches, cancels and looks at each page, narrow and wide, light and
// dark.
func TestPages(t *testing.T) {
	t.Parallel()
	for _, v := range []view{{400, false}, {1600, true}} {
		t.Run(fmt.Sprint(v.width), func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			_, _, err := s.engine.PutProgram(t.Context(), wire.Program{Name: "sum", Source: "(+ 1 data/n)", Doc: "Adds."})
			require.NoError(t, err)
			tb := s.signedIn(t, v)
			name := fmt.Sprint("g", v.width)
			path := tb.submit(s, name, `(println "before") (println (tool/gate {:name "`+name+`"})) {:done 7}`)
			tb.until(badge + ` === "running"`)
			tb.until(`document.querySelector("#outcome").innerText.includes("before")`)
			tb.until(`document.querySelector("#trace .running") !== null`) // the call is drawn before it has ended
			require.True(t, eval[bool](tb, `document.querySelector("[action$=cancel]") !== null`))
			close(s.gate(name))
			tb.until(badge + ` === "succeeded"`) // without another request of the reader
			tb.until(`document.querySelector("#outcome").innerText.includes("{:done 7}")`)
			require.Contains(t, eval[string](tb, `document.querySelector("#outcome").innerText`), "the gate "+name+" is open")
			require.False(t, eval[bool](tb, `document.querySelector("[action$=cancel]") !== null`))
			tb.fits()

			other := tb.submit(s, name, `(tool/gate {:name "never"})`)
			require.NotEqual(t, path, other)
			tb.click("[action$=cancel] button")
			tb.until(badge + ` === "cancelled"`)

			tb.submit(s, name, `[(pmap (fn [h] (tool/drop {:name h})) ["web-1" "web-2"]) (ask {:question "Why?"})]`)
			tb.until(`document.querySelectorAll("#waits fieldset").length === 2`) // without another request of the reader
			tb.fits()
			tb.do(chromedp.Navigate(s.url + "/pending"))
			eval[bool](tb, `window.before = true`)
			tb.click("[name=all]")                                                                      // approves both calls
			tb.until(`!window.before && document.querySelector("#pending").innerText.includes("Why?")`) // not the page before, which is live
			tb.fits()
			tb.click("#pending [name^=text]")
			tb.keys(strings.Split("because", "")...)
			tb.click("#pending button.main")
			tb.until(`document.querySelector("#pending").innerText.startsWith("Nothing waits")`)
			tb.do(chromedp.Navigate(s.url + "/runs"))
			tb.click(".runs a")
			tb.until(badge + ` === "succeeded"`)
			require.Contains(t, eval[string](tb, `document.querySelector("#outcome").innerText`), `"dropped web-2") "because"`)

			tb.do(chromedp.Navigate(s.url + "/runs"))
			require.Equal(t, v.dark, eval[string](tb, `getComputedStyle(document.body).backgroundColor`) != "rgb(255, 255, 255)")
			count := eval[int](tb, `document.querySelectorAll(".runs li").length`)
			_, _, err = s.engine.Submit(t.Context(), store.Submission{Source: "1"}, access.Who{Name: "other", Tenant: "default"})
			require.NoError(t, err)
			tb.until(fmt.Sprintf(`document.querySelectorAll(".runs li").length === %d`, count+1)) // the list is live
			tb.keys("j", "j", "k")
			require.True(t, eval[bool](tb, `document.activeElement === document.querySelector(".runs a")`))
			focused := eval[string](tb, `document.activeElement.href`)
			_, _, err = s.engine.Submit(t.Context(), store.Submission{Source: "2"}, access.Who{Name: "other", Tenant: "default"})
			require.NoError(t, err)
			tb.until(fmt.Sprintf(`document.querySelectorAll(".runs li").length === %d`, count+2))
			require.Equal(t, focused, eval[string](tb, `document.activeElement.href`), "the list that is replaced keeps the focus")
			for _, path := range []string{"/runs?state=cancelled", "/queues", "/policies", "/programs", "/programs/sum", "/sessions", "/submit?program=sum"} {
				tb.do(chromedp.Navigate(s.url + path))
				tb.fits()
			}
			tb.schedules(s)
			tb.do(chromedp.Click(chromedp.CSS("nav button")), chromedp.WaitVisible(chromedp.CSS("[name=token]")))
		})
	}
}

// schedules makes a schedule with its form, with a mistake first, runs it and deletes it.
func (tb *tab) schedules(s *service) {
	tb.t.Helper()
	tb.mu.Lock()
	tb.refusal = "status of 400 (Bad Request) " + s.url + "/schedule"
	tb.mu.Unlock()
	tb.do(chromedp.Navigate(s.url + "/schedules"))
	tb.fits()
	tb.click("main a[href='/schedule']")
	tb.until(`document.readyState === "complete" && document.querySelector("[name=schedule]") !== null`)
	for _, field := range [][2]string{{"schedule", "nightly"}, {"cron", "61 * * * *"}, {"zone", "Europe/Berlin"}, {"source", "(+ 3 4)"}} {
		tb.fill("[name="+field[0]+"]", field[1])
	}
	tb.fits()
	tb.click("button.main")
	tb.until(`document.readyState === "complete" && document.querySelector(".wrong")?.textContent.includes("want minute, hour")`)
	tb.fits()
	tb.fill("[name=cron]", "30 2 * * *")
	tb.click("button.main")
	tb.until(`document.querySelectorAll("#times time").length === 10`)
	require.Contains(tb.t, eval[string](tb, `document.querySelector("#times").innerText`), "02:30:00 CE")
	tb.fits()
	tb.click("[value=run]")
	tb.until(badge + ` === "succeeded"`)
	tb.do(chromedp.Navigate(s.url + "/schedules/nightly"))
	require.Contains(tb.t, eval[string](tb, `document.querySelector("#times").innerText`), "run by a person")
	tb.click("[value=pause]")
	tb.until(`document.querySelector("#head .state")?.textContent === "paused"`)
	tb.click("#delete summary")
	tb.click("[value=delete]")
	tb.until(`document.querySelector("#schedules")?.innerText.includes("There are no schedules") && document.readyState === "complete"`)
}

// TestPagesWithoutScript: everything can be read, and a run can be submitted.
func TestPagesWithoutScript(t *testing.T) {
	t.Parallel()
	s := newService(t)
	tb := newTab(t, view{900, false}, s.url)
	tb.withoutScript()
	tb.do(chromedp.Navigate(s.url+"/runs"), chromedp.SetValue(chromedp.CSS("[name=token]"), s.token),
		chromedp.Click(chromedp.CSS("button.main")), chromedp.WaitVisible(chromedp.CSS("nav")))
	tb.submit(s, "p", `(tool/echo {:name "x"}) (throw (ex-info "no stock" {}))`)
	require.Eventually(t, func() bool {
		tb.do(chromedp.Reload())
		return eval[string](tb, badge) == "failed"
	}, time.Minute, 50*time.Millisecond)
	require.Contains(t, eval[string](tb, `document.querySelector("#outcome").innerText`), "no stock")
	require.Equal(t, 1, eval[int](tb, `document.querySelectorAll("#trace .rows li").length`))
	require.Equal(t, 1, eval[int](tb, `document.querySelectorAll("#program mark").length`))
	tb.schedules(s)
}

// TestManyRuns looks at 10,000 runs, and at a run of 5,000 calls.
func TestManyRuns(t *testing.T) {
	t.Parallel()
	s := newService(t)
	const runs, writers = 10_000, 16
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := w; i < runs; i += writers {
				run := store.Run{State: store.Queued, Tenant: "default", By: "ann", Submission: store.Submission{Source: "1",
					Name: fmt.Sprintf("r%d.ptc", i), Labels: map[string]string{"n": fmt.Sprint(i % 500)}}}
				if _, _, err := s.store.Create(context.Background(), run); err != nil {
					t.Errorf("run %d: %v", i, err)
					return
				}
			}
		})
	}
	wg.Wait()
	run, _, err := s.engine.Submit(t.Context(), store.Submission{Name: "calls.ptc", Source: `(count (pmap (fn [i] (tool/echo {:name (str "host-" i)})) (range 5000)))`},
		access.Who{Name: "ann", Tenant: "default"})
	require.NoError(t, err)
	run, err = s.engine.Wait(t.Context(), run.ID)
	require.NoError(t, err)
	require.Equal(t, store.Succeeded, run.State, run.Text)

	tb := s.signedIn(t, view{1600, false})
	began := time.Now()
	tb.do(chromedp.Navigate(s.url + "/runs"))
	require.Equal(t, 100, eval[int](tb, `document.querySelectorAll(".runs li").length`))
	t.Logf("the list: %v", time.Since(began))
	tb.do(chromedp.Navigate(s.url + "/runs?label=n%3D7"))
	require.Equal(t, 20, eval[int](tb, `document.querySelectorAll(".runs li").length`))
	began = time.Now()
	tb.do(chromedp.Navigate(s.url + "/runs/" + run.ID))
	require.Equal(t, 5000, eval[int](tb, `document.querySelectorAll("#trace .rows li").length`))
	t.Logf("5,000 calls: %v", time.Since(began))
	tb.keys(strings.Split("/host-4321", "")...)
	require.Equal(t, 1, eval[int](tb, `document.querySelectorAll("#trace .rows li:not([hidden])").length`))
	tb.fits()
}
