package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/examples/internal/ledger"
	"github.com/ptc-lang/ptc/examples/internal/shop"
	"github.com/ptc-lang/ptc/prompt"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/grant"
)

// job is a task that a model does by direct calls and by a program.
type job struct {
	name string
	// turns are the direct calls, written as forms. The calls of one turn need nothing of each other.
	turns   [][]string
	program string
	want    string // the value of the program, as JSON
}

// each returns a call for each of the products of the shop.
func each(form string, products ...int) (calls []string) {
	for _, id := range products {
		calls = append(calls, strings.ReplaceAll(form, "ID", fmt.Sprint(id)))
	}
	return calls
}

// logs returns the names of the logs.
func logs(form string) (calls []string) {
	for i := range 20 {
		calls = append(calls, strings.ReplaceAll(form, "FILE", fmt.Sprintf("DIR/log-%02d.txt", i)))
	}
	return calls
}

var everyProduct = []int{1, 2, 3, 4, 5, 6, 7, 8}

// products is the call that most tasks begin with.
const (
	products = `(tool/http.get {:url "SHOP/products"})`
	product  = `(tool/http.get {:url "SHOP/products/ID"})`
	stock    = `(tool/http.get {:url "SHOP/stock/ID"})`
	readLog  = `(tool/fs.read {:path "FILE"})`
	helpers  = `(defn fetch [path] (:json (retry {:times 9 :backoff-ms 20} (tool/http.get (str "SHOP" path)))))` + "\n"
)

// jobs are the tasks. SHOP and DIR are replaced by the address of the shop and the folder of the logs.
var jobs = []job{
	{"the name of a product", [][]string{each(product, 4)}, `(:name (:json (tool/http.get "SHOP/products/4")))`, `"chair"`},
	{"first line of a file", [][]string{{`(tool/fs.read {:path "DIR/log-03.txt"})`}},
		`(first (str/split-lines (tool/fs.read "DIR/log-03.txt")))`, `"info request 0 took 30 ms"`},
	{"name and stock of a product", [][]string{append(each(product, 4), each(stock, 4)...)},
		helpers + `(merge (fetch "/products/4") (fetch "/stock/4"))`, `{"id":4,"name":"chair","pieces":12}`},
	{"the names of all products", [][]string{{products}, each(product, everyProduct...)},
		helpers + `(pmap #(:name (fetch (str "/products/" %))) (fetch "/products"))`,
		`["desk lamp","floor lamp","desk","chair","shelf","carpet","mirror","clock"]`},
	{"products that are short", [][]string{{products}, each(stock, everyProduct...), each(stock, 7)},
		helpers + `(->> (fetch "/products") (pmap #(fetch (str "/stock/" %))) (filter #(< (:pieces %) 10)) (map :id))`, `[1,2,3]`},
	{"names of products that are short", [][]string{{products}, each(stock, everyProduct...), each(stock, 7), each(product, 1, 2, 3)},
		helpers + `(->> (fetch "/products") (pmap #(fetch (str "/stock/" %))) (filter #(< (:pieces %) 10))
     (pmap #(:name (fetch (str "/products/" (:id %))))))`, `["desk lamp","floor lamp","desk"]`},
	{"errors in 20 logs", [][]string{{`(tool/fs.list {:path "DIR"})`}, logs(readLog)},
		`(->> (tool/fs.list "DIR") (pmap #(count (re-seq #"(?m)^error" (tool/fs.read (str "DIR/" (:name %)))))) (reduce +))`, `40`},
	{"the slowest request in 20 logs", [][]string{{`(tool/fs.list {:path "DIR"})`}, logs(readLog)},
		`(defn slowest [{:keys [name]}]
  [(apply max (map (comp parse-long second) (re-seq #"took (\d+) ms" (tool/fs.read (str "DIR/" name))))) name])
(apply max-key first (pmap slowest (tool/fs.list "DIR")))`, `[229,"log-19.txt"]`},
	{"a sum, in SQL", [][]string{{`(tool/sql.query {:db "shop" :sql "select count(*) as n, sum(cents) as cents from orders where paid"})`}},
		`(tool/sql.query {:db "shop" :sql "select count(*) as n, sum(cents) as cents from orders where paid"})`, ``},
	{"days on which two databases differ", [][]string{{
		`(tool/sql.query {:db "shop" :sql "select day, sum(cents) as cents from orders where paid group by day"})`,
		`(tool/sql.query {:db "ledger" :sql "select day, sum(cast(round(amount * 100) as integer)) as cents from payment group by day"})`}},
		`(defn by-day [db sql] (into {} (map (juxt :day :cents)) (tool/sql.query {:db db :sql sql})))
(def shop (by-day "shop" "select day, sum(cents) as cents from orders where paid group by day"))
(def ledger (by-day "ledger" "select day, sum(cast(round(amount * 100) as integer)) as cents from payment group by day"))
(count (filter #(not= (shop %) (ledger %)) (distinct (concat (keys shop) (keys ledger)))))`, `9`},
}

// place is where the tasks are done.
type place struct {
	shop, dir string
	grants    []string // KIND=VALUE
	tools     *tool.Registry
}

// opened opens the shop, writes the logs and makes the databases.
func opened(t testing.TB) *place {
	srv := httptest.NewServer(shop.New())
	t.Cleanup(srv.Close)
	p := &place{shop: srv.URL, dir: filepath.Join(t.TempDir(), "logs")}
	require.NoError(t, os.Mkdir(p.dir, 0o755))
	for i := range 20 {
		var b strings.Builder
		for k := range 40 {
			level := "info"
			if k%20 == 7 {
				level = "error"
			}
			fmt.Fprintf(&b, "%s request %d took %d ms\n", level, k, i*10+k)
		}
		require.NoError(t, os.WriteFile(filepath.Join(p.dir, fmt.Sprintf("log-%02d.txt", i)), []byte(b.String()), 0o600))
	}
	dbs := t.TempDir()
	require.NoError(t, ledger.Generate(dbs, 20_000, 1))
	p.grants = []string{"http=" + strings.TrimPrefix(srv.URL, "http://") + "=GET", "fs=" + p.dir + ":ro",
		"sql=shop=" + filepath.Join(dbs, "shop.db"), "sql=ledger=" + filepath.Join(dbs, "ledger.db")}
	var set grant.Set
	for _, g := range p.grants {
		kind, value, _ := strings.Cut(g, "=")
		require.NoError(t, set.Grant(kind, value, ""))
	}
	t.Cleanup(func() { set.Close() })
	tools, err := set.Registry(t.Context())
	require.NoError(t, err)
	p.tools = tools
	return p
}

// flags returns the grants as flags of ptc mcp.
func (p *place) flags() (all []string) {
	for _, g := range p.grants {
		kind, value, _ := strings.Cut(g, "=")
		all = append(all, "--allow-"+kind, value)
	}
	return all
}

// at puts the place into a program.
func (p *place) at(text string) string {
	return strings.NewReplacer("SHOP", p.shop, "DIR", p.dir).Replace(text)
}

// cost is the cost of a conversation: turns of the model, calls of tools, tokens that the model reads over all turns
// and tokens that it writes.
type cost struct{ turns, calls, read, written int }

// TestTokens does ten tasks in both ways, for real, and counts. With -v it prints the table of bench/README.md.
func TestTokens(t *testing.T) {
	p := opened(t)
	c := started(t, append([]string{command(t), "mcp"}, p.flags()...)...)
	var table strings.Builder
	definitions, card := p.definitions(t), cardOf(t, c)
	fmt.Fprintf(&table, "definitions of %d tools: %d tokens; of the tools of ptc mcp: %d tokens\n\n", len(p.tools.All()), definitions, card)
	table.WriteString("| task | turns | calls | read | written | turns | calls | read | written |\n|---|---|---|---|---|---|---|---|---|\n")
	var less int
	for _, j := range jobs {
		direct, program := p.direct(t, j, definitions), p.program(t, c, j, card)
		fmt.Fprintf(&table, "| %s | %d | %d | %d | %d | %d | %d | %d | %d |\n", j.name, direct.turns, direct.calls, direct.read,
			direct.written, program.turns, program.calls, program.read, program.written)
		if program.read < direct.read {
			less++
		}
		assert.Equal(t, 2, program.turns)
	}
	t.Logf("\n%s", &table)
	assert.GreaterOrEqual(t, less, 4, "programs read less for most tasks with many calls")
	assert.Less(t, less, len(jobs), "a single call is cheaper directly")
}

// definitions returns the tokens of the definitions of the tools, as a client has them for direct calls.
func (p *place) definitions(t *testing.T) int {
	n := 0
	for _, one := range p.tools.All() {
		d := one.Describe()
		text, err := json.Marshal(map[string]any{"name": d.Name, "description": d.Doc, "input_schema": d.Args})
		require.NoError(t, err)
		n += prompt.Tokens(string(text))
	}
	return n
}

// cardOf returns the tokens of the tools of ptc mcp.
func cardOf(t *testing.T, c *sdk.ClientSession) int {
	listed, err := c.ListTools(t.Context(), nil)
	require.NoError(t, err)
	n := 0
	for _, one := range listed.Tools {
		text, err := json.Marshal(map[string]any{"name": one.Name, "description": one.Description, "input_schema": one.InputSchema})
		require.NoError(t, err)
		n += prompt.Tokens(string(text))
	}
	return n
}

// direct makes the direct calls of a task. In each turn the model reads the definitions and all before, and writes
// the calls. In the last one it answers.
func (p *place) direct(t *testing.T, j job, definitions int) (total cost) {
	context := definitions
	for _, calls := range j.turns {
		total.turns++
		total.read += context
		for _, call := range calls {
			call = p.at(call)
			res, err := ptc.Run(t.Context(), call, ptc.Options{Tools: p.tools})
			result := ""
			if err != nil {
				require.Contains(t, err.Error(), "503", "%s", call) // of the product that fails once
				result = err.Error()
			} else {
				result, err = res.JSON(false)
				require.NoError(t, err)
			}
			written := prompt.Tokens(asJSON(call))
			total.calls, total.written = total.calls+1, total.written+written
			context += written + prompt.Tokens(result)
		}
	}
	total.turns++
	total.read += context
	return total
}

// asJSON returns a form as the call of a tool: {"name":…,"input":{…}}, which has about as many bytes.
func asJSON(form string) string { return form + strings.Repeat(" ", len(`"name":"","input":`)) }

// program runs the program of a task with ptc mcp.
func (p *place) program(t *testing.T, c *sdk.ClientSession, j job, card int) cost {
	source := p.at(j.program)
	res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "run_program", Arguments: map[string]any{"program": source}})
	require.NoError(t, err)
	text := res.Content[0].(*sdk.TextContent).Text
	require.False(t, res.IsError, "%s: %s", j.name, text)
	if j.want != "" {
		assert.JSONEq(t, p.at(j.want), text, j.name)
	}
	args, err := json.Marshal(map[string]any{"name": "run_program", "input": map[string]string{"program": source}})
	require.NoError(t, err)
	written := prompt.Tokens(string(args))
	return cost{turns: 2, calls: 1, read: card + card + written + prompt.Tokens(text), written: written}
}

// BenchmarkOverhead compares calls through a real ptc mcp: of a tool that only answers, of the shortest
// program, and of a program that reads a file.
func BenchmarkOverhead(b *testing.B) {
	p := opened(b)
	c := started(b, append([]string{command(b), "mcp"}, p.flags()...)...)
	for _, one := range []struct {
		name, tool string
		args       map[string]any
	}{
		{"search_tools", "search_tools", map[string]any{"query": "file"}},
		{"program", "run_program", map[string]any{"program": "1"}},
		{"read", "run_program", map[string]any{"program": p.at(`(count (tool/fs.read "DIR/log-03.txt"))`)}},
		{"read20", "run_program", map[string]any{"program": p.at(jobs[6].program)}},
	} {
		b.Run(one.name, func(b *testing.B) {
			for b.Loop() {
				overhead(b, c, one.tool, one.args)
			}
		})
	}
	filesDirectly(b, p)
}

// started returns a client of a server over standard input and output.
func started(b testing.TB, words ...string) *sdk.ClientSession {
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(b.Context(),
		&sdk.CommandTransport{Command: exec.Command(words[0], words[1:]...)}, nil)
	require.NoError(b, err)
	b.Cleanup(func() { c.Close() })
	return c
}

// filesDirectly calls the filesystem server of npm, directly and through a program, if it is installed.
func filesDirectly(b *testing.B, p *place) {
	bin := filepath.Join(os.TempDir(), "ptc-mcp-servers", "node_modules", ".bin", "mcp-server-filesystem")
	if _, err := os.Stat(bin); err != nil {
		return
	}
	direct := started(b, bin, p.dir)
	file := p.at("DIR/log-03.txt")
	b.Run("npm-direct", func(b *testing.B) {
		for b.Loop() {
			overhead(b, direct, "read_text_file", map[string]any{"path": file})
		}
	})
	through := started(b, command(b), "mcp", "--mcp", "files="+bin+" "+p.dir)
	b.Run("npm-program", func(b *testing.B) {
		for b.Loop() {
			overhead(b, through, "run_program", map[string]any{"program": `(count (:content (tool/files.read_text_file "` + file + `")))`})
		}
	})
}

// overhead makes one call.
func overhead(b *testing.B, c *sdk.ClientSession, name string, args map[string]any) {
	res, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil || res.IsError {
		b.Fatalf("%v, %+v", err, res)
	}
}
