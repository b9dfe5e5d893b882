// This file defines when two results of different peers are equal.

package bench

import (
	"math"
	"reflect"
)

// exactFloat bounds the integers that a float64 holds without loss.
const exactFloat = 1 << 53

// Canon returns a result as nested []any of int64, float64, string, bool and nil. A float that is an
// exact integer becomes an integer, because some peers have only floats.
func Canon(v any) any {
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return r.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return int64(r.Uint())
	case reflect.Float32, reflect.Float64:
		f := r.Float()
		if f == math.Trunc(f) && math.Abs(f) < exactFloat {
			return int64(f)
		}
		return f
	case reflect.Slice, reflect.Array:
		out := make([]any, r.Len())
		for i := range out {
			out[i] = Canon(r.Index(i).Interface())
		}
		return out
	}
	return v
}

// Equal compares two canonical results. If one of two numbers is a float, they may differ by a relative
// 1e-9, for peers whose large integers are rounded.
func Equal(a, b any) bool {
	x, xs := a.([]any)
	y, ys := b.([]any)
	if xs && ys {
		if len(x) != len(y) {
			return false
		}
		for i := range x {
			if !Equal(x[i], y[i]) {
				return false
			}
		}
		return true
	}
	if xs || ys {
		return false
	}
	_, af := a.(float64)
	_, bf := b.(float64)
	if af || bf {
		m, mok := float(a)
		n, nok := float(b)
		return mok && nok && math.Abs(m-n) <= 1e-9*math.Max(math.Abs(m), math.Abs(n))
	}
	return a == b
}

func float(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}
