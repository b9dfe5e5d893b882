// This file defines how the machine leaves code that was compiled for functions that only
// compute: see fusion in package compile.

package machine

import (
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/internal/entry"
)

// leavePure leaves code that is pure as long as it only computes, for its handler, and
// reports whether it did. It is called before code of the program runs on behalf of an
// instruction: to realise a lazy sequence, or as a method. The instruction may be part of
// a function that the pure code called.
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

// maxPureDepth bounds the calls inside the library through which pure code is looked for, so
// that realising a sequence takes no longer the deeper the calls are.
const maxPureDepth = 32
