// This file defines the two tools and their calls.

package sql

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/internal/detach"
)

// Query is the arguments of sql.query.
type Query struct {
	SQL    string         `json:"sql" jsonschema:"one statement that reads; parameters are written :name"`
	Params map[string]any `json:"params,omitempty" jsonschema:"the values of the parameters"`
	DB     string         `json:"db,omitempty" jsonschema:"the name of the database; optional if only one is granted"`
	Limit  int            `json:"limit,omitempty" jsonschema:"maximum number of rows; more are cut"`
}

// Execute is the arguments of sql.execute.
type Execute struct {
	SQL    string           `json:"sql" jsonschema:"one statement; parameters are written :name"`
	Params map[string]any   `json:"params,omitempty" jsonschema:"the values of the parameters"`
	Batch  []map[string]any `json:"batch,omitempty" jsonschema:"run with each map, all or nothing"`
	DB     string           `json:"db,omitempty" jsonschema:"the name of the database; optional if only one is granted"`
}

// Executed is the result of sql.execute.
type Executed struct {
	Changes int64           `json:"changes" jsonschema:"number of rows inserted, updated or deleted"`
	Rows    json.RawMessage `json:"rows,omitempty" jsonschema:"the rows of RETURNING"`
}

// executedSchema is the schema of Executed, because the schema of the rows cannot be derived from the Go type.
const executedSchema = `{"type": "object", "required": ["changes"], "properties": {
	"changes": {"type": "integer"},
	"rows": {"type": "array", "items": {"type": "object"}}}}`

func queryTool(d *Databases, databases string) *tool.Tool {
	// The result has no schema: to check rows that were just written against one would take
	// more time and memory than they do.
	return dynamic("sql.query", "Runs a statement that reads, and returns a list of rows, each a map from column to "+
		"value."+databases, "", d.query,
		tool.ReadOnly(), tool.Timeout(d.grant.Timeout), tool.Credentials(d.passwords()...),
		tool.Example(`(tool/sql.query "select name from customer order by name")`),
		tool.Example(`(tool/sql.query {:sql "select id, total from orders where day = :day and id in (:ids)" `+
			`:params {:day "2024-05-01" :ids [1 2 3]}})`))
}

func executeTool(d *Databases, databases string) *tool.Tool {
	return dynamic("sql.execute", "Runs a statement that changes the database, in a transaction, and returns the "+
		"number of changed rows."+databases, executedSchema, d.execute,
		tool.Timeout(d.grant.Timeout), tool.Credentials(d.passwords()...),
		tool.Example(`(tool/sql.execute {:sql "update orders set paid = true where id = :id" :params {:id 7}})`),
		tool.Example(`(tool/sql.execute {:sql "insert into entry (id, total) values (:id, :total)" `+
			`:batch [{:id 1 :total "9.50"} {:id 2 :total "3.00"}]})`))
}

// passwords returns the passwords of the servers, which a server may return in an error or a row.
func (d *Databases) passwords() []string {
	var all []string
	for _, name := range d.names {
		if p, ok := d.open[name].(*postgres); ok && p.password != "" {
			all = append(all, p.password)
		}
	}
	return all
}

// dynamic is tool.New for arguments whose numbers must keep all their digits.
func dynamic[In any](name, doc, result string, fn func(context.Context, In) (json.RawMessage, error),
	opts ...tool.Option) *tool.Tool {
	var args json.RawMessage
	// a type without a schema is then a tool without one, which cannot be added
	if s, err := tool.SchemaOf[In](); err == nil {
		args = s.JSON()
	}
	var resultSchema json.RawMessage
	if result != "" {
		resultSchema = json.RawMessage(result)
	}
	return tool.Dynamic(name, doc, args, resultSchema, func(ctx context.Context, args json.RawMessage) (json.RawMessage,
		error) {
		var in In
		dec := json.NewDecoder(bytes.NewReader(args))
		dec.UseNumber()
		if err := dec.Decode(&in); err != nil {
			return nil, err
		}
		return fn(ctx, in)
	}, opts...)
}

func (d *Databases) query(ctx context.Context, in Query) (json.RawMessage, error) {
	db, st, err := d.prepare(in.DB, in.SQL, false)
	if err != nil {
		return nil, err
	}
	rows := d.newRows(ctx)
	if in.Limit > 0 {
		rows.limit = min(in.Limit, d.grant.MaxRows)
	}
	return detach.Do(ctx, &d.left, func(ctx context.Context) (json.RawMessage, error) {
		if err := db.query(ctx, st, in.Params, rows); err != nil {
			return nil, ended(ctx, err)
		}
		return rows.text(), nil
	}, nil)
}

func (d *Databases) execute(ctx context.Context, in Execute) (json.RawMessage, error) {
	db, st, err := d.prepare(in.DB, in.SQL, true)
	if err != nil {
		return nil, err
	}
	if in.Batch != nil && in.Params != nil {
		return nil, &tool.Error{Code: CodeBadParams, Message: "got :params and :batch, want one of them"}
	}
	if in.Batch == nil {
		in.Batch = []map[string]any{in.Params}
	}
	return detach.Do(ctx, &d.left, func(ctx context.Context) (json.RawMessage, error) {
		rows := d.newRows(ctx)
		changes, err := db.execute(ctx, st, in.Batch, rows)
		if err != nil {
			return nil, ended(ctx, err)
		}
		out := Executed{Changes: changes}
		if rows.columns != nil {
			out.Rows = rows.text()
		}
		return json.Marshal(out)
	}, nil)
}

// ended returns the error of a call that ended because ctx did, or its own.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// newRows returns a writer for the rows of a call.
func (d *Databases) newRows(ctx context.Context) *rowWriter {
	most := int64(d.grant.MaxBytes)
	if room := tool.ResultRoom(ctx); room > 0 {
		most = min(most, room)
	}
	return &rowWriter{maxRows: d.grant.MaxRows, maxBytes: int(most)}
}

// prepare finds the database and reads the statement.
func (d *Databases) prepare(name, text string, write bool) (database, *statement, error) {
	if name == "" && len(d.names) == 1 {
		name = d.names[0]
	}
	db, ok := d.open[name]
	if !ok {
		got := "the database " + strconv.Quote(name)
		if name == "" {
			got = "no :db"
		}
		return nil, nil, &tool.Error{Code: CodeNotGranted,
			Message: "got " + got + ", want one that is granted: " + strings.Join(d.names, ", ")}
	}
	if write && !d.grant.Databases[name].Write {
		return nil, nil, &tool.Error{Code: CodeNotGranted, Message: "the database " + name + " is granted for reading only"}
	}
	st, err := parse(text)
	return db, st, err
}
