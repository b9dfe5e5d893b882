package sql_test

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/tools/sql"
)

// ledger returns the address of a new database of the server, with a table.
func ledger(t *testing.T) string {
	t.Helper()
	server := serverURL(t)
	name := fmt.Sprintf("ptc_%d", time.Now().UnixNano())
	asAdmin(t, server, "create database "+name)
	u, err := url.Parse(server)
	require.NoError(t, err)
	u.Path = "/" + name
	asAdmin(t, u.String(), `create table entry (id int primary key, total numeric(20,2), day date, at timestamptz, note text not null default '')`)
	t.Cleanup(func() { asAdmin(t, server, "drop database "+name+" with (force)") })
	return u.String()
}

// asAdmin runs a statement without the tools.
func asAdmin(t *testing.T, url, statement string) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, url)
	require.NoError(t, err)
	_, err = conn.Exec(ctx, statement)
	assert.NoError(t, err)
	require.NoError(t, conn.Close(ctx))
}

func TestPostgres(t *testing.T) {
	reg := open(t, one(ledger(t), true))
	for _, test := range []struct{ name, program, want string }{
		{"insert", `(tool/sql.execute {:sql "insert into entry (id, total, day, at) values (:id, :total, :day, :at)"
			:batch [{:id 1 :total "9.50" :day "2024-05-01" :at "2024-05-01T10:00:00+02:00"} {:id 2 :total 12 :day nil :at nil}]})`, `{:changes 2}`},
		{"rows", `(tool/sql.query "select id, total, day, at from entry order by id")`,
			`[{:id 1, :total "9.50", :day "2024-05-01", :at "2024-05-01T08:00:00Z"} {:id 2, :total "12.00", :day nil, :at nil}]`},
		{"sums keep their digits", `(tool/sql.query "select sum(total) as sum, count(*) as n from entry")`, `[{:sum "21.50", :n 2}]`},
		{"types", `(into (sorted-map) (first (tool/sql.query "select 1::int8 a, 1.5::float8 b, 2::float8 c, 'NaN'::float8 d, true e, '\\x00ff'::bytea f, '{\"x\": [1, 2.50]}'::jsonb g,
			'a1b2c3d4-0000-4000-8000-000000000000'::uuid h, '1 day 2 hours'::interval i, timestamp '2024-05-01 10:00:00.25' j, 'infinity'::timestamptz k, '10.0.0.1'::inet l")))`,
			`{:a 1, :b 1.5, :c 2.0, :d "NaN", :e true, :f "AP8=", :g {:x [1 2.5]}, :h "a1b2c3d4-0000-4000-8000-000000000000", :i "P1DT2H", :j "2024-05-01T10:00:00.25", :k "infinity", :l "10.0.0.1"}`},
		{"arrays", `(first (tool/sql.query "select array[1,2,null] a, array['x','a \"b\"\\c', 'NULL', ''] b, '{}'::int[] c, array[[1,2],[3,4]] d, array[1.50] e, array[true] f"))`,
			`{:a [1 2 nil], :b ["x" "a \"b\"\\c" "NULL" ""], :c [], :d [[1 2] [3 4]], :e ["1.50"], :f [true]}`},
		{"parameters", `(tool/sql.query {:sql "select id from entry where id = :id and total < :most and day = :day" :params {:id 1 :most 9.75 :day "2024-05-01"}})`, `[{:id 1}]`},
		{"no injection", `(tool/sql.query {:sql "select id from entry where note = :n" :params {:n "' or 1=1 --"}})`, `[]`},
		{"a list", `(map :id (tool/sql.query {:sql "select id from entry where id in (:ids) order by id" :params {:ids [1 2 3]}}))`, `(1 2)`},
		{"what is no parameter", `(first (tool/sql.query {:sql "select ':a' a, 1::text b, (array[1,2,3])[1:2] c, $$:x$$ d, $t$ $$:y$$ $t$ e, E'\\':z' f, /* :p /* :q */ :r */ :v::int g -- :s" :params {:v "7"}}))`,
			`{:a ":a", :b "1", :c [1 2], :d ":x", :e " $$:y$$ ", :f "':z", :g 7}`},
		{"limit", `(count (tool/sql.query {:sql "select generate_series(1, 100) n" :limit 3}))`, `3`},
		{"limit of very many", `(count (tool/sql.query {:sql "select generate_series(1, 1000000000) n" :limit 3}))`, `3`},
		{"returning", `(tool/sql.execute "insert into entry (id, total) values (3, 1) returning id, total")`, `{:changes 1, :rows [{:id 3, :total "1.00"}]}`},
		{"update", `(tool/sql.execute "update entry set note = 'x' where id > 1")`, `{:changes 2}`},
		{"all or nothing", `[(first (failing (tool/sql.execute {:sql "insert into entry (id) values (:id)" :batch [{:id 10} {:id 11} {:id 1}]})))
			(:n (first (tool/sql.query "select count(*) n from entry")))]`, `[:constraint 3]`},
		{"a large batch", `(:changes (tool/sql.execute {:sql "insert into entry (id) values (:id)" :batch (map #(hash-map :id (+ 1000 %)) (range 1000))}))`, `1000`},
		{"in parallel", `(reduce + (map (comp :n first) (pmap #(tool/sql.query {:sql "select :i::int as n" :params {:i %}}) (range 100))))`, `4950`},
		{"a session of its own", `(tool/sql.execute "select set_config('search_path', 'nowhere', false)")
			(:n (first (tool/sql.query "select count(*) n from entry where id < 4")))`, `3`},
		{"a lock of its own", `(mapv (fn [_] (:l (first (:rows (tool/sql.execute "select pg_try_advisory_lock(7) l"))))) (range 20))`,
			`[true true true true true true true true true true true true true true true true true true true true]`},
	} {
		t.Run(test.name, func(t *testing.T) { assert.Equal(t, test.want, run(t, reg, test.program)) })
	}
}

func TestPostgresFails(t *testing.T) {
	reg := open(t, one(ledger(t), true))
	for _, test := range []struct{ name, program, code, message string }{
		{"syntax", `(tool/sql.query "selec 1")`, ":bad-statement", "syntax error"},
		{"no such table", `(tool/sql.query "select 1 from nothing")`, ":bad-statement", `\"nothing\" does not exist`},
		{"two statements", `(tool/sql.query "select 1; select 2")`, ":bad-statement", "multiple commands"},
		{"a value of the wrong type", `(tool/sql.query {:sql "select :a::int" :params {:a "x"}})`, ":bad-params", "invalid input syntax"},
		{"marks", `(tool/sql.query "select $1::int")`, ":bad-params", "want parameters by name"},
		{"constraint", `(tool/sql.execute "insert into entry (note) values ('x')")`, ":constraint", "null value in column"},
		{"two columns of one name", `(tool/sql.query "select 1 as a, 2 as a")`, ":bad-statement", "name one of them with AS"},
		{"size", `(tool/sql.query "select repeat('x', 1000000) t from generate_series(1, 100000)")`, ":too-large", "ask for fewer"},
		{"rows", `(tool/sql.query "select generate_series(1, 10000000) n")`, ":too-many-rows", "more than 100000 rows"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := run(t, reg, `(failing `+test.program+`)`)
			assert.Contains(t, got, "["+test.code+" ")
			assert.Contains(t, got, test.message)
			assert.Equal(t, `[{:x 1}]`, run(t, reg, `(tool/sql.query "select 1 as x")`), "the connection is good")
		})
	}
}

// TestPostgresIsReadOnly makes attempts to write with sql.query.
func TestPostgresIsReadOnly(t *testing.T) {
	url := ledger(t)
	for _, grant := range []sql.Grant{one(url, true), one(url, false)} {
		reg := open(t, grant)
		for _, statement := range []string{
			"insert into entry (id) values (1)", "with x as (insert into entry (id) values (1) returning id) select * from x",
			"create table t (x int)", "drop table entry", "truncate entry", "select nextval('s')", "copy entry from stdin",
			"commit", "/* c */ COMMIT", "-- c\nrollback", "begin", "set transaction read write", "set session characteristics as transaction read write",
			"do $$ begin insert into entry (id) values (1); end $$", "prepare p as select 1", "declare c cursor for select 1",
		} {
			code := run(t, reg, `(code (tool/sql.query `+fmt.Sprintf("%q", statement)+`))`)
			assert.Contains(t, []string{":not-granted", ":bad-statement"}, code, statement)
		}
		assert.Equal(t, `:not-granted`, run(t, reg, `(code (tool/sql.query "select set_config('default_transaction_read_only', 'off', false)"))
			(code (tool/sql.query "select set_config('transaction_read_only', 'off', false)"))
			(code (tool/sql.query "insert into entry (id) values (1)"))`))
		assert.Equal(t, `0`, run(t, reg, `(:n (first (tool/sql.query "select count(*) n from entry")))`))
	}
}

// TestPostgresTime has a statement that ends with its call, on the server too.
func TestPostgresTime(t *testing.T) {
	url := ledger(t)
	g := one(url, true)
	g.Timeout = 200 * time.Millisecond
	reg := open(t, g)
	res, err := ptc.Run(context.Background(), failing+`(code (tool/sql.query "select pg_sleep(600)"))`, ptc.Options{Tools: reg})
	require.NoError(t, err)
	got, err := res.Value()
	require.NoError(t, err)
	assert.Equal(t, "timeout", got)
	assert.Zero(t, res.Usage.Abandoned, "no call is abandoned")
	watcher := open(t, one(url, false))
	assert.Eventually(t, func() bool {
		return run(t, watcher, `(:n (first (tool/sql.query "select count(*) n from pg_stat_activity where query like '%pg_sleep(600)%' and state = 'active' and pid <> pg_backend_pid()")))`) == "0"
	}, time.Minute, 10*time.Millisecond)
}

// TestPostgresAway has no server, and one that does not know the role.
func TestPostgresAway(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := l.Addr().String()
	require.NoError(t, l.Close())
	reg := open(t, one("postgres://u:secret@"+addr+"/db", false))
	got := run(t, reg, `(try (tool/sql.query "select 1") (catch Exception e [(ex-message e) (:code (ex-data e)) (:retryable? (ex-data e))]))`)
	assert.Equal(t, `["tool/sql.query: the database is not reached: connect: connection refused" :unavailable true]`, got)

	u, err := url.Parse(serverURL(t))
	require.NoError(t, err)
	u.User = url.UserPassword("nobody_of_this_name", "secret")
	assert.Equal(t, `[:unavailable false]`, run(t, open(t, one(u.String(), false)),
		`(try (tool/sql.query "select 1") (catch Exception e [(:code (ex-data e)) (:retryable? (ex-data e))]))`))
}

// TestPostgresRestart has a connection that the server has closed between two calls.
func TestPostgresRestart(t *testing.T) {
	url := ledger(t)
	reg := open(t, one(url, false))
	pid := run(t, reg, `(:pid (first (tool/sql.query "select pg_backend_pid() pid")))`)
	asAdmin(t, serverURL(t), "select pg_terminate_backend("+pid+")")
	assert.Eventually(t, func() bool {
		return run(t, reg, `(code (:n (first (tool/sql.query "select 1 n"))))`) == "1"
	}, time.Minute, 10*time.Millisecond)
}

// TestPasswords has the tools name the passwords of their databases as secrets.
func TestPasswords(t *testing.T) {
	d, err := sql.Open(sql.Grant{Databases: map[string]sql.Database{"a": {DSN: "postgres://u:hunter2-a@localhost:1/x"},
		"b": {DSN: "postgres://u@localhost:1/x?password=hunter2-b", Write: true}}})
	require.NoError(t, err)
	for _, known := range d.Tools() {
		assert.Equal(t, []string{"hunter2-a", "hunter2-b"}, known.Credentials(), known.Name())
	}
	require.NoError(t, d.Close())
}
