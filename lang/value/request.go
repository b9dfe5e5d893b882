// This file defines the keys of the requests of builtins to the machine.

package value

import "unsafe"

// RequestKey returns a key of a call that a builtin asks for: equal keys for the same function and the same arguments
// in a second execution of the builtin. Arguments that the builtin may have made itself count by their kind.
func RequestKey(f Value, args []Value) Value {
	key := requestPart(f)
	if f.Kind() == KindFn {
		key = uint64(uintptr(unsafe.Pointer(f.AsFn().Code)))
	}
	for _, x := range args {
		key = key*0x9e3779b97f4a7c15 + requestPart(x) // the golden ratio, which spreads bits
	}
	return Int(int64(key))
}

// requestPart returns an identification of a value that may be made anew.
func requestPart(v Value) uint64 {
	switch kind := v.Kind(); kind {
	case KindObject:
		return uint64(uintptr(unsafe.Pointer(v.h)))
	case KindInt, KindFloat, KindChar:
		return v.bits*31 + uint64(kind)
	default:
		return uint64(kind)
	}
}
