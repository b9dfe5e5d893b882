package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc/cluster/config"
	"github.com/ptc-lang/ptc/cluster/peer"
	"github.com/ptc-lang/ptc/cluster/pki"
	"github.com/ptc-lang/ptc/cluster/seal"
	"github.com/ptc-lang/ptc/serve/access"
)

// The exit codes.
const (
	ok     = 0
	failed = 1
	usage  = 2
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// started runs a command line.
func started(args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	code = Main(args, &o, &e)
	return code, o.String(), e.String()
}

// made returns the directory of a new cluster.
func made(t *testing.T, args ...string) (dir, out string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "it's a trial")
	code, out, errs := started(append([]string{"init", "--dir", dir}, args...)...)
	require.Equal(t, ok, code, errs)
	require.Empty(t, errs)
	return dir, out
}

// loaded reads the section cluster of a file of settings, and returns the other keys too.
func loaded(t *testing.T, name string) (c *config.Config, keys map[string]ast.Node) {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	file, err := parser.ParseBytes(text, 0)
	require.NoError(t, err)
	keys = map[string]ast.Node{}
	for it := file.Docs[0].Body.(ast.MapNode).MapRange(); it.Next(); {
		key := it.Key().GetToken().Value
		keys[key] = it.Value()
		if key == "cluster" {
			var problems []config.Problem
			c, problems = config.Read(it.Value())
			require.Empty(t, problems, "%s", text)
		}
	}
	require.NotNil(t, c)
	return c, keys
}

// identity loads the certificate of a node as the node will.
func identity(t *testing.T, c *config.Config) *pki.Identity {
	t.Helper()
	allow, err := pki.Allow(c.ClusterID, c.Identities()...)
	require.NoError(t, err)
	id, err := pki.Load(pki.Files{CA: c.MTLS.CACert, Cert: c.MTLS.Cert, Key: c.MTLS.Key}, c.ClusterID, c.Node, allow,
		slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	return id
}

// TestInit makes clusters of all sizes, and reads the files that the nodes will read.
func TestInit(t *testing.T) {
	for _, nodes := range []int{1, 3, 7} {
		dir, out := made(t, "--nodes", fmt.Sprint(nodes), "--name", "prod", "--allow-time", "--allow-http",
			"a.example.com=GET",
			"--allow-http", "b.example.com")
		ports, votes := map[string]bool{}, 0
		tokens, err := os.ReadFile(filepath.Join(dir, "node1", access.TokensFile))
		require.NoError(t, err)
		for i := range nodes {
			name := filepath.Join(dir, fmt.Sprintf("node%d.yaml", i+1))
			c, keys := loaded(t, name)
			require.Len(t, c.Controllers, nodes)
			assert.Equal(t, fmt.Sprintf("node%d", i+1), c.Self().Name)
			votes = c.Votes()
			for _, at := range []string{c.Self().Address, c.Self().EngineAddress, c.Self().APIAddress} {
				host, _, err := net.SplitHostPort(at)
				require.NoError(t, err)
				assert.Equal(t, "127.0.0.1", host)
				ports[at] = true
			}
			assert.Equal(t, i == 0, c.MTLS.CAKey != "")
			assert.Equal(t, c.Self().APIAddress, keys["listen"].(*ast.StringNode).Value)
			assert.Equal(t, filepath.Join(dir, c.Node), keys["dir"].(*ast.StringNode).Value)
			assert.Equal(t, "true", keys["allow-time"].(*ast.StringNode).Value)
			assert.Len(t, keys["allow-http"].(*ast.SequenceNode).Values, 2)
			assert.Equal(t, "prod", identity(t, c).Cluster())
			_, err := seal.ReadKey(c.Encryption.MasterKey)
			require.NoError(t, err)
			same, err := os.ReadFile(filepath.Join(dir, c.Node, access.TokensFile))
			require.NoError(t, err)
			assert.Equal(t, string(tokens), string(same))
			assert.Contains(t, out, fmt.Sprintf("%s.yaml'\n", c.Node))
		}
		assert.Len(t, ports, 3*nodes)
		assert.Equal(t, nodes, votes, "a node without a vote can not start")
		text, err := os.ReadFile(filepath.Join(dir, access.OperatorFile))
		require.NoError(t, err)
		list, err := access.Open(filepath.Join(dir, "node1"), slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		token, err := list.Verify(strings.TrimSpace(string(text)))
		require.NoError(t, err)
		assert.Equal(t, access.Operator, token.Role)
		assert.Contains(t, out, `it'\''s a trial`)
		private(t, dir)
	}
}

// private wants nobody else to be able to use anything in a directory.
func private(t *testing.T, dir string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		return
	}
	require.NoError(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		assert.Zero(t, info.Mode().Perm()&0o077, name)
		return nil
	}))
}

func TestInitRefuses(t *testing.T) {
	dir := t.TempDir()
	full := filepath.Join(dir, "full")
	require.NoError(t, os.Mkdir(full, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(full, "a"), nil, 0o600))
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"init", "--dir", full}, failed, "is not empty, it has a: want a new one"},
		{[]string{"init", "--dir", filepath.Join(full, "a")}, failed, "not a directory"},
		{[]string{"init", "--dir", filepath.Join(dir, "x"), "--nodes", "2"}, usage,
			"--nodes is 2: all nodes vote, and 2 survive no more failures than 1"},
		{[]string{"init", "--dir", filepath.Join(dir, "x"), "--nodes", "11"}, usage, "want a whole number up to 7"},
		{[]string{"init", "--dir", filepath.Join(dir, "x"), "--name", "My"}, usage, `the name of a cluster is "My"`},
		{[]string{"init", "--dir", filepath.Join(dir, "x"), "--allow-http", "a b"}, usage, "allow-http"},
		{[]string{"init", "--dir", filepath.Join(dir, "x"), "y"}, usage, `got the argument "y"`},
		{[]string{"init"}, usage, "--dir is missing"},
		{[]string{"start"}, usage, `there is no command "start"`},
		{[]string{"join", "--dir", filepath.Join(dir, "x"), "--at", "h:1", "--token-file", "t"}, usage,
			"--master-key is missing"},
		{[]string{"join", "--dir", filepath.Join(dir, "x"), "--at", "h", "--token-file", "t", "--master-key", "k"}, usage,
			`--at is "h", want HOST:PORT`},
		{nil, usage, "ptcd cluster init"},
	} {
		code, out, errs := started(c.args...)
		assert.Equal(t, c.code, code, "%q", c.args)
		assert.Contains(t, errs, c.want, "%q", c.args)
		assert.Empty(t, out)
	}
	_, err := os.Stat(filepath.Join(dir, "x"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	for _, args := range [][]string{{"help"}, {"init", "--help"}, {"join", "--help"}} {
		code, _, errs := started(args...)
		assert.Equal(t, ok, code)
		assert.Contains(t, errs, "ptcd cluster")
	}
}

// TestFilling requires a directory to be empty again after a failure.
func TestFilling(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	err := filling(dir, func() error {
		require.NoError(t, files(file{filepath.Join(dir, "a", "b"), []byte("x")}))
		return fmt.Errorf("disk on fire")
	})
	require.ErrorContains(t, err, "disk on fire")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, entries)
}

// TestJoin adds a fourth node to a cluster whose first node runs.
func TestJoin(t *testing.T) {
	dir, _ := made(t, "--nodes", "3")
	c, _ := loaded(t, filepath.Join(dir, "node1.yaml"))
	authority, err := pki.LoadAuthority(c.MTLS.CACert, c.MTLS.CAKey)
	require.NoError(t, err)
	grants := new(pki.MemoryGrants)
	id := identity(t, c)
	member, err := peer.Listen(peer.Config{Identity: id, Address: c.Self().Address, Log: slog.New(slog.DiscardHandler),
		Admit: &pki.Admitter{Cluster: c.ClusterID, Authority: authority, Grants: grants, Log: slog.New(slog.DiscardHandler),
			Admit: func(_ context.Context, g pki.Grant, about []byte) ([]byte, error) {
				var self config.Controller
				if err := json.Unmarshal(about, &self); err != nil {
					return nil, err
				}
				self.Name, self.Role = g.Node, config.Worker
				return json.Marshal(config.Welcome{Controllers: append(c.Controllers, self)})
			}}})
	require.NoError(t, err)
	defer member.Close()
	member.Handle("hello", func(_ context.Context, from string, _ []byte) ([]byte, error) { return []byte(from), nil })
	member.Start()

	token, grant, err := pki.NewToken(authority.Pin(), "node4", []string{"127.0.0.1"}, time.Hour)
	require.NoError(t, err)
	require.NoError(t, grants.Put(t.Context(), grant))
	work := t.TempDir()
	tokenFile := filepath.Join(work, "token")
	require.NoError(t, os.WriteFile(tokenFile, []byte(token.String()+"\n"), 0o600))
	args := func(to string) []string {
		return []string{"join", "--at", c.Self().Address, "--token-file", tokenFile, "--master-key", c.Encryption.MasterKey,
			"--dir", filepath.Join(work, to), "--allow-time", "--address", "127.0.0.1:4444"}
	}
	code, out, errs := started(args("new")...)
	require.Equal(t, ok, code, errs)
	assert.Contains(t, out, "This is node4 of the cluster "+c.ClusterID)
	private(t, filepath.Join(work, "new"))

	joined, keys := loaded(t, filepath.Join(work, "new", "node4.yaml"))
	assert.Equal(t, "node4", joined.Node)
	assert.True(t, joined.Join)
	assert.Equal(t, config.Worker, joined.Self().Role)
	assert.Equal(t, "127.0.0.1:4444", joined.Self().Address)
	assert.Equal(t, c.Controllers, joined.Controllers[:3])
	assert.Contains(t, keys, "allow-time")
	id.Allow(nil) // node4 is a member now
	node4, err := peer.Listen(peer.Config{Identity: identity(t, joined), Address: "127.0.0.1:0",
		Log:  slog.New(slog.DiscardHandler),
		Find: func(string) (string, bool) { return member.Addr().String(), true }})
	require.NoError(t, err)
	defer node4.Close()
	answer, err := node4.Call(t.Context(), "node1", "hello", nil)
	require.NoError(t, err)
	assert.Equal(t, "node4", string(answer))

	code, _, errs = started(args("again")...)
	assert.Equal(t, failed, code)
	assert.Contains(t, errs, "the token is not known: it was used")
	entries, err := os.ReadDir(filepath.Join(work, "again"))
	require.NoError(t, err)
	assert.Empty(t, entries)
	require.NoError(t, os.WriteFile(tokenFile, []byte("nonsense"), 0o600))
	code, _, errs = started(args("other")...)
	assert.Equal(t, failed, code)
	assert.Contains(t, errs, "the token can't be read")
}
