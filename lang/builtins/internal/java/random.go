// This file defines java.util.Random, with Java's sequence of numbers, and Scanner.

package java

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/lang/builtins/internal/strs"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/num"
	"github.com/ptc-lang/ptc/lang/value"
)

// Random is a generator of numbers. The slots are the state, of 48 bits, and the next number of nextGaussian, or nil.
var Random = &value.JavaClass{Name: "java.util.Random"}

const (
	multiplier = 0x5DEECE66D
	randomMask = 1<<48 - 1
)

// stream draws numbers from a Random. The state is stored when all are drawn.
type stream struct{ state int64 }

func (s *stream) next(bits uint) int32 {
	s.state = (s.state*multiplier + 0xB) & randomMask
	return int32(s.state >> (48 - bits))
}

func (s *stream) long() int64 { return int64(s.next(32))<<32 + int64(s.next(32)) }

// bounded returns a number from 0 below n, as nextInt does.
func (s *stream) bounded(n int32) int32 {
	r := s.next(31)
	m := n - 1
	if n&m == 0 {
		return int32((int64(n) * int64(r)) >> 31)
	}
	for u := r; ; u = s.next(31) {
		if r = u % n; u-r+m >= 0 {
			return r
		}
	}
}

// gaussian is nextGaussian, which computes two numbers at a time.
func gaussian(t *value.Task, a []value.Value) value.Value {
	t.Owns(a[0], "Random")
	slots := a[0].AsJava().Vals
	if next := slots[1]; !next.IsNil() {
		slots[1] = value.Nil
		return next
	}
	r := &stream{slots[0].AsInt()}
	for {
		x, y := 2*r.double()-1, 2*r.double()-1
		if s := x*x + y*y; s < 1 && s != 0 {
			by := math.Sqrt(-2 * strictLog(s) / s)
			slots[0], slots[1] = value.Int(r.state), value.Float(y*by)
			return value.Float(x * by)
		}
	}
}

// strictLog is StrictMath.log of a normal number from 0 to 1: the logarithm of fdlibm, which is not rounded correctly.
// The products are converted, so that no processor fuses them with the sums.
func strictLog(x float64) float64 {
	bits := math.Float64bits(x)
	high := int64(bits >> 32)
	n := float64(high>>20 - 1023)
	high &= 0xfffff
	up := (high + 0x95f64) & 0x100000 // whether the rest is above the square root of 2
	n += float64(up >> 20)
	f := math.Float64frombits(uint64(high|up^0x3ff00000)<<32|bits&0xffffffff) - 1
	const ln2High, ln2Low = 6.93147180369123816490e-01, 1.90821492927058770002e-10
	join := func(r float64) float64 { // n times the logarithm of 2, and f, less r
		if n == 0 {
			return f - r
		}
		return float64(n*ln2High) - ((r - float64(n*ln2Low)) - f)
	}
	if (2+high)&0xfffff < 3 {
		return join(float64(float64(f*f) * (0.5 - float64(0.33333333333333333*f))))
	}
	s := f / (2 + f)
	z := float64(s * s)
	w := float64(z * z)
	t1 := float64(w * (3.999999999940941908e-01 +
		float64(w*(2.222219843214978396e-01+float64(w*1.531383769920937332e-01)))))
	t2 := float64(z * (6.666666666666735130e-01 + float64(w*(2.857142874366239149e-01+
		float64(w*(1.818357216161805012e-01+float64(w*1.479819860511658591e-01)))))))
	r := t1 + t2
	if (high-0x6147a)|(0x6b851-high) <= 0 {
		return join(float64(s * (f - r)))
	}
	half := float64(float64(0.5*f) * f)
	if n == 0 {
		return f - (half - float64(s*(half+r)))
	}
	return float64(n*ln2High) - ((half - (float64(s*(half+r)) + float64(n*ln2Low))) - f)
}

func nextBytes(t *value.Task, a []value.Value) value.Value {
	if a[1].Kind() != value.KindArray || a[1].AsArray().Elem != value.ElemByte {
		t.FailWant("nextBytes", a[1], "an array of bytes")
	}
	t.Owns(a[0], "Random")
	t.Owns(a[1], "array")
	slots := a[0].AsJava().Vals
	r := &stream{slots[0].AsInt()}
	bytes, word := a[1].AsArray(), int32(0)
	for i := range bytes.Len() {
		if i%4 == 0 {
			t.Work(1)
			word = r.next(32)
		}
		*bytes.At(i) = value.Int(int64(int8(word)))
		word >>= 8
	}
	slots[0] = value.Int(r.state)
	return value.Nil
}

// double returns the next double, from 0 below 1.
func (s *stream) double() float64 {
	high := int64(s.next(26)) << 27
	return float64(high+int64(s.next(27))) * 0x1p-53
}

// draw makes a method of Random.
func draw(f func(t *value.Task, s *stream, a []value.Value) value.Value) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		t.Owns(a[0], "Random")
		slots := a[0].AsJava().Vals
		s := &stream{slots[0].AsInt()}
		x := f(t, s, a)
		slots[0] = value.Int(s.state)
		return x
	}
}

func newRandom(t *value.Task, a []value.Value) value.Value {
	seed := int64(0)
	if len(a) == 1 {
		seed = value.ToLong(t, a[0])
	} else {
		seed = int64(t.Host.Random())
	}
	return t.JavaOf(Random, value.Int((seed^multiplier)&randomMask), value.Nil)
}

func positive(t *value.Task, v value.Value) int32 {
	n := value.ToInt(t, v)
	if n <= 0 {
		t.Fail(diag.IllegalArgument, "bound must be positive")
	}
	return int32(n)
}

func randomMethods() []methods {
	return []methods{{[]*value.JavaClass{Random}, []method{
		{"nextInt", "| bound | from to", entry.Constant,
			"Returns the next integer of a Random, from 0 below a bound, or from " +
				"a number below another; of a Scanner, the integer that its next token is.",
			`(.nextInt (java.util.Random. 42) 100) => 30`, draw(func(t *value.Task, s *stream, a []value.Value) value.Value {
				switch len(a) {
				case 1:
					return value.Int(int64(s.next(32)))
				case 2:
					return value.Int(int64(s.bounded(positive(t, a[1]))))
				}
				from, to := value.ToInt(t, a[1]), value.ToInt(t, a[2])
				if from >= to {
					t.Fail(diag.IllegalArgument, "bound must be greater than origin")
				}
				return value.Int(between(s, int32(from), int32(to)))
			})},
		{"nextGaussian", "", entry.Constant, "Returns the next double of a Random with the normal distribution.",
			`(.nextGaussian (java.util.Random. 42)) => 1.1419053154730547`, gaussian},
		{"nextBytes", "bytes", entry.PerElement, "Fills an array with the next bytes of a Random.",
			`(let [b (byte-array 2)] (.nextBytes (java.util.Random. 42) b) (vec b)) => [53 -99]`, nextBytes},
		{"setSeed", "seed", entry.Constant, "Begins the sequence of a Random again, from a seed.",
			`(let [r (java.util.Random. 1)] (.setSeed r 42) (.nextInt r 10)) => 0`,
			func(t *value.Task, a []value.Value) value.Value {
				seed := value.ToLong(t, a[1])
				t.Owns(a[0], "Random")
				s := a[0].AsJava().Vals
				s[0], s[1] = value.Int((seed^multiplier)&randomMask), value.Nil
				return value.Nil
			}},
		{"nextLong", "", entry.Constant, "Returns the next integer of 64 bits of a Random.",
			`(.nextLong (java.util.Random. 42)) => -5025562857975149833`,
			draw(func(_ *value.Task, s *stream, _ []value.Value) value.Value { return value.Int(s.long()) })},
		{"nextDouble", "", entry.Constant, "Returns the next double of a Random, from 0 below 1.",
			`(.nextDouble (java.util.Random. 42)) => 0.7275636800328681`,
			draw(func(_ *value.Task, s *stream, _ []value.Value) value.Value {
				return value.Float(s.double())
			})},
		{"nextFloat", "", entry.Constant, "Returns the next float of a Random, as a double.", "",
			draw(func(_ *value.Task, s *stream, _ []value.Value) value.Value {
				return value.Float(float64(s.next(24)) / (1 << 24))
			})},
		{"nextBoolean", "", entry.Constant, "Returns the next boolean of a Random.",
			`(.nextBoolean (java.util.Random. 42)) => true`,
			draw(func(_ *value.Task, s *stream, _ []value.Value) value.Value { return value.Bool(s.next(1) != 0) })},
	}}, {[]*value.JavaClass{Scanner}, append(scannerMethods(), searchMethods()...)}}
}

// between is RandomSupport.boundedNextInt.
func between(s *stream, from, to int32) int64 {
	r := s.next(32)
	n := to - from
	m := n - 1
	switch {
	case n > 0 && n&m == 0:
		return int64((r & m) + from)
	case n > 0:
		for u := int32(uint32(r) >> 1); ; u = int32(uint32(s.next(32)) >> 1) {
			if r = u % n; u+m-r >= 0 {
				return int64(r + from)
			}
		}
	}
	for r < from || r >= to {
		r = s.next(32)
	}
	return int64(r)
}

// token returns the next token of a scanner and the number of bytes to its end. ok is false at the end.
func token(t *value.Task, v value.Value, text string) (tok string, n int, ok bool) {
	if delim := v.AsJava().Vals[scannerDelims]; !delim.IsNil() {
		return delimited(t, delim, text)
	}
	start := strings.IndexFunc(text, func(c rune) bool { return !unicode.IsSpace(c) })
	if start < 0 {
		t.Work(int64(len(text)) / 16)
		return "", 0, false
	}
	end := strings.IndexFunc(text[start:], unicode.IsSpace)
	if end < 0 {
		end = len(text) - start
	}
	t.Work(int64(start+end) / 16)
	return text[start : start+end], start + end, true
}

// scan makes a method that reads the next token, which must be of the form that read takes.
func scan(what string, read func(t *value.Task, tok string) (value.Value, bool)) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		r := source(t, a[0], what)
		tok, n, ok := token(t, a[0], rest(r))
		if !ok {
			t.FailClass("java.util.NoSuchElementException", diag.OutOfRange, "%s: the input has ended", what)
		}
		x, ok := read(t, tok)
		if !ok {
			t.FailClass("java.util.InputMismatchException", diag.IllegalArgument, "For input string: \"%s\"", tok)
		}
		advance(t, r, n)
		return x
	}
}

// scans makes a method that reports whether the next token is of a form.
func scans(what string, read func(t *value.Task, tok string) (value.Value, bool)) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		tok, _, ok := token(t, a[0], rest(source(t, a[0], what)))
		if ok {
			_, ok = read(t, tok)
		}
		return value.Bool(ok)
	}
}

func scannerMethods() []method {
	word := func(t *value.Task, tok string) (value.Value, bool) { return t.CopyString(tok), true }
	integer := func(bits int) func(t *value.Task, tok string) (value.Value, bool) {
		return func(_ *value.Task, tok string) (value.Value, bool) {
			n, err := strconv.ParseInt(tok, 10, bits)
			return value.Int(n), err == nil
		}
	}
	double := func(_ *value.Task, tok string) (value.Value, bool) {
		if c, _ := utf8.DecodeLastRuneInString(tok); unicode.IsLetter(c) {
			return value.Nil, false
		}
		f, ok := num.ParseDouble(tok)
		return value.Float(f), ok
	}
	return []method{
		{"next", "", entry.PerByte, "Returns the next token of a Scanner, or the next element of an iterator.", "",
			scan("next", word)},
		{"nextInt", "", entry.PerByte, "", "", scan("nextInt", integer(32))},
		{"nextLong", "", entry.PerByte, "", "", scan("nextLong", integer(64))},
		{"nextDouble", "", entry.PerByte, "", "", scan("nextDouble", double)},
		{"hasNext", "", entry.PerByte, "Returns true if a Scanner has another token, or an iterator another element.", "",
			scans("hasNext", word)},
		{"hasNextInt", "", entry.PerByte, "Returns true if the next token of a Scanner is an integer.",
			`(.hasNextInt (java.util.Scanner. "12 a")) => true`, scans("hasNextInt", integer(32))},
		{"hasNextLong", "", entry.PerByte, "Returns true if the next token of a Scanner is an integer.", "",
			scans("hasNextLong", integer(64))},
		{"hasNextDouble", "", entry.PerByte, "Returns true if the next token of a Scanner is a number.", "",
			scans("hasNextDouble", double)},
		{"nextLine", "", entry.PerByte, "Returns the rest of the line of a Scanner.",
			`(let [s (java.util.Scanner. "a b\nc")] [(.next s) (.nextLine s) (.nextLine s)]) => ["a" " b" "c"]`,
			func(t *value.Task, a []value.Value) value.Value {
				line := ReadLine(t, a[0], "nextLine")
				if line.IsNil() {
					t.FailClass("java.util.NoSuchElementException", diag.OutOfRange, "No line found")
				}
				return line
			}},
		{"hasNextLine", "", entry.Constant, "Returns true if a Scanner has another line.",
			`(.hasNextLine (java.util.Scanner. "")) => false`, func(t *value.Task, a []value.Value) value.Value {
				return value.Bool(rest(source(t, a[0], "hasNextLine")) != "")
			}},
		{"close", "", entry.Constant, "", "", func(*value.Task, []value.Value) value.Value { return value.Nil }},
	}
}

func randomStatics() []entry.Entry {
	return []entry.Entry{
		entry.StaticMethod("new", "Random", "| seed", entry.Constant, "Returns a generator with Java's sequence of numbers, "+
			"from a seed of the run if none is given.", `(.nextInt (java.util.Random. 42) 10) => 0`, newRandom),
		entry.StaticMethod("new", "Scanner", "reader-or-string", entry.PerByte,
			"Returns a Scanner of a reader, such as *in*, or of a string.",
			`(.nextInt (java.util.Scanner. "12 a")) => 12`, func(t *value.Task, a []value.Value) value.Value {
				if a[0].IsString() {
					return newScanner(t, value.Nil, a[0])
				}
				if !IsReader(a[0]) {
					entry.WantText(t, a[0], "Scanner")
				}
				return newScanner(t, a[0], strs.EmptyString)
			}),
	}
}
