package repl

import "testing"

// TestChangeBetweenLines calls change as the line editor does if the next line begins after the editor has read the
// empty line and before it has read the position, which is then that of the indentation.
func TestChangeBetweenLines(t *testing.T) {
	var term Terminal
	if line, pos, changed := term.change(nil, 2, '\r'); changed {
		t.Errorf("change(nil, 2) = %q, %d, true; want no change", string(line), pos)
	}
	more := "… 3 more"
	term.more.Store(&more)
	if line, pos, changed := term.change([]rune("a"), 2, '\r'); changed {
		t.Errorf("change(a, 2) = %q, %d, true; want no change", string(line), pos)
	}
	term.apply(deleteAt)
	if line, pos, changed := term.change(nil, 2, nothing); len(line) != 0 || pos != 0 || !changed {
		t.Errorf("change(nil, 2) = %q, %d, %t; want an empty line", string(line), pos, changed)
	}
}
