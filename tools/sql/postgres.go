// This file defines the databases of PostgreSQL.

package sql

import (
	"context"
	stdsql "database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/ptc-lang/ptc/runtime/tool"
)

// postgres is a database on a server. database/sql keeps its connections; statements run
// on the protocol itself, with all values as text: the server reads each parameter as the
// type that the statement wants, and prints each value without loss.
type postgres struct {
	pool  *stdsql.DB
	types *pgtype.Map
	// password is that of the role, "" for none.
	password string
}

const (
	connectTimeout = 10 * time.Second
	// cancelWait is how long the server may take to stop a statement; then the connection
	// is closed.
	cancelWait = 2 * time.Second
	idleTime   = time.Minute
	// restRows is the number of rows whose cost is about that of telling the server to stop.
	restRows = 1000
)

func openPostgres(db Database, g Grant) (database, error) {
	cfg, err := pgx.ParseConfig(db.DSN)
	if err != nil {
		return nil, errors.New("the URL is not a valid PostgreSQL address") // err may hold the password
	}
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = connectTimeout
	}
	cfg.RuntimeParams["timezone"] = "UTC"
	cfg.RuntimeParams["datestyle"] = "ISO"
	cfg.RuntimeParams["intervalstyle"] = "iso_8601"
	cfg.RuntimeParams["bytea_output"] = "hex"
	cfg.RuntimeParams["client_encoding"] = "UTF8"
	if cfg.RuntimeParams["application_name"] == "" {
		cfg.RuntimeParams["application_name"] = "ptc"
	}
	if !db.Write {
		cfg.RuntimeParams["default_transaction_read_only"] = "on"
	}
	// So that a call which ends early ends its statement on the server too.
	cfg.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: c, DeadlineDelay: cancelWait}
	}
	pool := stdlib.OpenDB(*cfg, stdlib.OptionResetSession(func(ctx context.Context, c *pgx.Conn) error {
		// The next call must not see the session state of the previous one, such as locks.
		if _, err := c.PgConn().Exec(ctx, "discard all").ReadAll(); err != nil {
			return driver.ErrBadConn
		}
		return nil
	}))
	pool.SetMaxOpenConns(g.Connections)
	pool.SetMaxIdleConns(g.Connections)
	pool.SetConnMaxIdleTime(idleTime)
	return &postgres{pool, pgtype.NewMap(), cfg.Password}, nil
}

func (p *postgres) close() error { return p.pool.Close() }

func (p *postgres) query(ctx context.Context, st *statement, params map[string]any, to *rowWriter) error {
	b, err := st.bind(params, "$")
	if err != nil {
		return err
	}
	_, err = p.transaction(ctx, "begin read only", "rollback", []*bound{b}, to)
	return err
}

func (p *postgres) execute(ctx context.Context, st *statement, batch []map[string]any, to *rowWriter) (int64, error) {
	var all []*bound
	for _, params := range batch {
		b, err := st.bind(params, "$")
		if err != nil {
			return 0, err
		}
		all = append(all, b)
	}
	return p.transaction(ctx, "begin", "commit", all, to)
}

// transaction runs statements between begin and end. A connection on which anything goes
// wrong beyond an error of the statement is not used again.
func (p *postgres) transaction(ctx context.Context, begin, end string, all []*bound, to *rowWriter) (changes int64,
	err error) {
	conn, err := p.pool.Conn(ctx)
	if err != nil {
		return 0, postgresError(err)
	}
	defer conn.Close()
	var failed error // the statement's own, after which the connection is good
	err = conn.Raw(func(dc any) error {
		c := dc.(*stdlib.Conn).Conn().PgConn()
		if err := simple(ctx, c, begin+timeouts(ctx)); err != nil {
			return err
		}
		changes, failed = p.runAll(ctx, c, all, to)
		if c.IsClosed() {
			return driver.ErrBadConn
		}
		if failed != nil {
			end = "rollback"
		}
		return simple(ctx, c, end)
	})
	if failed != nil {
		err = failed
	}
	return changes, postgresError(err)
}

// timeouts bounds the statement on the server too, which continues if this process is gone.
func timeouts(ctx context.Context) string {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ""
	}
	return fmt.Sprintf("; set local statement_timeout = %d", max(1, time.Until(deadline).Milliseconds()+1))
}

// simple runs internal statements without a result.
func simple(ctx context.Context, c *pgconn.PgConn, text string) error {
	_, err := c.Exec(ctx, text).ReadAll()
	return err
}

// runAll runs statements that differ in their values, and mostly not in their text.
func (p *postgres) runAll(ctx context.Context, c *pgconn.PgConn, all []*bound, to *rowWriter) (changes int64,
	err error) {
	prepared := ""
	for _, b := range all {
		if err := admitted(b.text); err != nil {
			return 0, err
		}
		if b.text != prepared {
			sd, err := c.Prepare(ctx, "", b.text, nil)
			if err != nil {
				return 0, err
			}
			if len(sd.ParamOIDs) != len(b.args) {
				return 0, &tool.Error{Code: CodeBadParams, Message: "got a parameter written with $, want parameters by name: " +
					":name"}
			}
			prepared = b.text
		}
		n, err := p.runOne(ctx, c, b, to)
		if err != nil {
			return 0, err
		}
		changes += n
	}
	return changes, nil
}

// runOne runs the prepared statement with the values of b.
func (p *postgres) runOne(ctx context.Context, c *pgconn.PgConn, b *bound, to *rowWriter) (int64, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	rr := c.ExecPrepared(ctx, "", texts(b.args), nil, nil)
	err := p.readRows(rr, to)
	if err != nil || to.full() {
		leaveRest(rr, cancel)
	}
	tag, cerr := rr.Close()
	switch {
	case err != nil:
		return 0, err
	case to.full() && cancelled(cerr):
		return 0, nil
	case cerr != nil:
		return 0, cerr
	case tag.Insert() || tag.Update() || tag.Delete() || strings.HasPrefix(tag.String(), "MERGE"):
		return tag.RowsAffected(), nil
	}
	return 0, nil
}

// leaveRest ends a result whose rest is not needed: it reads a few rows, in case there are no more, and
// then stops the server, which takes another connection.
func leaveRest(rr *pgconn.ResultReader, cancel func()) {
	for range restRows {
		if !rr.NextRow() {
			return
		}
	}
	cancel()
}

func (p *postgres) readRows(rr *pgconn.ResultReader, to *rowWriter) error {
	fields := rr.FieldDescriptions()
	columns := make([]string, len(fields))
	for i, f := range fields {
		columns[i] = f.Name
	}
	if err := to.begin(columns); err != nil {
		return err
	}
	for !to.full() && rr.NextRow() {
		values := rr.Values()
		err := to.row(func(buf []byte, i int) ([]byte, error) {
			return p.appendValue(buf, fields[i].DataTypeOID, values[i]), nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// texts returns values as the server reads them.
func texts(args []any) [][]byte {
	out := make([][]byte, len(args))
	for i, v := range args {
		switch v := v.(type) {
		case bool:
			out[i] = fmt.Append(nil, v)
		case string:
			out[i] = []byte(v)
			if out[i] == nil {
				out[i] = []byte{} // nil is NULL
			}
		case json.Number:
			out[i] = []byte(v)
		}
	}
	return out
}

// refusedWords begin statements that would end the transaction of the call, outlive it,
// or talk to the client.
var refusedWords = []string{"begin", "start", "commit", "end", "rollback", "abort", "savepoint", "release", "prepare",
	"execute", "deallocate", "set", "reset", "discard", "listen", "unlisten", "copy", "declare", "fetch", "move", "close"}

func admitted(text string) error {
	word := strings.ToLower(firstWord(text))
	if slices.Contains(refusedWords, word) {
		return &tool.Error{Code: CodeNotGranted, Message: "a statement may not be " + strings.ToUpper(word) + ": a call " +
			"is a transaction and a session of its own"}
	}
	return nil
}

// firstWord skips spaces and comments.
func firstWord(text string) string {
	i := 0
	for i < len(text) {
		switch end := skipped(text, i); {
		case end > i && (text[i] == '-' || text[i] == '/'):
			i = end
		case text[i] <= ' ' || text[i] == ';':
			i++
		default:
			end := i
			for end < len(text) && isName(text[end]) {
				end++
			}
			return text[i:end]
		}
	}
	return ""
}
