package config

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the tables of docs/cluster-config.md")

// read reads a file whose only key is cluster, and returns the problems with their lines.
func read(t *testing.T, text string) (*Config, []string) {
	t.Helper()
	file, err := parser.ParseBytes([]byte(text), 0, parser.AllowDuplicateMapKey())
	require.NoError(t, err)
	var c *Config
	var all []string
	for it := file.Docs[0].Body.(ast.MapNode).MapRange(); it.Next(); {
		var problems []Problem
		c, problems = Read(it.Value())
		for _, p := range problems {
			all = append(all, fmt.Sprintf("%d: %s", p.At.Position.Line, p.Text))
		}
	}
	return c, all
}

const good = `cluster:
  cluster_id: prod
  node: node2
  controllers:
    - {name: node1, address: "10.0.0.1:9000", engine_address: "10.0.0.1:9001", region: us-east}
    - name: node2
      address: 10.0.0.2:9000
      engine_address: 10.0.0.2:9001
      api_address: node2.example.com:8443
      labels: [gpu, big]
    - {name: node3, address: "node3:9000", engine_address: "node3:9001", role: witness}
  security:
    mtls: {ca_cert: ca.pem, cert: node2.pem, key: node2-key.pem}
    encryption:
      master_key: master.key
`

func TestRead(t *testing.T) {
	c, problems := read(t, good)
	require.Empty(t, problems)
	want := Default()
	want.ClusterID, want.Node = "prod", "node2"
	want.Controllers = []Controller{
		{Name: "node1", Address: "10.0.0.1:9000", EngineAddress: "10.0.0.1:9001", Region: "us-east", Role: Voter},
		{Name: "node2", Address: "10.0.0.2:9000", EngineAddress: "10.0.0.2:9001", APIAddress: "node2.example.com:8443",
			Role: Voter, Labels: []string{"gpu", "big"}},
		{Name: "node3", Address: "node3:9000", EngineAddress: "node3:9001", Role: Witness},
	}
	want.MTLS.CACert, want.MTLS.Cert, want.MTLS.Key = "ca.pem", "node2.pem", "node2-key.pem"
	want.Encryption.MasterKey = "master.key"
	assert.Equal(t, want, c)
	assert.Equal(t, want.Controllers[1], c.Self())
	assert.Equal(t, []string{"node1", "node2", "node3"}, c.Identities())
	assert.Equal(t, 3, c.Votes())
}

// TestSeedValues reads the sections with the values that operators know from the reference of other systems.
func TestSeedValues(t *testing.T) {
	c, problems := read(t, strings.Replace(good, "  security:\n", `  enabled: true
  raft:
    election_timeout_min_ms: 150
    election_timeout_max_ms: 300
    heartbeat_interval_ms: 50
  work_distribution:
    strategy: "adaptive"  # round-robin, capacity, affinity, adaptive
    work_unit_size: 50
    checkpoint_interval_ms: 5000
  load_balancing:
    check_interval_ms: 5000
    imbalance_threshold: 0.2
    min_migration_batch: 5
  state_sync:
    full_sync_interval_ms: 300000
    delta_sync_enabled: true
    default_consistency: "session"
  security:
`, 1))
	require.Empty(t, problems)
	again, _ := read(t, good)
	assert.Equal(t, again, c, "they are the defaults")
	assert.Equal(t, 24*time.Hour, c.Encryption.KeyRotation)
}

// TestProblems makes one change to a good section, and wants all problems that follow from it.
func TestProblems(t *testing.T) {
	for name, c := range map[string]struct {
		old, new string
		want     []string
	}{
		"unknown":    {"  security:\n", "  securty: {}\n  security:\n", []string{`12: cluster: there is no key securty; did you mean security?`}},
		"elsewhere":  {"  security:\n", "  work_unit_size: 5\n  security:\n", []string{`12: cluster: there is no key work_unit_size; it belongs to work_distribution.work_unit_size`}},
		"in nested":  {"      master_key:", "      master_keys: x\n      master_key:", []string{`15: cluster: there is no key security.encryption.master_keys; did you mean master_key?`}},
		"in item":    {"region: us-east}", "regoin: us-east}", []string{`5: cluster: there is no key controllers[0].regoin; did you mean region?`}},
		"none alike": {"  security:\n", "  zzz: 1\n  security:\n", []string{`12: cluster: there is no key zzz; the keys are enabled, cluster_id, node, join, dir, topology, region, listen, listen_engine, capacity, capabilities, raft, membership, network, work_distribution, load_balancing, state_sync, regions, security, connections, failures, storage, controllers`}},
		"twice":      {"  node: node2\n", "  node: node2\n  node: node2\n", []string{`4: cluster: node is there twice, first on line 3`}},
		"number":     {"  security:\n", "  capacity: many\n  security:\n", []string{`12: cluster: capacity is "many": want a whole number from 1 to 2147483647`}},
		"time":       {"  security:\n", "  raft:\n    heartbeat_interval_ms: 50ms\n  security:\n", []string{`13: cluster: raft.heartbeat_interval_ms is "50ms": want a whole number from 5 to 10000, of milliseconds`}},
		"fraction":   {"  security:\n", "  load_balancing: {imbalance_threshold: 20}\n  security:\n", []string{`12: cluster: load_balancing.imbalance_threshold is "20": want a number from 0 to 1, such as 0.2`}},
		"toggle":     {"  security:\n", "  state_sync: {delta_sync_enabled: yes please}\n  security:\n", []string{`12: cluster: state_sync.delta_sync_enabled is "yes please": want true or false`}},
		"choice":     {"  security:\n", "  work_distribution: {strategy: random}\n  security:\n", []string{`12: cluster: work_distribution.strategy is "random": want round-robin, capacity, affinity or adaptive`}},
		"region": {"  security:\n", "  regions: {name: world, peers: [prod-eu/node1]}\n  security:\n", []string{
			`12: cluster: regions.listen is missing: with regions, name, listen, ca_cert, cert, key and peers are required`,
			`12: cluster: regions.ca_cert is missing`, `12: cluster: regions.cert is missing`, `12: cluster: regions.key is missing`,
			`12: cluster: regions.peers is missing`,
			`12: cluster: regions.peers: got "prod-eu/node1", want CLUSTER/NODE=HOST:PORT, such as prod-eu/node1=node1.eu.example.com:9002`}},
		"own region": {"  security:\n", "  regions: {name: world, listen: \":9002\", ca_cert: a, cert: b, key: c, peers: [\"prod/node1=a:1\"]}\n  security:\n",
			[]string{`12: cluster: regions.peers has prod/node1, which is of this cluster: its nodes have the same facts already`}},
		"regions alike": {"  security:\n", "  regions: {name: world, listen: \":9002\", ca_cert: a, cert: b, key: c, peers: [\"a-b/c=h:1\", \"a/b-c=h:2\"]}\n  security:\n",
			[]string{`12: cluster: regions.peers: a/b-c is a-b-c for other regions, which is the name of another node`}},
		"list":      {"  node: node2\n", "  node: [node2]\n", []string{`3: cluster: node: want one value, got a list`}},
		"words":     {"[gpu, big]", "[gpu, {}]", []string{`10: cluster: controllers[1].labels: want a list of words`}},
		"a mapping": {"  node: node2\n", "  node: {}\n", []string{`3: cluster: node: want NAME`}},
		"a tool":    {"  node: node2\n", "  node: node2\n  capabilities: [gpu, http.get]\n", []string{`4: cluster: capabilities: "http.get" has the form of the name of a tool: want a word without a point, and grant the tool`}},
		"a scalar": {"    mtls: {ca_cert: ca.pem, cert: node2.pem, key: node2-key.pem}\n", "    mtls: yes\n", []string{
			`2: cluster: security.mtls.ca_cert is missing: certificates of the authorities of the cluster, PEM`, `2: cluster: security.mtls.cert is missing`, `2: cluster: security.mtls.key is missing`, `13: cluster: security.mtls: want keys and values`}},
		"name":              {"cluster_id: prod", "cluster_id: My Cluster", []string{`2: cluster: cluster_id is "My Cluster": the name of a cluster is "My Cluster", want 1 to 63 of a-z, 0-9 and -, with no - at the ends, such as cluster1`}},
		"address":           {"address: 10.0.0.2:9000", "address: 10.0.0.2", []string{`7: cluster: controllers[1].address is "10.0.0.2": want HOST:PORT, such as node1.example.com:9000, with a port from 1 to 65535`}},
		"any address":       {"address: 10.0.0.2:9000", "address: 0.0.0.0:9000", []string{`7: cluster: controllers[1].address is "0.0.0.0:9000": want a host that other nodes can reach`}},
		"no cluster":        {"  cluster_id: prod\n", "", []string{`2: cluster: cluster_id is missing: name of the cluster; all certificates contain it`}},
		"no address":        {"      address: 10.0.0.2:9000\n", "", []string{`6: cluster: controllers[1].address is missing: where the other nodes reach it`}},
		"not one of them":   {"node: node2\n  c", "node: node4\n  c", []string{`3: cluster: node is "node4", which is not one of controllers: want the name of one of them, or add it`}},
		"same name":         {"name: node3", "name: node1", []string{`11: cluster: controllers[2].name: the name node1 is that of controllers[0].name too: want another one`}},
		"same address":      {`engine_address: "node3:9001"`, `engine_address: "10.0.0.1:9000"`, []string{`11: cluster: controllers[2].engine_address: the address 10.0.0.1:9000 is that of controllers[0].address too: want another one`}},
		"two nodes":         {`    - {name: node3, address: "node3:9000", engine_address: "node3:9001", role: witness}` + "\n", "", []string{`4: cluster: two controllers vote: if one fails, the other is no majority, and stops. Add a third one, with role: witness if it shall take no runs`}},
		"even votes":        {"  security:\n", `    - {name: node4, address: "node4:9000", engine_address: "node4:9001"}` + "\n  security:\n", []string{`4: cluster: 4 controllers vote: one more than 3 survives no further failure. Want an odd number: leave one out, or add one`}},
		"four with worker":  {"  security:\n", `    - {name: node4, address: "node4:9000", engine_address: "node4:9001", role: worker}` + "\n  security:\n", nil},
		"role":              {"role: witness", "role: standby", []string{`11: cluster: controllers[2].role is "standby": want voter, witness or worker`}},
		"no workers":        {"      labels: [gpu, big]\n", "      role: witness\n      labels: [gpu, big]\n", []string{`4: cluster: storage.replicas is 2, and only 1 controllers keep copies: want at most 1`}},
		"no region":         {"  security:\n", "  topology: hierarchical\n  security:\n", []string{`6: cluster: controllers[1].region is missing: in the topology hierarchical each node has one`, `11: cluster: controllers[2].region is missing`}},
		"election":          {"  security:\n", "  raft: {heartbeat_interval_ms: 100}\n  security:\n", []string{`12: cluster: raft.election_timeout_max_ms is 300, want at least 5 times raft.heartbeat_interval_ms, 500 or more: a single lost`}},
		"min and max":       {"  security:\n", "  raft: {election_timeout_min_ms: 300}\n  security:\n", []string{`12: cluster: raft.election_timeout_max_ms is 300, want more than raft.election_timeout_min_ms, 301 or more`}},
		"lease":             {"  security:\n", "  membership: {lease_ms: 2500, heartbeat_interval_ms: 1500}\n  security:\n", []string{`12: cluster: membership.lease_ms is 2500, want at least twice membership.heartbeat_interval_ms, 3000 or more`, `12: cluster: membership.lease_ms is 2500, want whole seconds, such as 3000`}},
		"lease election":    {"  security:\n", "  raft: {election_timeout_max_ms: 2000}\n  security:\n", []string{`12: cluster: membership.lease_ms is 3000, want at least twice raft.election_timeout_max_ms, 4000 or more: an election must not kill all nodes`}},
		"connections":       {"  security:\n", "  connections: {max: 5}\n  security:\n", []string{`12: cluster: connections.max is 5, want at least connections.max_per_host, 10 or more`}},
		"starts":            {"  security:\n", "  work_distribution: {region_start_ms: 100}\n  security:\n", []string{`12: cluster: work_distribution.region_start_ms is 100, want at least work_distribution.head_start_ms, 500 or more`}},
		"mtls":              {"    mtls: {", "    mtls: {enabled: false, ", []string{`13: cluster: security.mtls.enabled is false: nodes always have certificates`}},
		"identity":          {"    mtls: {", "    mtls: {allowed_identities: [\"a b\", \"ptc://test/node/node1\"], ", []string{`13: cluster: security.mtls.allowed_identities: the identity is "a b"`, `13: cluster: security.mtls.allowed_identities: the identity is "ptc://test/node/node1"`}},
		"not allowed":       {"    mtls: {", "    mtls: {allowed_identities: [node1, node2], ", []string{`13: cluster: security.mtls.allowed_identities: the controller node3 is not one of them, and could not connect: add it, or remove the list`}},
		"all allowed":       {"    mtls: {", "    mtls: {allowed_identities: \"*\", ", nil},
		"no key":            {"      master_key: master.key", "      enabled: true", []string{`15: cluster: security.encryption.master_key is missing: want a file of 32 random bytes`}},
		"no encryption":     {"      master_key: master.key", "      enabled: false", nil},
		"two keys":          {"      master_key: master.key", "      master_key: master.key\n      master_key_command: [vault, read]", []string{`16: cluster: security.encryption has master_key and master_key_command: want one of them`}},
		"controllers":       {good[strings.Index(good, "  controllers"):strings.Index(good, "  security")], "  controllers: node1\n", []string{`4: cluster: controllers: want a list`}},
		"empty":             {good[strings.Index(good, "  controllers"):strings.Index(good, "  security")], "  controllers: []\n", []string{`4: cluster: controllers is empty: want three nodes, or one`}},
		"no controllers":    {good[strings.Index(good, "  controllers"):strings.Index(good, "  security")], "", []string{`2: cluster: controllers is missing: want the list of the nodes`}},
		"controllers names": {good[strings.Index(good, "  controllers"):strings.Index(good, "  security")], "  controllers: [node1]\n", []string{`4: cluster: controllers: want keys and values, such as {name: node1, address: …}`}},
		"all":               {good, "cluster: [1]\n", []string{`1: cluster: want keys and values, such as cluster_id: prod`}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, good, c.old)
			_, problems := read(t, strings.Replace(good, c.old, c.new, 1))
			require.Len(t, problems, len(c.want), "%q", problems)
			for i, want := range c.want {
				assert.Contains(t, problems[i], want)
			}
		})
	}
}

// TestAllAtOnce requires every problem of a bad file, in the order of its lines.
func TestAllAtOnce(t *testing.T) {
	_, problems := read(t, `cluster:
  cluster_id: Prod
  nod: node1
  controllers:
    - {name: node1, address: "a:1", engine_address: "a:1"}
    - {name: node2, address: "b:99999", engine_address: "b:2", colour: red}
  raft: {election_timeout_max_ms: 100}
  security: {mtls: {key: k}}
`)
	var lines []string
	for _, p := range problems {
		line, _, _ := strings.Cut(p, ":")
		lines = append(lines, line)
	}
	assert.Equal(t, []string{"2", "2", "2", "2", "3", "4", "5", "6", "6", "7", "7", "8"}, lines, "%s", strings.Join(problems, "\n"))
}

// sample returns a value of a key that is not its default.
func sample(t *testing.T, k Key) string {
	t.Helper()
	switch to := k.to.(type) {
	case number:
		return fmt.Sprint(to.most)
	case millis:
		return fmt.Sprint(to.most)
	case hours:
		return fmt.Sprint(to.most)
	case fraction:
		return "0.75"
	case toggle:
		return map[string]string{"true": "false", "false": "true"}[k.Initial]
	case choice:
		for _, w := range to.words {
			if w != k.Initial {
				return w
			}
		}
	case address:
		return "example.com:1"
	case peers:
		return "prod-eu/node1=example.com:1"
	}
	return "some-word"
}

// TestKeys sets each key, and wants it to change one field that no other key does.
func TestKeys(t *testing.T) {
	by := map[string]string{}
	check := func(keys []Key, initial any, set func(i int, text string) any) {
		for i, k := range keys {
			got := set(i, sample(t, k))
			field := difference(reflect.ValueOf(initial), reflect.ValueOf(got), "")
			require.NotEmpty(t, field, k.Name)
			require.Empty(t, by[field], "%s and %s set the same field", by[field], k.Name)
			by[field] = k.Name
			assert.NotEmpty(t, k.Text, k.Name)
			assert.NotEmpty(t, k.Value, k.Name)
			assert.Regexp(t, `^[a-z][a-z_]*(\.[a-z_]+)*$`, k.Name)
		}
	}
	check(Keys(), *Default(), func(i int, text string) any {
		c := Default()
		require.NoError(t, c.keys()[i].to.set(text))
		return *c
	})
	var k Controller
	reset(k.keys())
	check(ControllerKeys(), k, func(i int, text string) any {
		c := k
		require.NoError(t, c.keys()[i].to.set(text))
		return c
	})
	for _, typ := range []reflect.Type{reflect.TypeFor[Config](), reflect.TypeFor[Controller]()} {
		for field := range fields(typ, "") {
			assert.NotEmpty(t, by[field], "no key sets %s", field)
		}
	}
}

// fields calls yield with the paths of the fields of a struct, except Controllers.
func fields(typ reflect.Type, prefix string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for f := range typ.Fields() {
			path := prefix + typ.Name() + "." + f.Name
			if f.Type.Kind() == reflect.Struct {
				for p := range fields(f.Type, path+"/") {
					yield(p)
				}
			} else if f.Name != "Controllers" {
				yield(path)
			}
		}
	}
}

// difference returns the path of the field in which two structs differ.
func difference(a, b reflect.Value, prefix string) string {
	for f := range a.Type().Fields() {
		path := prefix + a.Type().Name() + "." + f.Name
		x, y := a.FieldByName(f.Name), b.FieldByName(f.Name)
		if f.Type.Kind() == reflect.Struct {
			if d := difference(x, y, path+"/"); d != "" {
				return d
			}
		} else if !reflect.DeepEqual(x.Interface(), y.Interface()) {
			return path
		}
	}
	return ""
}

// FuzzRead reads any section: no panic, and each problem has a text.
func FuzzRead(f *testing.F) {
	f.Add(good)
	f.Add("cluster: {controllers: [{name: a}, 1, {}], raft: 1, security: {mtls: [], encryption: {master_key_command: {}}}}")
	f.Add("cluster: &a {node: *a, cluster_id: !!int x, <<: {node: y}}")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := parser.ParseBytes([]byte(text), 0, parser.AllowDuplicateMapKey())
		if err != nil {
			return
		}
		for _, doc := range file.Docs {
			m, ok := doc.Body.(ast.MapNode)
			if !ok {
				continue
			}
			for it := m.MapRange(); it.Next(); {
				c, problems := Read(it.Value())
				for _, p := range problems {
					if p.Text == "" {
						t.Error("a problem has no text")
					}
				}
				if len(problems) == 0 && (c.Votes()%2 == 0 || c.Self().Name == "") {
					t.Errorf("a bad section has no problem: %+v", c)
				}
			}
		}
	})
}

// document is the file that lists the keys, between lines of comments.
const document = "../../docs/cluster-config.md"

var tables = regexp.MustCompile(`(?s)<!-- (keys|controllers)[^\n]*-->\n.*?<!-- end -->`)

// TestDocument requires the document to have all keys. Run it with -update after a change of keys.go.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile(document)
	require.NoError(t, err)
	require.Len(t, tables.FindAllString(string(text), -1), 2)
	want := tables.ReplaceAllStringFunc(string(text), func(old string) string {
		head, _, _ := strings.Cut(old, "\n")
		keys := Keys()
		if strings.Contains(head, "controllers") {
			keys = ControllerKeys()
		}
		return head + "\n\n" + table(keys) + "\n<!-- end -->"
	})
	if *update {
		require.NoError(t, os.WriteFile(document, []byte(want), 0o666))
		return
	}
	assert.Equal(t, want, string(text), "run go test ./cluster/config -update")
}

// table returns keys as a table of Markdown.
func table(keys []Key) string {
	var b strings.Builder
	b.WriteString("| key | value | default | |\n|---|---|---|---|\n")
	for _, k := range keys {
		initial := k.Initial
		if initial != "" && initial != Required {
			initial = "`" + initial + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Name, k.Value, initial, k.Text)
	}
	return b.String()
}
