// This file defines how a host makes values for a program, and how a program ends its run.

package machine

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// Describe returns an exception as an error.
func (m *Machine) Describe(e *value.Exception) *diag.Error {
	return value.ErrorOf(&m.Task, e)
}

// Import runs fn, which converts values of the host for the program, under the account and bounds
// of the run. If the account is full, Import marks the live values and runs fn once more.
func (m *Machine) Import(fn func(t *value.Task) (value.Value, error)) (value.Value, *diag.Error) {
	v, err, full := m.tryImport(fn)
	if full {
		v, err, _ = m.tryImport(func(t *value.Task) (value.Value, error) {
			m.Mark()
			return fn(t)
		})
	}
	return v, err
}

func (m *Machine) tryImport(fn func(t *value.Task) (value.Value, error)) (v value.Value, err *diag.Error, full bool) {
	defer func() {
		if r := recover(); r != nil {
			v, err = value.Nil, m.ImportFailure(r)
			_, full = r.(limits.Refused)
		}
	}()
	v, ferr := fn(&m.Task)
	if ferr != nil {
		return value.Nil, &diag.Error{Code: diag.WrongType, Message: ferr.Error()}, false
	}
	return v, nil, false
}

// ImportFailure returns the error for the panic of an import, where no instruction can run again.
func (m *Machine) ImportFailure(r any) *diag.Error {
	m.fp, m.frames[0] = 0, frame{kind: frameTop}
	m.ResetWalk()
	switch r := r.(type) {
	case limits.Refused:
		return m.memoryExceeded(m.Used(), r.Bytes)
	case upcall, forcing:
		return (&diag.Error{Code: diag.IllegalState,
			Message: "the value has a part that only the running program can compute"}).
			WithHint("return data")
	}
	_, err := m.handle(r)
	return err
}

// Return implements value.Host.
func (m *Machine) Return(v value.Value) { panic(outcome{v}) }

// FailRun implements value.Host.
func (m *Machine) FailRun(message string, data value.Value) {
	err := &diag.Error{Code: diag.Failed, Message: message}
	if !data.IsNil() {
		err.Data = value.Show(&m.Task, data)
	}
	panic(stop{err})
}
