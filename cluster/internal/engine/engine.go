// Package engine defines the replicated store of a cluster: a map whose changes have one order, conditional changes,
// leases, and a way to follow all changes.
//
//   - Engine: the store. Package cluster/internal/engine/memory keeps it in memory, for tests and for replicas in one
//     process. Package cluster/internal/engine/etcd keeps it on the disks of the members of a cluster.
//     Package cluster/internal/engine/enginetest tests an implementation.
//   - Entry: a key with its value and the revisions that changed it.
//   - Condition, Op: a change, and the condition under which it is made.
//   - Lease: a claim that ends when its holder does.
//   - Sealer: encrypts the values that a user of the engine keeps.
//
// A revision is a number that grows with each commit. All members of a cluster see the same commits in the same order,
// so a log is a set of keys that are created once, ordered by the revisions that created them.
package engine

import (
	"context"
	"errors"
	"time"
)

// Revision is the position of a commit in the order of all commits. Positions grow; gaps are normal. 0 is before the
// first.
type Revision int64

// Entry is a key of the map.
type Entry struct {
	Key      string
	Value    []byte // the caller does not change it
	Created  Revision
	Modified Revision
	Lease    LeaseID // 0 for none
}

// Sealer encrypts values. place is the place of a value: a value that was sealed for one place does not open for
// another.
type Sealer interface {
	Seal(place string, data []byte) ([]byte, error)
	Open(place string, sealed []byte) ([]byte, error)
}

// LeaseID names a lease.
type LeaseID int64

// Condition must hold for a commit. It compares a revision of a key with a number; a key that does not exist has the
// revisions 0.
type Condition struct {
	Key     string
	Created bool // compares Entry.Created instead of Entry.Modified
	Is      Revision
}

// Absent is the condition that a key does not exist.
func Absent(key string) Condition { return Condition{Key: key} }

// At is the condition that a key was last changed by a revision.
func At(key string, modified Revision) Condition { return Condition{Key: key, Is: modified} }

// CreatedAt is the condition that a key was created by a revision and exists since, as that of a held lease.
func CreatedAt(key string, created Revision) Condition {
	return Condition{Key: key, Created: true, Is: created}
}

// Op puts a key, or deletes one.
type Op struct {
	Key    string
	Value  []byte
	Lease  LeaseID // the entry is deleted when the lease ends; 0 for none. A put without it unbinds the entry.
	Delete bool
	// Prefix makes a Delete delete all keys that begin with Key, which may be "".
	Prefix bool
}

// Put returns an Op that sets the value of a key.
func Put(key string, value []byte) Op { return Op{Key: key, Value: value} }

// Delete returns an Op that deletes a key, if it exists.
func Delete(key string) Op { return Op{Key: key, Delete: true} }

// DeletePrefix returns an Op that deletes all keys that begin with a prefix.
func DeletePrefix(prefix string) Op { return Op{Key: prefix, Delete: true, Prefix: true} }

// Result is the outcome of a commit.
type Result struct {
	// Done reports whether the conditions held. If not, nothing was changed.
	Done bool
	// Revision is that of the commit if it is done, else the latest that the conditions were compared at. A commit that
	// changes nothing, because the keys that it deletes do not exist, has the revision of the last one that did.
	Revision Revision
	// Found are the entries of the keys of the conditions, in their order, if the commit was not made. An entry of a key
	// that does not exist has Created 0.
	Found []Entry
}

// Query selects the entries of a List, in the order of their keys.
type Query struct {
	Prefix string
	After  string   // only keys after it; "" for all
	Limit  int      // at most as many entries; 0 for all
	Since  Revision // only entries that were created after it
	Keys   bool     // without values
	// Revision reads the map as it was after a commit; 0 is the latest. One that does not exist yet is ErrInvalid, and one
	// that was compacted ErrCompacted.
	Revision Revision
	// Stale reads the state that this member knows, which may be old, and works without a majority. It is
	// never older than a state that this member has returned since its start.
	Stale bool
}

// Page is the result of a List.
type Page struct {
	Entries  []Entry
	Revision Revision // the map is the one after it
	More     bool     // the limit has left entries out
}

// Change is a key that a commit changed. If it was deleted, Entry has only Key and Modified.
type Change struct {
	Entry
	Deleted bool
}

// Commit is the changes of one commit to the keys that are watched, in the order of the operations. A deleted prefix is
// a change for each key, in the order of the keys, and so is the end of a lease, which is one commit.
type Commit struct {
	Revision Revision
	Changes  []Change
}

// Lease is a claim for a time. The engine renews it until it is closed or its engine is.
//
// A holder whose process or machine was paused learns only afterwards that it has lost the lease, and may
// act before it learns it. So changes of a holder have the condition CreatedAt of a key that is bound to
// the lease, whose revision is the fence.
type Lease interface {
	ID() LeaseID
	// Lost is closed when the lease may have ended: before another member can see that it has, if the holder is not
	// paused, and nobody has called Revoke. It is closed after Close, too.
	Lost() <-chan struct{}
	// Close ends the lease, and deletes the entries that are bound to it. It stops the renewal even if it fails: the
	// lease then ends with its lifetime.
	Close(ctx context.Context) error
}

// Limits of a commit, which Check enforces.
const (
	MaxOps   = 128     // of conditions, and of operations
	MaxBytes = 1 << 20 // of the keys and values of a commit; larger values belong into files
)

// Status is the state of the engine as a member knows it.
type Status struct {
	Member    string // its name
	Leader    string // the name of the engine's leader, "" for none
	Term      uint64
	Revision  Revision
	Compacted Revision // earlier states are forgotten, or are about to be
	Bytes     int64    // of the database
	Used      int64    // Bytes that have contents; the rest is free for further ones
	Quota     int64    // Bytes at which writes stop; 0 for none
	Alarms    []string // of the engine: writes stop while there is one, such as "corrupt on node2"
	Members   []Member
}

// The first words of alarms.
const (
	AlarmFull    = "full"    // a database has reached its quota
	AlarmCorrupt = "corrupt" // the data of a member differs from that of the others
)

// Member is a member of the engine.
type Member struct {
	Name    string
	Peer    string // host:port
	Learner bool   // it copies, and does not vote yet
	Healthy bool
}

// The errors of an engine, found with errors.Is. ErrInvalid, ErrTooLarge and ErrNoLease of Apply mean that nothing was
// changed. With any other error the commit may have been made, or is made later: commits that can be repeated create
// keys that Absent protects; see Repeat.
var (
	// ErrUnavailable: no majority can be reached.
	ErrUnavailable error = unavailable("engine: no majority of the members can be reached")
	// ErrCompacted is returned if the revision is older than the kept ones.
	ErrCompacted = errors.New("engine: the revision is older than those that are kept")
	// ErrFull: the database has reached its quota. Commits that only delete are still made, and so is Compact.
	ErrFull = errors.New("engine: the database is full")
	// ErrCorrupt: members disagree on the data, or a file is damaged; nothing is written until it is repaired.
	ErrCorrupt = errors.New("engine: data is damaged")
	// ErrInvalid: the call breaks a rule of the interface.
	ErrInvalid = errors.New("engine: the call is invalid")
	// ErrTooLarge: the commit has more than MaxOps or MaxBytes.
	ErrTooLarge = errors.New("engine: the commit is too large")
	// ErrNoLease: the lease has ended.
	ErrNoLease = errors.New("engine: the lease has ended")
	// ErrClosed: Close was called.
	ErrClosed = errors.New("engine: it was closed")
)

// unavailable is the type of ErrUnavailable. A handler of an API recognises it by its method.
type unavailable string

func (u unavailable) Error() string { return string(u) }

// Unavailable reports that the request can be repeated later.
func (u unavailable) Unavailable() bool { return true }

// Engine is a member of a replicated store. Any number of goroutines may use it at once. Every call returns
// the error of its context when the context ends. Get, Apply, Grant, Revoke, Compact, Lease.Close and a
// List that is not stale return ErrUnavailable when they can't reach a majority within a time that the
// implementation bounds.
type Engine interface {
	// Get returns the entry of a key as of now, after all commits that had returned anywhere before Get was called. ok is
	// false if there is none.
	Get(ctx context.Context, key string) (e Entry, ok bool, err error)
	// List returns entries as of now, unless the query says otherwise.
	List(ctx context.Context, q Query) (Page, error)
	// Apply makes the operations atomically if all conditions hold. When it returns, the commit is on the
	// disks of a majority. No two operations change the same key. Without operations it compares the
	// conditions. The operations may be changed after it has returned.
	Apply(ctx context.Context, conditions []Condition, ops ...Op) (Result, error)
	// Watch calls f with each commit after a revision that has changed a key with the prefix, in order, without gaps or
	// repetitions, until the context ends or f returns an error, and returns that error. Without a majority it waits. A
	// revision that does not exist yet is waited for. It returns ErrCompacted if commits after the revision were
	// compacted: the caller reads a List and watches after its revision. f is called by one goroutine, and may use
	// the engine.
	Watch(ctx context.Context, prefix string, after Revision, f func(Commit) error) error
	// Grant returns a lease that ends a time after its last renewal, of at least 1 s, rounded up to whole seconds.
	Grant(ctx context.Context, lifetime time.Duration) (Lease, error)
	// Revoke ends a lease of any member: the entries that are bound to it are deleted. Its holder learns of that later, if
	// it lives. A lease that has ended already is no error.
	Revoke(ctx context.Context, id LeaseID) error
	// Compact forgets the states of the map before a revision, for List and Watch: both still work from that
	// revision on. A revision that does not exist yet is ErrInvalid.
	Compact(ctx context.Context, before Revision) error
	// Status returns the status as the member knows it. It works without a majority.
	Status(ctx context.Context) (Status, error)
	// Close ends the member's work. Calls that have not returned return ErrClosed.
	Close() error
}
