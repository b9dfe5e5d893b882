// This file defines the operations that statements must not use in SQLite, and classifies its errors.

package sql

import (
	"errors"
	"slices"
	"strings"

	"github.com/ncruces/go-sqlite3"

	"github.com/ptc-lang/ptc/runtime/tool"
)

// readingPragmas report on the database, and change nothing if they have no value.
// Those with an argument take the name of a table or index.
var readingPragmas = []string{"table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo",
	"foreign_key_list", "foreign_key_check", "integrity_check", "quick_check"}

// forbidden returns the reason for which no statement may do an action, "" if it may.
func forbidden(action sqlite3.AuthorizerActionCode, name, arg string) string {
	switch action {
	case sqlite3.AUTH_ATTACH, sqlite3.AUTH_DETACH:
		return "attach or detach files, as VACUUM does too"
	case sqlite3.AUTH_TRANSACTION, sqlite3.AUTH_SAVEPOINT:
		return "begin or end a transaction: a call is one"
	case sqlite3.AUTH_PRAGMA:
		if !slices.Contains(readingPragmas, strings.ToLower(name)) {
			return "use PRAGMA " + name
		}
	case sqlite3.AUTH_FUNCTION:
		if strings.EqualFold(arg, "load_extension") {
			return "load code"
		}
	case sqlite3.AUTH_CREATE_VTABLE:
		return "make a virtual table, whose module may reach beyond the file"
	}
	return ""
}

// sqliteError makes an error of SQLite's that of a tool.
func sqliteError(err error) error {
	var code sqlite3.ErrorCode
	if err == nil || !errors.As(err, &code) {
		return err
	}
	out := &tool.Error{Code: CodeFailed, Message: strings.TrimPrefix(err.Error(), "sqlite3: ")}
	switch code {
	case sqlite3.BUSY, sqlite3.LOCKED:
		out.Code, out.Retryable = CodeBusy, true
	case sqlite3.CONSTRAINT:
		out.Code = CodeConstraint
	case sqlite3.READONLY, sqlite3.AUTH:
		out.Code = CodeNotGranted
	case sqlite3.ERROR, sqlite3.RANGE, sqlite3.MISMATCH:
		out.Code = CodeBadStatement
	case sqlite3.NOMEM, sqlite3.TOOBIG:
		out.Code = CodeTooLarge
	case sqlite3.CANTOPEN, sqlite3.IOERR:
		out.Code = CodeUnavailable
	}
	return out
}
