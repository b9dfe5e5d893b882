// This file defines the process of a member in the tests of faults: the binary of the test, started with the
// environment variable nodeEnv. It writes chains of records, follows the log, and answers requests of the test.

//go:build unix

package etcd

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/internal/testlevel"
)

// nodeEnv holds the settings of a process, in JSON.
const nodeEnv = "PTC_ENGINE_TEST_NODE"

func TestMain(m *testing.M) {
	if text := os.Getenv(nodeEnv); text != "" {
		if err := runNode(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		os.Exit(0)
	}
	// The members of the tests mostly wait, for disks and for each other.
	testlevel.Waiting(16)
	os.Exit(m.Run())
}

// settings are those of a process.
type settings struct {
	Options Options
	SNI     string
	Out     string // the prefix of its files
	Process int    // a number that no other process has
	Writers int
	Every   time.Duration // between the records of a writer
}

// record is a link of the chain of a writer.
type record struct {
	Writer string `json:"w"`
	N      int    `json:"n"`
	Prev   string `json:"p"` // the hash of the record before
	Body   string `json:"b"`
	Hash   string `json:"h"`
}

func (r record) sum() string {
	h := sha256.Sum256(fmt.Appendf(nil, "%s|%d|%s|%s", r.Writer, r.N, r.Prev, r.Body))
	return hex.EncodeToString(h[:12])
}

// process is a running member.
type process struct {
	settings
	e       *Engine
	acks    *lines
	lastAck atomic.Int64 // in ms since 1970
	stopped atomic.Bool
	work    sync.WaitGroup
}

// lines is a file to which lines are appended. A killed process loses none that was written.
type lines struct {
	mu sync.Mutex
	f  *os.File
}

func openLines(path string) (*lines, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	return &lines{f: f}, err
}

func (l *lines) add(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.f, format+"\n", args...)
}

// runNode runs a member until its standard input ends, or SIGTERM.
func runNode(text string) error {
	var p process
	if err := json.Unmarshal([]byte(text), &p.settings); err != nil {
		return err
	}
	begin := time.Now()
	p.Options.TLS.sni = p.SNI
	p.Options.Log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer cancel()
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(4) // the test has ended
	}()
	var err error
	if p.e, err = Open(ctx, p.Options); err != nil {
		return err
	}
	if p.acks, err = openLines(fmt.Sprintf("%s-%d.acks", p.Out, p.Process)); err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go http.Serve(l, p.handler())
	fmt.Printf("control %s %d\n", l.Addr(), time.Since(begin).Milliseconds())
	for i := range p.Writers {
		p.work.Go(func() { p.write(ctx, fmt.Sprintf("%s.%d.%d", p.Options.Name, p.Process, i)) })
	}
	p.work.Go(func() { p.follow(ctx) })
	p.work.Go(func() { p.claim(ctx) })
	select {
	case <-ctx.Done():
	case <-p.e.Ended():
		return context.Cause(p.e.ctx)
	}
	if err := p.e.Close(); err != nil {
		return err
	}
	p.work.Wait()
	return nil
}

// write appends the chain of a writer.
func (p *process) write(ctx context.Context, writer string) {
	prev, body := "-", strings.Repeat("x", 120)
	for n := 1; !p.stopped.Load() && ctx.Err() == nil; n++ {
		r := record{Writer: writer, N: n, Prev: prev, Body: body}
		r.Hash = r.sum()
		value, _ := json.Marshal(r)
		key := fmt.Sprintf("log/%s/%08d", writer, n)
		begin := time.Now()
		for {
			absent := []engine.Condition{engine.Absent(key)}
			result, err := engine.Repeat(ctx, p.e, time.Minute, absent, engine.Put(key, value))
			if err != nil {
				if ctx.Err() != nil {
					return
				}
				time.Sleep(20 * time.Millisecond)
				continue
			}
			if !result.Done {
				result.Revision = result.Found[0].Created
			}
			now := time.Now()
			p.acks.add("A %s %d %d %s %d %d", writer, n, result.Revision, r.Hash, now.UnixMicro(), now.Sub(begin).Microseconds())
			p.lastAck.Store(now.UnixMilli())
			break
		}
		prev = r.Hash
		time.Sleep(time.Until(begin.Add(p.Every)))
	}
}

// follow records the changes that the member sees.
func (p *process) follow(ctx context.Context) {
	seen, err := openLines(fmt.Sprintf("%s-%d.seen", p.Out, p.Process))
	if err != nil {
		return
	}
	var after engine.Revision
	for ctx.Err() == nil {
		err := p.e.Watch(ctx, "log/", after, func(c engine.Commit) error {
			for _, change := range c.Changes {
				var r record
				_ = json.Unmarshal(change.Value, &r)
				seen.add("%d %s", c.Revision, r.Hash)
			}
			after = c.Revision
			return nil
		})
		if ctx.Err() == nil {
			seen.add("error %v", err)
			time.Sleep(100 * time.Millisecond)
		}
	}
}

// claim holds a lease on one key as often as it can, and writes down its fences. While it holds the lease it writes to
// a key with the condition that it does.
func (p *process) claim(ctx context.Context) {
	for ctx.Err() == nil {
		p.hold(ctx)
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func (p *process) hold(ctx context.Context) {
	lease, err := p.e.Grant(ctx, 2*time.Second)
	if err != nil {
		return
	}
	defer lease.Close(ctx)
	r, err := p.e.Apply(ctx, []engine.Condition{engine.Absent("boss")}, engine.Op{Key: "boss", Lease: lease.ID()})
	if err != nil || !r.Done {
		return
	}
	fence := r.Revision
	p.acks.add("L %d", fence)
	for {
		select {
		case <-ctx.Done():
			return
		case <-lease.Lost():
			return
		case <-time.After(100 * time.Millisecond):
		}
		// The fence of the last holder never goes back: the condition refuses a holder that has lost its lease.
		put := engine.Put("fenced/last", fmt.Appendf(nil, "%d", fence))
		_, _ = p.e.Apply(ctx, []engine.Condition{engine.CreatedAt("boss", fence)}, put)
	}
}

// handler answers the test.
func (p *process) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/status", func(w http.ResponseWriter, r *http.Request) {
		status, err := p.e.Status(r.Context())
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		json.NewEncoder(w).Encode(map[string]any{"lastAck": p.lastAck.Load(), "status": status})
	})
	mux.HandleFunc("/stop", func(http.ResponseWriter, *http.Request) { p.stopped.Store(true) })
	mux.HandleFunc("/log", p.log)
	mux.HandleFunc("/fill", p.fill)
	mux.HandleFunc("/admin", func(w http.ResponseWriter, r *http.Request) {
		members, err := map[string]string(nil), error(nil)
		switch name := r.FormValue("name"); r.FormValue("op") {
		case "replace":
			members, err = p.e.Admin().Replace(r.Context(), name, r.FormValue("peer"))
		case "add":
			members, err = p.e.Admin().AddLearner(r.Context(), name, r.FormValue("peer"))
		case "promote":
			err = p.e.Admin().Promote(r.Context(), name)
		case "lead":
			err = p.e.Admin().MoveLeader(r.Context(), name)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
			return
		}
		json.NewEncoder(w).Encode(members)
	})
	return mux
}

// log answers with the log as the member has it, in the order of the positions.
func (p *process) log(w http.ResponseWriter, r *http.Request) {
	var all []engine.Entry
	q := engine.Query{Prefix: "log/", Limit: 2000, Stale: true}
	for {
		page, err := p.e.List(r.Context(), q)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		all = append(all, page.Entries...)
		if !page.More {
			break
		}
		q.Revision, q.After = page.Revision, all[len(all)-1].Key
	}
	slices.SortFunc(all, func(a, b engine.Entry) int { return cmp.Compare(a.Created, b.Created) })
	out := bufio.NewWriter(w)
	for _, e := range all {
		var x record
		ok := json.Unmarshal(e.Value, &x) == nil && x.sum() == x.Hash && e.Modified == e.Created
		fmt.Fprintf(out, "%d %s %d %s %s %t\n", e.Created, x.Writer, x.N, x.Prev, x.Hash, ok)
	}
	fmt.Fprintln(out, "end")
	out.Flush()
}

// fill makes large commits until the member can't, and at most a hundred.
func (p *process) fill(w http.ResponseWriter, r *http.Request) {
	value := make([]byte, 900<<10)
	for i := range 100 {
		if _, err := p.e.Apply(r.Context(), nil, engine.Put(fmt.Sprintf("fill/%d", i%10), value)); err != nil {
			break
		}
	}
	_, _ = p.e.Apply(r.Context(), nil, engine.DeletePrefix("fill/"))
}

func nodeFile(work string, i int) string { return filepath.Join(work, nodeName(i)) }
