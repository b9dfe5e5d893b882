// This file defines the site of a failure: the function of the library that the program called, and
// the place of the call. The code that fails knows neither.

package machine

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
)

// name completes a message and a hint that begin with "got", or with a function that no program can
// name. They then begin with the function that the program called.
func (m *Machine) name(e *value.Exception) {
	if e.Code == diag.Thrown || !e.Msg.IsString() {
		return
	}
	who := ""
	complete := func(text string) string {
		private := strings.HasPrefix(text, "%")
		if !private && !strings.HasPrefix(text, "got ") {
			return text
		}
		if private {
			if _, rest, ok := strings.Cut(text, ": "); ok {
				text = rest
			}
		}
		if who = m.callee(); who == "" {
			return text
		}
		return who + ": " + text
	}
	text := e.Msg.AsString().S
	if named := complete(text); named != text {
		e.Msg = m.String(named)
	}
	e.Hint = complete(e.Hint)
}

// callee returns the name of the function of the library that the program's own code called last,
// "" if there is none or it has no name.
func (m *Machine) callee() string {
	who := ""
	for fp := m.fp; fp >= 0; fp-- {
		fr := &m.frames[fp]
		switch {
		case fr.proto == nil, fr.fn == nil && fr.kind != frameTop:
		case fr.fn != nil && builtins.HasNamespace(fr.fn.Code.NS):
			if name := fr.fn.Code.Name; name != "" && name[0] != '%' {
				who = name
			}
		default:
			if who == "" {
				who = fr.proto.Callee(int(fr.pc))
			}
			return who
		}
	}
	return who
}

// UserSpan returns the innermost place in the program's own text. Code that eval made has none, so
// UserSpan returns the place of the eval.
func (m *Machine) UserSpan() token.Span {
	for fp := m.fp; fp >= 0; fp-- {
		fr := &m.frames[fp]
		if fr.fn == nil && fr.kind == frameTop || fr.fn != nil && !builtins.HasNamespace(fr.fn.Code.NS) {
			if span := frameSpan(fr); !span.IsZero() {
				return span
			}
		}
	}
	return m.formSpan()
}

// formSpan returns the place of the top-level form that runs, or whose value is being realised.
func (m *Machine) formSpan() token.Span {
	if m.form == nil {
		return token.Span{}
	}
	return m.form.Files.Span(m.form.Start)
}
