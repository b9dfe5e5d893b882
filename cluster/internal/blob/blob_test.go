package blob_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc/cluster/internal/blob"
	"github.com/ptc-lang/ptc/cluster/internal/engine/memory"
	"github.com/ptc-lang/ptc/cluster/peer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a cluster whose nodes keep blobs.
type world struct {
	t       *testing.T
	engines *memory.Cluster
	network *peer.Memory
	root    string

	verify time.Duration

	mu    sync.Mutex
	alive []string
	nodes map[string]*peer.MemoryNode
}

var names = []string{"node1", "node2", "node3", "node4"}

func newWorld(t *testing.T) *world {
	w := &world{t: t, engines: memory.New(memory.Options{}, names...), network: peer.NewMemory(1), root: t.TempDir(),
		nodes: map[string]*peer.MemoryNode{}}
	t.Cleanup(func() {
		for _, n := range w.nodes {
			n.Close()
		}
	})
	return w
}

// start starts a node, or starts it again.
func (w *world) start(name string) *blob.Store {
	w.t.Helper()
	w.stop(name)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.nodes[name] = w.network.Join(name)
	s, err := blob.Open(blob.Options{Engine: w.engines.Member(name), Network: w.nodes[name], Dir: w.dir(name),
		Nodes: w.live, Copies: 3, Verify: w.verify})
	require.NoError(w.t, err)
	w.alive = append(w.alive, name)
	return s
}

// stop ends a node as if it was killed.
func (w *world) stop(name string) {
	w.mu.Lock()
	n := w.nodes[name]
	w.alive = slices.DeleteFunc(w.alive, func(o string) bool { return o == name })
	w.mu.Unlock()
	if n != nil {
		n.Close()
	}
}

func (w *world) live() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.alive)
}

func (w *world) dir(name string) string { return filepath.Join(w.root, name) }

func (w *world) file(name, ref string) string { return filepath.Join(w.dir(name), ref[:2], ref) }

// holders returns the nodes that have a file of a blob.
func (w *world) holders(ref string) (have []string) {
	for _, name := range names {
		if _, err := os.Stat(w.file(name, ref)); err == nil {
			have = append(have, name)
		}
	}
	return have
}

// age makes the file of a blob old enough to be deleted.
func (w *world) age(ref string) {
	old := time.Now().Add(-2 * time.Hour)
	for _, name := range w.holders(ref) {
		require.NoError(w.t, os.Chtimes(w.file(name, ref), old, old))
	}
}

func put(t *testing.T, s *blob.Store, owner, data string) string {
	t.Helper()
	ref, err := s.Put(t.Context(), owner, []byte(data))
	require.NoError(t, err)
	return ref
}

func get(t *testing.T, s *blob.Store, ref, want string) {
	t.Helper()
	got, err := s.Get(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, want, string(got))
	r, err := s.Open(t.Context(), ref)
	require.NoError(t, err)
	got, err = io.ReadAll(r)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	require.Equal(t, want, string(got))
}

// owners returns all owners.
func owners(t *testing.T, s *blob.Store) (all []string) {
	t.Helper()
	require.NoError(t, s.Owned(t.Context(), func(owner, ref string) error {
		require.Len(t, ref, 64)
		all = append(all, owner)
		return nil
	}))
	require.True(t, slices.IsSorted(all))
	return slices.Compact(all)
}

// maintain makes a pass on each node, and returns the sum of the reports.
func maintain(t *testing.T, stores ...*blob.Store) (sum blob.Report) {
	t.Helper()
	for _, s := range stores {
		r, err := s.Maintain(t.Context())
		require.NoError(t, err)
		sum.Verified += r.Verified
		sum.Repaired += r.Repaired
		sum.Copied += r.Copied
		sum.Deleted += r.Deleted
		sum.Lost = append(sum.Lost, r.Lost...)
	}
	return sum
}

// TestCopies checks that a blob is on three nodes and can be read on all, and that owners of the same
// contents share a copy.
func TestCopies(t *testing.T) {
	w := newWorld(t)
	var stores []*blob.Store
	for _, name := range names {
		stores = append(stores, w.start(name))
	}
	large := string(bytes.Repeat([]byte("large"), 300<<10))
	for i, data := range []string{"", "a", large} {
		ref := put(t, stores[i], "run/1", data)
		require.Len(t, w.holders(ref), 3)
		require.Contains(t, w.holders(ref), names[i])
		for _, s := range stores {
			got, err := s.Get(t.Context(), ref)
			require.NoError(t, err)
			require.True(t, string(got) == data)
		}
		require.Len(t, w.holders(ref), 3)
		require.Equal(t, ref, put(t, stores[3], "doc/x/../\"y", data))
	}
	require.Equal(t, []string{"doc/x/../\"y", "run/1"}, owners(t, stores[0]))
	for _, ref := range []string{"", "..", "../../../etc/passwd", string(bytes.Repeat([]byte("0"), 64)), "zz"} {
		_, err := stores[0].Get(t.Context(), ref)
		require.ErrorIs(t, err, blob.ErrNotFound)
		_, err = stores[0].Open(t.Context(), ref)
		require.ErrorIs(t, err, blob.ErrNotFound)
	}
	for _, owner := range []string{"", "a\x00b"} {
		_, err := stores[0].Put(t.Context(), owner, nil)
		require.Error(t, err)
	}
	mine := errors.New("mine")
	_, _, err := stores[0].Create(t.Context(), "x", func(out io.Writer) error {
		_, err := out.Write([]byte("part"))
		return errors.Join(err, mine)
	})
	require.ErrorIs(t, err, mine)
	drafts, err := os.ReadDir(filepath.Join(w.dir("node1"), "tmp"))
	require.NoError(t, err)
	require.Empty(t, drafts)
	_, err = w.nodes["node1"].Call(t.Context(), "node2", "blob/keep", []byte(`{"sum":"../../x","size":1}`))
	require.ErrorContains(t, err, "want a sum and a size")
}

// TestDamage requires damaged and missing copies to be read from other nodes, and to be repaired.
func TestDamage(t *testing.T) {
	w := newWorld(t)
	stores := map[string]*blob.Store{}
	var all []*blob.Store
	for _, name := range names[:3] {
		stores[name] = w.start(name)
		all = append(all, stores[name])
	}
	ref := put(t, stores["node1"], "o", "contents")
	for name, spoil := range map[string]func(path string) error{
		"node1": func(path string) error { return os.WriteFile(path, []byte("contentS"), 0o600) },
		"node2": os.Remove,
		"node3": func(path string) error { return os.Truncate(path, 3) },
	} {
		for _, by := range []func(){
			func() { get(t, stores[name], ref, "contents") },
			func() { require.Equal(t, 1, maintain(t, stores[name]).Repaired) },
		} {
			require.NoError(t, spoil(w.file(name, ref)))
			by()
			text, err := os.ReadFile(w.file(name, ref))
			require.NoError(t, err)
			require.Equal(t, "contents", string(text))
		}
	}
	require.Equal(t, blob.Report{Verified: 3}, maintain(t, all...))

	require.NoError(t, os.WriteFile(w.file("node1", ref), []byte("x"), 0o600))
	require.NoError(t, os.WriteFile(w.file("node2", ref), nil, 0o600))
	require.NoError(t, os.Remove(w.file("node3", ref)))
	_, err := stores["node1"].Get(t.Context(), ref)
	require.ErrorIs(t, err, blob.ErrLost)
	_, err = stores["node3"].Open(t.Context(), ref)
	require.ErrorIs(t, err, blob.ErrLost)
	r, err := stores["node2"].Maintain(t.Context())
	require.ErrorIs(t, err, blob.ErrLost)
	require.Equal(t, []string{ref}, r.Lost)
}

// TestVerify checks that a pass reads no file again before its time, and that it notices missing files and
// wrong sizes immediately.
func TestVerify(t *testing.T) {
	w := newWorld(t)
	w.verify = time.Hour
	one, two := w.start("node1"), w.start("node2")
	ref := put(t, one, "o", "contents")
	require.Equal(t, blob.Report{Verified: 2}, maintain(t, one, two))
	require.Equal(t, blob.Report{}, maintain(t, one, two))
	for _, spoil := range []func(path string) error{os.Remove, func(path string) error { return os.Truncate(path, 3) }} {
		require.NoError(t, spoil(w.file("node1", ref)))
		require.Equal(t, blob.Report{Repaired: 1}, maintain(t, one, two))
		require.Equal(t, blob.Report{}, maintain(t, one, two), "it was verified when it was copied")
	}
	w.verify = time.Nanosecond
	again := w.start("node1")
	require.Equal(t, blob.Report{Verified: 1}, maintain(t, again))
	require.Equal(t, blob.Report{Verified: 1}, maintain(t, again))
}

// TestWitness checks that the nodes that keep blobs copy the blobs that another node has created.
func TestWitness(t *testing.T) {
	w := newWorld(t)
	w.verify = time.Nanosecond
	var stores []*blob.Store
	for _, name := range names[:3] {
		stores = append(stores, w.start(name))
	}
	ref := put(t, stores[2], "o", "contents")
	w.mu.Lock()
	w.alive = w.alive[:2] // node3 lives, and keeps nothing
	w.mu.Unlock()
	require.NoError(t, os.Remove(w.file("node1", ref)))
	require.Equal(t, 1, maintain(t, stores...).Repaired)
	other := put(t, stores[0], "o", "other")
	require.Equal(t, []string{"node1", "node2"}, w.holders(other))
	third := put(t, stores[2], "o", "third")
	require.Len(t, w.holders(third), 3)
	maintain(t, stores...)
	get(t, stores[1], third, "third")
}

// TestDeadNode requires the copies of a node that is gone to be made elsewhere, and its own to be deleted
// when it is back.
func TestDeadNode(t *testing.T) {
	w := newWorld(t)
	stores := map[string]*blob.Store{}
	for _, name := range names {
		stores[name] = w.start(name)
	}
	ref := put(t, stores["node1"], "o", "contents")
	dead := w.holders(ref)[1]
	w.stop(dead)
	sum := blob.Report{}
	for name, s := range stores {
		if name != dead {
			sum.Copied += maintain(t, s).Copied
		}
	}
	require.Equal(t, 1, sum.Copied)
	require.Len(t, w.holders(ref), 4)
	back := w.start(dead)
	get(t, back, ref, "contents")
	require.Zero(t, maintain(t, back).Deleted)
	w.age(ref)
	require.Equal(t, 1, maintain(t, back).Deleted)
	require.NotContains(t, w.holders(ref), dead)
	get(t, back, ref, "contents")
}

// TestTooFew requires no blob with one copy where there are more nodes, and none to be lost with one node.
func TestTooFew(t *testing.T) {
	w := newWorld(t)
	one := w.start("node1")
	ref := put(t, one, "o", "alone")
	require.Equal(t, []string{"node1"}, w.holders(ref))
	two := w.start("node2")
	w.network.Cut("node1", "node2")
	_, err := one.Put(t.Context(), "o", []byte("cut"))
	require.ErrorIs(t, err, blob.ErrCopies)
	require.ErrorIs(t, err, peer.ErrUnreachable)
	w.network.HealAll()
	require.Equal(t, 1, maintain(t, one, two).Copied)
	require.Equal(t, []string{"node1", "node2"}, w.holders(ref))
	w.stop("node1")
	get(t, two, ref, "alone")
}

// TestFullDisk requires a node without room to have other nodes keep and read its blobs.
func TestFullDisk(t *testing.T) {
	w := newWorld(t)
	stores := map[string]*blob.Store{}
	for _, name := range names {
		stores[name] = w.start(name)
	}
	temp := filepath.Join(w.dir("node1"), "tmp")
	require.NoError(t, os.Remove(temp))
	require.NoError(t, os.WriteFile(temp, nil, 0o600)) // nothing can be created there, by root either
	ref := put(t, stores["node1"], "o", "contents")
	require.Equal(t, names[1:], w.holders(ref))
	got, err := stores["node1"].Get(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, "contents", string(got))
	ref = put(t, stores["node2"], "o", "more")
	require.Equal(t, names[1:], w.holders(ref))
	_, _, err = stores["node1"].Create(t.Context(), "o", func(io.Writer) error { return nil })
	require.ErrorContains(t, err, "this node can't keep it")
	require.Empty(t, maintain(t, stores["node1"]).Lost)
}

// TestRelease requires blobs to be deleted when nobody owns them any more, not before, and never one that
// was kept again.
func TestRelease(t *testing.T) {
	w := newWorld(t)
	var stores []*blob.Store
	for _, name := range names {
		stores = append(stores, w.start(name))
	}
	shared, own := put(t, stores[0], "a", "shared"), put(t, stores[0], "a", "own")
	put(t, stores[1], "ab", "shared")
	for i := range 70 {
		put(t, stores[0], "many", fmt.Sprint(i))
	}
	require.NoError(t, stores[2].Release(t.Context(), "a"))
	require.NoError(t, stores[2].Release(t.Context(), "a"))
	require.NoError(t, stores[2].Release(t.Context(), "many"))
	require.Equal(t, []string{"ab"}, owners(t, stores[0]))
	require.Zero(t, maintain(t, stores...).Deleted, "they are new")
	w.age(shared)
	w.age(own)
	require.Equal(t, 3, maintain(t, stores...).Deleted)
	require.Empty(t, w.holders(own))
	require.GreaterOrEqual(t, len(w.holders(shared)), 3)
	_, err := stores[0].Get(t.Context(), own)
	require.ErrorIs(t, err, blob.ErrNotFound)

	require.NoError(t, stores[2].Release(t.Context(), "ab"))
	w.age(shared)
	require.Equal(t, shared, put(t, stores[3], "again", "shared"))
	maintain(t, stores...)
	require.GreaterOrEqual(t, len(w.holders(shared)), 3)
	get(t, stores[0], shared, "shared")
}

// TestHammer creates, releases, maintains and reads blobs at once, on a bad network, while nodes are restarted. A blob
// that has an owner can be read whenever all nodes are back.
func TestHammer(t *testing.T) {
	w := newWorld(t)
	for _, name := range names {
		w.start(name)
	}
	w.network.Fail(peer.Faults{Before: 0.05, After: 0.05, Twice: 0.05})
	var mu sync.Mutex
	owned := map[string]string{} // contents by ref
	var wg sync.WaitGroup
	stores := map[string]*blob.Store{}
	for _, name := range names {
		stores[name] = w.start(name)
	}
	for i, name := range names {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(i), 5))
			for n := range 25 {
				s := stores[name]
				data := fmt.Sprint("data ", random.IntN(20))
				owner := fmt.Sprint(name, "/", n)
				ref, err := s.Put(t.Context(), owner, []byte(data))
				if err == nil && n%3 == 0 {
					if err := s.Release(t.Context(), owner); err != nil {
						t.Error(err)
					}
				} else if err == nil {
					mu.Lock()
					owned[ref] = data
					mu.Unlock()
				}
				w.age(refOf(random, owned, &mu))
				_, _ = s.Maintain(t.Context())
			}
		})
	}
	wg.Wait()
	w.network.Fail(peer.Faults{})
	for _, name := range names {
		maintain(t, stores[name])
	}
	for ref, data := range owned {
		for _, name := range names {
			get(t, stores[name], ref, data)
		}
	}
	require.NotEmpty(t, owned)
}

// refOf returns one of the blobs; a name that no blob has if there is none.
func refOf(random *rand.Rand, owned map[string]string, mu *sync.Mutex) string {
	mu.Lock()
	defer mu.Unlock()
	refs := []string{string(bytes.Repeat([]byte("0"), 64))}
	for ref := range owned {
		refs = append(refs, ref)
	}
	return refs[random.IntN(len(refs))]
}
