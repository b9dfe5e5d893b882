//go:build !ptc

// This file defines the stand-in for PTC when it is not built in.

package bench

type ptcPeer struct{}

func (ptcPeer) Name() string { return "ptc" }
func (ptcPeer) Ext() string  { return "ptc" }

func (ptcPeer) Compile(string, string) (Program, error) {
	return nil, SkipError("not built: needs -tags ptc")
}
