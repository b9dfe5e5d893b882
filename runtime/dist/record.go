// This file defines the records of a log and their bytes.

package dist

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
)

// Kind is the kind of a record. Its numbers are part of the format.
type Kind uint8

// The kinds.
const (
	Begun   Kind = iota + 1 // the first record: the header of the run, and the platform that its replicas need
	Lead                    // the node joins, and leads the run if it wants to and nobody does
	Dead                    // the node is declared dead: nothing that it appends from here on counts
	Open                    // the owner of an evaluation has come to an operation whose elements are shared
	Claim                   // the node wants a unit of elements
	Release                 // the node returns a unit
	Begin                   // an effect begins
	End                     // an effect has ended, or was skipped, withdrawn, announced or suspended
	Values                  // the outcomes of elements
	Settle                  // an effect that is pending, or in doubt, is decided
	Close                   // an operation is over: the elements above Last are not needed, all if it is -1
	Secret                  // the run has met a secret, which all nodes hide from now on
	Final                   // the run has ended
	Halt                    // the run was stopped, and may be continued by other nodes
)

var kindNames = [...]string{Begun: "begun", Lead: "lead", Dead: "dead", Open: "open", Claim: "claim",
	Release: "release", Begin: "begin", End: "end", Values: "values", Settle: "settle", Close: "close",
	Secret: "secret", Final: "final", Halt: "halt"}

// String returns the name of the kind.
func (k Kind) String() string {
	if int(k) < len(kindNames) && kindNames[k] != "" {
		return kindNames[k]
	}
	return fmt.Sprintf("unknown(%d)", uint8(k))
}

// Record is an entry of the log. Its kind decides which fields it has.
type Record struct {
	Kind Kind
	Node string // the incarnation that has appended it; in Dead, the dead one
	// Number counts the records of the incarnation, from 1; 0 if a tool has appended it.
	Number int
	ID     string // of the effect, or the path of the operation
	Line   []byte // of effects and of Final: one or more records of a journal, joined by newlines
	// Elements, Size, Effects and Shape describe an operation: Size is the number of elements of a unit. In
	// Begun, Elements is the minimum number of elements of a shared operation, and Size the maximum of a unit.
	Elements, Size, Effects int
	Shape                   uint64
	Unit                    int
	Last                    int
	Session                 int  // of Lead: the number of times that the run was halted before the node joined
	Follow                  bool // of Lead: the node does not want to lead
	Gone                    bool // of Dead: the process has ended, so no call of it is under way
	Alone                   bool // of Halt: it does not count while other nodes hold units
	Computing               bool // of Begun: as in Policy
	Values                  []ElementValue
	Text                    string // the platform, also of Lead if the node wants to lead; the error of a Halt, as JSON

	parsed []journal.Record // of Line, see State.parse
}

// ElementValue is the outcome of one element.
type ElementValue struct {
	Index int
	effect.Given
}

// formatVersion is the first byte of a record.
const formatVersion = 1

// Encode returns the bytes of a record.
func (r *Record) Encode() []byte {
	w := writer(append(make([]byte, 0, 32+len(r.Node)+len(r.ID)+len(r.Line)+len(r.Text)), formatVersion, byte(r.Kind)))
	w.text(r.Node)
	w.number(r.Number)
	switch r.Kind {
	case Begun:
		w.text(r.Text)
		w.number(r.Elements)
		w.number(r.Size)
		w.flag(r.Computing)
		w.bytes(r.Line)
	case Lead:
		w.number(r.Session)
		w.flag(r.Follow)
		w.text(r.Text)
	case Dead:
		w.flag(r.Gone)
	case Open:
		w.text(r.ID)
		w.number(r.Elements)
		w.number(r.Size)
		w.number(r.Effects)
		w = binary.BigEndian.AppendUint64(w, r.Shape)
	case Claim, Release:
		w.text(r.ID)
		w.number(r.Unit)
	case Begin, End, Settle:
		w.text(r.ID)
		w.bytes(r.Line)
	case Values:
		w.text(r.ID)
		w.number(len(r.Values))
		for i := range r.Values {
			w.value(&r.Values[i])
		}
	case Close:
		w.text(r.ID)
		w.number(r.Last + 1)
	case Secret, Final:
		w.bytes(r.Line)
	case Halt:
		w.text(r.Text)
		w.flag(r.Alone)
	}
	return w
}

type writer []byte

func (w *writer) number(n int)   { *w = binary.AppendUvarint(*w, uint64(n)) }
func (w *writer) text(s string)  { w.number(len(s)); *w = append(*w, s...) }
func (w *writer) bytes(b []byte) { w.number(len(b)); *w = append(*w, b...) }
func (w *writer) flag(yes bool)  { *w = append(*w, flagByte(yes)) }
func (w *writer) count(n int64)  { *w = binary.AppendUvarint(*w, uint64(max(n, 0))) }
func flagByte(yes bool) (b uint8) {
	if yes {
		b = 1
	}
	return b
}

func (w *writer) value(v *ElementValue) {
	w.number(v.Index)
	w.flag(v.Plain)
	w.count(v.Steps)
	w.count(v.Calls)
	if !v.Plain {
		return
	}
	w.bytes(v.Value)
	w.text(v.Prints)
	w.number(len(v.Marks))
	for _, m := range v.Marks {
		w.number(m.From)
		w.text(m.Path)
	}
	w.number(v.Dropped)
}

var errFormat = errors.New("dist: the bytes are not those of a record")

// Decode returns the record of bytes that Encode has returned. The record shares them.
func Decode(data []byte) (*Record, error) {
	if len(data) < 2 || data[0] != formatVersion {
		return nil, fmt.Errorf("%w of version %d", errFormat, formatVersion)
	}
	in := reader{data: data[2:]}
	r := &Record{Kind: Kind(data[1]), Node: in.text(), Number: in.number()}
	switch r.Kind {
	case Begun:
		r.Text, r.Elements, r.Size, r.Computing, r.Line = in.text(), in.number(), in.number(), in.flag(), in.bytes()
	case Lead:
		r.Session, r.Follow, r.Text = in.number(), in.flag(), in.text()
	case Dead:
		r.Gone = in.flag()
	case Open:
		r.ID, r.Elements, r.Size, r.Effects = in.text(), in.number(), in.number(), in.number()
		if b := in.take(8); b != nil {
			r.Shape = binary.BigEndian.Uint64(b)
		}
	case Claim, Release:
		r.ID, r.Unit = in.text(), in.number()
	case Begin, End, Settle:
		r.ID, r.Line = in.text(), in.bytes()
	case Values:
		r.ID = in.text()
		n := in.number()
		for range n {
			if in.bad {
				break
			}
			r.Values = append(r.Values, in.value())
		}
	case Close:
		r.ID, r.Last = in.text(), in.number()-1
	case Secret, Final:
		r.Line = in.bytes()
	case Halt:
		r.Text, r.Alone = in.text(), in.flag()
	default:
		return nil, fmt.Errorf("%w: its kind is %d", errFormat, data[1])
	}
	if in.bad || len(in.data) > 0 {
		return nil, fmt.Errorf("%w: a %s record is cut, or has more bytes", errFormat, r.Kind)
	}
	return r, nil
}

// reader reads the parts of a record. After a mistake bad is set, and parts are empty.
type reader struct {
	data []byte
	bad  bool
}

func (in *reader) take(n int) []byte {
	if in.bad || n > len(in.data) {
		in.bad = true
		return nil
	}
	b := in.data[:n:n]
	in.data = in.data[n:]
	return b
}

func (in *reader) count() int64 {
	n, size := binary.Uvarint(in.data)
	if in.bad || size <= 0 || n > math.MaxInt64 {
		in.bad = true
		return 0
	}
	in.data = in.data[size:]
	return int64(n)
}

func (in *reader) number() int {
	n := in.count()
	if n > math.MaxInt32 {
		in.bad = true
		return 0
	}
	return int(n)
}

func (in *reader) bytes() []byte { return in.take(in.number()) }
func (in *reader) text() string  { return string(in.bytes()) }
func (in *reader) flag() bool {
	b := in.take(1)
	return b != nil && b[0] == 1
}

func (in *reader) value() (v ElementValue) {
	v.Index, v.Plain, v.Steps, v.Calls = in.number(), in.flag(), in.count(), in.count()
	if !v.Plain {
		return v
	}
	v.Value, v.Prints = in.bytes(), in.text()
	for range in.number() {
		if in.bad {
			break
		}
		v.Marks = append(v.Marks, effect.PrintMark{From: in.number(), Path: in.text()})
	}
	v.Dropped = in.number()
	return v
}
