// Package store defines where a service keeps its runs, their journals, and documents such as programs and
// schedules.
//
//   - Run: a run, as the store keeps it and as the API of the service shows it. Its parts are Submission and
//     Result; its state is a State.
//   - Store: the methods of an implementation. Package store/dir keeps everything in a directory. Package
//     store/storetest tests an implementation.
//   - Query, Page: lists of runs. Retention: how long runs are kept.
//   - Document: a named body with versions.
//   - Error: the errors, by code.
//
// The package links nothing but the vocabulary of effects and their journal, so a client of the service can import it.
package store

import (
	"context"
	"time"

	"github.com/ptc-lang/ptc/runtime/journal"
)

// Store keeps runs and documents. It is safe for concurrent use. After an error that is not an *Error,
// such as that of a full disk, the outcome of a change is unknown: Get returns the actual state.
//
// Runs that a method returns are the caller's own, except the bytes of their JSON, which must not be changed.
type Store interface {
	// Create keeps a new run and returns its kept form. It is durable when Create returns. The store sets ID,
	// Created, Updated and Revision, and Digest if it is empty. The state must be Queued or Running, and there must
	// be a tenant.
	//
	// If the run has a key, and a run of the tenant with this key is kept, Create keeps nothing and returns that run;
	// created is false. If the Digest of that run is another one, the error is ErrKeyReused.
	Create(ctx context.Context, run Run) (kept Run, created bool, err error)

	// Get returns a run. The error is ErrNotFound, or ErrDamaged if it is there and can't be read.
	Get(ctx context.Context, id string) (Run, error)

	// Update changes a run and returns its kept form. The change is durable when Update returns, and nobody sees
	// it before. The changes of one run happen one after the other. The function gets the whole run, and may be
	// called again if others have changed the run in the meantime; it must not call the store. If it returns an
	// error, Update returns that error and changes nothing.
	//
	// The error is ErrTransition if the state cannot follow the previous one, ErrEnded if the run was final,
	// and ErrInvalid for a change of a field that stays: the identity of the run, its submission and its times.
	Update(ctx context.Context, id string, change func(*Run) error) (Run, error)

	// List returns a page of runs, each as Brief returns it. The error is ErrInvalid for a query that makes no sense.
	List(ctx context.Context, q Query) (Page, error)

	// Count returns the number of runs in each state, of one tenant or, if tenant is "", of all. States without
	// runs may be absent.
	Count(ctx context.Context, tenant string) (map[State]int, error)

	// Journal returns the place of the journal of a run. The performer of the run begins or resumes the
	// journal there. It is kept and deleted with the run.
	Journal(ctx context.Context, id string) (journal.Place, error)

	// Delete deletes a run that is final or damaged, with its journal. The error of others is ErrNotEnded.
	Delete(ctx context.Context, id string) error

	// Expire deletes the final runs that exceed a bound of the retention, in the order in which they ended,
	// and returns their number, which is too high if the answer to a deletion was lost. Runs that are not
	// final are neither deleted nor counted. If it fails, some may be deleted.
	Expire(ctx context.Context, r Retention, now time.Time) (deleted int, err error)

	// Damaged returns the runs that can't be read. No list has them, and no retention deletes them.
	Damaged(ctx context.Context) ([]Damage, error)

	// Put keeps a new version of a document and returns it with Version and Created set. It is durable when Put
	// returns. A Version that is not 0 must be the next one, which is one above the latest; otherwise the error
	// is ErrConflict. Versions begin at 1, and are not used again after Remove.
	Put(ctx context.Context, doc Document) (Document, error)

	// Document returns a version of a document, the latest if version is 0. The error is ErrNotFound for a version
	// that was removed, or is no longer kept; see Kind.Keep.
	Document(ctx context.Context, kind Kind, name string, version int) (Document, error)

	// Documents returns the latest version of each document of a kind, ordered by name: those whose names follow
	// after, at most limit. A limit of 0 is DefaultLimit.
	Documents(ctx context.Context, kind Kind, after string, limit int) ([]Document, error)

	// Versions returns the versions of a document that are kept, the latest first, without their bodies.
	Versions(ctx context.Context, kind Kind, name string) ([]Document, error)

	// Remove removes all versions of a document. Its next version gets the next number.
	Remove(ctx context.Context, kind Kind, name string) error

	// Close waits for the calls under way. Later calls return ErrClosed.
	Close() error
}

// DefaultLimit and MaxLimit are the number of runs of a page, if the query has none, and the most that it may ask for.
const (
	DefaultLimit = 100
	MaxLimit     = 1000
)

// Query selects runs for a list. A run is in it if it meets every field that is set. The zero Query selects all.
type Query struct {
	States []State // one of these
	// Program is a name, or the name and version of a program: "deploy" selects all versions of "deploy@3".
	Program string
	Labels  map[string]string // all of these
	Tenant  string
	// Since and Until bound Created, which is in whole milliseconds. A run of Since is in the list, one of Until
	// is not.
	Since, Until time.Time
	// Oldest lists the oldest run first. The default is the newest first.
	Oldest bool
	// After is Page.Next of the page before.
	After string
	Limit int // runs of the page, at most MaxLimit; 0 is DefaultLimit
}

// Page is a part of a list. The following pages have the runs that are older, or newer with Query.Oldest.
// Runs that are created between two pages do not move others to another page. A run whose state changes in
// between is in the list if the query selects it when its page is made.
type Page struct {
	Runs []Run  `json:"runs"`
	Next string `json:"next,omitempty"` // "" if this page is the last one
}

// Retention bounds the final runs that are kept. A field of 0 is no bound.
type Retention struct {
	Age   time.Duration // since the run ended
	Count int
	Bytes int64 // of the runs with their journals; a single run that is larger is deleted too
}

// Damage is a run that can't be read.
type Damage struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}
