// This file defines ptcd backup, restore and migrate: the contents of a whole cluster.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/ptc-lang/ptc/cluster"
	"github.com/ptc-lang/ptc/cluster/member"
	"github.com/ptc-lang/ptc/cmd/internal/buildinfo"
	"github.com/ptc-lang/ptc/cmd/internal/files"
	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/cmd/internal/state"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/store/dir"
)

const aboutMove = `ptcd backup writes everything that a cluster keeps to a file, while the cluster runs.
ptcd restore reads such a file into a new cluster. ptcd migrate copies the directory of a
service of one node, which must not run, into a new cluster.

usage: ptcd backup --config FILE --to FILE
       ptcd restore --config FILE --from FILE
       ptcd migrate --config FILE --from DIR

--config takes the file of a node. For restore and migrate its process must not run, and a
majority of the nodes must: the command takes its place. The other nodes end then: start all
nodes again. Data is encrypted in a backup as it is in the cluster: keep the master key.

flags:
`

// moving are the flags of these commands.
type moving struct{ config, to, from string }

func (m *moving) flags(name string) []flags.Spec {
	all := []flags.Spec{{Name: "config", Value: "FILE", Text: "file of the settings of a node", To: flags.File(&m.config)}}
	switch name {
	case "backup":
		return append(all, flags.Spec{Name: "to", Value: "FILE", Text: "file to write, which must not exist",
			To: flags.File(&m.to)})
	case "restore":
		return append(all, flags.Spec{Name: "from", Value: "FILE", Text: "file that ptcd backup has written",
			To: flags.File(&m.from)})
	}
	return append(all, flags.Spec{Name: "from", Value: "DIR", Text: "directory of a service", To: flags.File(&m.from)})
}

// move runs one of the commands.
func move(name string, args []string, out, errs io.Writer) int {
	var m moving
	specs := m.flags(name)
	line, err := flags.Parse("ptcd "+name, specs, args)
	var s *settings
	switch {
	case errors.Is(err, flags.ErrHelp):
		io.WriteString(out, aboutMove)
		flags.Help(out, specs)
		return exitOK
	case err == nil && len(line.Rest) > 0:
		err = fmt.Errorf("ptcd %s takes no arguments, got %q", name, line.Rest[0])
	case err == nil && (m.config == "" || m.to+m.from == ""):
		err = fmt.Errorf("want ptcd %s --config FILE and --%s; see ptcd %s --help", name, specs[1].Name, name)
	case err == nil:
		if s, err = parse([]string{"--config", m.config}); err == nil && (s.cluster == nil || !s.cluster.Enabled) {
			err = fmt.Errorf("%s has no section cluster: want the settings of a node of a cluster", m.config)
		}
	}
	if err != nil {
		fmt.Fprintln(errs, "ptcd:", err)
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	defer stop()
	switch name {
	case "backup":
		err = m.backup(ctx, s, out)
	default:
		err = m.fill(ctx, s, name == "migrate", out, s.logger(errs))
	}
	if err != nil {
		fmt.Fprintf(errs, "ptcd: %s: %v\n", name, err)
		return exitFailed
	}
	return exitOK
}

// backup writes a backup. The file has its name when it is whole.
func (m *moving) backup(ctx context.Context, s *settings, out io.Writer) (err error) {
	if _, err := os.Stat(m.to); err == nil {
		return fmt.Errorf("the file %s is there already: want another name", m.to)
	}
	f, err := os.CreateTemp(filepath.Dir(m.to), ".backup-*") // of mode 0600
	if err != nil {
		return files.Plain(err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	node, err := cluster.Backup(ctx, s.cluster, buildinfo.Version(version), f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), m.to); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s has written the backup %s\n", node, m.to)
	return nil
}

// fill fills a new cluster in the place of a node.
func (m *moving) fill(ctx context.Context, s *settings, migrate bool, out io.Writer, log *slog.Logger) (err error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return files.Plain(err)
	}
	node, err := cluster.Open(ctx, cluster.Options{Config: s.cluster, Dir: s.dir, Release: buildinfo.Version(version),
		Log: log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, node.Close()) }()
	if err := node.Join(member.Info{}); err != nil { // it grants nothing, and takes no runs
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := node.Copies(waiting); err != nil {
		return err
	}
	if _, err := node.Tokens(ctx); err != nil {
		return err
	}
	if migrate {
		err = m.migrate(ctx, node, out)
	} else {
		err = m.restore(ctx, node, out)
	}
	if err == nil {
		node.Leave()
		fmt.Fprintln(out, "Start all nodes of the cluster again.")
	}
	return err
}

func (m *moving) restore(ctx context.Context, node *cluster.Node, out io.Writer) error {
	f, err := os.Open(m.from)
	if err != nil {
		return files.Plain(err)
	}
	defer f.Close()
	if err := node.Restore(ctx, f); err != nil {
		return err
	}
	fmt.Fprintf(out, "The cluster has the contents of %s.\n", m.from)
	return nil
}

func (m *moving) migrate(ctx context.Context, node *cluster.Node, out io.Writer) error {
	if _, err := os.Stat(filepath.Join(m.from, keyFile)); err != nil {
		return fmt.Errorf("%s is not the directory of a service: %w", m.from, files.Plain(err))
	}
	key, err := state.MakeKey(filepath.Join(m.from, keyFile))
	if err != nil {
		return err
	}
	from, err := dir.Open(m.from)
	if err != nil {
		return err
	}
	defer from.Close()
	copied, err := node.Migrate(ctx, from, key)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "The cluster has %d runs and %d documents of %s.\n", copied.Runs, copied.Documents, m.from)
	return m.tokens(ctx, node, out)
}

// tokens adds the tokens of a service to those of a cluster.
func (m *moving) tokens(ctx context.Context, node *cluster.Node, out io.Writer) error {
	all, err := access.List(m.from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, t := range all {
		switch err := node.AddToken(ctx, t); {
		case errors.Is(err, cluster.ErrTokenExists):
			fmt.Fprintf(out, "The token %s (id %s) is not copied: the cluster has one of that name.\n", t.Name, t.ID)
		case err != nil:
			return err
		}
	}
	return nil
}
