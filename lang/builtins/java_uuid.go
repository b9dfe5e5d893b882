// This file defines the constructor and the methods of java.util.UUID.

package builtins

import (
	"encoding/binary"

	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

var onUUID = value.Kinds(value.KindUUID)

func uuidEntries() []entry.Entry {
	return []entry.Entry{
		entry.StaticMethod("new", "UUID", "most:int least:int", entry.Constant, "Returns the UUID of two halves of 64 bits.",
			`(java.util.UUID. 1 2) => #uuid "00000000-0000-0001-0000-000000000002"`,
			func(t *value.Task, a []value.Value) value.Value {
				var b [16]byte
				binary.BigEndian.PutUint64(b[:8], uint64(a[0].AsInt()))
				binary.BigEndian.PutUint64(b[8:], uint64(a[1].AsInt()))
				return t.UUID(b)
			}),
		entry.Method("getMostSignificantBits", "", onUUID, entry.Constant, "Returns the first 64 bits of a UUID.",
			`(.getMostSignificantBits (java.util.UUID. 1 2)) => 1`, uuidHalf(0)),
		entry.Method("getLeastSignificantBits", "", onUUID, entry.Constant, "Returns the last 64 bits of a UUID.",
			`(.getLeastSignificantBits (java.util.UUID. 1 2)) => 2`, uuidHalf(8)),
		entry.Method("version", "", onUUID, entry.Constant, "Returns the version of a UUID, 4 for a random one.",
			`(.version (random-uuid)) => 4`, func(_ *value.Task, a []value.Value) value.Value {
				return value.Int(int64(a[0].AsUUID().B[6] >> 4))
			}),
	}
}

// uuidHalf makes the method that returns the 64 bits from a byte on.
func uuidHalf(from int) value.NativeFunc {
	return func(_ *value.Task, a []value.Value) value.Value {
		b := a[0].AsUUID().B
		return value.Int(int64(binary.BigEndian.Uint64(b[from : from+8])))
	}
}
