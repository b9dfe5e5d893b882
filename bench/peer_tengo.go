// This file defines the peer Tengo.

package bench

import (
	"github.com/d5/tengo/v2"
	"github.com/d5/tengo/v2/stdlib"
)

type tengoPeer struct{}

func (tengoPeer) Name() string { return "tengo" }
func (tengoPeer) Ext() string  { return "tengo" }

func (tengoPeer) Compile(_, src string) (Program, error) {
	script := tengo.NewScript([]byte(src))
	script.SetImports(stdlib.GetModuleMap("text"))
	if err := script.Add("data", nil); err != nil {
		return nil, err
	}
	compiled, err := script.Compile()
	if err != nil {
		return nil, err
	}
	return tengoProgram{compiled}, nil
}

type tengoProgram struct{ compiled *tengo.Compiled }

func (p tengoProgram) Bind(data map[string]any) (Run, error) {
	own := p.compiled.Clone()
	if err := own.Set("data", data); err != nil {
		return nil, err
	}
	return func() (any, error) {
		if err := own.Run(); err != nil {
			return nil, err
		}
		return own.Get("result").Value(), nil
	}, nil
}
