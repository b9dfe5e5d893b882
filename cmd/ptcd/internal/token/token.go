// Package token is the command ptcd token: it makes, lists and revokes the tokens of a directory, or of a cluster. For
// a directory it works on the file of tokens, so the service need not run, and a service that runs knows the change at
// the next request.
package token

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/cmd/ptcd/internal/subcommand"
	"github.com/ptc-lang/ptc/serve/access"
)

// Keeper keeps tokens.
type Keeper interface {
	Create(context.Context, access.Token) (text string, _ access.Token, err error)
	List(context.Context) ([]access.Token, error)
	Revoke(ctx context.Context, which string) (access.Token, error)
}

// Open returns the keeper of the tokens that the file of --config names: a directory, for Dir, or a cluster.
type Open func(config string) (Keeper, error)

// Dir keeps the tokens of a directory.
type Dir string

// Create implements Keeper.
func (d Dir) Create(_ context.Context, t access.Token) (string, access.Token, error) {
	return access.Create(string(d), t)
}

// List implements Keeper.
func (d Dir) List(context.Context) ([]access.Token, error) { return access.List(string(d)) }

// Revoke implements Keeper.
func (d Dir) Revoke(_ context.Context, which string) (access.Token, error) {
	return access.Revoke(string(d), which)
}

// settings are the values of the flags.
type settings struct {
	dir, config, role string
	json              bool
	token             access.Token
	keeper            Keeper
}

// commands are those of ptcd token.
var commands = []subcommand.Command[settings]{
	{Name: "create", Usage: "(--dir DIR | --config FILE) --name NAME --role ROLE [flags]",
		Summary: "make a token and print it, once", Flags: createFlags, Run: create},
	{Name: "list", Usage: "(--dir DIR | --config FILE) [--json]", Summary: "list the tokens, without their secrets",
		Flags: listFlags, Run: list},
	{Name: "revoke", Usage: "(--dir DIR | --config FILE) NAME-OR-ID…", Summary: "revoke tokens, from the next request on",
		Flags: whereFlags, Run: revoke},
}

// whereFlags are the flags that say whose tokens they are.
func whereFlags(s *settings) []flags.Spec {
	return []flags.Spec{
		{Name: "dir", Value: "DIR", Text: "directory of the service", To: flags.File(&s.dir)},
		{Name: "config", Value: "FILE", Text: "file of the settings of the service, or of a node of a cluster that runs: " +
			"the tokens are then those of all nodes", To: flags.File(&s.config)},
	}
}

func listFlags(s *settings) []flags.Spec {
	return append(whereFlags(s), flags.Spec{Name: "json", Text: "write one JSON array", To: flags.Toggle(&s.json)})
}

func createFlags(s *settings) []flags.Spec {
	t := &s.token
	return append(append(whereFlags(s),
		flags.Spec{Name: "name", Value: "NAME", Text: "who uses the token; appears in runs and in the audit log",
			To: flags.Word(&t.Name)},
		flags.Spec{Name: "role", Value: "ROLE", Text: "what the token may do: " + strings.Join(Roles(), ", "),
			Choices: Roles(), To: flags.Word(&s.role)},
		flags.Spec{Name: "tenant", Value: "TENANT", Text: "whose runs the token sees", Initial: access.DefaultTenant,
			To: flags.Word(&t.Tenant)},
		flags.Spec{Name: "expires", Value: "TIME", To: flags.Func(s.expires), Text: "when the token ends: a time from now " +
			"such as 12h or 90d, or a date such as 2027-01-31 (UTC); without it, the token does not end"},
	), ShareFlags(&t.Share)...)
}

// Roles returns the values of a flag for a role.
func Roles() (names []string) {
	for _, r := range access.Roles() {
		names = append(names, string(r))
	}
	return names
}

// ShareFlags returns the flags of a share. They are the keys of the tenants in the file of ptcd --config too.
func ShareFlags(share *access.Share) []flags.Spec {
	return []flags.Spec{
		{Name: "running", Value: "N", Text: "maximum number of its runs at once",
			To: flags.Count(&share.Running, math.MaxInt32)},
		{Name: "queued", Value: "N", Text: "maximum number of its runs that wait to begin",
			To: flags.Count(&share.Queued, math.MaxInt32)},
		{Name: "memory", Value: "SIZE", Text: "maximum sum of the memory limits of its runs at once",
			To: flags.Size(&share.Memory, 1, math.MaxInt64)},
		{Name: "calls", Value: "N", Text: "maximum number of tool calls of one run",
			To: flags.Count(&share.Calls, math.MaxInt32)},
		{Name: "per-second", Value: "N", Text: "maximum number of submissions per second, such as 0.5",
			To: flags.Func(func(text string) error {
				n, err := strconv.ParseFloat(text, 64)
				if err != nil || !(n > 0) || math.IsInf(n, 0) {
					return errors.New("want a number above 0 such as 10 or 0.5")
				}
				share.PerSecond = n
				return nil
			})},
		{Name: "burst", Value: "N", Text: "submissions at once, before --per-second holds",
			To: flags.Count(&share.Burst, math.MaxInt32)},
	}
}

func (s *settings) expires(text string) error {
	if at, err := time.Parse(time.DateOnly, text); err == nil {
		s.token.Expires = &at
		return nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		s.token.Expires = &at
		return nil
	}
	var d time.Duration
	days, isDays := strings.CutSuffix(text, "d")
	n, err := strconv.ParseUint(days, 10, 16)
	if isDays && err == nil {
		d = time.Duration(n) * 24 * time.Hour
	} else if d, err = time.ParseDuration(text); err != nil {
		return errors.New("want a time such as 12h or 90d, or a date such as 2027-01-31 or 2027-01-31T18:00:00Z")
	}
	if d <= 0 {
		return errors.New("want a time in the future")
	}
	at := time.Now().UTC().Add(d).Truncate(time.Second)
	s.token.Expires = &at
	return nil
}

// Main runs the command with its arguments, and returns the exit code. A token is all that it writes to out.
func Main(args []string, open Open, out, errs io.Writer) int {
	group := subcommand.Group[settings]{
		Name:     "ptcd token",
		About:    "ptcd token makes, lists and revokes the tokens of a service.",
		Commands: commands,
		Prepare: func(s *settings) (err error) {
			if (s.dir == "") == (s.config == "") {
				return errors.New("want --dir, which names the directory of the service, or --config, which names its file")
			}
			if s.keeper = Dir(s.dir); s.config != "" {
				s.keeper, err = open(s.config)
			}
			return err
		},
	}
	return group.Main(args, out, errs)
}

func create(ctx context.Context, s *settings, args []string, out, errs io.Writer) error {
	if err := subcommand.NoArguments(args); err != nil {
		return err
	}
	if s.token.Name == "" || s.role == "" {
		return fmt.Errorf("%w: --name and --role are required", subcommand.ErrUsage)
	}
	s.token.Role = access.Role(s.role)
	text, token, err := s.keeper.Create(ctx, s.token)
	if err != nil {
		return err
	}
	fmt.Fprintf(errs, "The token %s (id %s) of the %s %s is on the next line. It is kept nowhere: copy it now.\n",
		token.Name, token.ID, token.Role, inTenant(token))
	_, err = fmt.Fprintln(out, text)
	return err
}

func inTenant(t access.Token) string {
	if t.Expires == nil {
		return "in " + t.Tenant
	}
	return "in " + t.Tenant + ", until " + t.Expires.Format(time.RFC3339) + ","
}

func list(ctx context.Context, s *settings, args []string, out, _ io.Writer) error {
	if err := subcommand.NoArguments(args); err != nil {
		return err
	}
	tokens, err := s.keeper.List(ctx)
	if err != nil {
		return err
	}
	if s.json {
		for i := range tokens {
			tokens[i].Hash = ""
		}
		text, err := json.MarshalIndent(append([]access.Token{}, tokens...), "", "  ")
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "%s\n", text)
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tNAME\tTENANT\tROLE\tCREATED\tEXPIRES")
	for _, t := range tokens {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", t.ID, t.Name, t.Tenant, t.Role, t.Created.Format(time.DateOnly), end(t))
	}
	return w.Flush()
}

func end(t access.Token) string {
	switch {
	case t.Expires == nil:
		return "never"
	case time.Now().After(*t.Expires):
		return "expired " + t.Expires.UTC().Format(time.DateOnly)
	}
	return t.Expires.UTC().Format(time.RFC3339)
}

func revoke(ctx context.Context, s *settings, args []string, out, _ io.Writer) error {
	if len(args) == 0 {
		return fmt.Errorf("%w: want the name or the id of a token", subcommand.ErrUsage)
	}
	var all []error
	for _, which := range args {
		token, err := s.keeper.Revoke(ctx, which)
		if err != nil {
			all = append(all, err)
			continue
		}
		fmt.Fprintf(out, "revoked %s (id %s)\n", token.Name, token.ID)
	}
	return errors.Join(all...)
}
