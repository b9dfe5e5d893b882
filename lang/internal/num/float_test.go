package num

// This file tests the printing of doubles.

import (
	"bufio"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

func TestFormatAgainstJava(t *testing.T) {
	f, err := os.Open("testdata/doubles.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		cols := strings.Split(sc.Text(), "\t")
		if len(cols) != 3 {
			continue
		}
		bits, err := strconv.ParseUint(cols[1], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		got := FormatDouble(math.Float64frombits(bits))
		if cols[0] == "f" {
			got = FormatFloat32(math.Float32frombits(uint32(bits)))
		}
		if got != cols[2] {
			t.Errorf("%s %s: got %s, want %s", cols[0], cols[1], got, cols[2])
		}
	}
}

func TestFormatDouble(t *testing.T) {
	cases := []struct {
		f    float64
		want string
	}{
		{1, "1.0"}, {1e10, "1.0E10"}, {1e-5, "1.0E-5"}, {123456.789, "123456.789"},
		{1.2345678901234567e19, "1.2345678901234567E19"}, {math.Copysign(0, -1), "-0.0"},
		{2e-3, "0.002"}, {1e23, "1.0E23"}, {2.2250738585072014e-308, "2.2250738585072014E-308"},
		{5e-324, "4.9E-324"}, {math.NaN(), "NaN"}, {math.Inf(1), "Infinity"}, {math.Inf(-1), "-Infinity"},
		{9999999, "9999999.0"}, {1e7, "1.0E7"}, {-0.001, "-0.001"}, {0.00099, "9.9E-4"}, {100, "100.0"},
		{6.122200048867801e16, "6.122200048867801E16"},
	}
	for _, c := range cases {
		if got := FormatDouble(c.f); got != c.want {
			t.Errorf("FormatDouble(%g): got %s, want %s", c.f, got, c.want)
		}
	}
}

func TestAppendDoubleDoesNotAllocate(t *testing.T) {
	buf := make([]byte, 0, MaxDoubleLen)
	for _, f := range []float64{1, 0.1, 1e300, -123456.789, 5e-324, -1.7976931348623157e308, -2.2250738585072014e-308} {
		if n := testing.AllocsPerRun(100, func() { AppendDouble(buf, f) }); n != 0 {
			t.Errorf("AppendDouble(%g) allocates %v times", f, n)
		}
	}
}

func FuzzDoubleRoundTrip(f *testing.F) {
	f.Add(uint64(1))
	f.Add(math.Float64bits(0.1))
	f.Fuzz(func(t *testing.T, bits uint64) {
		x := math.Float64frombits(bits)
		s := FormatDouble(x)
		y, ok := ParseDouble(s)
		if !ok || math.Float64bits(x) != math.Float64bits(y) && !math.IsNaN(x) {
			t.Errorf("%x prints as %s, which reads as %g", bits, s, y)
		}
		if len(s) > MaxDoubleLen {
			t.Errorf("%s is longer than MaxDoubleLen", s)
		}
	})
}

func BenchmarkAppendDouble(b *testing.B) {
	buf := make([]byte, 0, MaxDoubleLen)
	for b.Loop() {
		AppendDouble(buf, 123456.789)
	}
}
