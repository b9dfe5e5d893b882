// This file defines the files that the commands write.

package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/cluster/config"
	"github.com/ptc-lang/ptc/internal/durable"
)

// nodeFiles are the files of a node in the directory of a command.
type nodeFiles struct {
	dir  string // of the command
	node string
}

func (f nodeFiles) config() string { return filepath.Join(f.dir, f.node+".yaml") }
func (f nodeFiles) state() string  { return filepath.Join(f.dir, f.node) }
func (f nodeFiles) cert() string   { return filepath.Join(f.state(), "tls", "cert.pem") }
func (f nodeFiles) key() string    { return filepath.Join(f.state(), "tls", "key.pem") }

// node is the contents of the settings file of a node.
type node struct {
	nodeFiles
	cluster     string
	listen      string
	ca, caKey   string
	master      string
	controllers []config.Controller
	given       []setting
	joins       bool // a cluster that runs
}

// text returns the file of settings of a node.
func (n *node) text(command string) []byte {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# The settings of %s, written by ptcd cluster %s. Start it with ptcd --config and this file.", n.node, command)
	line("dir: %s", quote(n.state()))
	line("listen: %s", quote(n.listen))
	line("tls-cert: %s", quote(n.cert()))
	line("tls-key: %s", quote(n.key()))
	for _, g := range n.given {
		switch {
		case g.many:
			quoted := make([]string, len(g.values))
			for i, v := range g.values {
				quoted[i] = quote(v)
			}
			line("%s: [%s]", g.key, strings.Join(quoted, ", "))
		default:
			line("%s: %s", g.key, quote(g.values[len(g.values)-1]))
		}
	}
	line("cluster:")
	line("  cluster_id: %s", quote(n.cluster))
	line("  node: %s", quote(n.node))
	if n.joins {
		line("  join: true")
	}
	line("  controllers:")
	votes := 0
	for _, c := range n.controllers {
		line("    - name: %s", quote(c.Name))
		for _, x := range []struct{ key, value string }{{"address", c.Address}, {"engine_address", c.EngineAddress},
			{"api_address", c.APIAddress}, {"region", c.Region}} {
			if x.value != "" {
				line("      %s: %s", x.key, quote(x.value))
			}
		}
		if c.Role != config.Voter {
			line("      role: %s", c.Role)
		}
		if c.Role != config.Witness {
			votes++
		}
	}
	line("  security:")
	line("    mtls:")
	line("      ca_cert: %s", quote(n.ca))
	line("      cert: %s", quote(n.cert()))
	line("      key: %s", quote(n.key()))
	if n.caKey != "" {
		line("      ca_key: %s", quote(n.caKey))
	}
	line("    encryption:")
	line("      master_key: %s", quote(n.master))
	if votes == 1 {
		line("  storage:")
		line("    replicas: 1")
	}
	return []byte(b.String())
}

// quote returns a text as a string of YAML, which JSON's are too.
func quote(text string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(text)
	return strings.TrimSuffix(b.String(), "\n")
}

// absolute returns a path that holds in any directory.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// empty makes a directory that others can't use, or wants it to be empty.
func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return os.MkdirAll(dir, 0o700)
	case err != nil:
		return err
	case len(entries) > 0:
		return fmt.Errorf("the directory %s is not empty, it has %s: want a new one, so that nothing is overwritten",
			dir, entries[0].Name())
	}
	return os.Chmod(dir, 0o700)
}

// filling calls fill with an empty directory, and empties it again if that fails.
func filling(dir string, fill func() error) error {
	if err := empty(dir); err != nil {
		return err
	}
	err := fill()
	if err == nil {
		return durable.SyncDir(dir)
	}
	entries, readErr := os.ReadDir(dir)
	err = errors.Join(err, readErr)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	return err
}

// files writes files of mode 0600, with their folders.
func files(all ...file) error {
	for _, f := range all {
		if err := os.MkdirAll(filepath.Dir(f.name), 0o700); err != nil {
			return err
		}
		if err := durable.Create(f.name, f.text); err != nil {
			return err
		}
	}
	return nil
}

// file is a file with its contents.
type file struct {
	name string
	text []byte
}

// The ports that freePorts chooses from. Systems use higher ports for outgoing connections: such a port may
// be free now and in use when the node starts.
const firstPort, lastPort = 12000, 30000

// freePorts returns addresses on the loopback interface that nothing listens on.
func freePorts(n int) (addresses []string, err error) {
	var open []net.Listener
	defer func() {
		for _, l := range open {
			l.Close()
		}
	}()
	for range 100 * n {
		if len(open) == n {
			break
		}
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(firstPort+rand.IntN(lastPort-firstPort)))
		if l, err := net.Listen("tcp", address); err == nil {
			open, addresses = append(open, l), append(addresses, address)
		}
	}
	if len(open) < n {
		return nil, fmt.Errorf("there are no %d free ports from %d to %d on 127.0.0.1", n, firstPort, lastPort)
	}
	return addresses, nil
}
