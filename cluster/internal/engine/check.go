// This file defines the rules of a commit.

package engine

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Check returns an error if a commit breaks the rules: ErrTooLarge if it is over a limit, ErrInvalid if a key is empty
// or is changed twice. Implementations call it in Apply.
func Check(conditions []Condition, ops []Op) error {
	if len(conditions) > MaxOps || len(ops) > MaxOps {
		return fmt.Errorf("%w: it has %d conditions and %d operations, want at most %d of each",
			ErrTooLarge, len(conditions), len(ops), MaxOps)
	}
	for _, c := range conditions {
		if c.Key == "" {
			return fmt.Errorf("%w: the key of a condition is empty", ErrInvalid)
		}
	}
	size := 0
	for _, op := range ops {
		if err := op.check(); err != nil {
			return err
		}
		size += len(op.Key) + len(op.Value)
	}
	if size > MaxBytes {
		return fmt.Errorf("%w: its keys and values have %d bytes, want at most %d; keep large values in files",
			ErrTooLarge, size, MaxBytes)
	}
	return disjoint(ops)
}

func (op Op) check() error {
	switch {
	case op.Key == "" && !op.Prefix:
		return fmt.Errorf("%w: the key of an operation is empty", ErrInvalid)
	case op.Prefix && !op.Delete:
		return fmt.Errorf("%w: the operation on %q puts a prefix; only a delete may have one", ErrInvalid, op.Key)
	case op.Delete && (len(op.Value) > 0 || op.Lease != 0):
		return fmt.Errorf("%w: the operation deletes %q and has a value or a lease", ErrInvalid, op.Key)
	}
	return nil
}

// disjoint returns an error if two operations change the same key. In sorted order the keys that begin with
// a prefix follow it, so it is enough to compare each key with the last prefix.
func disjoint(ops []Op) error {
	if len(ops) < 2 {
		return nil
	}
	sorted := slices.SortedFunc(slices.Values(ops), func(a, b Op) int { return strings.Compare(a.Key, b.Key) })
	var prefix *Op
	for i := range sorted {
		op := &sorted[i]
		twice := i > 0 && sorted[i-1].Key == op.Key || prefix != nil && strings.HasPrefix(op.Key, prefix.Key)
		if twice {
			return fmt.Errorf("%w: two operations change the key %q", ErrInvalid, op.Key)
		}
		if op.Prefix {
			prefix = op
		}
	}
	return nil
}

// CheckLifetime returns the lifetime of a lease in whole seconds, rounded up, or ErrInvalid if it is less than 1 s.
func CheckLifetime(lifetime time.Duration) (time.Duration, error) {
	if lifetime < time.Second {
		return 0, fmt.Errorf("%w: the lease has a lifetime of %v, want at least 1s", ErrInvalid, lifetime)
	}
	return (lifetime + time.Second - 1).Truncate(time.Second), nil
}
