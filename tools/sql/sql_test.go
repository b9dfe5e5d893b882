package sql_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/sql"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(withServer{m}) }

// open opens a grant until the test is over.
func open(t *testing.T, g sql.Grant) *tool.Registry {
	t.Helper()
	dbs, err := sql.Open(g)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, dbs.Close()) })
	reg, err := tool.NewRegistry(dbs.Tools()...)
	require.NoError(t, err)
	return reg
}

func run(t *testing.T, reg *tool.Registry, program string) string {
	t.Helper()
	res, err := ptc.Run(context.Background(), failing+program,
		ptc.Options{Tools: reg, Limits: ptc.Limits{Timeout: 5 * time.Minute}})
	require.NoError(t, err)
	text, err := res.EDN()
	require.NoError(t, err)
	return text
}

// failing returns the parts of an error that a program sees.
const failing = `(defmacro failing [call] (list 'try call '(catch Exception e [(:code (ex-data e)) (ex-message e)])))
	(defmacro code [call] (list 'try call '(catch Exception e (:code (ex-data e)))))`

const shopTables = `
	(tool/sql.execute "create table item (id integer primary key, name text not null, price decimal, weight real, photo blob, made datetime)")
	(tool/sql.execute {:sql "insert into item (id, name, price, weight, made) values (:id, :name, :price, :weight, :made)"
	                   :batch [{:id 1 :name "lamp" :price "25.50" :weight 1.5 :made "2024-05-01 10:00"}
	                           {:id 2 :name "desk" :price "210.00" :weight 30 :made nil}
	                           {:id 3 :name "it's" :price nil :weight nil :made 1714557600}]})`

// shop returns a new file of SQLite with a table.
func shop(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "shop & co.db")
	dbs, err := sql.Open(sql.Grant{Databases: map[string]sql.Database{"shop": {DSN: file, Write: true}}})
	require.NoError(t, err)
	reg, err := tool.NewRegistry(dbs.Tools()...)
	require.NoError(t, err)
	run(t, reg, shopTables)
	require.NoError(t, dbs.Close())
	return file
}

func one(file string, write bool) sql.Grant {
	return sql.Grant{Databases: map[string]sql.Database{"shop": {DSN: file, Write: write}}}
}

func TestSQLiteQuery(t *testing.T) {
	reg := open(t, one(shop(t), false))
	for _, test := range []struct{ name, program, want string }{
		{"rows", `(tool/sql.query "select id, name from item order by id")`, `[{:id 1, :name "lamp"} {:id 2, :name "desk"} {:id 3, :name "it's"}]`},
		{"columns in their order", `(tool/sql.query "select name, weight, id from item where id = 1")`, `[{:name "lamp", :weight 1.5, :id 1}]`},
		{"no rows", `(tool/sql.query "select id from item where id > 3")`, `[]`},
		{"types", `(tool/sql.query "select 1 a, 1.0 b, 'x' c, null d, x'00ff' e, 9223372036854775807 f, 1e999 g")`,
			`[{:a 1, :b 1.0, :c "x", :d nil, :e "AP8=", :f 9223372036854775807, :g "Infinity"}]`},
		{"times are what is stored", `(map :made (tool/sql.query "select made from item order by id"))`, `("2024-05-01 10:00" nil 1714557600)`},
		{"decimals of SQLite are numbers", `(map :price (tool/sql.query "select price from item order by id"))`, `(25.5 210 nil)`},
		{"texts", `(tool/sql.query {:sql "select :t as t" :params {:t "a\"b\\c\nd\u0001é→"}})`, "[{:t \"a\\\"b\\\\c\\nd\x01é→\"}]"},
		{"a parameter", `(tool/sql.query {:sql "select id from item where name = :name" :params {:name "it's"}})`, `[{:id 3}]`},
		{"no injection", `(tool/sql.query {:sql "select id from item where name = :name" :params {:name "' or 1=1 --"}})`, `[]`},
		{"a parameter twice", `(tool/sql.query {:sql "select :a + :a as a" :params {:a 21}})`, `[{:a 42}]`},
		{"kinds of parameters", `(tool/sql.query {:sql "select typeof(:i) i, typeof(:f) f, typeof(:s) s, typeof(:n) n, :b b, typeof(:k) k"
			:params {:i 9007199254740993 :f 1.0 :s "" :n nil :b true :k :word}})`, `[{:i "integer", :f "real", :s "text", :n "null", :b 1, :k "text"}]`},
		{"a large integer", `(tool/sql.query {:sql "select :i as i" :params {:i 9007199254740993}})`, `[{:i 9007199254740993}]`},
		{"a list", `(map :id (tool/sql.query {:sql "select id from item where id in (:ids) order by id" :params {:ids [1 3 99]}}))`, `(1 3)`},
		{"a set", `(map :id (tool/sql.query {:sql "select id from item where id in (:ids) order by id" :params {:ids #{1 3}}}))`, `(1 3)`},
		{"limit", `(count (tool/sql.query {:sql "select id from item" :limit 2}))`, `2`},
		{"limit beyond", `(count (tool/sql.query {:sql "select id from item" :limit 20}))`, `3`},
		{"a semicolon at the end", `(tool/sql.query "select 1 as x; ")`, `[{:x 1}]`},
		{"the name of the database", `(tool/sql.query {:db "shop" :sql "select 1 as x"})`, `[{:x 1}]`},
		{"what is known of a table", `(map :name (tool/sql.query "select name from pragma_table_info('item')"))`, `("id" "name" "price" "weight" "photo" "made")`},
		{"in parallel", `(reduce + (map (comp :n first) (pmap #(tool/sql.query {:sql "select :i as n" :params {:i %}}) (range 100))))`, `4950`},
	} {
		t.Run(test.name, func(t *testing.T) { assert.Equal(t, test.want, run(t, reg, test.program)) })
	}
}

func TestSQLiteQueryFails(t *testing.T) {
	g := one(shop(t), true)
	g.MaxRows = 1000
	reg := open(t, g)
	for _, test := range []struct{ name, program, code, message string }{
		{"syntax", `(tool/sql.query "selec 1")`, ":bad-statement", `syntax error`},
		{"no such column", `(tool/sql.query "select nam from item")`, ":bad-statement", "no such column: nam"},
		{"a text in double quotes", `(tool/sql.query "select id from item where name = \"lamp\"")`, ":bad-statement", "no such column"},
		{"nothing", `(tool/sql.query " -- nothing")`, ":bad-statement", "got no statement"},
		{"two statements", `(tool/sql.query "select 1; select 2")`, ":bad-statement", "got several statements"},
		{"two columns of one name", `(tool/sql.query "select a.id, b.id from item a, item b")`, ":bad-statement", `two columns are called \"id\": name one of them with AS`},
		{"no value", `(tool/sql.query "select :a")`, ":bad-params", "parameter :a: got no value, want one in :params"},
		{"no such parameter", `(tool/sql.query {:sql "select :amount" :params {:amount 1 :amuont 2}})`, ":bad-params", "did you mean :amount?"},
		{"hyphens", `(tool/sql.query {:sql "select 1" :params {:order-id 2}})`, ":bad-params", "a parameter is letters, digits and _"},
		{"an empty list", `(tool/sql.query {:sql "select 1 where 1 in (:ids)" :params {:ids []}})`, ":bad-params", "parameter :ids: got an empty list"},
		{"a map", `(tool/sql.query {:sql "select :m" :params {:m {:a 1}}})`, ":bad-params", "parameter :m: got a map"},
		{"a huge number", `(tool/sql.query {:sql "select :n" :params {:n 12345678901234567890123N}})`, ":bad-params", "64 bits"},
		{"other marks", `(tool/sql.query "select ?")`, ":bad-params", "got a parameter written with ?"},
		{"too many rows", `(tool/sql.query "select a.id from item a, item b, item c, item d, item e, item f, item g")`, ":too-many-rows", "more than 1000 rows"},
		{"no such database", `(tool/sql.query {:db "shp" :sql "select 1"})`, ":not-granted", `got the database \"shp\", want one that is granted: shop`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := run(t, reg, `(failing `+test.program+`)`)
			assert.Contains(t, got, "["+test.code+" ")
			assert.Contains(t, got, test.message)
		})
	}
}

// TestSQLiteIsReadOnly makes attempts to write, or to leave the file, with sql.query.
func TestSQLiteIsReadOnly(t *testing.T) {
	file := shop(t)
	before, err := os.ReadFile(file)
	require.NoError(t, err)
	other := filepath.Join(t.TempDir(), "other.db")
	for _, grant := range []sql.Grant{one(file, false), one(file, true)} {
		reg := open(t, grant)
		for _, statement := range []string{
			"insert into item (id, name) values (9, 'x')", "delete from item", "update item set name = 'x' returning id",
			"create table t (x)", "create temp table t (x)", "drop table item", "alter table item add column x", "analyze",
			"vacuum", "vacuum into '" + other + "'", "attach '" + other + "' as o", "detach main",
			"pragma query_only = off", "pragma writable_schema = on", "pragma journal_mode = off", "pragma user_version = 3", "pragma database_list",
			"pragma temp_store_directory = '/'", "select load_extension('/x')", "begin", "commit", "rollback", "savepoint s", "release s",
			"select * from pragma_database_list",
		} {
			got := run(t, reg, `(code (tool/sql.query "`+statement+`"))`)
			assert.Contains(t, []string{":not-granted", ":bad-statement"}, got, statement)
		}
	}
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, before, after, "the file is as it was")
	_, err = os.Stat(other)
	assert.ErrorIs(t, err, os.ErrNotExist)
	assert.Nil(t, open(t, one(file, false)).Lookup("sql.execute"))
}

func TestSQLiteExecute(t *testing.T) {
	const count = ` (:n (first (tool/sql.query "select count(*) as n from item")))`
	for _, test := range []struct{ name, program, want string }{
		{"insert", `(tool/sql.execute {:sql "insert into item (name) values (:n)" :params {:n "shelf"}})`, `{:changes 1}`},
		{"returning", `(tool/sql.execute "insert into item (name) values ('a'), ('b') returning id, name")`,
			`{:changes 2, :rows [{:id 4, :name "a"} {:id 5, :name "b"}]}`},
		{"update", `(:changes (tool/sql.execute "update item set weight = 1 where id < 3"))`, `2`},
		{"nothing to do", `(:changes (tool/sql.execute "delete from item where id = 99"))`, `0`},
		{"batch", `(tool/sql.execute {:sql "delete from item where id = :id" :batch [{:id 1} {:id 2} {:id 99}]})`, `{:changes 2}`},
		{"batch with results", `(map :id (:rows (tool/sql.execute {:sql "insert into item (name) values (:n) returning id" :batch (map #(hash-map :n (str %)) (range 3))})))`, `(4 5 6)`},
		{"an empty batch", `(tool/sql.execute {:sql "delete from item where id = :id" :batch []})`, `{:changes 0}`},
		{"all or nothing", `[(first (failing (tool/sql.execute {:sql "insert into item (id, name) values (:id, :n)" :batch [{:id 10 :n "a"} {:id 11 :n "b"} {:id 1 :n "c"}]})))` + count + `]`,
			`[:constraint 3]`},
		{"a large batch", `[(:changes (tool/sql.execute {:sql "insert into item (name) values (:n)" :batch (map #(hash-map :n (str %)) (range 5000))}))` + count + `]`, `[5000 5003]`},
		{"parameters and batch", `(first (failing (tool/sql.execute {:sql "delete from item where id = :id" :params {:id 1} :batch [{:id 1}]})))`, `:bad-params`},
		{"constraint", `(failing (tool/sql.execute "insert into item (id) values (77)"))`,
			`[:constraint "tool/sql.execute: constraint failed: NOT NULL constraint failed: item.name"]`},
		{"attach", `(code (tool/sql.execute "attach 'x.db' as x"))`, `:not-granted`},
		{"vacuum into", `(code (tool/sql.execute "vacuum into 'x.db'"))`, `:bad-statement`},
		{"transactions", `(mapv #(code (tool/sql.execute %)) ["begin" "commit" "end" "rollback" "savepoint a" "release a"])`,
			`[:not-granted :not-granted :not-granted :not-granted :not-granted :not-granted]`},
		{"pragmas", `(code (tool/sql.execute "pragma journal_mode = delete"))`, `:not-granted`},
		{"writing the schema", `(code (tool/sql.execute "update sqlite_schema set sql = 'x'"))`, `:bad-statement`},
		{"triggers, with statements of their own", `(tool/sql.execute "create trigger t after insert on item begin delete from item where id = 1; delete from item where id = 2; end")
			(tool/sql.execute "insert into item (name) values ('x')")` + count, `2`},
		{"virtual tables", `(code (tool/sql.execute "create virtual table f using dbstat"))`, `:not-granted`},
		{"in parallel", `(dorun (pmap #(tool/sql.execute {:sql "insert into item (name) values (:n)" :params {:n (str %)}}) (range 50)))` + count, `53`},
	} {
		t.Run(test.name, func(t *testing.T) { assert.Equal(t, test.want, run(t, open(t, one(shop(t), true)), test.program)) })
	}
}

// TestTwoGrants has one database for reading only beside one for writing.
func TestTwoGrants(t *testing.T) {
	reg := open(t, sql.Grant{Databases: map[string]sql.Database{"a": {DSN: shop(t)}, "b": {DSN: "sqlite:" + shop(t), Write: true}}})
	assert.Equal(t, `[:not-granted "tool/sql.query: got no :db, want one that is granted: a, b"]`, run(t, reg, `(failing (tool/sql.query "select 1"))`))
	assert.Equal(t, `[:not-granted "tool/sql.execute: the database a is granted for reading only"]`,
		run(t, reg, `(failing (tool/sql.execute {:db "a" :sql "delete from item"}))`))
	assert.Equal(t, `[3 {:changes 3} 3 0]`, run(t, reg, `
		(let [n #(:n (first (tool/sql.query {:db % :sql "select count(*) as n from item"})))]
		  [(n "b") (tool/sql.execute {:db "b" :sql "delete from item"}) (n "a") (n "b")])`))
	assert.Contains(t, reg.Lookup("sql.query").Doc(), "Databases: a (SQLite, read-only), b (SQLite).")
}

const endless = `with recursive n(i) as (select 1 union all select i + 1 from n) `

// TestSQLiteTime has statements that do not end by themselves, in the first row and in a
// later one.
func TestSQLiteTime(t *testing.T) {
	g := one(shop(t), true)
	g.Timeout = 100 * time.Millisecond
	reg := open(t, g)
	for _, statement := range []string{
		endless + "select count(*) as n from n",
		endless + "select i from n where i = 1 or i < 0",
		endless + "select i from n order by i desc",
	} {
		res, err := ptc.Run(context.Background(), failing+`(code (tool/sql.query "`+statement+`"))`, ptc.Options{Tools: reg})
		require.NoError(t, err)
		got, err := res.Value()
		require.NoError(t, err)
		assert.Contains(t, []any{"timeout", "too-large"}, got, statement)
		assert.Zero(t, res.Usage.Abandoned, "no call is abandoned")
	}
	assert.Equal(t, `:timeout`, run(t, reg, `(code (tool/sql.execute "insert into item (name) `+endless+`select i from n"))`))
	g.Timeout = time.Minute
	assert.Equal(t, `3`, run(t, open(t, g), `(:n (first (tool/sql.query "select count(*) as n from item")))`), "what was written is taken back")
}

func TestSQLiteSize(t *testing.T) {
	g := one(shop(t), true)
	g.MaxBytes = 100_000
	reg := open(t, g)
	for _, test := range []struct{ name, program, want string }{
		{"just fits", `(count (:t (first (tool/sql.query "select printf('%.*c', 99900, 'x') as t"))))`, `99900`},
		{"one row", `(code (tool/sql.query "select printf('%.*c', 200000, 'x') as t"))`, `:too-large`},
		{"many rows", `(code (tool/sql.query "` + endless + `select i, i as j from n"))`, `:too-large`},
		{"a value that the database would make", `(code (tool/sql.query "select length(zeroblob(1000000000)) as n"))`, `:too-large`},
		{"a sort beyond the memory", `(code (tool/sql.query "` + endless + `select i, randomblob(100000) r from n order by r"))`, `:too-large`},
		{"a sort beyond the memory, of what is written", `(code (tool/sql.execute "insert into item (name) select r from (` + endless + `select randomblob(100000) r from n order by r)"))`, `:too-large`},
		{"what was there", `(:n (first (tool/sql.query "select count(*) as n from item")))`, `3`},
		{"and works on", `(tool/sql.query "select 1 as x")`, `[{:x 1}]`},
	} {
		t.Run(test.name, func(t *testing.T) { assert.Equal(t, test.want, run(t, reg, test.program)) })
	}
}

// TestSQLiteBusy has a file that another connection writes to, and a call that ends
// before that lets go of it.
func TestSQLiteBusy(t *testing.T) {
	file := shop(t)
	g := one(file, true)
	g.Timeout = 200 * time.Millisecond
	slow, fast := open(t, one(file, true)), open(t, g)
	prog, err := ptc.Compile(context.Background(), "test.ptc", `(tool/sql.execute "insert into item (name) `+endless+`select i from n")`, ptc.Options{Tools: slow})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = prog.Run(ctx, ptc.RunOptions{})
	}()
	insert := `(code (:changes (tool/sql.execute "insert into item (name) values ('x')")))`
	assert.Eventually(t, func() bool { return run(t, fast, insert) == ":timeout" }, time.Minute, time.Millisecond)
	cancel()
	<-done
	assert.Eventually(t, func() bool { return run(t, fast, insert) == "1" }, time.Minute, time.Millisecond)
}

func TestOpenFails(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text.db")
	require.NoError(t, os.WriteFile(text, []byte(strings.Repeat("this is no database\n", 1000)), 0o600))
	for _, test := range []struct{ name, dsn, want string }{
		{"no file", filepath.Join(dir, "none.db"), "unable to open"},
		{"another file", text, "file is not a database"},
		{"options", "file:" + text + "?mode=rw", "without options"},
		{"memory", ":memory:", "would not outlive a connection"},
		{"nothing", "sqlite:", "got no path"},
		{"another database", "mysql://root:secret@host/db", `got the scheme of "mysql"`},
		{"a bad address", "postgres://u:secret@host:port/db", "not a valid PostgreSQL address"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := sql.Open(sql.Grant{Databases: map[string]sql.Database{"x": {DSN: test.dsn}}})
			require.ErrorContains(t, err, test.want)
			assert.ErrorContains(t, err, "database x: ")
			assert.NotContains(t, err.Error(), "secret")
		})
	}
	_, err := sql.Open(sql.Grant{})
	assert.ErrorContains(t, err, "names no database")
}

func TestParseDatabase(t *testing.T) {
	for _, test := range []struct {
		flag, name string
		db         sql.Database
	}{
		{"shop.db", "main", sql.Database{DSN: "shop.db"}},
		{"shop=/data/shop.db", "shop", sql.Database{DSN: "/data/shop.db"}},
		{"shop=/data/shop.db,write", "shop", sql.Database{DSN: "/data/shop.db", Write: true}},
		{"postgres://u@h/db?sslmode=disable", "main", sql.Database{DSN: "postgres://u@h/db?sslmode=disable"}},
		{"l=postgres://u@h/db?sslmode=disable,write", "l", sql.Database{DSN: "postgres://u@h/db?sslmode=disable", Write: true}},
	} {
		name, db, err := sql.ParseDatabase(test.flag)
		assert.NoError(t, err)
		assert.Equal(t, test.name, name, test.flag)
		assert.Equal(t, test.db, db)
	}
	_, _, err := sql.ParseDatabase("shop=,write")
	assert.ErrorContains(t, err, `got "shop=,write", want [NAME=]DSN[,write]`)
}

func TestWithheld(t *testing.T) {
	reg := &tool.Registry{}
	for name, how := range sql.Names() {
		reg.Withhold(name, how)
	}
	for call, hint := range map[string]string{`(tool/sql.query "select 1")`: "--allow-sql DSN", `(tool/sql.execute "select 1")`: "--allow-sql DSN,write"} {
		_, err := ptc.Compile(context.Background(), "test.ptc", call, ptc.Options{Tools: reg})
		var e *ptc.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, diag.NotGranted, e.Code)
		assert.Contains(t, e.Hint, hint)
	}
}
