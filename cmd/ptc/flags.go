// This file defines the values of the flags of the commands, and reads command lines.

package main

import (
	"fmt"
	"math"
	"strconv"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/tools/grant"
)

// settings are the values of the flags of all commands. A command has some of the flags.
type settings struct {
	limits   ptc.Limits
	expr     *string
	extract  bool     // the program is in the answer of a model
	data     string   // the file of the input
	args     []string // NAME=VALUE
	output   string
	stats    bool
	progress bool
	seed     uint64
	onFull   string
	grants   grant.Set
	noConfig bool     // ignores the file beside the script
	paths    []string // folders of namespaces
	loaded   []string // the files of namespaces that were read

	journalFile string
	keyFile     string // of the key of journals; "" for that of the user
	policyFile  string
	stateFile   string        // of the policies; "" for none
	queueBounds queue.Options // all zero in a command without their flags
	logLevel    string        // "" for no log
	logForm     string

	approve    effect.Approvals
	replicas   int // of ptc run; 0 is a run without a log that they share
	dryRun     bool
	planOut    string              // the file of the plan; "" for none
	settled    []effect.Settlement // of ptc resume
	settleFile string              // of more of them
	drawing    string              // the file that ptc trace writes
	profile    string              // the file of the profile; "" for none
	form       string              // of the drawing
	unchanged  bool                // ptc fmt only lists the files that are not formatted
	json       bool                // here and below: of ptc check
	effects    bool
	strict     bool
	fix        bool
	toolsFile  string // here and below: of ptc prompt
	tokens     int
	remote     remoteSettings
	mcp        mcpSettings
}

// invocation is a command line that was read.
type invocation struct {
	settings
	command command
	rest    []string          // the arguments
	given   map[string]string // the flags that were given, with their last values
}

// parse reads the flags and arguments of the command.
func (c command) parse(words []string) (*invocation, error) {
	in := &invocation{command: c}
	in.limits = limits.Default() // some have no flag
	in.grants.Describe = c.describes
	line, err := flags.Parse(c.name, c.flags(&in.settings), words)
	in.rest, in.given = line.Rest, line.Given
	return in, err
}

// flags returns the flags of the command, whose values go to v.
func (c command) flags(v *settings) []flags.Spec {
	if c.declare == nil {
		return nil
	}
	return c.declare(v)
}

// sortedFlags returns the flags for a description of the command, sorted by name.
func (c command) sortedFlags() []flags.Spec { return flags.Sorted(c.flags(&settings{})) }

// seed is a flag value for the seed of the random numbers.
type seed struct{ n *uint64 }

func (v seed) String() string { return strconv.FormatUint(*v.n, 10) }

func (v seed) Set(s string) error {
	n, err := strconv.ParseUint(s, 0, 64)
	if err != nil {
		return fmt.Errorf("want a whole number from 0 to %d", uint64(math.MaxUint64))
	}
	*v.n = n
	return nil
}
