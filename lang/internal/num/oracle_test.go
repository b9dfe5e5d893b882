package num

// This file compares results with those recorded on JVM Clojure. Each line of testdata/ops.tsv is
// an operation, its arguments and the result.

import (
	"bufio"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func parseBig(s string) *big.Int {
	n, ok := new(big.Int).SetString(s, 10)
	if !ok {
		panic("bad test integer " + s)
	}
	return n
}

func parseInt64(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// pair parses "unscaled scale".
func pair(s string) Decimal {
	u, scale, _ := strings.Cut(s, " ")
	return NewDecimal(parseBig(u), int32(parseInt64(scale)))
}

func unpair(d Decimal, err error) string {
	if err != nil {
		return "!" + err.Error()
	}
	return fmt.Sprintf("%v %d", d.Unscaled(), d.Scale())
}

func mathContext(s string) MathContext {
	p, mode, _ := strings.Cut(s, " ")
	m, ok := ParseRoundingMode(mode)
	if !ok {
		panic("bad mode " + mode)
	}
	return MathContext{int32(parseInt64(p)), m}
}

func float(hex string) float64 {
	b, err := strconv.ParseUint(hex, 16, 64)
	if err != nil {
		panic(err)
	}
	return math.Float64frombits(b)
}

func hexBits(f float64) string { return strconv.FormatUint(math.Float64bits(f), 16) }

func bracketed(s string) string { return s[1 : len(s)-1] }

var binaryOps = map[string]func(a, b Decimal) (Decimal, error){
	"add": Decimal.Add, "sub": Decimal.Sub, "mul": Decimal.Mul, "div": Decimal.Div,
	"quo": Decimal.Quo, "rem": Decimal.Rem, "mod": Decimal.Mod,
}

var contextOps = map[string]func(a, b Decimal, mc MathContext) (Decimal, error){
	"addc": Decimal.AddContext, "subc": Decimal.SubContext, "mulc": Decimal.MulContext,
	"divc": Decimal.DivContext, "quoc": Decimal.QuoContext, "remc": Decimal.RemContext,
}

func ratioText(n, d *big.Int) string {
	if d == nil {
		return n.String()
	}
	return RatioString(n, d)
}

func ratioArgs(s string) (n, d *big.Int) {
	a, b, _ := strings.Cut(s, "/")
	return parseBig(a), parseBig(b)
}

// evalLine returns this package's result for a line, in the notation of the line.
func evalLine(op string, a []string) string {
	if f := binaryOps[op]; f != nil {
		return unpair(f(pair(a[0]), pair(a[1])))
	}
	if f := contextOps[op]; f != nil {
		return unpair(f(pair(a[0]), pair(a[1]), mathContext(a[2])))
	}
	switch op {
	case "cmp":
		return strconv.Itoa(pair(a[0]).Cmp(pair(a[1])))
	case "round":
		return unpair(pair(a[0]).Round(mathContext(a[1])))
	case "setscale":
		mode, _ := ParseRoundingMode(a[2])
		return unpair(pair(a[0]).SetScale(int32(parseInt64(a[1])), mode))
	case "strip":
		return unpair(pair(a[0]).StripTrailingZeros(), nil)
	case "prec":
		return strconv.FormatInt(pair(a[0]).Precision(), 10)
	case "str":
		return pair(a[0]).String()
	case "plain":
		return pair(a[0]).PlainString()
	case "hash":
		return fmt.Sprint(pair(a[0]).HashCode())
	case "todouble":
		return hexBits(pair(a[0]).ToFloat())
	case "toint":
		n, _ := pair(a[0]).ToBigInt()
		return n.String()
	case "rationalize":
		n, d, _ := pair(a[0]).Rationalize()
		return ratioText(n, d)
	}
	return evalNumber(op, a)
}

func evalNumber(op string, a []string) string {
	switch op {
	case "bighash":
		return fmt.Sprint(BigIntHash(parseBig(a[0])))
	case "ratio":
		return ratioText(ReduceRatio(parseBig(a[0]), parseBig(a[1])))
	case "ratiohash":
		return fmt.Sprint(RatioHash(ratioArgs(a[0])))
	case "ratiodouble":
		return hexBits(RatioFloat(ratioArgs(a[0])))
	case "fromdouble":
		return unpair(FromFloat(float(a[0])))
	case "hashdouble":
		return fmt.Sprint(HashDouble(float(a[0])))
	case "long":
		return evalLong(parseInt64(a[0]), parseInt64(a[1]))
	case "parsedouble":
		f, ok := ParseDouble(bracketed(a[0]))
		if !ok {
			return "!"
		}
		if math.IsNaN(f) {
			return "NaN"
		}
		return hexBits(f)
	case "parsedecimal":
		d, ok := ParseDecimal(bracketed(a[0]))
		if !ok {
			return "!"
		}
		return unpair(d, nil)
	case "parselong":
		radix, s := int(parseInt64(a[0])), bracketed(a[1])
		l, lok := ParseLong(s, radix)
		i, iok := ParseInt(s, radix)
		b, bok := ParseBigInt(s, radix)
		return orBang(l, lok) + "\t" + orBang(i, iok) + "\t" + orBang(b, bok)
	}
	panic("unknown operation " + op)
}

func orBang(v any, ok bool) string {
	if !ok {
		return "!"
	}
	return fmt.Sprint(v)
}

func evalLong(x, y int64) string {
	var out []any
	for _, f := range []func(a, b int64) (int64, bool){AddInt64, SubInt64, MulInt64} {
		v, ok := f(x, y)
		out = append(out, v, ok)
	}
	for _, f := range []func(a, b int64) (int64, bool){QuotInt64, RemInt64, ModInt64} {
		if v, ok := f(x, y); ok {
			out = append(out, v)
		} else {
			out = append(out, "!Divide by zero")
		}
	}
	out = append(out, ShiftLeft(x, y), ShiftRight(x, y), UnsignedShiftRight(x, y))
	if v, ok := FloorDivInt64(x, y); ok {
		out = append(out, v)
	} else {
		out = append(out, "!")
	}
	return strings.TrimSuffix(fmt.Sprintf(strings.Repeat("%v\t", len(out)), out...), "\t")
}

// resultColumns is the number of columns at the end of a line that hold the result.
var resultColumns = map[string]int{"long": 13, "parselong": 3}

func TestAgainstClojure(t *testing.T) {
	files, _ := filepath.Glob("testdata/ops*.tsv")
	n := 0
	for _, name := range files {
		n += checkFile(t, name)
	}
	if n < 1000 {
		t.Errorf("only %d cases read", n)
	}
}

func checkFile(t *testing.T, name string) (cases int) {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		if strings.HasPrefix(sc.Text(), "#") {
			continue
		}
		cols := strings.Split(sc.Text(), "\t")
		k := len(cols) - max(1, resultColumns[cols[0]])
		want := strings.Join(cols[k:], "\t")
		if got := evalLine(cols[0], cols[1:k]); got != want {
			t.Errorf("%s:\n got %s\nwant %s", strings.Join(cols[:k], " "), got, want)
		}
		cases++
	}
	return cases
}
