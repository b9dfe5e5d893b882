package tool

import "github.com/ptc-lang/ptc/runtime/effect"

// TestCaller is an evaluation that makes calls.
type TestCaller struct{ Of effect.Owner }

func (c TestCaller) Owner() effect.Owner { return c.Of }
func (c TestCaller) Place() string       { return "test.ptc:1:1" }
func (c TestCaller) Rest()               {}
func (c TestCaller) Wake()               {}
