// This file defines ssh.package.

package ssh

import (
	"context"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ptc-lang/ptc/runtime/tool"
)

// Package is the arguments of ssh.package.
type Package struct {
	Host  string `json:"host" jsonschema:"the name of a granted host, with :PORT if it is not 22"`
	Name  string `json:"name" jsonschema:"the name of the package"`
	State string `json:"state,omitempty" jsonschema:"present (the default), latest or absent"`
}

// Packaged is the result of ssh.package.
type Packaged struct {
	Changed bool   `json:"changed"`
	Before  string `json:"before,omitempty" jsonschema:"the version that was installed before, if any"`
	Version string `json:"version,omitempty" jsonschema:"the version that is installed now, if any"`
	Manager string `json:"manager" jsonschema:"apt, dnf or yum"`
}

// The codes of failures of ssh.package alone.
const (
	CodePackage   = "package-failed" // the package manager failed; :data has its output
	CodeNoManager = "no-manager"     // the host has none of apt, dnf and yum
	CodeBusy      = "busy"           // another process holds the package manager; may be retried
)

// packageScript does the work on the host, so that a call takes only one command.
//
//go:embed package.sh
var packageScript string

const exitNoManager = 250 // of packageScript

// packageName is that of names which no package manager takes for an option or a path.
var packageName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+:-]*$`) })

var states = []string{"present", "latest", "absent"}

func (h *Hosts) pkg(ctx context.Context, in Package) (Packaged, error) {
	t, err := h.resolve(in.Host)
	if err != nil {
		return Packaged{}, err
	}
	if in.State == "" {
		in.State = states[0]
	}
	if !slices.Contains(states, in.State) {
		return Packaged{}, &tool.Error{Code: CodeBadArgument, Message: fmt.Sprintf("got the state %q, want one of %s",
			in.State, strings.Join(states, ", "))}
	}
	if len(in.Name) > 200 || !packageName().MatchString(in.Name) {
		return Packaged{}, &tool.Error{Code: CodeBadArgument,
			Message: fmt.Sprintf("got the name %.100q, want that of a package", in.Name)}
	}
	res, err := h.command(ctx, t, Quote("sh", "-c", packageScript, "sh", in.Name, in.State), "")
	if err != nil {
		return Packaged{}, err
	}
	return packaged(t, in, res)
}

// packaged reads the output of the script.
func packaged(t target, in Package, res Result) (Packaged, error) {
	lines := strings.Split(res.Out, "\n")
	switch {
	case res.Exit == exitNoManager:
		return Packaged{}, &tool.Error{Code: CodeNoManager, Message: t.host + " has none of apt, dnf and yum"}
	case res.Exit != 0 && strings.Contains(res.Err, "lock"):
		return Packaged{}, &tool.Error{Code: CodeBusy, Retryable: true,
			Message: t.host + ": another process holds the package manager: " + lastLine(res.Err)}
	case res.Exit != 0 || len(lines) < 3:
		return Packaged{}, &tool.Error{Code: CodePackage, Message: fmt.Sprintf("%s: %s of %s failed with status %d: %s",
			t.host, in.State, in.Name, res.Exit, lastLine(res.Err)),
			Data: map[string]any{"exit": res.Exit, "err": tail(res.Err)}}
	}
	return Packaged{Manager: lines[0], Before: lines[1], Version: lines[2], Changed: lines[1] != lines[2]}, nil
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// tail cuts the output in an error to its end, which has the reason.
func tail(text string) string {
	const most = 4000
	if len(text) > most {
		text = strings.ToValidUTF8(text[len(text)-most:], "")
	}
	return text
}
