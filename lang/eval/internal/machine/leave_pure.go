// This file defines how the machine leaves code that was compiled for pure functions: see fusion in
// package compile.

package machine

import (
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/internal/entry"
)

// leavePure leaves pure code for its handler, and reports whether it did. It is called before an
// instruction runs code of the program to realise a lazy sequence, or as a method, because that
// code may be impure. The instruction may be part of a function that the pure code called.
func (m *Machine) leavePure() bool {
	for fp := m.fp; fp > m.fp-maxPureDepth; fp-- {
		fr := &m.frames[fp]
		if h, ok := handlerFor(fr); ok {
			if h.Pure {
				m.fp, fr.pc = fp, h.Target
			}
			return h.Pure
		}
		if fr.kind != frameCall || fr.fn == nil {
			return false
		}
		if fn := compile.FnOf(fr.fn); !fn.Library && fn.Purity == uint8(entry.Impure) {
			return false
		}
	}
	return false
}

// maxPureDepth bounds the calls inside the library through which leavePure searches for pure code,
// so that the cost of realising a sequence does not grow with the depth of calls.
const maxPureDepth = 32
