// This file defines the file of grants beside a script, and the files that the tools of a run must not touch.

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/ptc-lang/ptc/cmd/internal/files"
	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/cmd/internal/state"
	"github.com/ptc-lang/ptc/tools/grant"
)

// isFile reports whether the name of a program is that of a file, which may have a file of
// grants beside it: an expression and standard input have none.
func isFile(script string) bool { return script != "-e" && script != "-" && script != "" }

// readConfig reads a file of grants. A file that others can write is refused, because they could then
// decide what the programs of this user may do. If the file does not exist, the error is fs.ErrNotExist.
func readConfig(ctx context.Context, name string) ([]byte, error) {
	return files.Await(ctx, func() ([]byte, error) {
		f, err := files.OpenRegular(name, func(info fs.FileInfo) error {
			if err := files.Trusted(info); err != nil {
				return fmt.Errorf("not read, because %w; --no-config ignores the file", err)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		defer f.Close()
		text, whole, err := files.Limited(f, grant.MaxFile)
		if err == nil && !whole {
			err = tooLarge{fmt.Sprintf("%s: more than %s", name, flags.SizeText(grant.MaxFile))}
		}
		return text, err
	})
}

// tellGrants prints the grants of a file, once for each content.
func tellGrants(name string, text []byte, granted *grant.Set, s streams) {
	grants := granted.FromFile()
	if len(grants) == 0 || granted.Describe {
		return
	}
	sum := sha256.Sum256(append([]byte(files.Absolute(name)+"\x00"), text...))
	if state.Told(hex.EncodeToString(sum[:])) {
		return
	}
	report(s.err, fmt.Errorf("%s grants %s (shown once per content; --no-config ignores the file)",
		name, oneLine(strings.Join(grants, ", "))))
}

// protect keeps the tools of a run away from its control files: the files that decide what this run, its
// resumption or the next run executes.
func (f *execution) protect(script string) {
	const open, secret = false, true
	var all []grant.Protected
	add := func(what, path string, secret bool) {
		if path != "" {
			all = append(all, grant.Protected{Path: files.Absolute(path), What: what, Secret: secret})
		}
	}
	if isFile(script) {
		add("the script of this run", script, open)
		add("the file of the script's grants", filepath.Join(filepath.Dir(script), grant.FileName), secret)
	}
	for _, file := range f.loaded {
		add("a namespace of this run", file, open)
	}
	add("the journal of this run", f.journalFile, secret) // it has the grants, with passwords
	if f.journalFile != "" && runtime.GOOS == "windows" {
		add("the lock of the journal of this run", f.journalFile+".lock", open)
	}
	add("the policy of this run", f.policyFile, open)
	if add("the state of the policies", f.stateFile, open); f.stateFile != "" {
		add("the lock of the state of the policies", f.stateFile+".lock", open)
	}
	if exe, err := os.Executable(); err == nil {
		add("the program ptc", exe, open)
	}
	if dir, err := state.Dir(); err == nil {
		add("the state of ptc", dir, open)
	}
	for _, given := range []string{"", f.keyFile} {
		if path, err := state.KeyFile(given); err == nil {
			add("the key of journals", path, secret)
		}
	}
	f.grants.Protect(all...)
}
