// This file defines schedules, and the mistakes in them.

package schedule

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// The bounds of a schedule, and of the schedules of a tenant.
const (
	MaxMissed     = 100  // more runs at once would be a burst that nobody expects
	DefaultMissed = 10   // of ScheduleSetting.MissedMost
	MaxTenant     = 1000 // schedules of a tenant: all of them are in memory

	MaxTenantBytes = 64 << 20 // of all schedules of a tenant, with their sources and data

	maxName    = 60  // bytes, in the name of a document with the tenant before it
	maxWaiting = 100 // times that wait for the end of a run
	maxActive  = 100 // known active runs: more are possible only if many concurrent runs are allowed
	maxLast    = 20  // fires that are kept
)

var nameForm = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}._-]*$`)

// checkName returns ErrInvalid for a name that no schedule can have.
func checkName(name string) error {
	if len(name) > maxName || !nameForm.MatchString(name) {
		return store.ErrInvalid.With("got the name %.100q of a schedule, want up to %d bytes of letters, digits and . _ - "+
			"that begin with a letter or digit", name, maxName)
	}
	return nil
}

// Mistake is something wrong in a setting.
type Mistake struct {
	Field   string // of the JSON, such as cron or run.source
	Message string // the wrong value, and the expected one
}

// Mistakes are all that is wrong in a setting. errors.Is finds store.ErrInvalid.
type Mistakes []Mistake

func (m Mistakes) Error() string {
	var all []string
	for _, one := range m {
		all = append(all, one.Field+": "+one.Message)
	}
	return strings.Join(all, "; ")
}

// Is reports whether target is store.ErrInvalid.
func (m Mistakes) Is(target error) bool { return store.ErrInvalid.Is(target) }

// complete sets the defaults of a setting, and returns its times. The error is Mistakes.
func complete(s *wire.ScheduleSetting) (*Times, error) {
	var wrong Mistakes
	add := func(field, format string, args ...any) {
		wrong = append(wrong, Mistake{field, fmt.Sprintf(format, args...)})
	}
	if s.Zone == "" {
		s.Zone = time.UTC.String()
	}
	zone, err := parseZone(s.Zone)
	if err != nil {
		add("zone", "%v", err)
		zone = time.UTC
	}
	times, err := parseExpression(s.Cron, zone)
	if err != nil {
		add("cron", "%v", err)
	}
	if s.Missed == "" {
		s.Missed = wire.SkipMissed
	}
	if !slices.Contains(wire.MissedPolicies(), s.Missed) {
		add("missed", "got %.40q, want one of %v", s.Missed, wire.MissedPolicies())
	}
	if s.Missed == wire.RunAll && s.MissedMost == 0 {
		s.MissedMost = DefaultMissed
	}
	switch {
	case s.Missed != wire.RunAll && s.MissedMost != 0:
		add("missedMost", "got %d, want none unless missed is %s", s.MissedMost, wire.RunAll)
	case s.MissedMost < 0 || s.MissedMost > MaxMissed:
		add("missedMost", "got %d, want 1 to %d", s.MissedMost, MaxMissed)
	}
	if s.Overlap == "" {
		s.Overlap = wire.SkipOverlap
	}
	if !slices.Contains(wire.OverlapPolicies(), s.Overlap) {
		add("overlap", "got %.40q, want one of %v", s.Overlap, wire.OverlapPolicies())
	}
	if s.Run.Key != "" {
		add("run.key", "got one, want none: each time has its own")
	}
	if _, taken := s.Run.Labels[wire.ScheduleLabel]; taken {
		add("run.labels", "got the label %s, want none of this name: its value is the name of the schedule",
			wire.ScheduleLabel)
	}
	if wrong != nil {
		return nil, wrong
	}
	return times, nil
}

// Changes reports whether an identity may change a schedule, or run it now.
func Changes(s *wire.Schedule, who access.Who) bool {
	return who.Changes(s.Tenant) && (who.Role.Includes(access.Operator) || who.Name == s.Owner)
}
