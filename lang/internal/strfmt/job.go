package strfmt

// This file defines a prepared formatting job: it matches directives with arguments, bounds the
// output, and writes strings.

import (
	"strconv"
	"unicode/utf8"
)

// Job is a format string with its arguments, checked and ready to be written.
type Job struct {
	pieces []piece
	output int64
	work   int64
}

// piece is a directive with its value: a string (conv 's') or a number.
type piece struct {
	directive
	arg *Arg
	pad int // spaces before or after a string
}

// pieceBytes is the size of a piece in memory.
const pieceBytes = directiveBytes + 16

// Prepare parses the format, checks it against the arguments and gets the strings of the arguments.
// The error is an *Error, or one that an argument's Str returned. Prepare allocates at most
// ParseBytes(format, len(args)), and one copy of each string that %S converts to upper case. It
// calls work as it goes, with the work done since the last call in units of about 10 nanoseconds.
func Prepare(format string, args []Arg, work func(n int64)) (*Job, error) {
	directives, err := parse(format, work)
	if err != nil {
		return nil, err
	}
	job := &Job{pieces: make([]piece, 0, len(directives))}
	last, next := -1, 0
	for i := range directives {
		d := &directives[i]
		p := piece{directive: *d}
		if d.conv != 0 && d.index != indexNone {
			switch d.index {
			case indexNext:
				last = next
				next++
			case indexPrevious:
			default:
				last = int(d.index) - 1
			}
			if last < 0 || last >= len(args) {
				return nil, fail("MissingFormatArgumentException", "Format specifier '"+d.String()+"'")
			}
			p.arg = &args[last]
		}
		work(4)
		if err := p.resolve(work); err != nil {
			return nil, err
		}
		output, temp := p.bounds(work)
		job.pieces = append(job.pieces, p)
		job.output += output
		job.work += temp
	}
	return job, nil
}

// resolve checks that the conversion accepts the argument. It converts every argument that is not a
// number to a string.
func (p *piece) resolve(work func(n int64)) error {
	var text string
	var err error
	switch p.conv {
	case 0:
		return nil
	case 'n':
		text = "\n"
	case '%':
		text = "%"
	case 's':
		if p.flags&flagAlt != 0 {
			return p.mismatch(flagAlt)
		}
		text, err = p.arg.text()
	case 'b':
		text = strconv.FormatBool(p.arg.Kind != Nil && (p.arg.Kind != Bool || p.arg.Bool))
	case 'h':
		text = "null"
		if p.arg.Kind != Nil {
			if p.arg.Hash == nil {
				return fail("NotSupported", "%h of "+p.arg.class()+" is not supported")
			}
			text = strconv.FormatUint(uint64(uint32(p.arg.Hash())), 16)
		}
	case 'c':
		text, err = p.character()
	default:
		if p.arg.Kind != Nil {
			return p.checkNumber()
		}
		text = "null"
	}
	p.setText(text, work)
	return err
}

// setText makes the piece a string, truncated to the precision.
func (p *piece) setText(text string, work func(n int64)) {
	if p.precision >= 0 && int(p.precision) < len(text) {
		text = firstRunes(text, int(p.precision), work)
	}
	if p.flags&flagUpper != 0 {
		text = upper(text, work)
	}
	p.conv, p.text, p.arg = 's', text, nil
}

func firstRunes(s string, n int, work func(n int64)) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		if n--; n&1023 == 0 {
			work(128)
		}
	}
	return s
}

// text returns the string that %s prints for an argument.
func (a *Arg) text() (string, error) {
	switch {
	case a.Kind == Nil:
		return "null", nil
	case a.Str != nil:
		return a.Str()
	case a.Kind == Bool:
		return strconv.FormatBool(a.Bool), nil
	case a.Kind == Int || a.Kind == Int32:
		return strconv.FormatInt(a.Int, 10), nil
	case a.Kind == Char:
		return string(rune(a.Int)), nil
	}
	return "", nil
}

func (p *piece) character() (string, error) {
	switch p.arg.Kind {
	case Nil:
		return "null", nil
	case Char:
		return string(rune(p.arg.Int)), nil
	case Int32:
		if n := p.arg.Int; n < 0 || n > utf8.MaxRune {
			return "", fail("IllegalFormatCodePointException", "Code point = 0x"+strconv.FormatUint(uint64(uint32(n)), 16))
		}
		return string(rune(p.arg.Int)), nil
	}
	return "", p.wrongKind()
}

func (p *piece) checkNumber() error {
	k := p.arg.Kind
	switch p.conv {
	case 'd', 'o', 'x':
		if k != Int && k != Int32 && k != BigInt {
			return p.wrongKind()
		}
		if p.conv != 'd' && k != BigInt {
			return p.badFlags("( +")
		}
	default:
		if k != Float && k != Decimal {
			return p.wrongKind()
		}
	}
	return nil
}

func (p *piece) wrongKind() error {
	return fail("IllegalFormatConversionException", string(p.conv)+" != "+p.arg.class())
}

// OutputBytes bounds the number of bytes that Append adds.
func (j *Job) OutputBytes() int64 { return j.output }

// WorkBytes bounds the temporary memory that Append allocates, in bytes, if dst has room for the
// output.
func (j *Job) WorkBytes() int64 { return j.work }

// bounds returns upper bounds of the output and of the temporary memory, in bytes.
func (p *piece) bounds(work func(n int64)) (output, temporary int64) {
	switch p.conv {
	case 0:
		return int64(len(p.text)), 0
	case 's':
		if p.width > 0 {
			p.pad = max(0, int(p.width)-runeCount(p.text, work))
		}
		return int64(len(p.text) + p.pad), 0
	}
	n, temporary := p.numberBounds()
	return max(n, int64(p.width)), temporary
}

// Append writes the output to dst. It allocates at most WorkBytes() plus the capacity that dst
// lacks. It calls look between blocks of long strings.
func (j *Job) Append(dst []byte, look func()) []byte {
	for i := range j.pieces {
		p := &j.pieces[i]
		switch p.conv {
		case 0:
			dst = appendText(dst, p.text, look)
		case 's':
			start := len(dst)
			dst = appendText(dst, p.text, look)
			dst = p.justify(dst, start, p.pad)
		default:
			start := len(dst)
			dst = p.appendNumber(dst)
			dst = p.justify(dst, start, int(p.width)-(len(dst)-start))
		}
	}
	return dst
}

// String is Append to an empty buffer.
func (j *Job) String() string {
	return string(j.Append(make([]byte, 0, j.output), func() {}))
}

// justify puts pad spaces before or after dst[start:].
func (p *piece) justify(dst []byte, start, pad int) []byte {
	if pad <= 0 {
		return dst
	}
	if p.flags&flagLeft != 0 {
		return appendRepeat(dst, ' ', pad)
	}
	return insertRepeat(dst, start, ' ', pad)
}

func appendRepeat(dst []byte, c byte, n int) []byte {
	for range n {
		dst = append(dst, c)
	}
	return dst
}

// insertRepeat inserts n copies of c before dst[at:].
func insertRepeat(dst []byte, at int, c byte, n int) []byte {
	if n <= 0 {
		return dst
	}
	end := len(dst)
	dst = appendRepeat(dst, c, n)
	copy(dst[at+n:], dst[at:end])
	for i := at; i < at+n; i++ {
		dst[i] = c
	}
	return dst
}
