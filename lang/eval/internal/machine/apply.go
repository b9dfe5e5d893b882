// This file defines the calls that package eval requests of a machine.

package machine

import (
	"fmt"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
)

// Apply calls a function with arguments and returns its value.
func (m *Machine) Apply(f value.Value, args ...value.Value) (value.Value, *diag.Error) {
	if len(args) > MaxCall {
		return value.Nil, &diag.Error{Code: diag.BadArity,
			Message: fmt.Sprintf("%d arguments; a call can have %d", len(args), MaxCall)}
	}
	if err := m.reserve(callCode(len(args))); err != nil {
		return value.Nil, err
	}
	slots := m.stack[:1+len(args)]
	slots[0] = f
	for i, x := range args { // faster than copy for so few
		slots[1+i] = x
	}
	return m.Drive()
}

// realise and realiseForm are the builtins behind Realise and RealiseForm.
var realise, realiseForm = realiser(value.Realise), realiser(value.RealiseForm)

func realiser(all func(*value.Task, value.Value)) value.Value {
	return value.ConstNative(value.Native{Name: "%realise", Min: 1, Max: 1,
		Fn: func(t *value.Task, args []value.Value) value.Value {
			all(t, args[0])
			return args[0]
		}})
}

// Realise computes every lazy part of v and returns v.
func (m *Machine) Realise(v value.Value) (value.Value, *diag.Error) {
	if !v.Is(value.Colls | value.Holders) {
		return v, nil
	}
	return m.Apply(realise, v)
}

// RealiseForm computes every lazy part of a form and of its metadata, and returns the form.
func (m *Machine) RealiseForm(form value.Value) (value.Value, *diag.Error) {
	if !form.Is(value.Colls | value.Kinds(value.KindSymbol)) {
		return form, nil
	}
	return m.Apply(realiseForm, form)
}

// Random implements value.Host. It uses PCG, so that a seed yields the same numbers everywhere.
func (m *Machine) Random() uint64 {
	if !m.seeded {
		m.random.Seed(m.seed, 0x9e3779b97f4a7c15)
		m.seeded = true
	}
	return m.random.Uint64()
}
