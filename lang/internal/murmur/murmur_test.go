package murmur

// This file compares the hashes with hashes recorded on JVM Clojure.

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"
)

func ints(t *testing.T, s string) []int64 {
	t.Helper()
	var out []int64
	for _, f := range strings.Fields(s) {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, n)
	}
	return out
}

func splitSymbol(s string) (ns, name string) {
	if i := strings.IndexByte(s, '/'); i > 0 {
		return s[:i], s[i+1:]
	}
	return "", s
}

func hashOf(t *testing.T, kind, in string) int32 {
	t.Helper()
	switch kind {
	case "int":
		return HashInt(int32(ints(t, in)[0]))
	case "long":
		return HashLong(ints(t, in)[0])
	case "chars":
		return HashUnencodedChars(in)
	case "javastr":
		return JavaStringHash(in)
	case "string":
		return HashString(in)
	case "symbol":
		return HashSymbol(splitSymbol(in))
	case "keyword":
		return HashKeyword(splitSymbol(in))
	case "char":
		return HashChar(rune(ints(t, in)[0]))
	case "bool":
		return HashBool(in == "true")
	case "combine":
		n := ints(t, in)
		return HashCombine(int32(n[0]), int32(n[1]))
	}
	xs := ints(t, in)
	h := UnorderedSeed
	if kind == "ordered" {
		h = OrderedSeed
	}
	for _, x := range xs {
		switch kind {
		case "ordered":
			h = HashOrderedStep(h, HashLong(x))
		case "unordered":
			h = HashUnorderedStep(h, HashLong(x))
		case "map":
			h = HashUnorderedStep(h, HashEntry(HashLong(x), HashLong(3*x)))
		default:
			t.Fatalf("unknown kind %q", kind)
		}
	}
	return MixCollHash(h, len(xs))
}

func TestAgainstClojure(t *testing.T) {
	f, err := os.Open("testdata/hashes.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for sc := bufio.NewScanner(f); sc.Scan(); {
		if strings.HasPrefix(sc.Text(), "#") {
			continue
		}
		parts := strings.Split(sc.Text(), "\t")
		want := int32(ints(t, parts[2])[0])
		if got := hashOf(t, parts[0], parts[1]); got != want {
			t.Errorf("%s %q: got %d, want %d", parts[0], parts[1], got, want)
		}
		n++
	}
	if n < 500 {
		t.Errorf("only %d cases read", n)
	}
}

func TestNoAllocation(t *testing.T) {
	s := "hello, wörld 😀"
	if n := testing.AllocsPerRun(100, func() {
		HashString(s)
		HashSymbol(s, s)
	}); n != 0 {
		t.Errorf("hashing allocates %v times", n)
	}
}

func BenchmarkHashString(b *testing.B) {
	s := "a string of moderate length"
	for b.Loop() {
		HashString(s)
	}
}

func BenchmarkHashKeyword(b *testing.B) {
	for b.Loop() {
		HashKeyword("", "user_name")
	}
}
