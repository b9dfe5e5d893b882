// This file defines the format of encoded values: its version, its tags and its errors. An encoded
// value is canonical. Equal data of the same kinds and order has one encoding, and no other bytes
// are accepted. spec/codec.md describes the format.

package value

import (
	"fmt"
	"strings"

	"github.com/ptc-lang/ptc/lang/token"
)

// CodecVersion is the first byte of every encoded value. A change of the format changes it.
const CodecVersion = 1

// CodecLimit is the maximum number of bytes of an encoded value, unless an Encoder has another.
const CodecLimit = 1 << 20

// maxCodecDepth bounds the nesting of encoded values. Hash and Equal of a deeper value would throw.
const maxCodecDepth = maxWalk - 1

// codecTag begins an encoded value and determines its form. The numbers are part of the format.
type codecTag byte

const (
	tagNil        codecTag = 0x00
	tagFalse      codecTag = 0x01
	tagTrue       codecTag = 0x02
	tagInt        codecTag = 0x03
	tagFloat      codecTag = 0x04
	tagChar       codecTag = 0x05
	tagBigInt     codecTag = 0x06
	tagBigInteger codecTag = 0x07 // Java's class
	tagRatio      codecTag = 0x08
	tagDecimal    codecTag = 0x09
	tagString     codecTag = 0x0a
	tagKeyword    codecTag = 0x0b
	tagSymbol     codecTag = 0x0c
	tagUUID       codecTag = 0x0d
	tagInst       codecTag = 0x0e
	tagRegex      codecTag = 0x0f
	tagList       codecTag = 0x10 // a counted list without metadata after its first cell
	tagSeq        codecTag = 0x11 // cells of several kinds; see the segments
	tagRange      codecTag = 0x12
	tagVecSeq     codecTag = 0x13
	tagVecRSeq    codecTag = 0x14
	tagStrSeq     codecTag = 0x15
	tagMapSeq     codecTag = 0x16
	tagVector     codecTag = 0x17
	tagSubvec     codecTag = 0x18 // a vector whose first block of 32 values is not complete
	tagEntry      codecTag = 0x19
	tagArrayMap   codecTag = 0x1a
	tagShape      codecTag = 0x1b // an array map of up to 8 keywords
	tagHashMap    codecTag = 0x1c
	tagSortedMap  codecTag = 0x1d
	tagHashSet    codecTag = 0x1e
	tagSortedSet  codecTag = 0x1f
	tagRecord     codecTag = 0x20
	tagQueue      codecTag = 0x21
	tagTagged     codecTag = 0x22
	tagReduced    codecTag = 0x23
	tagException  codecTag = 0x24
	tagSame       codecTag = 0x25 // an earlier value that is equal to itself only
	tagMeta       codecTag = 0x26 // metadata of the value that follows
)

// The segments of a tagSeq.
const (
	segEnd   byte = iota // the sequence ends
	segList              // a count, and the elements of so many cells of a counted list
	segCons              // an element
	segChunk             // a count, and the elements of a chunk
	segLazy              // a lazy sequence that is computed, around the rest
	segMeta              // metadata of the cell that follows
	segRest              // another sequence or collection as the rest, which ends it
)

// sameKinds are the kinds that are encoded and that are equal to themselves only. A second
// occurrence is encoded as tagSame.
var sameKinds = Kinds(KindRegex, KindReduced, KindException)

// CodecNames finds the objects that encoded values refer to by name. Both functions may be nil. Then records
// are refused, and exceptions lose their positions.
type CodecNames struct {
	// Record returns the record type with a name such as "user.Point", or nil.
	Record func(name string) *RecordType
	// File returns the source file with a name, or nil.
	File func(name string) *token.File
}

func (n *CodecNames) record(name string) *RecordType {
	if n.Record == nil {
		return nil
	}
	return n.Record(name)
}

func (n *CodecNames) file(name string) *token.File {
	if n.File == nil {
		return nil
	}
	return n.File(name)
}

// Refused is the error for a value that has no encoding.
type Refused struct {
	// Kind names the part that is refused: "function", "lazy sequence that is not computed".
	Kind string
	// Limit is the exceeded number of bytes, if the value is too large.
	Limit int
	path  []string // from the part outwards
}

// Path returns the way from the whole value to the refused part: the keys and indices of the
// collections, separated by spaces.
func (r *Refused) Path() string {
	steps := make([]string, len(r.path))
	for i, step := range r.path {
		steps[len(steps)-1-i] = step
	}
	return strings.Join(steps, " ")
}

// Error implements error.
func (r *Refused) Error() string {
	where := ""
	if len(r.path) > 0 {
		where = " at [" + r.Path() + "]"
	}
	if r.Limit > 0 {
		return fmt.Sprintf("value too large to encode: want at most %d bytes, exceeded%s; return less data", r.Limit, where)
	}
	return fmt.Sprintf("value cannot be encoded: got a %s%s, want plain data", r.Kind, where)
}

// in adds the step from a collection to its part.
func (r *Refused) in(step string) *Refused {
	if len(r.path) < maxPath {
		r.path = append(r.path, step)
	}
	return r
}

// maxPath bounds the steps of a path in a message.
const maxPath = 50

// Malformed is the error for bytes that are not an encoded value.
type Malformed struct {
	Offset int // of the byte after the fault was noticed
	Reason string
}

// Error implements error.
func (m *Malformed) Error() string {
	return fmt.Sprintf("bytes are not an encoded value: byte %d: %s", m.Offset, m.Reason)
}
