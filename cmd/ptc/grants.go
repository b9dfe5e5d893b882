// This file defines the flags that grant tools, and the file beside a script.

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	_ "time/tzdata" // so that tool/time.… knows the zones where no database of them is installed

	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/cmd/internal/state"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/grant"
)

// noConfigFlag returns the flag that leaves out the file beside a script.
func noConfigFlag(v *settings) flags.Spec {
	return flags.Spec{Name: "no-config", Text: "ignore the file " + grant.FileName + " beside the script",
		Group: flags.GroupGrants, To: flags.Toggle(&v.noConfig)}
}

// grantedTools returns the tools granted by the flags and, unless it is disabled, by the file beside the
// script. Closing granted closes everything that the tools have open.
func grantedTools(ctx context.Context, script string, given *grant.Set, noConfig bool, s streams) (
	tools *tool.Registry, granted *grant.Set, err error) {
	if dir, err := state.File("shapes"); err == nil && given.Shapes == "" {
		given.Shapes = dir
	}
	granted = given
	if isFile(script) && !noConfig {
		name := filepath.Join(filepath.Dir(script), grant.FileName)
		text, err := readConfig(ctx, name)
		if err == nil {
			granted = given.Clone()
			err = granted.ReadFile(name, text)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, granted, err
		}
		tellGrants(name, text, granted, s)
	}
	if tools, err = granted.Registry(ctx); err != nil {
		return nil, granted, fmt.Errorf("a grant can't be used: %w", errors.Join(err, granted.Close()))
	}
	return tools, granted, nil
}

// open reads the policies and opens the tools of a command whose programs come from elsewhere than from a file, until
// end is called.
func (f *execution) open(ctx context.Context, s streams) (end func(), err error) {
	f.protect("-")
	if err := f.readPolicies(ctx, s); err != nil {
		return nil, err
	}
	tools, opened, err := grantedTools(ctx, "-", &f.grants, true, s)
	if err != nil {
		f.endPolicies(s)
		return nil, err
	}
	end = func() {
		opened.Close()
		f.endPolicies(s)
	}
	f.tools = tools
	if f.approve, err = approvals(f.approve, opened, tools); err != nil {
		end()
		return nil, err
	}
	return end, nil
}

// approvals returns the calls that have to be approved, by flags and by the file beside the script.
func approvals(given effect.Approvals, granted *grant.Set, tools *tool.Registry) (effect.Approvals, error) {
	return given.And(granted.Approvals()), grant.CheckApprovals(given, tools)
}
