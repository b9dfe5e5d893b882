// This file defines the key of journals, and the use of journals that were not written with it.

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unicode"

	"github.com/ptc-lang/ptc/cmd/internal/files"
	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/cmd/internal/state"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/tools/grant"
)

// keyFlag returns the flag for the key of journals.
func keyFlag(v *settings) flags.Spec {
	return flags.Spec{Name: "journal-key", Value: "FILE",
		Text: "key that authenticates journals; by default the user's key, journal.key in the state directory of ptc",
		To:   flags.File(&v.keyFile)}
}

// makeKey returns the key of journals, and makes it if there is none yet.
func (f *execution) makeKey() (journal.Key, error) { return f.ownKey(state.MakeKey) }

// resumeKey returns the key of journals. A key file that is named must exist, because it has to be the key
// of a journal.
func (f *execution) resumeKey() (journal.Key, error) {
	if f.keyFile != "" {
		return f.ownKey(state.Key)
	}
	return f.makeKey()
}

func (f *execution) ownKey(read func(path string) (journal.Key, error)) (journal.Key, error) {
	path, err := state.KeyFile(f.keyFile)
	if err != nil {
		return nil, fmt.Errorf("a journal needs a key, and there is no directory for it: %w; use --journal-key FILE", err)
	}
	key, err := read(path)
	if err != nil && f.keyFile == "" {
		return nil, fmt.Errorf("a journal needs a key: %w; fix that, or use --journal-key FILE", err)
	} else if err != nil {
		return nil, fmt.Errorf("--journal-key %w", err)
	}
	return key, nil
}

// readJournal reads a journal that is only looked at, and says if it can't be checked who
// wrote it. The file may be a pipe, which is read until ctx ends.
func (f *execution) readJournal(ctx context.Context, name string, s streams) (*journal.Recording, error) {
	var key journal.Key
	path, err := state.KeyFile(f.keyFile)
	if err == nil {
		key, err = state.Key(path)
	}
	rec, readErr := files.Await(ctx, func() (*journal.Recording, error) { return journal.ReadFile(name, key) })
	if readErr != nil {
		return nil, readErr
	}
	if !rec.Authentic {
		why := unverified(rec, key)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			why += fmt.Sprintf(" (%v)", err)
		}
		report(s.err, fmt.Errorf("%s: %s", name, why))
	}
	return rec, nil
}

// unverified returns why a journal is not authentic.
func unverified(rec *journal.Recording, key journal.Key) string {
	why := "it has no authenticator"
	switch {
	case rec.Key == "":
	case rec.Key == key.ID():
		why = "part of it was written with another key"
	default:
		why = fmt.Sprintf("it was written with key %s, which is not yours; --journal-key FILE names another key", rec.Key)
	}
	return "cannot verify who wrote this journal: " + why
}

// accept decides which parts of a recorded command line apply to the resumption of the run. An authentic
// journal is used unchanged. For any other journal only the flags count; it is an error if they lack
// something that the journal asks for.
func (f *execution) accept(rec *journal.Recording, r *recorded, key journal.Key, name string, s streams) error {
	if rec.Authentic {
		if f.policyFile == "" {
			f.policyFile = r.Policy
		}
		if f.stateFile == "" {
			f.stateFile = r.State
		}
		f.noConfig = f.noConfig || r.NoConfig
		return nil
	}
	var missing []string
	for _, g := range r.Grants {
		if !f.hasGrant(g) {
			missing = append(missing, flagFor("allow-"+g.Key, g.Value))
		}
	}
	if r.Policy != "" && f.policyFile == "" {
		missing = append(missing, flagFor("policy", r.Policy))
	}
	if r.State != "" && f.stateFile == "" {
		missing = append(missing, flagFor("policy-state", r.State))
	}
	if len(missing) > 0 {
		return fmt.Errorf("%s. Its grants are not used; pass the ones you want as flags: %s", unverified(rec, key),
			strings.Join(missing, " "))
	}
	report(s.err, fmt.Errorf("%s: %s. Only the grants of the command line are used", name, unverified(rec, key)))
	f.foreign = true
	r.Grants, r.Script = nil, "-" // the flags have them; nobody can tell whose ptc.yaml it would be
	return nil
}

// hasGrant reports whether the flags have a grant.
func (f *execution) hasGrant(g grant.Given) bool {
	for _, given := range f.grants.Given() {
		if given.Key == g.Key && given.Value == g.Value {
			return true
		}
	}
	return false
}

// flagFor returns a flag in the form to type into a shell. Its value comes from a file that another user may have
// written, so it is quoted: copied to a shell, it must not run a command.
func flagFor(name, value string) string {
	if value == "" {
		return "--" + name
	}
	return "--" + name + " " + shellWord(value)
}

// shellWord returns a value as a word of a shell.
func shellWord(value string) string {
	if value == "" || value[0] == '=' || strings.ContainsFunc(value, special) { // zsh replaces =NAME
		return "'" + strings.ReplaceAll(oneLine(value), "'", `'\''`) + "'"
	}
	return value
}

// special reports whether a character may mean something to a shell.
func special(c rune) bool {
	return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("-_./:=,@%+", c)
}

// oneLine shows foreign text in one line, so that it cannot imitate a message.
func oneLine(text string) string { return strings.ReplaceAll(text, "\n", "␤") }
