// This file defines the service, from its start to its end.

package main

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"time"
	_ "time/tzdata" // for machines without a database of time zones

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/cluster"
	"github.com/ptc-lang/ptc/cmd/internal/buildinfo"
	"github.com/ptc-lang/ptc/cmd/internal/files"
	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/cmd/internal/processors"
	"github.com/ptc-lang/ptc/internal/ending"
	"github.com/ptc-lang/ptc/mcp"
	"github.com/ptc-lang/ptc/policy"
	"github.com/ptc-lang/ptc/policy/ledger"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/api"
	"github.com/ptc-lang/ptc/serve/pages"
	"github.com/ptc-lang/ptc/serve/schedule"
	"github.com/ptc-lang/ptc/store"
	"github.com/ptc-lang/ptc/store/dir"
	"github.com/ptc-lang/ptc/tools/grant"
)

// keyFile is the key of the journals, in the directory of the service.
const keyFile = "journal.key"

// defaultFinish is the time that the runs of a service of one node have to end.
const defaultFinish = 5 * time.Second

// stateFile has the counts of the policies, in the directory of the service.
const stateFile = "policy-state.json"

// serve runs the service until a signal ends it. It writes the address to errs when it is ready. No run is started
// before everything else has succeeded: a service with a mistake in its configuration may be restarted again and again.
func (s *settings) serve(errs io.Writer) error {
	signals, stop := signal.NotifyContext(context.Background(), endings()...)
	defer stop()
	log := s.logger(errs)
	ended, ends := make(chan struct{}), ending.New(log)
	defer close(ended)
	go s.bound(signals, ended, ends, log, os.Exit)
	st, node, err := s.open(signals, ends, log)
	if err != nil {
		return err
	}
	defer st.Close()
	if s.finish == 0 && node == nil {
		s.finish = defaultFinish
	}
	reports, err := newReports(st, node, s.node(), log)
	if err != nil {
		return err
	}
	defer reports.close(log)
	door, err := s.listening(signals, node, log)
	if err != nil {
		return err
	}
	defer door.close()
	engine, granted, err := s.engine(signals, st, node, door, reports, log)
	if err != nil {
		return err
	}
	defer ends.Do("the connections of tools", partTime, granted.Close)
	if err := reports.watch(engine, s.nodeMetrics); err != nil {
		return errors.Join(err, s.drain(engine, ends))
	}
	look, err := s.members(door, engine.Options().Shares, log)
	if err != nil {
		return errors.Join(err, s.drain(engine, ends))
	}
	schedules, closeSchedules, err := s.schedules(signals, engine, st, node, door, look, log)
	if err != nil {
		return errors.Join(err, s.drain(engine, ends))
	}
	defer closeSchedules()
	programs, err := s.programs(engine, granted, log)
	if err != nil {
		return errors.Join(err, s.drain(engine, ends))
	}
	defer programs.Close()
	handler := s.handler(engine, node, schedules, programs, door, look, reports, log)
	server, secure := s.server(handler, door, log)
	address := fmt.Sprintf("%s://%s", scheme(server), door.Addr()) // Serve changes the server
	served := make(chan error, 1)
	go func() { served <- server.Serve(secure) }()
	if node != nil {
		go endReplaced(signals, node, errs)
	}
	fmt.Fprintf(errs, "listening on %s\n", address)
	expired := make(chan struct{})
	go func() {
		defer close(expired)
		s.expire(signals, st, log)
	}()
	err = s.end(signals, stop, served, func() error {
		err := errors.Join(ends.Do("the schedules", partTime, func() error { closeSchedules(); return nil }),
			ends.Do("the programs as tools", partTime, programs.Close))
		if node != nil {
			node.Leave()
		}
		return errors.Join(err, s.drain(engine, ends))
	}, server, log)
	return errors.Join(err, ends.Do("the deletion of old runs", partTime, func() error { <-expired; return nil }))
}

// open opens the store, and warns of a directory that others may write: they could replace the tokens. For a node of a
// cluster it opens the node, which ends with the store.
func (s *settings) open(ctx context.Context, ends *ending.Steps, log *slog.Logger) (store.Store, *cluster.Node, error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, nil, files.Plain(err)
	}
	if info, err := os.Stat(s.dir); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0 {
		log.Warn("other accounts of the machine can write the directory, and so may do everything in the service; "+
			"run chmod go-w "+s.dir, "dir", s.dir, "mode", fmt.Sprintf("%#o", info.Mode().Perm()))
	}
	if s.cluster != nil && s.cluster.Enabled {
		return s.openNode(ctx, ends, log)
	}
	st, err := dir.Open(s.dir)
	return st, nil, err
}

// logger returns the log on standard error.
func (s *settings) logger(w io.Writer) *slog.Logger {
	o := &slog.HandlerOptions{Level: s.logLevel}
	if s.logForm == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}

// server returns the server, and the listener with its TLS. Without TLS, tokens are readable on the way.
func (s *settings) server(h http.Handler, door *door, log *slog.Logger) (*http.Server, net.Listener) {
	server := access.Server(h, door.secure)
	requests, cut := context.WithCancel(context.Background())
	server.BaseContext = func(net.Listener) context.Context { return requests }
	server.RegisterOnShutdown(func() { time.AfterFunc(streamTime, cut) })
	server.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelWarn)
	if door.secure != nil {
		return server, tls.NewListener(door, door.secure)
	}
	if at, ok := door.Addr().(*net.TCPAddr); ok && !at.IP.IsLoopback() {
		log.Warn("tokens can be read on the way: the service listens on the network without TLS; see --tls-cert")
	}
	return server, door
}

func scheme(server *http.Server) string {
	if server.TLSConfig != nil {
		return "https"
	}
	return "http"
}

// engine returns the engine on a store, and the grants of its tools, which the caller closes.
func (s *settings) engine(ctx context.Context, st store.Store, node *cluster.Node, door *door, reports *reports,
	log *slog.Logger) (*serve.Engine, *grant.Set, error) {
	shares, err := access.NewShares(s.tenants, s.otherTenants, door.tokens.Share)
	if err != nil {
		return nil, nil, err
	}
	key, err := s.journalKey(node)
	if err != nil {
		return nil, nil, err
	}
	queues, base, err := s.policies(ctx, st, node, log)
	if err != nil {
		return nil, nil, err
	}
	granted, err := s.granted()
	if err != nil {
		return nil, nil, err
	}
	if node != nil {
		s.shareHosts(node, granted)
	}
	granted.Log, granted.Shapes = log, filepath.Join(s.dir, "shapes")
	tools, err := granted.Registry(ctx)
	if err == nil {
		err = grant.CheckApprovals(s.approve, tools)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("a grant can't be used: %w", errors.Join(err, granted.Close()))
	}
	o := serve.Options{Store: st, Key: key, Memory: s.memory, Running: s.running, Queued: s.queued,
		Linger: s.linger, SessionIdle: s.sessionIdle, Sessions: s.sessions, Log: log, Policies: base,
		FourEyes: s.fourEyes,
		Shares:   shares, Each: reports.each,
		Run: ptc.Options{Limits: s.limits, Tools: tools, Queue: queues, Approve: s.approve.And(granted.Approvals()),
			Processors: processors.Responsive()}}
	if s.onFull == flags.OnFullFail {
		o.Run.OnFull = ptc.OnFullFail
	}
	one := s.limits.Memory + int64(s.limits.Workers)*s.limits.WorkerMemory
	if o.Memory == 0 {
		o.Memory = max(machineMemory()/4*3, one)
	}
	limitGarbage(o.Memory)
	if node != nil {
		o.Crashes = s.cluster.Work.MaxCrashes
		if err := join(node, &o, granted); err != nil {
			return nil, nil, errors.Join(err, granted.Close())
		}
	}
	var engine *serve.Engine
	err = node.Lasting(ctx, func() (err error) {
		engine, err = serve.New(ctx, o)
		return err
	})
	if err != nil {
		return nil, nil, errors.Join(err, granted.Close())
	}
	return engine, granted, nil
}

// granted returns the grants of the flags and of the file. No tool can change the files that control the service.
func (s *settings) granted() (*grant.Set, error) {
	const open, secret = false, true
	all := []grant.Protected{{Path: files.Absolute(s.dir), What: "the directory of the service", Secret: secret}}
	for _, p := range []grant.Protected{{Path: s.config, What: "the configuration of the service", Secret: open},
		{Path: s.grantsFile, What: "the grants of the service", Secret: secret},
		{Path: s.policyFile, What: "the policy of the service", Secret: open},
		{Path: s.tls.Key, What: "the key of the service's certificate", Secret: secret},
		{Path: s.tls.Cert, What: "the certificate of the service", Secret: open},
		{Path: s.tls.ClientCA, What: "the authority of the service's clients", Secret: open}} {
		if p.Path != "" {
			p.Path = files.Absolute(p.Path)
			all = append(all, p)
		}
	}
	all = append(all, s.clusterFiles()...)
	if exe, err := os.Executable(); err == nil {
		all = append(all, grant.Protected{Path: exe, What: "the program ptcd", Secret: open})
	}
	s.grants.Protect(all...)
	granted := s.grants.Clone()
	if s.grantsFile == "" {
		return granted, nil
	}
	text, whole, err := files.Read(s.grantsFile, grant.MaxFile)
	if err == nil && !whole {
		err = fmt.Errorf("%s: more than %s", s.grantsFile, flags.SizeText(grant.MaxFile))
	}
	if err == nil {
		err = granted.ReadFile(s.grantsFile, text)
	}
	return granted, err
}

// policies returns the queues with the policies, whose counts outlive the process, and the digest of the
// file of the configuration. Policies that were put through the API after the last change of the file take
// precedence. It adds the hints to the grants.
func (s *settings) policies(ctx context.Context, st store.Store, node *cluster.Node,
	log *slog.Logger) (_ effect.Queues, base string, err error) {
	name, text, err := s.policyFile, "", error(nil)
	if name != "" {
		var read []byte
		var whole bool
		if read, whole, err = files.Read(name, policy.MaxSize); err == nil && !whole {
			err = fmt.Errorf("%s: more than %s", name, flags.SizeText(policy.MaxSize))
		}
		if err != nil {
			return nil, "", err
		}
		text = string(read)
		base = fmt.Sprintf("%x", sha256.Sum256(read))
	}
	var p queue.Policies
	apply := func(put string, holds bool) error {
		name, text := name, text
		switch {
		case holds:
			name, text = putPolicies, put
			log.Info("the policies are those that were put with the API; a change of the file of --policy replaces them")
		case put != "":
			log.Warn("the policies that were put with the API are not used any more: --policy has changed since")
		}
		if p, err = s.parsePolicies(name, text); err == nil && node != nil && text != "" {
			err = node.Lasting(ctx, func() error { return node.Queues().Replace(ctx, p) })
		}
		return err
	}
	err = node.Lasting(ctx, func() error { return serve.ApplyPolicies(ctx, st, base, apply) })
	if err != nil {
		return nil, "", err
	}
	if node != nil {
		return node.Queues(), base, nil
	}
	e, err := queue.NewEnforcer(p, nil)
	if err != nil {
		return nil, "", err
	}
	e.Keep(ledger.New(filepath.Join(s.dir, stateFile)))
	return e, base, nil
}

// putPolicies names the policies that the API has put, in errors.
const putPolicies = "the policies that were put with the API (documents/policies in the directory of the service)"

// parsePolicies returns the policies of a text. The grants get their hints.
func (s *settings) parsePolicies(name, text string) (queue.Policies, error) {
	p, err := policy.Parse(name, text)
	if err != nil {
		return p, err
	}
	if err := policy.CheckTools(name, text, grant.ToolNames()); err != nil {
		return p, err
	}
	rules, err := policy.Hints(name, text)
	if err == nil {
		err = s.grants.AddHints(rules...)
	}
	if err != nil {
		return p, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

// door decides who may connect. It has a listener that nobody serves yet.
type door struct {
	net.Listener
	secure *tls.Config // nil without TLS
	tokens *access.Tokens
	gate   *access.Gate
	audit  *access.Audit
}

func (d *door) close() { _ = errors.Join(d.Close(), d.audit.Close()) }

// listening opens the listener, with all that checks requests.
func (s *settings) listening(ctx context.Context, node *cluster.Node, log *slog.Logger) (_ *door, err error) {
	d := &door{}
	if d.secure, err = s.tls.Config(log); err != nil {
		return nil, err
	}
	if node != nil {
		d.tokens, err = node.Tokens(ctx)
	} else {
		d.tokens, err = access.Open(s.dir, log)
	}
	if err != nil {
		return nil, err
	}
	if d.audit, err = access.OpenAudit(s.dir); err != nil {
		return nil, err
	}
	if d.Listener, err = net.Listen("tcp", s.listen); err != nil {
		return nil, errors.Join(err, d.audit.Close())
	}
	d.gate, err = access.NewGate(access.Options{Tokens: d.tokens, Audit: d.audit, Log: log, Listen: d.Addr().String(),
		Identities: s.identities, Hosts: s.hosts, Origins: s.origins, MaxBody: s.maxBody,
		Rules: pages.Rules(), SignIn: pages.SignIn})
	if err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// schedules has the schedules run by an engine; in a cluster, while the node has that duty. The owner of a schedule is
// a token or a client certificate.
func (s *settings) schedules(ctx context.Context, engine *serve.Engine, st store.Store, node *cluster.Node, d *door,
	look func(), log *slog.Logger) (_ schedule.Source, end func(), err error) {
	begin := func(ctx context.Context) (*schedule.Scheduler, error) {
		return schedule.New(ctx, engine, schedule.Options{Store: st, Log: log,
			Identity: func(name string) (access.Who, bool) {
				look()
				return d.gate.Identity(name)
			}})
	}
	if node == nil {
		all, err := begin(ctx)
		if err != nil {
			return nil, nil, err
		}
		return all, all.Close, nil
	}
	all := new(schedule.Elected)
	return all, node.Elect(cluster.DutySchedules, func(ctx context.Context) { all.Run(ctx, begin, log) }), nil
}

// handler returns the handler of all requests. It calls look before each one.
func (s *settings) handler(engine *serve.Engine, node *cluster.Node, schedules schedule.Source, programs *mcp.Server,
	d *door, look func(), reports *reports, log *slog.Logger) http.Handler {
	handler := http.NewServeMux()
	handler.Handle("/", pages.New(engine, pages.Options{Schedules: schedules, Log: log}))
	calls := api.New(engine, api.Options{Version: buildinfo.Version(version), MaxBody: s.maxBody,
		Ready: d.audit.Err, Schedules: schedules, MCP: programsHandler(programs), Log: log})
	for _, path := range []string{"/v1/", "/mcp", "/openapi.json", "/healthz", "/readyz"} {
		handler.Handle(path, calls)
	}
	var answers http.Handler = handler
	if node != nil {
		answers = node.Serve(engine, handler)
	}
	all := d.gate.Handler(withProfiles(reports.handler(answers)))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		look()
		all.ServeHTTP(w, r)
	})
}

// expireEvery is the time between two looks at the runs that are kept too long.
const expireEvery = 10 * time.Minute

// expire deletes runs that exceed the retention, until ctx ends.
func (s *settings) expire(ctx context.Context, st store.Store, log *slog.Logger) {
	for {
		n, err := st.Expire(ctx, s.keep, time.Now())
		switch {
		case err != nil && ctx.Err() == nil:
			log.Error("ended runs can't be deleted", "error", err)
		case n > 0:
			log.Info("ended runs were deleted", "runs", n)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(expireEvery):
		}
	}
}
