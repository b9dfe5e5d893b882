// This file defines the flags that grant tools, and the file beside a script.

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	_ "time/tzdata" // so that tool/time.… knows the zones where no database of them is installed

	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/grant"
)

// noConfigFlag returns the flag that leaves out the file beside a script.
func noConfigFlag() flagSpec {
	return flagSpec{name: "no-config", text: "ignore the file " + grant.FileName + " beside the script",
		group: groupGrants, target: func(v *settings) flagValue { return toggle{&v.noConfig} }}
}

// grantFlags returns a flag for each kind of grant.
func grantFlags() []flagSpec {
	var all []flagSpec
	for _, k := range grant.Kinds() {
		all = append(all, flagSpec{name: k.Flag(), value: k.Value, text: k.Doc, repeats: k.Value != "",
			group: groupGrants, target: func(v *settings) flagValue {
				return setter(func(value string) error {
					if k.Value == "" && value != "true" {
						return errors.New("want no value: leave the flag out to grant nothing")
					}
					return v.grants.Grant(k.Key, value, "")
				})
			}})
	}
	return all
}

// grantedTools returns the tools granted by the flags and, unless it is disabled, by the file beside the
// script. Closing granted closes everything that the tools have open.
func grantedTools(ctx context.Context, script string, flags *grant.Set, noConfig bool, s streams) (
	tools *tool.Registry, granted *grant.Set, err error) {
	granted = flags
	if isFile(script) && !noConfig {
		name := filepath.Join(filepath.Dir(script), grant.FileName)
		text, err := readConfig(ctx, name)
		if err == nil {
			granted = flags.Clone()
			err = granted.ReadFile(name, text)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, granted, err
		}
		tellGrants(name, text, granted, s)
	}
	if tools, err = granted.Registry(); err != nil {
		return nil, granted, fmt.Errorf("a grant can't be used: %w", errors.Join(err, granted.Close()))
	}
	return tools, granted, nil
}
