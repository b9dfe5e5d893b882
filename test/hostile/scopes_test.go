// This file defines the tests of with-limits where the account around the scope is full.

package hostile

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/lang/diag"
)

// endlessScopes keep the exception of each scope that a bound has ended, until the account is full.
// They end by the bound of the run, wherever in a scope the account fills.
var endlessScopes = []struct {
	name, source string
	want         diag.Code
}{
	{"steps", `(loop [acc ()] (recur (conj acc (try (with-limits {:steps 100} (reduce + (range))) (catch Exception e e)))))`,
		diag.MemoryExceeded},
	{"bytes", `(loop [acc ()] (recur (conj acc (try (with-limits {:bytes 2000} (vec (range 100000))) (catch Exception e e)))))`,
		diag.MemoryExceeded},
	{"bytes, filled to the end", `(loop [acc ()] (recur (conj acc (try (with-limits {:bytes 30000}
		(loop [own ()] (recur (conj own 1)))) (catch Exception e [e (vec (range 1000))])))))`, diag.MemoryExceeded},
	{"nested", `(loop [acc ()] (recur (conj acc (try (with-limits {:steps 90000 :bytes 20000}
		(loop [in ()] (recur (conj in (try (with-limits {:steps 50} (reduce + (range))) (catch Exception e e))))))
		(catch Exception e [e (vec (range 1000))])))))`, diag.MemoryExceeded},
	{"recursion", `(defn f [n] (with-limits {:steps 1000000} (inc (f (inc n))))) (f 0)`, diag.MemoryExceeded},
	{"what is live is scattered", `(let [m (zipmap (range 5000) (range))] (loop [acc () i 0]
		(recur (conj acc (try (with-limits {:steps 200} (loop [i 0] (recur (+ i (count (str i (get m i))))))) (catch Exception e [i e])))
		(inc i))))`, diag.MemoryExceeded},
	{"workers", `(pmap (fn [_] (loop [acc ()] (recur (conj acc (try (with-limits {:steps 100} (reduce + (range)))
		(catch Exception e e)))))) (range 2))`, diag.MemoryExceeded},
}

func TestScopesEndUnderAFullAccount(t *testing.T) {
	for _, scopes := range endlessScopes {
		if testlevel.Small() && scopes.name != "workers" { // the race detector finds nothing in the others
			continue
		}
		for _, memory := range []int64{1 << 20, 1<<20 + 7_000} {
			opts := ptc.Options{Limits: ptc.Limits{Memory: memory, WorkerMemory: memory, Timeout: 2 * time.Minute}}
			_, err := ptctest.RunWith(context.Background(), scopes.source, opts, ptc.RunOptions{Seed: 1})
			var e *ptc.Error
			if !errors.As(err, &e) || e.Code != scopes.want {
				t.Errorf("%s, in %d bytes: got %.400v, want %s", scopes.name, memory, err, scopes.want)
			}
		}
	}
}
