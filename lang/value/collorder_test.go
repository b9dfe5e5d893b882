// This file compares the kinds and the order of maps and sets with those of JVM
// Clojure (testdata/collorder.tsv, recorded by collorder.clj).

package value

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/internal/testlevel"
)

// orderKey reads a key of collorder.tsv.
func orderKey(t *Task, s string) Value {
	switch rest := s[1:]; s[0] {
	case 'i':
		n, _ := strconv.ParseInt(rest, 10, 64)
		return Int(n)
	case 's':
		return t.String(rest)
	case 'k':
		return t.Keyword("", rest)
	case 'd':
		f, _ := strconv.ParseFloat(rest, 64)
		return Float(f)
	case 'c':
		return Char([]rune(rest)[0])
	case 'b':
		return Bool(rest == "true")
	case 'v':
		n, _ := strconv.ParseInt(rest, 10, 64)
		return t.Vector(Int(n))
	}
	return Nil
}

func TestOrderLikeClojure(tt *testing.T) {
	f, err := os.Open("testdata/collorder.tsv")
	if err != nil {
		tt.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		if !testlevel.Takes(n, 8) {
			continue
		}
		field := strings.Split(lines.Text(), "\t")
		t := newTask()
		if field[0] == "big" {
			checkBigOrder(tt, t, n, field)
			continue
		}
		coll := runHistory(t, orderStart(t, field[0]), strings.Fields(field[1]))
		if got := ClassName(coll); got != field[2] {
			tt.Errorf("line %d: class %s, want %s", n, got, field[2])
		}
		want := strings.Fields(field[3])
		it := NewMapIter(coll)
		for i, w := range want {
			key, val, isMap := strings.Cut(w, "=")
			if !it.Next() || !Equal(t, it.Key, orderKey(t, key)) || isMap && strconv.Itoa(int(it.Val.AsInt())) != val {
				tt.Fatalf("line %d: entry %d is not %s", n, i, w)
			}
		}
		if it.Next() {
			tt.Errorf("line %d: more than %d entries", n, len(want))
		}
	}
}

func orderStart(t *Task, start string) Value {
	switch start {
	case "hash":
		return t.MapDissoc(t.HashMapOf([]Value{Int(1), Int(1)}), Int(1))
	case "#{}":
		return EmptySet
	case "array10":
		var kvs []Value
		for i := range 10 {
			kvs = append(kvs, Int(int64(i)), Int(-1))
		}
		return t.ArrayMapOf(kvs)
	}
	return EmptyMap
}

func runHistory(t *Task, coll Value, ops []string) Value {
	transient := false
	set := coll.Kind() == KindHashSet
	for i, op := range ops {
		if op == "!" {
			if transient {
				coll = t.Persistent(coll)
			} else {
				coll = t.Transient(coll)
			}
			transient = !transient
			continue
		}
		k, v := orderKey(t, op[1:]), Int(int64(i))
		switch {
		case op[0] == '+' && set && transient:
			coll = t.TConj(coll, k)
		case op[0] == '+' && set:
			coll = t.SetConj(coll, k)
		case op[0] == '+' && transient:
			coll = t.TAssoc(coll, k, v)
		case op[0] == '+':
			coll = t.MapAssoc(coll, k, v)
		case set && transient:
			coll = t.TDisj(coll, k)
		case set:
			coll = t.SetDisj(coll, k)
		case transient:
			coll = t.TDissoc(coll, k)
		default:
			coll = t.MapDissoc(coll, k)
		}
	}
	if transient {
		coll = t.Persistent(coll)
	}
	return coll
}

func checkBigOrder(tt *testing.T, t *Task, line int, field []string) {
	n, _ := strconv.Atoi(field[2])
	key := func(i int) Value {
		switch field[1] {
		case "i":
			return Int(int64(i))
		case "d":
			return Float(float64(i) / 4)
		case "v":
			return t.Vector(Int(int64(i)))
		}
		return orderKey(t, field[1]+field[1]+strconv.Itoa(i))
	}
	m, s, index := EmptyMap, EmptySet, EmptyMap
	for i := range n {
		m, s = t.MapAssoc(m, key(i), Int(int64(i))), t.SetConj(s, key(i))
		index = t.MapAssoc(index, key(i), Int(int64(i)))
	}
	sum := func(coll Value) string {
		acc := int64(7)
		for it := NewMapIter(coll); it.Next(); {
			i, _ := t.MapGet(index, it.Key)
			acc = (31*acc + i.AsInt()) % 2147483647
		}
		return strconv.FormatInt(acc, 10)
	}
	if got := sum(m); got != field[3] {
		tt.Errorf("line %d: map of %s %s: order %s, want %s", line, field[2], field[1], got, field[3])
	}
	if got := sum(s); got != field[4] {
		tt.Errorf("line %d: set of %s %s: order %s, want %s", line, field[2], field[1], got, field[4])
	}
}
