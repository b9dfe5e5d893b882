package store_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/engine/memory"
	cluster "github.com/ptc-lang/ptc/cluster/internal/store"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/store"
	"github.com/ptc-lang/ptc/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// boxes keeps blobs in memory.
type boxes struct {
	mu     sync.Mutex
	all    map[string][]byte
	owners map[string][]string // refs by owner
	full   bool                // nothing can be kept
}

func newBoxes() *boxes { return &boxes{all: map[string][]byte{}, owners: map[string][]string{}} }

var errFull = errors.New("the disk is full")

func (b *boxes) Put(_ context.Context, owner string, data []byte) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.full {
		return "", errFull
	}
	sum := sha256.Sum256(data)
	ref := hex.EncodeToString(sum[:])
	b.all[ref] = bytes.Clone(data)
	if !slices.Contains(b.owners[owner], ref) {
		b.owners[owner] = append(b.owners[owner], ref)
	}
	return ref, nil
}

func (b *boxes) Get(_ context.Context, ref string) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	data, ok := b.all[ref]
	if !ok {
		return nil, fmt.Errorf("there is no blob %q", ref)
	}
	return data, nil
}

func (b *boxes) Create(ctx context.Context, owner string, write func(io.Writer) error) (string, int64, error) {
	var buf bytes.Buffer
	if err := write(&buf); err != nil {
		return "", 0, err
	}
	ref, err := b.Put(ctx, owner, buf.Bytes())
	return ref, int64(buf.Len()), err
}

func (b *boxes) Open(ctx context.Context, ref string) (io.ReadCloser, error) {
	data, err := b.Get(ctx, ref)
	return io.NopCloser(bytes.NewReader(data)), err
}

func (b *boxes) Release(_ context.Context, owner string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.owners, owner)
	for ref := range b.all {
		owned := false
		for _, refs := range b.owners {
			owned = owned || slices.Contains(refs, ref)
		}
		if !owned {
			delete(b.all, ref)
		}
	}
	return nil
}

func (b *boxes) Owned(_ context.Context, f func(owner, ref string) error) error {
	b.mu.Lock()
	owners := maps.Clone(b.owners)
	b.mu.Unlock()
	for _, owner := range slices.Sorted(maps.Keys(owners)) {
		for _, ref := range owners[owner] {
			if err := f(owner, ref); err != nil {
				return err
			}
		}
	}
	return nil
}

// sealer does not encrypt, but marks the data that is sealed with its place.
type sealer struct{}

func (sealer) Seal(place string, data []byte) ([]byte, error) {
	out := []byte(place + "\x00")
	for _, c := range data {
		out = append(out, c^0x55)
	}
	return out, nil
}

func (sealer) Open(place string, data []byte) ([]byte, error) {
	rest, ok := bytes.CutPrefix(data, []byte(place+"\x00"))
	if !ok {
		return nil, fmt.Errorf("it was sealed for another place than %q", place)
	}
	out := bytes.Clone(rest)
	for i := range out {
		out[i] ^= 0x55
	}
	return out, nil
}

// open opens a store, which is closed at the end of the test.
func open(t testing.TB, e engine.Engine, b cluster.Blobs, o cluster.Options) *cluster.Store {
	t.Helper()
	o.Engine, o.Blobs, o.Keys = e, b, []journal.Key{storetest.Key()}
	if o.Node == "" {
		o.Node = "node1"
	}
	s, err := cluster.Open(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() {
		if err := s.Close(); !errors.Is(err, store.ErrClosed) {
			require.NoError(t, err)
		}
	})
	return s
}

func member() engine.Engine { return memory.New(memory.Options{}, "node1").Member("node1") }

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return open(t, member(), newBoxes(), cluster.Options{}) })
}

// pair is a store of two nodes: each call goes to the other one than the call before.
type pair struct {
	nodes [2]store.Store
	n     atomic.Uint64
}

func (p *pair) next() store.Store { return p.nodes[p.n.Add(1)%2] }

func (p *pair) Create(ctx context.Context, run store.Run) (store.Run, bool, error) {
	return p.next().Create(ctx, run)
}
func (p *pair) Get(ctx context.Context, id string) (store.Run, error) { return p.next().Get(ctx, id) }
func (p *pair) Update(ctx context.Context, id string, change func(*store.Run) error) (store.Run, error) {
	return p.next().Update(ctx, id, change)
}
func (p *pair) List(ctx context.Context, q store.Query) (store.Page, error) {
	return p.next().List(ctx, q)
}
func (p *pair) Count(ctx context.Context, tenant string) (map[store.State]int, error) {
	return p.next().Count(ctx, tenant)
}
func (p *pair) Journal(ctx context.Context, id string) (journal.Place, error) {
	return p.next().Journal(ctx, id)
}
func (p *pair) Delete(ctx context.Context, id string) error { return p.next().Delete(ctx, id) }
func (p *pair) Expire(ctx context.Context, r store.Retention, now time.Time) (int, error) {
	return p.next().Expire(ctx, r, now)
}
func (p *pair) Damaged(ctx context.Context) ([]store.Damage, error) { return p.next().Damaged(ctx) }
func (p *pair) Put(ctx context.Context, doc store.Document) (store.Document, error) {
	return p.next().Put(ctx, doc)
}
func (p *pair) Document(ctx context.Context, k store.Kind, name string, version int) (store.Document, error) {
	return p.next().Document(ctx, k, name, version)
}
func (p *pair) Documents(ctx context.Context, k store.Kind, after string, limit int) ([]store.Document, error) {
	return p.next().Documents(ctx, k, after, limit)
}
func (p *pair) Versions(ctx context.Context, k store.Kind, name string) ([]store.Document, error) {
	return p.next().Versions(ctx, k, name)
}
func (p *pair) Remove(ctx context.Context, k store.Kind, name string) error {
	return p.next().Remove(ctx, k, name)
}
func (p *pair) Close() error { return errors.Join(p.nodes[0].Close(), p.nodes[1].Close()) }

// shaky is an engine whose commits fail before or after they are made, but not twice in a row.
type shaky struct {
	engine.Engine
	mu     sync.Mutex
	random *rand.Rand
	failed bool
}

func (s *shaky) Apply(ctx context.Context, conditions []engine.Condition, ops ...engine.Op) (engine.Result, error) {
	s.mu.Lock()
	s.failed = !s.failed && s.random.IntN(3) == 0
	fails, made := s.failed, s.random.IntN(2) == 0
	s.mu.Unlock()
	if fails && !made {
		return engine.Result{}, engine.ErrUnavailable
	}
	r, err := s.Engine.Apply(ctx, conditions, ops...)
	if fails && err == nil {
		return engine.Result{}, fmt.Errorf("%w: the answer was lost", engine.ErrUnavailable)
	}
	return r, err
}

// TestNodes runs all tests on two nodes together, with encryption, and with commits that are sometimes not
// acknowledged.
func TestNodes(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		members := memory.New(memory.Options{}, "node1", "node2", "node3")
		b, p := newBoxes(), &pair{}
		for i, name := range []string{"node1", "node2"} {
			random := rand.New(rand.NewPCG(uint64(i), 1))
			e := &shaky{Engine: members.Member(name), random: random}
			p.nodes[i] = open(t, e, b, cluster.Options{Seal: sealer{}, Node: name})
		}
		return p
	})
}
