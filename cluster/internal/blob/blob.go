// Package blob keeps data that is too large for the engine of a cluster, as files on several nodes.
//
//   - Store: the blobs as one node sees them. It implements Blobs of the packages store and runlog beside it.
//   - Maintain: one pass of verification, repair and deletion, which each node makes from time to time.
//
// A blob has the SHA-256 of its contents as its name, so it never changes, and its readers can verify it. A node
// pulls a blob from another one over package cluster/peer, and keeps it when it is whole.
//
// # Keys of the engine
//
//	blob/at/SUM          the size, and the nodes that keep the blob
//	blob/ref/SUM/OWNER   an owner of the blob
//	blob/of/OWNER\0SUM   the same, to find the blobs of an owner
//
// # Guarantees
//
// Create returns when the blob is on the disks of Options.Copies nodes, or of two if others can't take it, and its keys
// are in the engine. A blob that some node can't read, because its file is missing or damaged, is read from another one
// and repaired. A file without an owner, or on a node that is not among those of blob/at, is deleted after
// Options.Grace: one that is about to get an owner has just been written, or its time was renewed.
package blob

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/peer"
)

// Options are the settings of a Store.
type Options struct {
	Engine  engine.Engine
	Network peer.Network
	Dir     string // of this node's files; it is made if there is none
	// Nodes returns the names of the nodes that are alive and keep blobs. A node that is not among them, such
	// as a witness, keeps the blobs that it creates until the others have copies.
	Nodes  func() []string
	Copies int           // of a blob; 3 by default
	Grace  time.Duration // after which a file without an owner is deleted; 1 h by default
	// Verify is the time after which Maintain reads an undamaged file again; 0 reads all in each pass. Between, it wants
	// the file to be there with its size.
	Verify time.Duration
	Log    *slog.Logger // nil for none
}

// The defaults of Options.
const (
	defaultCopies = 3
	defaultGrace  = time.Hour
)

// leastCopies is the number of copies without which a blob is not kept, if there are as many nodes: the end of any one
// node loses nothing.
const leastCopies = 2

// Store holds the blobs of a cluster. Any number of goroutines may use it at once.
type Store struct {
	o     Options
	files *files
	mu    [64]sync.Mutex // of files, by the first byte of their names

	verifying sync.Mutex
	verified  map[string]time.Time // the times when Maintain has read the files of this node

	lending sync.Mutex
	lent    map[string][]*loan // by the names of blobs
}

// The errors of a Store, found with errors.Is.
var (
	// ErrNotFound is returned if there is no blob of the name.
	ErrNotFound = errors.New("blob: there is no blob of this name")
	// ErrLost: no node that can be reached has an undamaged copy.
	ErrLost = errors.New("blob: no node has an undamaged copy")
	// ErrCopies: too few nodes could take a copy.
	ErrCopies = errors.New("blob: too few nodes could take a copy")
)

// Open returns the blobs of a cluster, and answers the requests of other nodes for those of this one.
func Open(o Options) (*Store, error) {
	if o.Engine == nil || o.Network == nil || o.Nodes == nil || o.Dir == "" {
		return nil, errors.New("blob: want Options with an Engine, a Network, Nodes and a Dir")
	}
	o.Copies, o.Grace = cmp.Or(o.Copies, defaultCopies), cmp.Or(o.Grace, defaultGrace)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	f, err := openFiles(o.Dir)
	if err != nil {
		return nil, err
	}
	s := &Store{o: o, files: f, lent: map[string][]*loan{}, verified: map[string]time.Time{}}
	s.serve()
	return s, nil
}

// holders is the value of blob/at.
type holders struct {
	Size  int64    `json:"size"`
	Nodes []string `json:"nodes"`
}

// The prefixes of keys.
const (
	atPrefix  = "blob/at/"
	refPrefix = "blob/ref/"
	ofPrefix  = "blob/of/"
)

func refKey(sum, owner string) string { return refPrefix + sum + "/" + owner }
func ofKey(sum, owner string) string  { return ofPrefix + owner + "\x00" + sum }

// validSum reports whether a name is that of a blob.
func validSum(sum string) bool {
	b, err := hex.DecodeString(sum)
	return err == nil && len(b) == sha256.Size && hex.EncodeToString(b) == sum
}

// lock locks the file of a blob.
func (s *Store) lock(sum string) (unlock func()) {
	n, _ := hex.DecodeString(sum[:2]) // valid
	m := &s.mu[int(n[0])%len(s.mu)]
	m.Lock()
	return m.Unlock
}

// self returns the name of this node.
func (s *Store) self() string { return s.o.Network.Node() }

// nodes returns the live nodes in the order in which they are asked to keep a blob. It is another one for each blob,
// and the same on each node.
func (s *Store) nodes(sum string) []string {
	rank := func(node string) string {
		h := sha256.Sum256([]byte(sum + " " + node))
		return string(h[:])
	}
	all := slices.Clone(s.o.Nodes())
	slices.SortFunc(all, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return slices.Compact(all)
}

// at returns the nodes that keep a blob.
func (s *Store) at(ctx context.Context, sum string) (h holders, e engine.Entry, err error) {
	e, ok, err := s.o.Engine.Get(ctx, atPrefix+sum)
	if err == nil && !ok {
		err = fmt.Errorf("%w: %s", ErrNotFound, sum)
	}
	if err == nil {
		err = json.Unmarshal(e.Value, &h)
	}
	return h, e, err
}

// register makes an owner own a blob, and nodes known as its holders.
func (s *Store) register(ctx context.Context, sum, owner string, size int64, nodes []string) error {
	for {
		h, e, err := s.at(ctx, sum)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		h.Size = size
		for _, node := range nodes {
			if !slices.Contains(h.Nodes, node) {
				h.Nodes = append(h.Nodes, node)
			}
		}
		value, err := json.Marshal(h)
		if err != nil {
			return err
		}
		r, err := s.o.Engine.Apply(ctx, []engine.Condition{engine.At(atPrefix+sum, e.Modified)},
			engine.Put(atPrefix+sum, value), engine.Put(refKey(sum, owner), nil), engine.Put(ofKey(sum, owner), nil))
		if err != nil || r.Done {
			return err
		}
	}
}

// releaseBatch is the number of blobs that a commit releases: two keys each.
const releaseBatch = engine.MaxOps / 2

// Release ends the claims of an owner. Blobs without owners are deleted some time later.
func (s *Store) Release(ctx context.Context, owner string) error {
	prefix := ofKey("", owner)
	for {
		page, err := s.o.Engine.List(ctx, engine.Query{Prefix: prefix, Limit: releaseBatch, Keys: true})
		if err != nil || len(page.Entries) == 0 {
			return err
		}
		var ops []engine.Op
		for _, e := range page.Entries {
			ops = append(ops, engine.Delete(e.Key), engine.Delete(refKey(e.Key[len(prefix):], owner)))
		}
		if _, err := s.o.Engine.Apply(ctx, nil, ops...); err != nil {
			return err
		}
	}
}

// listPage is the number of keys that are read at once.
const listPage = 1000

// list calls f with each key of a prefix.
func (s *Store) list(ctx context.Context, prefix string, values bool, f func(engine.Entry) error) error {
	q := engine.Query{Prefix: prefix, Limit: listPage, Keys: !values}
	for {
		page, err := s.o.Engine.List(ctx, q)
		if err != nil {
			return err
		}
		for _, e := range page.Entries {
			if err := f(e); err != nil {
				return err
			}
		}
		if !page.More {
			return nil
		}
		q.After = page.Entries[len(page.Entries)-1].Key
	}
}

// Owned calls f with each owner and each blob that it owns, in the order of the owners.
func (s *Store) Owned(ctx context.Context, f func(owner, ref string) error) error {
	return s.list(ctx, ofPrefix, false, func(e engine.Entry) error {
		at := len(e.Key) - hex.EncodedLen(sha256.Size)
		return f(e.Key[len(ofPrefix):at-len("\x00")], e.Key[at:])
	})
}

// owned reports whether a blob has an owner.
func (s *Store) owned(ctx context.Context, sum string) (bool, error) {
	page, err := s.o.Engine.List(ctx, engine.Query{Prefix: refKey(sum, ""), Limit: 1, Keys: true})
	return len(page.Entries) > 0, err
}
