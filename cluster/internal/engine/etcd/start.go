// This file defines the checks before etcd starts: which directories are refused, and how damage is recognised.

package etcd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/transport"
	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/etcdserver/api/rafthttp"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/internal/durable"
)

// ErrWiped: the directory of a member is empty, and the member has started before.
var ErrWiped = errors.New("the files of the member are gone")

// repair is the operator's next step for a member without its files, or with damaged ones.
const repair = "do not start it again: see that all other members run, replace this one on another member, empty its " +
	"directory, and let it join"

// member is the contents of DIR/member.json.
type member struct {
	Name    string `json:"name"`
	Cluster string `json:"cluster"`
	ID      string `json:"id"` // of etcd, in hexadecimal digits
	Since   string `json:"since"`
}

func dataDir(dir string) string    { return filepath.Join(dir, "data") }
func memberFile(dir string) string { return filepath.Join(dir, "member.json") }

// removedFile is the file that marks a removed member. The data of the member may not include its removal:
// the others refuse its connections as soon as they have removed it, so it may never receive the change.
func removedFile(dir string) string { return filepath.Join(dir, "removed") }

// lock makes a directory and locks it for this process.
func lock(dir string) (unlock func() error, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return nil, fmt.Errorf("the directory %s has mode %04o, so others may read it: set 0700", dir, mode)
	}
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	free, err := durable.Lock(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the directory %s is in use by another process: %w", dir, err), f.Close())
	}
	return func() error { return errors.Join(free(), f.Close()) }, nil
}

// start starts etcd on the directory.
func (e *Engine) start(ctx context.Context) (err error) {
	o := &e.options
	marked, has, err := e.found(ctx)
	if err != nil {
		return err
	}
	listener, err := o.listen()
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = listener.Close() // it is closed already if it was served
		}
	}()
	started, err := e.attempt()
	if err != nil {
		return err
	}
	if err := e.launch(ctx, has); err != nil {
		return errors.Join(err, started())
	}
	if err := started(); err != nil {
		e.server.Close()
		return err
	}
	server := e.server.Server
	if has && server.Cluster().Member(server.MemberID()) == nil {
		e.server.Close()
		return o.removed()
	}
	if marked == nil {
		if err := o.mark(server.MemberID().String()); err != nil {
			e.server.Close()
			return err
		}
	}
	e.answers = e.serve(listener)
	e.run()
	return nil
}

// found returns the contents of the directory: the contents of its member.json, nil if there is none, and whether it
// has the files of the member. It returns an error if the member must not start on it.
func (e *Engine) found(ctx context.Context) (marked *member, has bool, err error) {
	o := &e.options
	if _, err := os.Stat(removedFile(o.Dir)); err == nil {
		return nil, false, o.removed()
	}
	if marked, err = o.marker(); err != nil {
		return nil, false, err
	}
	if has, err = o.files(marked); err != nil {
		return nil, false, err
	}
	if !has {
		err = e.mayBegin(ctx, marked)
	}
	return marked, has, err
}

// launch starts the server. One that joins is started again as long as the list of members changes in the meantime.
func (e *Engine) launch(ctx context.Context, has bool) error {
	o := &e.options
	first := o.Start
	if has {
		first = Restart
	}
	for try := 1; ; try++ {
		if first == Join {
			if err := e.added(ctx); err != nil {
				return err
			}
		}
		// The check compares the data with that of the others before the member takes part. It takes 5 s for each member
		// that does not answer, and has nothing to compare with if none does: then it is left out, and the leader's
		// comparison, which comes 10 s after the election, finds a difference.
		cfg, err := o.config(first, has && e.answered(ctx))
		if err != nil {
			return err
		}
		if e.server, err = startEtcd(cfg); err == nil {
			return nil
		}
		if first != Join || !changed(err) || try == maxJoins {
			return o.explained(has, err)
		}
	}
}

// attempt marks that a start is under way, and returns a function that ends it. Some damage of the database
// makes etcd panic in one of its goroutines, where nothing can recover: the next start finds the mark and
// logs the next step.
func (e *Engine) attempt() (started func() error, err error) {
	path := filepath.Join(e.options.Dir, "starting")
	if _, err := os.Stat(path); err == nil {
		e.log.Warn("the last start of the engine was not finished: if it has panicked, its files are damaged",
			"part", "engine", "directory", e.options.Dir, "advice", repair)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return nil, err
	}
	return func() error { return os.Remove(path) }, nil
}

// startEtcd starts etcd, and returns its panic as an error.
func startEtcd(cfg *embed.Config) (server *embed.Etcd, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &failed{fmt.Sprint(r)}
		}
	}()
	return embed.StartEtcd(cfg)
}

// failed is an error that etcd has panicked with.
type failed struct{ message string }

func (f *failed) Error() string { return f.message }

// marker returns the contents of DIR/member.json, nil if there is none, or an error if it is that of another member.
func (o *Options) marker() (*member, error) {
	text, err := os.ReadFile(memberFile(o.Dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var m member
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("%w: %s: %w; %s", engine.ErrCorrupt, memberFile(o.Dir), err, repair)
	}
	if m.Name != o.Name || m.Cluster != o.Cluster {
		return nil, fmt.Errorf("the directory %s is that of member %s of cluster %s, want member %s of cluster %s",
			o.Dir, m.Name, m.Cluster, o.Name, o.Cluster)
	}
	return &m, nil
}

// mark writes DIR/member.json.
func (o *Options) mark(id string) error {
	text, err := json.Marshal(member{o.Name, o.Cluster, id, time.Now().UTC().Format(time.RFC3339)})
	if err != nil {
		return err
	}
	if err := durable.Create(memberFile(o.Dir), append(text, '\n')); err != nil {
		return err
	}
	return durable.SyncDir(o.Dir)
}

// files reports whether the directory has the files of a member. It returns an error if some are missing.
func (o *Options) files(marked *member) (bool, error) {
	log, err := filepath.Glob(filepath.Join(dataDir(o.Dir), "member", "wal", "*.wal"))
	if err != nil {
		return false, err
	}
	_, err = os.Stat(filepath.Join(dataDir(o.Dir), "member", "snap", "db"))
	database := err == nil
	switch {
	case len(log) > 0 && database:
		return true, nil
	case marked != nil && len(log) == 0 && !database:
		return false, fmt.Errorf("%w: %s is empty, and the member has run since %s; %s",
			ErrWiped, dataDir(o.Dir), marked.Since, repair)
	case marked != nil && !database:
		return false, fmt.Errorf("%w: %s has no database; %s", engine.ErrCorrupt, dataDir(o.Dir), repair)
	case marked != nil:
		return false, fmt.Errorf("%w: %s has no log; %s", engine.ErrCorrupt, dataDir(o.Dir), repair)
	}
	// The first start was not finished: nothing was acknowledged.
	return false, os.RemoveAll(dataDir(o.Dir))
}

// removed is the error of a member that is none any more.
func (o *Options) removed() error {
	return fmt.Errorf("the member was removed from the cluster: empty %s, add the member again and let it join", o.Dir)
}

// explained adds the next step to an error of etcd's start.
func (o *Options) explained(has bool, err error) error {
	text := err.Error()
	var panicked *failed
	switch {
	case strings.Contains(text, "already been bootstrapped"):
		return fmt.Errorf("%w: %s; %s", ErrWiped, text, repair)
	case strings.Contains(text, "permanently removed"):
		return o.removed()
	case strings.Contains(text, "no space left"), strings.Contains(text, "permission denied"),
		strings.Contains(text, "address already in use"), strings.Contains(text, "cannot assign requested address"):
		return err
	case has && (errors.As(err, &panicked) || damage(text)):
		return fmt.Errorf("%w: %s: %s; %s", engine.ErrCorrupt, dataDir(o.Dir), text, repair)
	}
	return err
}

// damage reports whether an error of etcd's start is about the contents of its files.
func damage(text string) bool {
	for _, part := range []string{"inconsistency with peers", "wal:", "walpb:", "crc mismatch", "snap:",
		"invalid database", "checksum error", "version mismatch", "failed to recover", "snapshot", "unexpected EOF",
		"schema", "proto:"} {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// info returns the settings of etcd for certificates. They identify members by the names in them, not by the addresses
// that connections come from.
func (t *TLS) info() transport.TLSInfo {
	return transport.TLSInfo{CertFile: t.Cert, KeyFile: t.Key, TrustedCAFile: t.CA, ClientCertAuth: true,
		AllowedHostnames: t.Hosts, SkipClientSANVerify: true, ServerName: t.sni}
}

// peers returns a client for the requests to other members.
func (o *Options) peers() (*http.Client, error) {
	var info transport.TLSInfo
	if o.TLS != nil {
		info = o.TLS.info()
	}
	rt, err := rafthttp.NewRoundTripper(info, time.Second)
	if err != nil {
		return nil, err
	}
	return &http.Client{Transport: rt}, nil
}
