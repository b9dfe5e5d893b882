// This file defines the log of a run.

package dist

import (
	"context"
	"errors"
)

// Position is the place of a record in its log. Positions grow in the order of the records; gaps are normal. 0 is
// before the first.
type Position int64

// Item is a record on its way into a log.
type Item struct {
	ID   string // unique in the log: an item that is appended again, with the same batch, is not added
	Data []byte
}

// MaxBatch is the most items of an Append.
const MaxBatch = 100

// ErrBroken is in the errors of a log that can't be read or written any more: it is damaged, or was deleted.
var ErrBroken = errors.New("the log can no longer be used")

// Log is an ordered list of records that all nodes of a run share. It is safe for concurrent use.
type Log interface {
	// Append adds items in their order, all or none, and returns their positions when they are durable. After an error
	// they may have been added or not: unless it is ErrBroken, the caller appends the same batch again. Items whose ids
	// are in the log keep their positions.
	Append(ctx context.Context, batch []Item) ([]Position, error)
	// Follow calls f with each record after a position, in order and without gaps, and waits for further ones. It
	// returns the error of f, that of the context, or ErrBroken. A record may be delivered again, after a lost
	// connection: f ignores positions that it has seen.
	Follow(ctx context.Context, after Position, f func(Position, []byte) error) error
}
