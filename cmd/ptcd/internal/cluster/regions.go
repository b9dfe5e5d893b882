// This file defines ptcd cluster regions.

package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/ptc-lang/ptc/cluster/config"
	"github.com/ptc-lang/ptc/cluster/pki"
	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/cmd/ptcd/internal/subcommand"
)

// regional is a node of one of several clusters.
type regional struct{ cluster, node string }

func regionsFlags(s *settings) []flags.Spec {
	return []flags.Spec{
		{Name: "dir", Value: "DIR", Text: "directory to write into, which is made if there is none; required",
			To: flags.File(&s.dir)},
		{Name: "name", Value: "NAME", Initial: "regions", Text: "name of the regions together: the key regions.name of all " +
			"nodes", To: flags.Word(&s.cluster)},
		{Name: "node", Value: "CLUSTER/NODE", Text: "node that exchanges facts", Repeats: true,
			To: flags.Func(s.addRegional)},
	}
}

func (s *settings) addRegional(text string) error {
	cluster, node, _ := strings.Cut(text, "/")
	if err := errors.Join(pki.CheckName("cluster", cluster), pki.CheckName("node", node)); err != nil {
		return fmt.Errorf("want CLUSTER/NODE, such as prod-eu/node1: %w", err)
	}
	s.regionals = append(s.regionals, regional{cluster, node})
	return pki.CheckName("node", config.RegionName(cluster, node))
}

// regions writes the certificates with which nodes of several clusters exchange facts.
func regions(_ context.Context, s *settings, out io.Writer) error {
	if len(s.regionals) < 2 {
		return fmt.Errorf("%w: --node is given %d times, want it for each node that exchanges facts", subcommand.ErrUsage,
			len(s.regionals))
	}
	if s.cluster == "" {
		s.cluster = "regions"
	}
	if err := pki.CheckName("cluster", s.cluster); err != nil {
		return fmt.Errorf("%w: --name: %w", subcommand.ErrUsage, err)
	}
	dir := absolute(s.dir)
	if err := filling(dir, func() error { return s.writeRegions(dir) }); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s has the certificates of %d nodes for the regions %s. Copy ca.pem and its own two files to each "+
		"node, and keep ca-key.pem.\n", s.dir, len(s.regionals), s.cluster)
	return nil
}

func (s *settings) writeRegions(dir string) error {
	authority, err := pki.NewAuthority(s.cluster, pki.AuthorityLifetime)
	if err != nil {
		return err
	}
	if err := authority.Write(dir); err != nil {
		return err
	}
	for _, r := range s.regionals {
		name := config.RegionName(r.cluster, r.node)
		cert, key, err := authority.Issue(s.cluster, name, nil, pki.NodeLifetime)
		if err != nil {
			return err
		}
		path := filepath.Join(dir, name)
		if err := files(file{path + "-key.pem", key}, file{path + ".pem", cert}); err != nil {
			return err
		}
	}
	return nil
}
