// This file defines function literals: #(…) with % %1 %&.

package parser

import (
	"strconv"

	"github.com/ptc-lang/ptc/lang/value"
)

// maxArgs is the largest number of parameters that a Clojure function may have before &.
const maxArgs = 20

// fnArgs holds the parameters of the function literal being read.
type fnArgs struct {
	id     int64
	high   int // the highest parameter used
	params [maxArgs + 1]value.Value
	rest   value.Value // the symbol of %&, or nil
}

// openFn opens a function literal.
func (r *reader) openFn(start, end int) {
	if r.fn != nil {
		r.failAt(start, end, "nested #(): its % would mean two things", "write (fn [x] …) for one of them")
		return
	}
	if r.push(frameFn, start, end); r.err == nil {
		r.args = fnArgs{id: r.nextID(start)}
		r.fn = &r.args
	}
}

// nextID returns the number for names generated at byte start.
func (r *reader) nextID(start int) int64 {
	if r.opts.NextID != nil {
		return r.opts.NextID()
	}
	return int64(r.file.Pos(start))
}

// arg reads a parameter of a function literal: % %1 %&.
func (r *reader) arg(text string, start int) value.Value {
	n := 1
	switch {
	case text == "%":
	case text == "%&":
		if r.fn.rest.IsNil() {
			r.fn.rest = r.param("rest")
		}
		return r.t.SymbolAt(r.fn.rest.AsSymbol(), r.file.Pos(start))
	default:
		small, ok := smallInt(text[1:])
		if !ok || small < 1 || small > maxArgs {
			end := start + len(text)
			r.failAt(start, end, "bad parameter "+r.quote(start, end)+" in #()",
				"the parameters are %, %1 to %"+strconv.Itoa(maxArgs)+" and %&")
			return value.Nil
		}
		n = int(small)
	}
	return r.t.SymbolAt(r.argSymbol(n), r.file.Pos(start))
}

// argSymbol returns the symbol of the n-th parameter.
func (r *reader) argSymbol(n int) *value.Symbol {
	p := &r.fn.params[n]
	if p.IsNil() {
		*p = r.param("p" + strconv.Itoa(n))
		r.fn.high = max(r.fn.high, n)
	}
	return p.AsSymbol()
}

// param returns the symbol of a parameter. It ends in #, so a syntax-quote around the literal
// replaces it with a new name.
func (r *reader) param(name string) value.Value {
	return r.t.Symbol("", name+"__"+strconv.FormatInt(r.fn.id, 10)+"#")
}

// closeFn returns the form of a function literal: (fn* [parameters] (body)).
func (r *reader) closeFn(f *frame, body []value.Value) value.Value {
	var params [maxArgs + 2]value.Value
	n := 0
	for ; n < r.fn.high; n++ {
		params[n] = value.Of(&r.argSymbol(n + 1).Header)
	}
	if !r.fn.rest.IsNil() {
		params[n], params[n+1] = symAmpersand, r.fn.rest
		n += 2
	}
	r.fn = nil
	return r.list(f.start, symFn, r.t.Vector(params[:n]...), r.list(f.start+1, body...))
}
