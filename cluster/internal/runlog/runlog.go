// Package runlog is the log of a run on the engine of a cluster. All nodes see its records in the same
// order, and an acknowledged record is on the disks of a majority.
//
//   - Log: appends records for one writer, and follows those of all. It is a dist.Log.
//   - Damaged: a record was lost, doubled, reordered or changed, with the evidence.
//   - Blobs: keeps large records outside of the engine. It is optional, like an engine.Sealer, which encrypts records.
//
// # Records
//
// A record is the key log/RUN/ID, which is created once: an append that is repeated finds it. Its position is the
// revision that created it, with its index in that commit. Each writer numbers its records, and puts the hash of its
// record before into each. So a reader that begins at the start of the log notices each record that is
// missing, duplicated, moved or changed, except the last ones of a writer. A writer notices those: the
// condition of each append is that the writer's record before is still there.
//
// # Compaction
//
// The engine may forget any revision: keys stay, and a reader whose place was forgotten reads the keys again.
package runlog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/runtime/dist"
)

// Position is the place of a record in its log.
type Position = dist.Position

// Item is a record on its way into a log.
type Item = dist.Item

// MaxBatch is the most items of an Append: a commit has a condition for each, one for the record before, and one for
// the fence.
const MaxBatch = min(dist.MaxBatch, engine.MaxOps-2)

// MaxInline is the most bytes of a record that the engine keeps, if there are Blobs for larger ones.
const MaxInline = 64 << 10

// maxID is the most bytes of an id: an effect of a deeply nested operation has some hundred.
const maxID = 4096

// Blobs keeps large records. Put returns when the data is durable on several nodes. owner is the log, see Owner.
type Blobs interface {
	Put(ctx context.Context, owner string, data []byte) (ref string, err error)
	Get(ctx context.Context, ref string) ([]byte, error)
}

// Owner returns the owner of the large records of a run.
func Owner(run string) string { return "log/" + run }

// Options are the settings of a Log.
type Options struct {
	Engine engine.Engine
	Run    string
	// Writer is a name of the writer, unique for all time, such as the incarnation of a node. A Log that only reads needs
	// none.
	Writer string
	// Fence must hold for each append: the writer is deposed when it does not. The zero Condition is none.
	Fence engine.Condition
	Seal  engine.Sealer // nil for none
	Blobs Blobs         // nil keeps all records in the engine
	// Appended is called after each commit with the bytes of its records; nil for none.
	Appended func(bytes int)
}

// Log is the log of a run. Any number of goroutines may use it at once. Close ends its work.
type Log struct {
	o      Options
	prefix string
	ctx    context.Context // ended by Close
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu     sync.Mutex
	queue  []*request // that no commit has taken
	busy   bool       // a goroutine commits
	closed bool
	err    error // of a writer that may not append any more

	chain tail // of the writer; only the goroutine that commits uses it
}

// tail is the end of the chain of a writer.
type tail struct {
	n        uint64 // of the last record
	hash     digest
	key      string
	revision engine.Revision
}

// errBroken begins the errors of a log that can't be used any more.
var errBroken = fmt.Errorf("runlog: %w", dist.ErrBroken)

var _ dist.Log = (*Log)(nil)

// The errors of a log, found with errors.Is.
var (
	// ErrDeposed: the fence of the writer does not hold any more.
	ErrDeposed = fmt.Errorf("%w: the writer was deposed: another node leads the run", errBroken)
	// ErrDeleted: the log was deleted, because its run has ended.
	ErrDeleted = fmt.Errorf("%w: it was deleted: the run has ended", errBroken)
	// ErrClosed is returned after Close was called. Requests under way may have been appended.
	ErrClosed = fmt.Errorf("%w: it was closed", errBroken)
	// ErrInvalid: the call breaks a rule of the interface.
	ErrInvalid = errors.New("runlog: the call is invalid")
)

// New returns the log of a run.
func New(o Options) (*Log, error) {
	if o.Engine == nil {
		return nil, fmt.Errorf("%w: Options.Engine is nil", ErrInvalid)
	}
	if o.Run == "" || strings.Contains(o.Run, "/") {
		return nil, fmt.Errorf("%w: got the run %.100q, want an id without /", ErrInvalid, o.Run)
	}
	l := &Log{o: o, prefix: Prefix(o.Run)}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	return l, nil
}

// Prefix returns the prefix of the keys of the log of a run.
func Prefix(run string) string { return "log/" + run + "/" }

// Close ends the work of the log, and waits for a commit that is under way.
func (l *Log) Close() error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.cancel()
	l.wg.Wait()
	return nil
}

// Delete deletes the log of a run. Readers of it return ErrDeleted. The caller must have kept the parts it needs.
func Delete(ctx context.Context, e engine.Engine, run string) error {
	_, err := e.Apply(ctx, nil, engine.DeletePrefix(Prefix(run)))
	return err
}
