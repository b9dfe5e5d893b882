// This file defines ptc remote cluster, by which an operator sees and changes the nodes of a cluster.

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/cmd/ptc/internal/ask"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

const clusterAbout = `Shows and changes the nodes of a cluster, through any of them. status begins with what
is wrong and what to do about it.

  status          the state of the cluster and its engine, and who has which duty
  members         the nodes
  load            the load of the nodes
  leader          the node that leads the engine
  guards, queues  what runs hold and wait for
  token NODE      make a token with which a node joins; see ptcd cluster join
  drain NODE      have a node take no runs and hand over those that it leads; --undo ends that
  remove NODE     remove a node that is not running
  step-down DUTY  have the node that has a duty give it up; by default that of the engine
  rebalance       spread the queued runs over the nodes now
  settle          list the writes in doubt; settle RUN settles those of a run as ptc remote settle does`

// clusterSettings are the values of the flags of ptc remote cluster.
type clusterSettings struct {
	role, lifetime string
	hosts          []string
	replace, undo  bool
	wait           bool
}

// clusterAction is the action of a word after ptc remote cluster.
type clusterAction struct {
	name string
	args string // its arguments, for errors; "" for none
	min  int
	do   func(r *remote, ctx context.Context, args []string) int
}

func clusterActions() []clusterAction {
	return []clusterAction{
		{"status", "", 0, (*remote).clusterStatus}, {"members", "", 0, (*remote).clusterMembers},
		{"load", "", 0, (*remote).clusterLoad}, {"leader", "", 0, (*remote).clusterLeader},
		{"guards", "", 0, (*remote).clusterGuards}, {"queues", "", 0, (*remote).clusterQueues},
		{"token", "the name of a node", 1, (*remote).clusterToken},
		{"drain", "the name of a node", 1, (*remote).clusterDrain},
		{"remove", "the name of a node", 1, (*remote).clusterRemove},
		{"step-down", "the name of a duty", 0, (*remote).clusterStepDown},
		{"rebalance", "", 0, (*remote).clusterRebalance},
		{"settle", "the id of a run", 0, (*remote).clusterSettle},
	}
}

// remoteClusterCommand declares ptc remote cluster.
func remoteClusterCommand() command {
	var words []string
	for _, a := range clusterActions() {
		words = append(words, a.name)
	}
	return remotePart(command{
		name:    "remote cluster",
		summary: "show and change the nodes of a cluster",
		usage: []string{"status|members|load|leader|guards|queues [flags]", "token|drain|remove NODE [flags]",
			"step-down [DUTY] [flags]", "rebalance [flags]", "settle [RUN] [flags]"},
		about: clusterAbout,
		examples: []string{"ptc remote cluster status", "ptc remote cluster token node4 --role voter > token",
			"ptc remote cluster drain node2 --wait"},
		declare: func(v *settings) []flags.Spec {
			c := &v.remote.cluster
			return slices.Concat([]flags.Spec{jsonFlag(&v.remote),
				{Name: "role", Value: "ROLE", Initial: "worker", Choices: []string{"voter", "witness", "worker"},
					Text: "role of the node of a token: voter, witness (votes only) or worker (no vote)", To: flags.Word(&c.role)},
				{Name: "replace", Text: "the node of the token takes the place of the dead one of its name",
					To: flags.Toggle(&c.replace)},
				{Name: "host", Value: "HOST", Repeats: true, To: flags.Func(func(text string) error {
					c.hosts = append(c.hosts, text)
					return nil
				}), Text: "host name or IP address for the certificate of the node of a token; 127.0.0.1 by default"},
				{Name: "lifetime", Value: "TIME", Initial: "1h", Text: "time for which a token can be used",
					To: flags.Word(&c.lifetime)},
				{Name: "undo", Text: "have the node take runs again, with drain", To: flags.Toggle(&c.undo)},
				{Name: "wait", Text: "wait until the node leads no run, with drain", To: flags.Toggle(&c.wait)},
			}, followFlags(v), settleFlags(v))
		},
		arguments: wordArguments,
		words:     words,
	}, (*remote).clusterDo)
}

// clusterDo performs the action that the first argument names.
func (r *remote) clusterDo(ctx context.Context) int {
	actions := clusterActions()
	if len(r.rest) == 0 {
		return failUsage(r.streams, "remote cluster: want one of %s; see ptc help remote cluster",
			strings.Join(r.command.words, ", "))
	}
	i := slices.IndexFunc(actions, func(a clusterAction) bool { return a.name == r.rest[0] })
	if i < 0 {
		return failUsage(r.streams, "remote cluster: got %q, want one of %s", r.rest[0], strings.Join(r.command.words, ", "))
	}
	a, args := actions[i], r.rest[1:]
	most := 1
	if a.args == "" {
		most = 0
	}
	if len(args) < a.min || len(args) > most {
		want := "takes no arguments"
		if most > 0 {
			want = "takes " + a.args
		}
		return failUsage(r.streams, "remote cluster %s %s, got %d arguments", a.name, want, len(args))
	}
	return a.do(r, ctx, args)
}

// shown writes the state of a cluster, or the error of a request.
func (r *remote) shown(s wire.Cluster, err error, show func(io.Writer, *wire.Cluster)) int {
	switch {
	case err != nil:
		return failRemote(r.streams, err)
	case r.remote.json:
		return r.asJSON(s)
	}
	table := tabwriter.NewWriter(r.out, 0, 0, 2, ' ', 0)
	show(table, &s)
	table.Flush()
	return exitOK
}

// asJSON writes a value as a line of JSON.
func (r *remote) asJSON(v any) int {
	enc := json.NewEncoder(r.out)
	enc.SetEscapeHTML(false)
	enc.Encode(v) // r.out keeps its error
	return exitOK
}

// cells writes a line of a table. Control characters in texts of the service are replaced.
func cells(w io.Writer, all ...any) {
	for i, c := range all {
		if i > 0 {
			io.WriteString(w, "\t")
		}
		io.WriteString(w, ask.Cell(fmt.Sprint(c), 2*ask.ShownArgs))
	}
	io.WriteString(w, "\n")
}

func (r *remote) clusterStatus(ctx context.Context, _ []string) int {
	s, err := r.service.Cluster(ctx)
	return r.shown(s, err, func(w io.Writer, s *wire.Cluster) {
		for _, a := range s.Engine.Alarms {
			fmt.Fprintf(w, "ALARM: %s. %s\n", ask.Cell(a.Alarm, ask.ShownArgs), ask.Cell(a.Repair, 10*ask.ShownArgs))
		}
		for _, text := range s.Warnings {
			fmt.Fprintln(w, ask.Cell(text, 10*ask.ShownArgs))
		}
		cells(w, "cluster", s.ID)
		cells(w, "asked", s.Node+", which reaches: "+s.Reach)
		alive := 0
		for i := range s.Members {
			if s.Members[i].State == "alive" {
				alive++
			}
		}
		cells(w, "nodes", fmt.Sprintf("%d, of which %d are alive", len(s.Members), alive))
		cells(w, "votes", fmt.Sprintf("%d, of which %d answer", s.Engine.Votes, s.Engine.Running))
		cells(w, "waiting", fmt.Sprintf("%d runs", s.Waiting))
		cells(w, "database", fmt.Sprintf("%s of %s, term %d, revision %d", flags.SizeText(s.Engine.Bytes),
			flags.SizeText(s.Engine.Quota), s.Engine.Term, s.Engine.Revision))
		for _, d := range s.Duties {
			cells(w, d.Duty, orNone(d.Node)+" "+d.Does)
		}
	})
}

func orNone(node string) string {
	if node == "" {
		return "(no node)"
	}
	return node
}

// showMembers writes the nodes.
func showMembers(w io.Writer, s *wire.Cluster) {
	cells(w, "NODE", "ROLE", "STATE", "ENGINE", "REGION", "PTC", "RUNS", "ADDRESS", "ABOUT")
	for i := range s.Members {
		m := &s.Members[i]
		var about []string
		if m.Admits {
			about = append(about, "admits nodes")
		}
		if m.Problem != "" {
			about = append(about, "runs no replicas with "+s.Node+": "+m.Problem)
		}
		state := m.State
		if m.Draining {
			state += ", drains"
		}
		cells(w, m.Name, m.Role, state, m.Engine, m.Region, m.PTC, m.Runs, m.Address, strings.Join(about, "; "))
	}
}

func (r *remote) clusterMembers(ctx context.Context, _ []string) int {
	s, err := r.service.Cluster(ctx)
	return r.shown(s, err, showMembers)
}

func (r *remote) clusterLoad(ctx context.Context, _ []string) int {
	s, err := r.service.Cluster(ctx)
	return r.shown(s, err, func(w io.Writer, s *wire.Cluster) {
		cells(w, "NODE", "LOAD", "RUNS", "WAITING", "CPU", "MEMORY", "CONNECTIONS")
		for i := range s.Members {
			m := &s.Members[i]
			cells(w, m.Name, fmt.Sprintf("%.2f", m.Load), m.Runs, m.Waiting, fmt.Sprintf("%.0f %%", 100*m.CPU),
				fmt.Sprintf("%.0f %%", 100*m.Memory), fmt.Sprintf("%d of %d", m.Connections, m.Capacity))
		}
	})
}

func (r *remote) clusterLeader(ctx context.Context, _ []string) int {
	s, err := r.service.Cluster(ctx)
	return r.shown(s, err, func(w io.Writer, s *wire.Cluster) { cells(w, orNone(s.Engine.Leader)) })
}

// mostGuards is the maximum number of guards and waiters that are listed.
const mostGuards = 200

func (r *remote) clusterGuards(ctx context.Context, _ []string) int {
	s, err := r.service.Guards(ctx, mostGuards)
	switch {
	case err != nil:
		return failRemote(r.streams, err)
	case r.remote.json:
		return r.asJSON(s)
	}
	w := tabwriter.NewWriter(r.out, 0, 0, 2, ' ', 0)
	cells(w, "GUARD", "HOLDER", "RUN", "SINCE", "WAITING")
	if s.Global.Holder != "" {
		cells(w, "global", s.Global.Holder, s.Global.Run, timeText(s.Global.Since), s.Global.Waiting)
	}
	for _, h := range s.Hosts {
		cells(w, "host "+h.Host, h.Holder, h.Run, timeText(h.Since), h.Waiting)
	}
	for _, k := range s.Rates {
		cells(w, "rate "+k.Key, fmt.Sprintf("%.3g of %d tokens", k.Tokens, k.Burst), "", "", k.Waiting)
	}
	w.Flush()
	return exitOK
}

func (r *remote) clusterQueues(ctx context.Context, _ []string) int {
	w := tabwriter.NewWriter(r.out, 0, 0, 2, ' ', 0)
	cells(w, "ACTION", "UNDER WAY", "LIMIT", "WAITING", "OLDEST", "DONE", "FAILED")
	for a, err := range r.service.Actions(ctx) {
		if err != nil {
			return failRemote(r.streams, err)
		}
		if r.remote.json {
			r.asJSON(a)
			continue
		}
		cells(w, a.Action, a.Active, a.Limit, a.Waiting, a.Oldest.Round(time.Millisecond), a.Completed, a.Failed)
	}
	if !r.remote.json {
		w.Flush()
	}
	return exitOK
}

func (r *remote) clusterToken(ctx context.Context, args []string) int {
	c := &r.remote.cluster
	j, err := r.service.NewJoin(ctx, wire.NewJoin{Node: args[0], Role: c.role, Hosts: c.hosts, Replaces: c.replace,
		Lifetime: c.lifetime})
	switch {
	case err != nil:
		return failRemote(r.streams, err)
	case r.remote.json:
		return r.asJSON(j)
	}
	fmt.Fprintln(r.out, j.Token)
	fmt.Fprintf(r.err, "It lets %s join once, until %s. Write it to a file on the new machine, with a copy of the master "+
		"key, and run there:\n  ptcd cluster join --at %s --token-file FILE --master-key FILE --dir DIR\n",
		ask.Cell(j.Node, ask.ShownArgs), timeText(j.Ends), ask.Cell(strings.Join(j.At, " or "), ask.ShownArgs))
	return exitOK
}

// drainPoll is the time between two looks at a node that drains.
const drainPoll = 500 * time.Millisecond

func (r *remote) clusterDrain(ctx context.Context, args []string) int {
	s, err := r.service.Drain(ctx, args[0], !r.remote.cluster.undo)
	for err == nil && r.remote.cluster.wait && leads(&s, args[0]) {
		select {
		case <-time.After(drainPoll):
			s, err = r.service.Cluster(ctx)
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	return r.shown(s, err, showMembers)
}

// leads reports whether a node leads a run, or is not known to drain yet.
func leads(s *wire.Cluster, node string) bool {
	return slices.ContainsFunc(s.Members, func(m wire.ClusterMember) bool {
		return m.Name == node && (m.Runs > 0 || !m.Draining)
	})
}

func (r *remote) clusterRemove(ctx context.Context, args []string) int {
	s, err := r.service.RemoveNode(ctx, args[0])
	return r.shown(s, err, showMembers)
}

func (r *remote) clusterStepDown(ctx context.Context, args []string) int {
	duty := "engine"
	if len(args) > 0 {
		duty = args[0]
	}
	s, err := r.service.StepDown(ctx, duty)
	return r.shown(s, err, func(w io.Writer, s *wire.Cluster) {
		for _, d := range s.Duties {
			cells(w, d.Duty, orNone(d.Node))
		}
	})
}

func (r *remote) clusterRebalance(ctx context.Context, _ []string) int {
	n, err := r.service.Rebalance(ctx)
	switch {
	case err != nil:
		return failRemote(r.streams, err)
	case r.remote.json:
		return r.asJSON(wire.Rebalanced{Moved: n})
	}
	fmt.Fprintf(r.out, "%d runs moved\n", n)
	return exitOK
}

// clusterSettle settles a run, or lists those with writes in doubt.
func (r *remote) clusterSettle(ctx context.Context, args []string) int {
	if len(args) == 1 {
		err := checkID(args[0])
		if err == nil {
			err = r.readSettlements(ctx, r.streams)
		}
		return r.settleRun(ctx, args[0], err)
	}
	return r.table([]string{"RUN", "ID", "EFFECT", "SINCE"}, func(row func(store.Run, ...string)) error {
		for run, err := range r.service.List(ctx, store.Query{States: []store.State{store.InDoubt}, Limit: store.MaxLimit}) {
			if err != nil {
				return err
			}
			if r.remote.json {
				row(run)
				continue
			}
			for i := range run.Pending {
				row(run, run.ID, run.Pending[i].ID, ask.Shortly(&run.Pending[i]), timeText(run.Pending[i].Since))
			}
		}
		return nil
	})
}
