// This file defines ptcd cluster init.

package cluster

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/ptc-lang/ptc/cluster/config"
	"github.com/ptc-lang/ptc/cluster/pki"
	"github.com/ptc-lang/ptc/cluster/seal"
	"github.com/ptc-lang/ptc/cmd/ptcd/internal/subcommand"
	"github.com/ptc-lang/ptc/serve/access"
)

const (
	// maxNodes is the most nodes that vote. Nodes without a vote can't start yet: see package cluster.
	maxNodes = 7
	// masterKey is the name of the file of the master key.
	masterKey = "master.key"
)

// trial is a cluster for a trial.
type trial struct {
	dir, name   string
	controllers []config.Controller
	given       []setting
	authority   *pki.Authority
}

// initialize writes the files of a cluster.
func initialize(_ context.Context, s *settings, out io.Writer) error {
	if s.nodes%2 == 0 {
		return fmt.Errorf("%w: --nodes is %d: all nodes vote, and %d survive no more failures than %d; want 1, 3, 5 or 7",
			subcommand.ErrUsage, s.nodes, s.nodes, s.nodes-1)
	}
	t := &trial{dir: absolute(s.dir), name: s.cluster, given: s.given}
	if t.name == "" {
		t.name = fmt.Sprintf("trial-%x", random(3))
	}
	if err := pki.CheckName("cluster", t.name); err != nil {
		return fmt.Errorf("%w: --name: %w", subcommand.ErrUsage, err)
	}
	if err := filling(t.dir, func() error { return t.write(s.nodes) }); err != nil {
		return err
	}
	t.tell(out, s.dir)
	return nil
}

func random(n int) []byte {
	b := make([]byte, n)
	rand.Read(b)
	return b
}

// write writes all files.
func (t *trial) write(nodes int) (err error) {
	if t.authority, err = pki.NewAuthority(t.name, pki.AuthorityLifetime); err != nil {
		return err
	}
	if err := os.Mkdir(t.ca(), 0o700); err != nil {
		return err
	}
	if err := t.authority.Write(t.ca()); err != nil {
		return err
	}
	if err := seal.WriteKey(filepath.Join(t.dir, masterKey), seal.NewKey()); err != nil {
		return err
	}
	ports, err := freePorts(3 * nodes)
	if err != nil {
		return err
	}
	for i := range nodes {
		t.controllers = append(t.controllers, config.Controller{Name: fmt.Sprintf("node%d", i+1), Role: config.Voter,
			APIAddress: ports[3*i], Address: ports[3*i+1], EngineAddress: ports[3*i+2]})
	}
	for i := range t.controllers {
		if err := t.writeNode(i); err != nil {
			return err
		}
	}
	return t.writeToken()
}

func (t *trial) ca() string { return filepath.Join(t.dir, "ca") }

// writeNode writes the certificate and the settings of a node. The first one admits others.
func (t *trial) writeNode(i int) error {
	c := t.controllers[i]
	cert, key, err := t.authority.Issue(t.name, c.Name, []string{"127.0.0.1", "localhost"}, pki.NodeLifetime)
	if err != nil {
		return err
	}
	n := &node{nodeFiles: nodeFiles{t.dir, c.Name}, cluster: t.name, listen: c.APIAddress,
		ca: filepath.Join(t.ca(), pki.AuthorityCert), master: filepath.Join(t.dir, masterKey),
		controllers: t.controllers, given: t.given}
	if i == 0 {
		n.caKey = filepath.Join(t.ca(), pki.AuthorityKey)
	}
	return files(file{n.key(), key}, file{n.cert(), cert}, file{n.config(), n.text("init")})
}

// writeToken makes the token of an operator, which all nodes know.
func (t *trial) writeToken() error {
	first := nodeFiles{t.dir, t.controllers[0].Name}
	text, _, err := access.Create(first.state(), access.Token{Who: access.Who{Name: "operator", Role: access.Operator}})
	if err != nil {
		return err
	}
	tokens, err := os.ReadFile(filepath.Join(first.state(), access.TokensFile))
	if err != nil {
		return err
	}
	for _, c := range t.controllers[1:] {
		if err := files(file{filepath.Join(nodeFiles{t.dir, c.Name}.state(), access.TokensFile), tokens}); err != nil {
			return err
		}
	}
	return files(file{filepath.Join(t.dir, access.OperatorFile), []byte(text + "\n")})
}

// tell prints the next steps. dir is the directory as the user names it.
func (t *trial) tell(out io.Writer, dir string) {
	fmt.Fprintf(out, "The cluster %s has %d nodes. Start each one in its own terminal:\n\n", t.name,
		len(t.controllers))
	for _, c := range t.controllers {
		fmt.Fprintf(out, "  ptcd --config %s\n", shell(filepath.Join(dir, c.Name+".yaml")))
	}
	fmt.Fprintf(out, "\nA node is ready when it writes the address that it listens on. Then run a program on any of "+
		"them:\n\n"+
		"  ptc remote run -e '(+ 1 2)' --server https://%s --token-file %s --ca-file %s\n\n"+
		"Who reads %s can do everything in the cluster, and who reads %s can add nodes: keep them.\n",
		t.controllers[0].APIAddress, shell(filepath.Join(dir, access.OperatorFile)),
		shell(filepath.Join(dir, "ca", pki.AuthorityCert)), access.OperatorFile, filepath.Join("ca", pki.AuthorityKey))
}

// shell quotes a word for a shell if need be.
func shell(text string) string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+,:@%=", r)
	}
	if strings.TrimFunc(text, safe) == "" && text != "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
