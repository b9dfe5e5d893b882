// This file defines the peer starlark-go.

package bench

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

type starlarkPeer struct{}

func (starlarkPeer) Name() string { return "starlark" }
func (starlarkPeer) Ext() string  { return "star" }

// starlarkOptions allow the features that the programs need beyond the language of build files.
var starlarkOptions = &syntax.FileOptions{Recursion: true, While: true}

func (starlarkPeer) Compile(workload, src string) (Program, error) {
	isData := func(name string) bool { return name == "data" }
	_, prog, err := starlark.SourceProgramOptions(starlarkOptions, workload, src, isData)
	if err != nil {
		return nil, err
	}
	return starlarkProgram{prog}, nil
}

type starlarkProgram struct{ prog *starlark.Program }

func (p starlarkProgram) Bind(data map[string]any) (Run, error) {
	v, err := toStarlark(data)
	if err != nil {
		return nil, err
	}
	v.Freeze()
	return func() (any, error) {
		globals, err := p.prog.Init(&starlark.Thread{}, starlark.StringDict{"data": v})
		if err != nil {
			return nil, err
		}
		return fromStarlark(globals["result"])
	}, nil
}

func toStarlark(v any) (starlark.Value, error) {
	switch v := v.(type) {
	case int:
		return starlark.MakeInt(v), nil
	case string:
		return starlark.String(v), nil
	case []any:
		all := make([]starlark.Value, len(v))
		for i, e := range v {
			var err error
			if all[i], err = toStarlark(e); err != nil {
				return nil, err
			}
		}
		return starlark.NewList(all), nil
	case map[string]any:
		dict := starlark.NewDict(len(v))
		for k, e := range v {
			converted, err := toStarlark(e)
			if err != nil {
				return nil, err
			}
			if err := dict.SetKey(starlark.String(k), converted); err != nil {
				return nil, err
			}
		}
		return dict, nil
	}
	return nil, fmt.Errorf("no Starlark value for %T", v)
}

func fromStarlark(v starlark.Value) (any, error) {
	switch v := v.(type) {
	case starlark.Int:
		n, ok := v.Int64()
		if !ok {
			return nil, fmt.Errorf("%s is beyond 64 bits", v)
		}
		return n, nil
	case starlark.Float:
		return float64(v), nil
	case starlark.String:
		return string(v), nil
	case starlark.Indexable: // lists and tuples
		out := make([]any, v.Len())
		for i := range out {
			var err error
			if out[i], err = fromStarlark(v.Index(i)); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return nil, fmt.Errorf("no Go value for %v", v)
}
