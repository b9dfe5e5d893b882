// Package sql has tools for databases: sql.query reads, and sql.execute changes. SQLite is built in, without
// cgo; PostgreSQL is reached by its URL.
//
//	dbs, err := sql.Open(sql.Grant{Databases: map[string]sql.Database{
//		"shop":   {DSN: "shop.db"},
//		"ledger": {DSN: "postgres://reporting@db.example.com/ledger", Write: true},
//	}})
//	defer dbs.Close()
//	registry.Add(dbs.Tools()...)
//
//	(tool/sql.query {:db "shop" :sql "select id, total from orders where day = :day" :params {:day "2024-05-01"}})
//	;; [{:id 1, :total "9.50"} {:id 2, :total "12.00"}]
//	(tool/sql.execute {:db "ledger" :sql "insert into entry (id, total) values (:id, :total)"
//	                   :batch [{:id 1 :total "9.50"}]})
//	;; {:changes 1}
//
// # Statements
//
// A call is one statement in its own transaction. Values are passed only as parameters, written :name. A
// list is expanded to its elements, as in "id in (:ids)". A statement with :batch runs once for each of its
// maps, in one transaction: all or nothing.
//
// # Enforcement of the grant
//
// The database itself ensures that sql.query only reads; the text of a statement is not inspected.
// sql.execute exists only with Write. SQLite runs with query_only and an authorizer that refuses to
// attach files, to load code, to begin transactions and most pragmas. PostgreSQL runs each query in a
// read-only transaction that is rolled back, and changes to a session are discarded before the next
// call. The administrator of PostgreSQL bounds the other rights of a role: grant a separate role, never
// a superuser, whose functions can read files of the server.
//
// # Values
//
// Integers and floats are numbers, NULL is nil, booleans are booleans (in SQLite 0 and 1). Decimals are
// strings, which lose no digit: (bigdec "9.50"). Blobs are base64. Times of PostgreSQL are RFC 3339 in UTC,
// dates are "2024-05-01", json values and arrays are data; all other types are strings. SQLite has no types for
// times: it returns the stored value. NaN and infinities, which JSON lacks, are the strings "NaN", "Infinity"
// and "-Infinity".
package sql

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/internal/detach"
)

// Grant names the databases and their bounds. The zero value grants nothing.
type Grant struct {
	Databases map[string]Database // by the name that a program uses

	Timeout     time.Duration // of a call; tool.DefaultTimeout if 0
	MaxRows     int           // of a result; DefaultRows if 0
	MaxBytes    int           // of a result as JSON; DefaultBytes if 0
	Connections int           // to each database; DefaultConnections if 0
}

// Database is one database.
type Database struct {
	// DSN is the path of a SQLite file, or a URL that begins with postgres:// or
	// postgresql://, as libpq takes it.
	DSN   string
	Write bool // grants sql.execute too, and makes a file of SQLite that is missing
}

const (
	// DefaultRows is more than a program should take out of a database that can count and
	// sum itself.
	DefaultRows = 100_000
	// DefaultBytes is the bound of the result of any tool.
	DefaultBytes = 16 << 20
	// DefaultConnections is that of a service which shares its database with others.
	DefaultConnections = 8
)

// Databases are the open databases of a grant. They are safe for concurrent use, and by
// any number of runs.
type Databases struct {
	grant Grant
	names []string
	open  map[string]database
	left  detach.Group
}

// database is the common interface of the two kinds. Both calls end soon after ctx does, but
// perhaps not as soon as a tool must.
type database interface {
	// query runs a statement that reads, and writes its rows.
	query(ctx context.Context, st *statement, params map[string]any, to *rowWriter) error
	// execute runs a statement for each map of parameters, in one transaction, and returns
	// how many rows it has changed.
	execute(ctx context.Context, st *statement, batch []map[string]any, to *rowWriter) (changes int64, err error)
	close() error
}

// Names returns the tools of this package, each with the flag that grants it.
func Names() map[string]string {
	return map[string]string{
		"sql.query":   "grant it with --allow-sql DSN",
		"sql.execute": "grant it with --allow-sql DSN,write",
	}
}

// ParseDatabase parses the value of a flag: [NAME=]DSN[,write]. Without a name
// it is called main.
func ParseDatabase(flag string) (name string, db Database, err error) {
	name, db.DSN = "main", flag
	if before, dsn, ok := strings.Cut(flag, "="); ok && validName(before) {
		name, db.DSN = before, dsn
	}
	db.DSN, db.Write = strings.CutSuffix(db.DSN, ",write")
	if db.DSN == "" {
		return "", Database{}, fmt.Errorf("sql: got %q, want [NAME=]DSN[,write], where DSN is an SQLite file or "+
			"postgres://…", flag)
	}
	return name, db, nil
}

// validName reports whether s is a name for a database: letters, digits, - and _.
func validName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

// Open opens the databases of a grant. A file of SQLite is checked immediately; a server is not contacted
// before the first call.
func Open(g Grant) (*Databases, error) {
	if len(g.Databases) == 0 {
		return nil, errors.New("sql: the grant names no database")
	}
	if g.MaxRows <= 0 {
		g.MaxRows = DefaultRows
	}
	if g.MaxBytes <= 0 {
		g.MaxBytes = DefaultBytes
	}
	if g.Connections <= 0 {
		g.Connections = DefaultConnections
	}
	d := &Databases{grant: g, names: slices.Sorted(maps.Keys(g.Databases)), open: make(map[string]database)}
	var errs []error
	for _, name := range d.names {
		db, err := openDatabase(g.Databases[name], g)
		if err != nil {
			errs = append(errs, fmt.Errorf("sql: database %s: %w", name, err))
			continue
		}
		d.open[name] = db
	}
	if err := errors.Join(errs...); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func openDatabase(db Database, g Grant) (database, error) {
	if db.postgres() {
		return openPostgres(db, g)
	}
	return openSQLite(db, g)
}

func (db Database) postgres() bool {
	return strings.HasPrefix(db.DSN, "postgres://") || strings.HasPrefix(db.DSN, "postgresql://")
}

// Close waits for the calls that are under way and closes all connections.
func (d *Databases) Close() error {
	d.left.Wait()
	var errs []error
	for _, db := range d.open {
		errs = append(errs, db.close())
	}
	return errors.Join(errs...)
}

// Stubs returns the tools that the databases of the grant would have, not to be called:
// nothing is opened or made.
func Stubs(g Grant) []*tool.Tool {
	return (&Databases{grant: g, names: slices.Sorted(maps.Keys(g.Databases))}).Tools()
}

// Tools returns the tools that the grant allows.
func (d *Databases) Tools() []*tool.Tool {
	var about []string
	writes := false
	for _, name := range d.names {
		db := d.grant.Databases[name]
		kind := "SQLite"
		if db.postgres() {
			kind = "PostgreSQL"
		}
		if !db.Write {
			kind += ", read-only"
		}
		writes = writes || db.Write
		about = append(about, name+" ("+kind+")")
	}
	databases := " Databases: " + strings.Join(about, ", ") + "."
	tools := []*tool.Tool{queryTool(d, databases)}
	if writes {
		tools = append(tools, executeTool(d, databases))
	}
	return tools
}
