// This file defines the peer goja, JavaScript.

package bench

import "github.com/dop251/goja"

type gojaPeer struct{}

func (gojaPeer) Name() string { return "goja" }
func (gojaPeer) Ext() string  { return "js" }

func (gojaPeer) Compile(workload, src string) (Program, error) {
	prog, err := goja.Compile(workload, src, true)
	if err != nil {
		return nil, err
	}
	return gojaProgram{prog}, nil
}

type gojaProgram struct{ prog *goja.Program }

// Bind makes a runtime. The program reads the host's data in place.
func (p gojaProgram) Bind(data map[string]any) (Run, error) {
	vm := goja.New()
	if err := vm.Set("data", data); err != nil {
		return nil, err
	}
	return func() (any, error) {
		v, err := vm.RunProgram(p.prog)
		if err != nil {
			return nil, err
		}
		return v.Export(), nil
	}, nil
}
