// This file defines the databases of SQLite.

package sql

import (
	"context"
	stdsql "database/sql"
	stddriver "database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"

	"github.com/ptc-lang/ptc/runtime/tool"
)

// sqlite is a file. database/sql keeps its connections; statements run on the connections
// themselves, which report the type of each value, while database/sql guesses it.
type sqlite struct {
	reads  *stdsql.DB
	writes *stdsql.DB // nil without the grant
}

const (
	// busyTimeout is how long a call waits for others that write, unless it ends before.
	busyTimeout = 10 * time.Second
	// heapBytes bounds the memory of a connection: its page cache, sorts and results.
	heapBytes = 64 << 20
	// valueBytes bounds a text or blob that a statement makes.
	valueBytes = 16 << 20
	// statementBytes bounds a statement: lists of values become part of it.
	statementBytes = 1 << 20
	// writers is how many connections write: SQLite lets one at a time.
	writers = 1
)

func openSQLite(db Database, g Grant) (database, error) {
	path, err := sqlitePath(db.DSN)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file, want an SQLite file", path) // to open a pipe could take forever
	}
	mode := "ro"
	if db.Write {
		mode = "rwc"
	}
	dsn := (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path), RawQuery: "mode=" + mode}).String()
	s := &sqlite{}
	if db.Write {
		if s.writes, err = openPool(dsn, prepareWriter, writers); err != nil {
			return nil, err
		}
	}
	if s.reads, err = openPool(dsn, prepareReader, g.Connections); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// In returns the database with a path that is relative to base, unless that is "". The DSN of a server, an
// absolute path and a malformed DSN are returned unchanged.
func (db Database) In(base string) Database {
	if base == "" || db.postgres() {
		return db
	}
	path, err := sqliteFile(db.DSN)
	if err != nil || filepath.IsAbs(path) {
		return db
	}
	if path, err = filepath.Abs(filepath.Join(base, path)); err == nil {
		db.DSN = path // absolute, so no part of it is taken for a scheme
	}
	return db
}

// sqlitePath returns the absolute path of the file that a DSN names.
func sqlitePath(dsn string) (string, error) {
	path, err := sqliteFile(dsn)
	if err != nil {
		return "", err
	}
	if path, err = filepath.Abs(path); err == nil && len(path) > maxPath {
		return "", fmt.Errorf("got a path of %d bytes, want at most %d", len(path), maxPath)
	}
	return path, err
}

// maxPath bounds the path of a file, in bytes: the library panics at 1024, including the suffixes that it appends.
const maxPath = 1000

// sqliteFile takes a plain path, or a path after sqlite: or file:. Options are refused, because they could
// override the grant.
func sqliteFile(dsn string) (string, error) {
	path := dsn
	for _, scheme := range []string{"sqlite://", "sqlite:", "file://", "file:"} {
		if rest, ok := strings.CutPrefix(dsn, scheme); ok {
			path = rest
			if strings.Contains(rest, "?") {
				return "", fmt.Errorf("got %q, want the path of a file without options after ?", dsn)
			}
			break
		}
	}
	switch {
	case strings.ContainsRune(path, 0):
		return "", fmt.Errorf("got the path %q, want one without NUL bytes", path)
	case path == "":
		return "", errors.New("got no path, want the path of an SQLite file")
	case strings.HasPrefix(path, ":memory:"):
		return "", errors.New("got :memory:, want the path of a file: a database in memory would not outlive a connection")
	case strings.Contains(path, "://"):
		return "", fmt.Errorf("got the scheme of %q, want sqlite:, postgres:// or a path", strings.SplitN(path, "://", 2)[0])
	}
	return path, nil
}

// Files returns the paths of a database that is a file: its own, and those of the files that
// SQLite creates beside it. If a symbolic link leads to the database, SQLite creates them beside
// the target; Files returns the paths beside the link too. A database of a server has none.
func (db Database) Files() []string {
	path, err := sqlitePath(db.DSN)
	if err != nil || db.postgres() {
		return nil
	}
	files := []string{path}
	beside := []string{path}
	if target, err := filepath.EvalSymlinks(path); err == nil && target != path {
		beside = append(beside, target)
	}
	for _, name := range beside {
		files = append(files, name+"-wal", name+"-shm", name+"-journal")
	}
	return files
}

// openPool opens connections that each begin with prepare, and tries one of them.
func openPool(dsn string, prepare func(*sqlite3.Conn) error, most int) (*stdsql.DB, error) {
	pool, err := driver.Open(dsn, prepare)
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(most)
	pool.SetMaxIdleConns(most)
	pool.SetConnMaxIdleTime(time.Minute)
	if err := pool.Ping(); err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	return pool, nil
}

// prepareWriter makes a connection safe for statements of programs.
func prepareWriter(c *sqlite3.Conn) error {
	for _, set := range []struct {
		option sqlite3.DBConfig
		on     bool
	}{
		{sqlite3.DBCONFIG_DEFENSIVE, true},       // no writes that could corrupt the file
		{sqlite3.DBCONFIG_TRUSTED_SCHEMA, false}, // the file is data: functions that its views call are not trusted
		{sqlite3.DBCONFIG_DQS_DML, false},        // "x" is a column, never a text: a misspelt one is an error
		{sqlite3.DBCONFIG_DQS_DDL, false},
		{sqlite3.DBCONFIG_ENABLE_FKEY, true},
	} {
		if _, err := c.Config(set.option, set.on); err != nil {
			return err
		}
	}
	c.Limit(sqlite3.LIMIT_ATTACHED, 0)
	c.Limit(sqlite3.LIMIT_LENGTH, valueBytes)
	c.Limit(sqlite3.LIMIT_SQL_LENGTH, statementBytes)
	c.HardHeapLimit(heapBytes)
	if err := c.BusyTimeout(busyTimeout); err != nil {
		return err
	}
	return c.Exec("PRAGMA temp_store = memory") // so that heapBytes bounds it, and no file is made
}

// prepareReader makes a connection that cannot write.
func prepareReader(c *sqlite3.Conn) error {
	if err := prepareWriter(c); err != nil {
		return err
	}
	return c.Exec("PRAGMA query_only = on; SELECT count(*) FROM sqlite_schema") // reports a file that is not a database
}

func (s *sqlite) close() error {
	var errs []error
	for _, pool := range []*stdsql.DB{s.reads, s.writes} {
		if pool != nil {
			errs = append(errs, pool.Close())
		}
	}
	return errors.Join(errs...)
}

// outOfMemory is the value of the library's panic when SQLite asks for more than heapBytes.
const outOfMemory = "sqlite3: out of memory"

// with runs f on a connection.
func with(ctx context.Context, pool *stdsql.DB, f func(*sqlite3.Conn) error) error {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return sqliteError(err)
	}
	defer conn.Close()
	full := false
	err = conn.Raw(func(dc any) error {
		c := dc.(driver.Conn).Raw()
		defer c.SetInterrupt(c.SetInterrupt(ctx))
		err := f(c)
		full = errors.Is(err, errFull)
		if full {
			return stddriver.ErrBadConn // its state is unknown: it is closed
		}
		return err
	})
	if full {
		return &tool.Error{Code: CodeTooLarge,
			Message: fmt.Sprintf("the statement needs more than %d bytes of memory: sort and group fewer rows, or shorter "+
				"ones", heapBytes)}
	}
	return err
}

var errFull = errors.New(outOfMemory)

// orFull turns the panic for memory into errFull.
func orFull(err *error) {
	if p := recover(); p != nil {
		if fmt.Sprint(p) != outOfMemory {
			panic(p)
		}
		*err = errFull
	}
}

func (s *sqlite) query(ctx context.Context, st *statement, params map[string]any, to *rowWriter) error {
	b, err := st.bind(params, "?")
	if err != nil {
		return err
	}
	return with(ctx, s.reads, func(c *sqlite3.Conn) error {
		return evaluate(c, b, func(stmt *sqlite3.Stmt) error {
			if !stmt.ReadOnly() {
				return &tool.Error{Code: CodeNotGranted, Message: "got a statement that writes, want one that reads: use " +
					"sql.execute, where that is granted"}
			}
			return runStatement(stmt, b, to)
		})
	})
}

func (s *sqlite) execute(ctx context.Context, st *statement, batch []map[string]any, to *rowWriter) (changes int64,
	err error) {
	err = with(ctx, s.writes, func(c *sqlite3.Conn) (err error) {
		tx, err := c.BeginImmediate()
		if err != nil {
			return sqliteError(err)
		}
		defer tx.End(&err)
		before := c.TotalChanges()
		for _, params := range batch {
			b, err := st.bind(params, "?")
			if err != nil {
				return err
			}
			if err := evaluate(c, b, func(stmt *sqlite3.Stmt) error { return runStatement(stmt, b, to) }); err != nil {
				return err
			}
		}
		changes = c.TotalChanges() - before
		return nil
	})
	return changes, sqliteError(err)
}

// evaluate compiles a program's statement and hands it to run, under the rules for
// statements of programs. They hold while it runs too: a statement is compiled again when
// the schema has changed.
func evaluate(c *sqlite3.Conn, b *bound, run func(*sqlite3.Stmt) error) (err error) {
	defer orFull(&err)
	var refused string
	err = c.SetAuthorizer(func(action sqlite3.AuthorizerActionCode, name, arg, _, _ string) sqlite3.AuthorizerReturnCode {
		if what := forbidden(action, name, arg); what != "" {
			refused = what
			return sqlite3.AUTH_DENY
		}
		return sqlite3.AUTH_OK
	})
	if err != nil {
		return sqliteError(err)
	}
	defer func() {
		if refused != "" && err != nil {
			err = &tool.Error{Code: CodeNotGranted, Message: "a statement may not " + refused}
		}
		err = errors.Join(err, c.SetAuthorizer(nil))
	}()
	stmt, tail, err := c.Prepare(b.text)
	if err != nil {
		return sqliteError(err)
	}
	if stmt == nil {
		return &tool.Error{Code: CodeBadStatement, Message: "got no statement, want one"}
	}
	defer stmt.Close()
	if strings.Trim(tail, " \t\r\n;") != "" {
		return &tool.Error{Code: CodeBadStatement, Message: "got several statements, want one: make a call for each, or " +
			"use :batch"}
	}
	if stmt.BindCount() != len(b.args) {
		return &tool.Error{Code: CodeBadParams, Message: "got a parameter written with ?, @ or $, want parameters by " +
			"name: :name"}
	}
	return run(stmt)
}

func runStatement(stmt *sqlite3.Stmt, b *bound, to *rowWriter) error {
	for i, v := range b.args {
		if err := bindValue(stmt, i+1, v); err != nil {
			return sqliteError(err)
		}
	}
	columns := make([]string, stmt.ColumnCount())
	for i := range columns {
		columns[i] = stmt.ColumnName(i)
	}
	if err := to.begin(columns); err != nil {
		return err
	}
	value := func(buf []byte, i int) ([]byte, error) { return appendColumn(buf, stmt, i), nil }
	for !to.full() && stmt.Step() {
		if err := to.row(value); err != nil {
			return err
		}
	}
	return sqliteError(stmt.Err())
}

func bindValue(stmt *sqlite3.Stmt, i int, v any) error {
	switch v := v.(type) {
	case bool:
		return stmt.BindBool(i, v)
	case string:
		return stmt.BindText(i, v)
	case json.Number:
		if n, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return stmt.BindInt64(i, n)
		}
		f, err := v.Float64()
		if err != nil || !strings.ContainsAny(v.String(), ".eE") {
			return &tool.Error{Code: CodeBadParams, Message: "got the number " + v.String() + ", want one that SQLite can " +
				"hold: 64 bits"}
		}
		return stmt.BindFloat(i, f)
	}
	return stmt.BindNull(i)
}

func appendColumn(buf []byte, stmt *sqlite3.Stmt, i int) []byte {
	switch stmt.ColumnType(i) {
	case sqlite3.INTEGER:
		return strconv.AppendInt(buf, stmt.ColumnInt64(i), 10)
	case sqlite3.FLOAT:
		return appendFloat(buf, stmt.ColumnFloat(i))
	case sqlite3.TEXT:
		return appendString(buf, stmt.ColumnRawText(i))
	case sqlite3.BLOB:
		return appendBlob(buf, stmt.ColumnRawBlob(i))
	}
	return append(buf, "null"...)
}
