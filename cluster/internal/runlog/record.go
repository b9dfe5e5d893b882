// This file defines the bytes of a record, and how a chain is checked.

package runlog

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/runtime/dist"
)

// digest is the beginning of a SHA-256.
type digest [16]byte

func (d digest) String() string { return hex.EncodeToString(d[:]) }

// formatVersion is the first byte of a record.
const formatVersion = 1

// The flags of a record.
const (
	sealed = 1 << iota // the data is encrypted
	blob               // the data is the name of a blob
)

// record is the value of a key.
type record struct {
	flags  byte
	writer string
	n      uint64 // from 1
	index  int    // in the commit
	before digest // of the writer's record before
	data   []byte
}

func (r *record) encode() []byte {
	b := make([]byte, 0, len(r.data)+len(r.writer)+40)
	b = append(b, formatVersion, r.flags)
	b = binary.AppendUvarint(b, uint64(len(r.writer)))
	b = append(b, r.writer...)
	b = binary.AppendUvarint(b, r.n)
	b = binary.AppendUvarint(b, uint64(r.index))
	b = append(b, r.before[:]...)
	return append(b, r.data...)
}

// sum returns the digest of a record.
func sum(id string, value []byte) (d digest) {
	h := sha256.New()
	fmt.Fprintf(h, "%d:%s", len(id), id)
	h.Write(value)
	copy(d[:], h.Sum(nil))
	return d
}

// decode returns the record of a value. It shares the bytes.
func decode(value []byte) (r record, err error) {
	if len(value) < 2 || value[0] != formatVersion {
		return r, fmt.Errorf("its format is not version %d", formatVersion)
	}
	r.flags = value[1]
	rest := value[2:]
	number := func() uint64 {
		n, size := binary.Uvarint(rest)
		if size <= 0 {
			err = fmt.Errorf("its head is cut")
			return 0
		}
		rest = rest[size:]
		return n
	}
	length := number()
	if err != nil || length > uint64(len(rest)) {
		return r, fmt.Errorf("its head is cut")
	}
	r.writer, rest = string(rest[:length]), rest[length:]
	r.n = number()
	index := number()
	if err != nil || index >= engine.MaxOps || len(rest) < len(r.before) {
		return r, fmt.Errorf("its head is cut")
	}
	r.index = int(index)
	copy(r.before[:], rest)
	r.data = rest[len(r.before):]
	return r, nil
}

// Damaged is the error of a log with a record that is missing, came twice, has moved or was changed.
type Damaged struct {
	Run      string
	ID       string // of the record where it was noticed
	Position Position
	Writer   string
	Reason   string // the found state, and the expected one
}

func (d *Damaged) Error() string {
	return fmt.Sprintf("runlog: the log of run %s is damaged at record %.200q of writer %.100q, position %d: %s",
		d.Run, d.ID, d.Writer, d.Position, d.Reason)
}

// Unwrap returns dist.ErrBroken.
func (d *Damaged) Unwrap() error { return dist.ErrBroken }

// chains are the ends of the chains of all writers up to a position.
type chains map[string]link

type link struct {
	n        uint64
	hash     digest
	position Position
}

// take checks the next record of the log, in order, and returns it.
func (c chains) take(run, id string, at Position, value []byte) (record, error) {
	r, err := decode(value)
	bad := &Damaged{Run: run, ID: id, Position: at, Writer: r.writer}
	if err != nil {
		bad.Reason = err.Error()
		return r, bad
	}
	last := c[r.writer]
	switch {
	case Position(r.index) != at%perCommit:
		bad.Reason = fmt.Sprintf("its index in the commit is %d, want %d", r.index, at%perCommit)
	case r.n <= last.n:
		bad.Reason = fmt.Sprintf("it has number %d, and number %d came before, at position %d: a record came twice, or has "+
			"moved", r.n, last.n, last.position)
	case r.n != last.n+1:
		bad.Reason = fmt.Sprintf("it has number %d, want %d, which follows the one at position %d: %d records are missing",
			r.n, last.n+1, last.position, r.n-last.n-1)
	case r.before != last.hash:
		bad.Reason = fmt.Sprintf("it follows a record with the hash %v, and the one before, at position %d, has %v: a "+
			"record was changed", r.before, last.position, last.hash)
	default:
		c[r.writer] = link{r.n, sum(id, value), at}
		return r, nil
	}
	return r, bad
}

// Index returns the index that a value has in its commit, and 0 for one that is no record: a copy of a log keeps the
// order of the records.
func Index(value []byte) int {
	r, err := decode(value)
	if err != nil {
		return 0
	}
	return r.index
}

// Sealed returns the encrypted data of a value, or the name of the blob that has it; neither if it is not encrypted.
func Sealed(value []byte) (data []byte, ref string) {
	r, err := decode(value)
	switch {
	case err != nil || r.flags&sealed == 0:
		return nil, ""
	case r.flags&blob != 0:
		return nil, string(r.data)
	}
	return r.data, ""
}
