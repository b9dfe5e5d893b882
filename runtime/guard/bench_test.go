package guard_test

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
)

func BenchmarkUncontended(b *testing.B) {
	for _, c := range []struct {
		name string
		hint effect.Hint
	}{
		{"fully-parallel", effect.Hint{}},
		{"host", effect.Hint{Kind: effect.HostExclusive}},
		{"global", effect.Hint{Kind: effect.GlobalExclusive}},
		{"global-and-host", effect.Hint{Kind: effect.HostExclusive | effect.GlobalExclusive}},
		{"token", effect.Hint{Kind: effect.RateLimited, Key: "api", PerSecond: 1e9, Burst: 1000}},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := guard.NewSet(guard.Options{})
			r := effect.GuardRequest{Hint: c.hint, Host: "db1.example.com", Owner: guard.NewOwner(nil, "main")}
			b.ReportAllocs()
			for b.Loop() {
				h, err := s.Acquire(b.Context(), &r)
				if err != nil {
					b.Fatal(err)
				}
				h.Release()
			}
		})
	}
}

// mutexes is the peer: a mutex for each host, which is never dropped and knows nothing
// of contexts, order and cycles.
type mutexes struct {
	mu    sync.Mutex
	hosts map[string]*counted
}

// counted is a mutex with something to guard.
type counted struct {
	sync.Mutex
	n int
}

func (m *mutexes) of(host string) *counted {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.hosts[host]
	if l == nil {
		l = new(counted)
		m.hosts[host] = l
	}
	return l
}

func BenchmarkMutexes(b *testing.B) {
	m := &mutexes{hosts: map[string]*counted{}}
	for b.Loop() {
		l := m.of("db1.example.com")
		l.Lock()
		l.n++
		l.Unlock()
	}
}

// BenchmarkParallel has each processor use its own host.
func BenchmarkParallel(b *testing.B) {
	var n atomic.Int64
	b.Run("guard", func(b *testing.B) {
		s := guard.NewSet(guard.Options{})
		b.RunParallel(func(pb *testing.PB) {
			name := fmt.Sprintf("host%d.example.com", n.Add(1))
			r := effect.GuardRequest{Hint: effect.Hint{Kind: effect.HostExclusive}, Host: name, Owner: guard.NewOwner(nil, name)}
			for pb.Next() {
				h, err := s.Acquire(b.Context(), &r)
				if err != nil {
					panic(err)
				}
				h.Release()
			}
		})
	})
	b.Run("mutexes", func(b *testing.B) {
		m := &mutexes{hosts: map[string]*counted{}}
		b.RunParallel(func(pb *testing.PB) {
			name := fmt.Sprintf("host%d.example.com", n.Add(1))
			for pb.Next() {
				l := m.of(name)
				l.Lock()
				l.n++
				l.Unlock()
			}
		})
	})
}

// BenchmarkContended has four goroutines want one host: each acquisition is a wait, a
// search for cycles and a hand-over.
func BenchmarkContended(b *testing.B) {
	b.Run("guard", func(b *testing.B) {
		s := guard.NewSet(guard.Options{})
		b.ReportAllocs()
		b.SetParallelism(4)
		b.RunParallel(func(pb *testing.PB) {
			r := effect.GuardRequest{Hint: effect.Hint{Kind: effect.HostExclusive}, Host: "db1", Owner: guard.NewOwner(nil, "x")}
			for pb.Next() {
				h, err := s.Acquire(b.Context(), &r)
				if err != nil {
					panic(err)
				}
				runtime.Gosched()
				h.Release()
			}
		})
	})
	b.Run("mutexes", func(b *testing.B) {
		m := &mutexes{hosts: map[string]*counted{}}
		b.SetParallelism(4)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				l := m.of("db1")
				l.Lock()
				runtime.Gosched()
				l.Unlock()
			}
		})
	})
}

// BenchmarkManyHosts holds 100,000 hosts together, and reports the memory of each, and the memory that
// remains after all are released.
func BenchmarkManyHosts(b *testing.B) {
	const n = 100_000
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("host%d.example.com", i)
	}
	helds := make([]effect.Held, n)
	owner := guard.NewOwner(nil, "main")
	s := guard.NewSet(guard.Options{})
	for b.Loop() {
		before := heap()
		for i, name := range names {
			h, err := s.Acquire(b.Context(), &effect.GuardRequest{
				Hint: effect.Hint{Kind: effect.HostExclusive}, Host: name, Owner: owner})
			if err != nil {
				b.Fatal(err)
			}
			helds[i] = h
		}
		b.ReportMetric((heap()-before)/n, "B/held-host")
		for i := range helds {
			helds[i].Release()
			helds[i] = nil
		}
		b.ReportMetric((heap()-before)/n, "B/idle-host")
	}
}

func heap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
