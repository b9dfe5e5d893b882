// This file finds the record types of a program by their names.

package machine

import "github.com/ptc-lang/ptc/lang/value"

// TypeNamed returns the record type with a name, such as "user.Point", that a global of the program holds; nil if there
// is none, or several.
func (m *Machine) TypeNamed(name string) (found *value.RecordType) {
	for _, v := range m.globals {
		if v.Kind() != value.KindType {
			continue
		}
		t := v.AsType()
		if t.Name != name || t.Class || t == found {
			continue
		}
		if found != nil {
			return nil
		}
		found = t
	}
	return found
}
