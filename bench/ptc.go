//go:build ptc

// This file defines the peer PTC; it is the only use of the API of PTC here.

package bench

import (
	"context"

	"github.com/ptc-lang/ptc"
)

type ptcPeer struct{}

func (ptcPeer) Name() string { return "ptc" }
func (ptcPeer) Ext() string  { return "ptc" }

func (ptcPeer) Compile(workload, src string) (Program, error) {
	prog, err := ptc.Compile(context.Background(), workload+".ptc", src, ptc.Options{})
	if err != nil {
		return nil, err
	}
	return ptcProgram{prog}, nil
}

type ptcProgram struct{ prog *ptc.Program }

func (p ptcProgram) Bind(data map[string]any) (Run, error) {
	return func() (any, error) {
		res, err := p.prog.Run(context.Background(), ptc.RunOptions{Data: data})
		if err != nil {
			return nil, err
		}
		return res.Value()
	}, nil
}
