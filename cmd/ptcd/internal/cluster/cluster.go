// Package cluster is the command ptcd cluster: it writes the files of a cluster for a trial, and of a node that joins a
// cluster.
package cluster

import (
	"context"
	"errors"
	"io"

	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/cmd/ptcd/internal/subcommand"
	"github.com/ptc-lang/ptc/tools/grant"
)

// settings are the values of the flags.
type settings struct {
	dir     string
	cluster string
	nodes   int
	given   []setting // grants, in the form of the file of settings

	at, tokenFile, masterKey       string
	listen, address, engineAddress string
	region                         string
	regionals                      []regional
}

// setting is a key of the file of settings with its values.
type setting struct {
	key    string
	values []string
	many   bool // the key takes a list
}

// group is the command.
var group = subcommand.Group[settings]{
	Name:  "ptcd cluster",
	About: "ptcd cluster writes the files of the nodes of a cluster.",
	Commands: []subcommand.Command[settings]{
		{Name: "init", Usage: "--nodes N --dir DIR [grants]",
			Summary: "write the files of a cluster on this machine, for a trial", Flags: initFlags,
			Run: withoutArguments(initialize)},
		{Name: "join", Usage: "--at HOST:PORT --token-file FILE --master-key FILE --dir DIR [grants]",
			Summary: "get the certificate of a new node from a member, and write its files", Flags: joinFlags,
			Run: withoutArguments(join)},
		{Name: "regions", Usage: "--node CLUSTER/NODE --node CLUSTER/NODE … --dir DIR",
			Summary: "write the certificates with which nodes of several clusters exchange facts", Flags: regionsFlags,
			Run: withoutArguments(regions)},
	},
	Prepare: func(s *settings) error {
		if s.dir == "" {
			return errors.New("--dir is missing: it names the directory to write into")
		}
		return nil
	},
}

// withoutArguments returns a command that takes flags only.
func withoutArguments(run func(ctx context.Context, s *settings, out io.Writer) error) func(context.Context, *settings,
	[]string, io.Writer, io.Writer) error {
	return func(ctx context.Context, s *settings, args []string, out, _ io.Writer) error {
		if err := subcommand.NoArguments(args); err != nil {
			return err
		}
		return run(ctx, s, out)
	}
}

// Main runs the command with its arguments, and returns the exit code.
func Main(args []string, out, errs io.Writer) int { return group.Main(args, out, errs) }

func initFlags(s *settings) []flags.Spec {
	return append([]flags.Spec{
		{Name: "nodes", Value: "N", Initial: "3", Text: "number of nodes: 1, 3, 5 or 7", To: flags.Count(&s.nodes, maxNodes)},
		{Name: "dir", Value: "DIR", Text: "directory to write into, which is made if there is none; required",
			To: flags.File(&s.dir)},
		{Name: "name", Value: "NAME", Text: "name of the cluster; by default trial- and six random digits",
			To: flags.Word(&s.cluster)},
	}, s.grants()...)
}

func joinFlags(s *settings) []flags.Spec {
	free := "; by default 127.0.0.1 and a free port"
	return append([]flags.Spec{
		{Name: "at", Value: "HOST:PORT", Text: "address of a member that admits nodes: the one in its controllers; required",
			To: flags.Word(&s.at)},
		{Name: "token-file", Value: "FILE", Text: "file with the token; required", To: flags.File(&s.tokenFile)},
		{Name: "master-key", Value: "FILE", Text: "copy of the master key of the cluster, of mode 0600; required",
			To: flags.File(&s.masterKey)},
		{Name: "dir", Value: "DIR", Text: "directory to write into, which is made if there is none; required",
			To: flags.File(&s.dir)},
		{Name: "listen", Value: "HOST:PORT", Text: "where the node listens for clients" + free, To: flags.Word(&s.listen)},
		{Name: "address", Value: "HOST:PORT", Text: "where the other nodes reach it" + free, To: flags.Word(&s.address)},
		{Name: "engine-address", Value: "HOST:PORT", Text: "where the other engines reach its engine" + free,
			To: flags.Word(&s.engineAddress)},
		{Name: "region", Value: "NAME", Text: "region of the node", To: flags.Word(&s.region)},
	}, s.grants()...)
}

// grants returns the flags of grants. Their values are checked, and go to the files of the nodes.
func (s *settings) grants() []flags.Spec {
	all := flags.Grants(new(grant.Set))
	for i := range all {
		all[i].To = recorder{all[i].To, func(text string) { s.set(all[i].Name, text, all[i].Repeats) }}
	}
	var file string
	return append(all, flags.Spec{Name: "grants", Value: "FILE", Text: "file of grants, in the form of ptc.yaml",
		Group: flags.GroupGrants, To: recorder{flags.File(&file), func(text string) {
			s.set("grants", absolute(text),
				false)
		}}})
}

func (s *settings) set(key, value string, many bool) {
	for i := range s.given {
		if s.given[i].key == key {
			s.given[i].values = append(s.given[i].values, value)
			return
		}
	}
	s.given = append(s.given, setting{key, []string{value}, many})
}

// recorder is a target that notes the values that another one takes.
type recorder struct {
	flags.Target
	note func(text string)
}

// Set enters a value.
func (r recorder) Set(text string) error {
	err := r.Target.Set(text)
	if err == nil {
		r.note(text)
	}
	return err
}
