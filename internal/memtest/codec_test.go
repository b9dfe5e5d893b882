//go:build probe

// This file tests the decoder of values: the account must include the values that it makes, and its
// allocations while it reads.

package memtest

import (
	"context"
	"fmt"
	mathbig "math/big"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// codecValues make large values of every kind that has an encoding.
var codecValues = map[string]func(t *value.Task) value.Value{
	"integers": func(t *value.Task) value.Value {
		return vectorOf(t, 200_000, func(i int) value.Value { return value.Int(int64(i)) })
	},
	"strings": func(t *value.Task) value.Value {
		return vectorOf(t, 20_000, func(i int) value.Value { return t.CopyString(strings.Repeat("x", i%150)) })
	},
	"rows": func(t *value.Task) value.Value {
		id, name := value.ConstKeyword("id"), value.ConstKeyword("name")
		return vectorOf(t, 20_000, func(i int) value.Value {
			return t.MapOf(id, value.Int(int64(i)), name, t.CopyString(fmt.Sprint("name ", i)))
		})
	},
	"keywords": func(t *value.Task) value.Value {
		return vectorOf(t, 20_000, func(i int) value.Value { return t.KeywordOf(fmt.Sprint("ns/name", i)) })
	},
	"shapes": func(t *value.Task) value.Value {
		return vectorOf(t, 20_000, func(i int) value.Value { return t.MapOf(t.KeywordOf(fmt.Sprint("k", i)), value.Nil) })
	},
	"symbols": func(t *value.Task) value.Value {
		return vectorOf(t, 20_000, func(i int) value.Value { return t.SymbolOf(fmt.Sprint("name", i%100)) })
	},
	"lists": func(t *value.Task) value.Value {
		return vectorOf(t, 2000, func(i int) value.Value { return t.List(make([]value.Value, 20)...) })
	},
	"cells": func(t *value.Task) value.Value {
		s := value.Nil
		for i := range 50_000 {
			s = t.RealisedLazy(t.Cons(value.Int(int64(i)), s))
		}
		return s
	},
	"a hash map": func(t *value.Task) value.Value {
		m := value.EmptyMap
		for i := range 20_000 {
			m = t.MapAssoc(m, value.Int(int64(i)), t.CopyString(fmt.Sprint(i)))
		}
		return m
	},
	"an array map": func(t *value.Task) value.Value { return t.ArrayMapOf(counted2(t, 400)) },
	"a hash set":   func(t *value.Task) value.Value { return t.SetOf(counted2(t, 20_000)...) },
	"a sorted map": func(t *value.Task) value.Value { return t.SortedMapOf(value.Nil, counted2(t, 10_000)) },
	"small sets": func(t *value.Task) value.Value {
		return vectorOf(t, 5000, func(i int) value.Value { return t.SetOf(value.Int(1), value.Int(int64(i))) })
	},
	"numbers": func(t *value.Task) value.Value {
		return vectorOf(t, 5000, func(i int) value.Value {
			return t.BigInt(new(mathbig.Int).Lsh(mathbig.NewInt(int64(i)+1), uint(i%500)))
		})
	},
	"exceptions": func(t *value.Task) value.Value {
		return vectorOf(t, 5000, func(i int) value.Value {
			e := t.NewException("illegal-argument", fmt.Sprint("failed ", i))
			e.Hint = fmt.Sprint("do not ", i)
			return value.Of(&e.Header)
		})
	},
	"nested": func(t *value.Task) value.Value {
		return vectorOf(t, 100, func(int) value.Value {
			v := value.Nil
			for range 300 {
				v = t.Vector(v)
			}
			return v
		})
	},
}

func vectorOf(t *value.Task, n int, at func(i int) value.Value) value.Value {
	return t.VectorOf(n, func(block []value.Value, from int) {
		for i := range block {
			block[i] = at(from + i)
		}
	})
}

// counted2 returns n pairs of integers.
func counted2(t *value.Task, n int) []value.Value {
	var kvs []value.Value
	for i := range n {
		kvs = append(kvs, value.Int(int64(2*i)), value.Int(int64(2*i+1)))
	}
	return kvs
}

func codecTask(memory int64) *value.Task {
	t := &value.Task{Owner: 7}
	t.Start(context.Background(), memory, 1<<40, 10*time.Minute)
	return t
}

func TestAccountKnowsDecoded(t *testing.T) {
	for name, make := range codecValues {
		data, err := (&value.Encoder{Limit: 1 << 30}).Encode(nil, make(codecTask(1<<40)))
		if err != nil {
			t.Fatal(name, err)
		}
		for _, cut := range []int{0, 1} { // a missing byte is found when nearly all is made
			task := codecTask(1 << 40)
			o := &oracle{every: 1 << 20, seed: 1}
			o.heap()
			o.base = o.heap()
			limits.Probe = o.watch
			v, err := value.Decode(task, data[:len(data)-cut])
			limits.Probe = nil
			if (err == nil) != (cut == 0) {
				t.Errorf("%s, cut by %d: %v", name, cut, err)
			}
			o.sample(task.Used())
			runtime.KeepAlive(data)
			if o.gap > slackUsed {
				t.Errorf("%s, cut by %d: %d bytes live beyond the account", name, cut, o.gap)
			}
			if cut > 0 {
				continue
			}
			// The mark finds the same objects.
			m := task.BeginMark()
			m.Value(v)
			marked := m.End(0)
			if live := o.heap() - o.base; live > marked+slackUsed {
				t.Errorf("%s: %d bytes live, %d marked", name, live, marked)
			}
			runtime.KeepAlive(v)
		}
	}
}
