// This file defines ptcd cluster join.

package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"

	"github.com/ptc-lang/ptc/cluster/config"
	"github.com/ptc-lang/ptc/cluster/pki"
	"github.com/ptc-lang/ptc/cluster/seal"
	"github.com/ptc-lang/ptc/cmd/ptcd/internal/subcommand"
)

// join gets the certificate of a new node, and writes its files. Its role is that of the token.
func join(ctx context.Context, s *settings, out io.Writer) error {
	for _, x := range []struct{ flag, value, what string }{
		{"at", s.at, "the address of a member"}, {"token-file", s.tokenFile, "the file of the token"},
		{"master-key", s.masterKey, "a copy of the master key of the cluster"},
	} {
		if x.value == "" {
			return fmt.Errorf("%w: --%s is missing: it names %s", subcommand.ErrUsage, x.flag, x.what)
		}
	}
	for _, x := range []struct{ flag, value string }{{"at", s.at}, {"listen", s.listen}, {"address", s.address},
		{"engine-address", s.engineAddress}} {
		if _, port, err := net.SplitHostPort(x.value); x.value != "" && (err != nil || port == "" || port == "0") {
			return fmt.Errorf("%w: --%s is %q, want HOST:PORT, such as node4.example.com:9000", subcommand.ErrUsage, x.flag,
				x.value)
		}
	}
	if _, err := seal.ReadKey(s.masterKey); err != nil {
		return err
	}
	text, err := os.ReadFile(s.tokenFile)
	if err != nil {
		return err
	}
	token, err := pki.ParseToken(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", s.tokenFile, err)
	}
	dir, n := absolute(s.dir), (*node)(nil)
	err = filling(dir, func() error { // before the token is used up
		n, err = s.admitted(ctx, dir, token)
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "This is %s of the cluster %s now. Start it:\n\n  ptcd --config %s\n", n.node, n.cluster,
		shell(filepath.Join(s.dir, n.node+".yaml")))
	return nil
}

// admitted uses the token, and writes the files of the member's answer.
func (s *settings) admitted(ctx context.Context, dir string, token pki.Token) (*node, error) {
	free, err := freePorts(3)
	if err != nil {
		return nil, err
	}
	self := config.Controller{APIAddress: cmp.Or(s.listen, free[0]), Address: cmp.Or(s.address, free[1]),
		EngineAddress: cmp.Or(s.engineAddress, free[2]), Region: s.region}
	about, err := json.Marshal(self)
	if err != nil {
		return nil, err
	}
	got, err := pki.Join(ctx, s.at, token, about)
	if err != nil {
		return nil, err
	}
	var welcome config.Welcome
	if err := json.Unmarshal(got.Config, &welcome); err != nil || len(welcome.Controllers) == 0 {
		return nil, fmt.Errorf("the member at %s has sent no list of the nodes of the cluster: %.100q", s.at, got.Config)
	}
	n := &node{nodeFiles: nodeFiles{dir, got.Node}, cluster: got.Cluster, listen: self.APIAddress, joins: true,
		ca: filepath.Join(dir, "ca", pki.AuthorityCert), master: absolute(s.masterKey), controllers: welcome.Controllers,
		given: s.given}
	return n, files(file{n.key(), got.Key}, file{n.cert(), got.Cert}, file{n.ca, got.CA}, file{n.config(), n.text("join")})
}
