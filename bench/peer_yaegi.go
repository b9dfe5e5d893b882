// This file defines the peer Yaegi, an interpreter of Go.

package bench

import (
	"fmt"
	"strings"

	"github.com/traefik/yaegi/interp"
	"github.com/traefik/yaegi/stdlib"
)

type yaegiPeer struct{}

func (yaegiPeer) Name() string { return "yaegi" }
func (yaegiPeer) Ext() string  { return "go" }

// yaegiPackages are the packages that a program may import.
var yaegiPackages = []string{"regexp/regexp", "sort/sort", "strconv/strconv", "strings/strings"}

func (yaegiPeer) Compile(workload, src string) (Program, error) {
	in := interp.New(interp.Options{})
	exports := interp.Exports{}
	for _, name := range yaegiPackages {
		exports[name] = stdlib.Symbols[name]
	}
	if err := in.Use(exports); err != nil {
		return nil, err
	}
	if _, err := in.Eval(src); err != nil {
		return nil, err
	}
	name := "programs." + strings.ToUpper(workload[:1]) + workload[1:]
	v, err := in.Eval(name)
	if err != nil {
		return nil, err
	}
	f, ok := v.Interface().(func(map[string]any) any)
	if !ok {
		return nil, fmt.Errorf("%s is a %s", name, v.Type())
	}
	return yaegiProgram{f}, nil
}

type yaegiProgram struct {
	f func(map[string]any) any
}

func (p yaegiProgram) Bind(data map[string]any) (Run, error) {
	return func() (any, error) { return p.f(data), nil }, nil
}
