// This file defines the hints for calls: their guards and their class.

package grant

import (
	"fmt"
	"slices"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// exclusive are the package managers: each has a lock of its host, and fails or waits if another process has it.
var exclusive = []string{"apt", "apt-get", "aptitude", "dnf", "yum", "zypper", "apk", "pacman"}

// readOnly are programs that change nothing, whatever their arguments.
var readOnly = []string{"uptime", "uname", "whoami", "id", "df", "free", "ps"}

// DefaultHints returns the hints that hold for every run, unless an operator has declared others: package managers have
// exclusive use of their host, and programs that only report something are read-only.
func DefaultHints() []tool.Rule {
	var rules []tool.Rule
	for _, name := range exclusive {
		rules = append(rules, tool.Rule{Program: name, Hint: &effect.Hint{Kind: effect.HostExclusive}})
	}
	class := effect.ReadOnly
	for _, name := range readOnly {
		rules = append(rules, tool.Rule{Program: name, Class: &class})
	}
	return rules
}

// AddHints adds hints of an operator. They take precedence over DefaultHints, and earlier ones over later
// ones. If a tool can't follow a hint, Registry returns an error.
func (s *Set) AddHints(rules ...tool.Rule) error {
	for _, r := range rules {
		if err := r.Validate(); err != nil {
			return fmt.Errorf("hints: %w", err)
		}
		if r.Tool == "" {
			continue
		}
		if err := KnownName(r.Tool); err != nil {
			return fmt.Errorf("hints: %w", err)
		}
	}
	s.rules = append(slices.Clone(s.rules), rules...)
	return nil
}

// hinted returns tools with the hints.
func (s *Set) hinted(tools []*tool.Tool) ([]*tool.Tool, error) {
	rules := append(slices.Clone(s.rules), DefaultHints()...)
	out := make([]*tool.Tool, len(tools))
	for i, t := range tools {
		var err error
		if out[i], err = t.WithRules(rules...); err != nil {
			return nil, err
		}
	}
	return out, nil
}
