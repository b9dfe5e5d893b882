// This file converts values of PostgreSQL to JSON, and classifies its errors.

package sql

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// appendValue appends a value that the server has printed; nil is NULL.
func (p *postgres) appendValue(buf []byte, oid uint32, text []byte) []byte {
	if text == nil {
		return append(buf, "null"...)
	}
	switch oid {
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.OIDOID:
		return append(buf, text...)
	case pgtype.Float4OID, pgtype.Float8OID:
		if f, err := strconv.ParseFloat(string(text), 64); err == nil {
			return appendFloat(buf, f)
		}
	case pgtype.BoolOID:
		return strconv.AppendBool(buf, text[0] == 't')
	case pgtype.JSONOID, pgtype.JSONBOID:
		if json.Valid(text) {
			return append(buf, text...)
		}
	case pgtype.ByteaOID:
		if blob, err := hex.DecodeString(string(bytes.TrimPrefix(text, []byte(`\x`)))); err == nil {
			return appendBlob(buf, blob)
		}
	case pgtype.TimestamptzOID:
		return appendTime(buf, text, "2006-01-02 15:04:05.999999-07", time.RFC3339Nano)
	case pgtype.TimestampOID:
		return appendTime(buf, text, "2006-01-02 15:04:05.999999", "2006-01-02T15:04:05.999999999")
	default:
		return p.appendArray(buf, oid, text)
	}
	return appendString(buf, text)
}

// appendTime appends a time in the form of RFC 3339. Values without that form, infinity and years before
// Christ, keep their printed form.
func appendTime(buf, text []byte, from, to string) []byte {
	t, err := time.Parse(from, string(text))
	if err != nil {
		return appendString(buf, text)
	}
	return append(t.UTC().AppendFormat(append(buf, '"'), to), '"')
}

// appendArray appends an array as a list, and a value of any other type as text.
func (p *postgres) appendArray(buf []byte, oid uint32, text []byte) []byte {
	t, ok := p.types.TypeForOID(oid)
	if !ok {
		return appendString(buf, text)
	}
	codec, ok := t.Codec.(*pgtype.ArrayCodec)
	if !ok || bytes.HasPrefix(text, []byte("[")) { // with its own bounds
		return appendString(buf, text)
	}
	out, rest, ok := p.appendElements(buf, codec.ElementType.OID, text)
	if !ok || len(rest) > 0 {
		return appendString(buf[:len(buf):len(buf)], text)
	}
	return out
}

// maxDimensions is how deep arrays of PostgreSQL nest.
const maxDimensions = 6

// appendElements appends the array that text begins with: {1,NULL,"a b",{2}}.
func (p *postgres) appendElements(buf []byte, oid uint32, text []byte) (out, rest []byte, ok bool) {
	depth := 0
	for len(text) > 0 {
		switch c := text[0]; c {
		case '{':
			if depth++; depth > maxDimensions {
				return nil, nil, false
			}
			buf, text = append(buf, '['), text[1:]
		case '}':
			depth--
			buf, text = append(buf, ']'), text[1:]
			if depth == 0 {
				return buf, text, true
			}
		case ',':
			buf, text = append(buf, ','), text[1:]
		default:
			var element []byte
			element, text = arrayElement(text)
			buf = p.appendValue(buf, oid, element)
		}
	}
	return nil, nil, false
}

// arrayElement takes an element; nil means NULL.
func arrayElement(text []byte) (element, rest []byte) {
	if text[0] != '"' {
		end := bytes.IndexAny(text, ",}")
		if end < 0 {
			end = len(text)
		}
		if string(text[:end]) == "NULL" {
			return nil, text[end:]
		}
		return text[:end], text[end:]
	}
	element = []byte{}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '"':
			return element, text[i+1:]
		case '\\':
			if i++; i == len(text) {
				return element, nil
			}
		}
		element = append(element, text[i])
	}
	return element, nil
}

// cancelled reports whether a statement ended because it was cancelled.
func cancelled(err error) bool {
	var e *pgconn.PgError
	return err == nil || errors.As(err, &e) && e.Code == "57014"
}

// codes maps errors of PostgreSQL to codes, by their SQLSTATE or its class.
var codes = map[string]struct {
	code      string
	retryable bool
}{
	"40": {CodeBusy, true},          // serialization failure, deadlock
	"55": {CodeBusy, true},          // lock not available, object in use
	"53": {CodeUnavailable, true},   // out of connections, memory or disk
	"08": {CodeUnavailable, true},   // connection
	"57": {CodeUnavailable, true},   // shutdown
	"28": {CodeUnavailable, false},  // authorization
	"3D": {CodeUnavailable, false},  // no such database
	"23": {CodeConstraint, false},   // integrity
	"22": {CodeBadParams, false},    // a value that is invalid for its type
	"25": {CodeNotGranted, false},   // not allowed in a read-only transaction
	"42": {CodeBadStatement, false}, // syntax and names
	"0A": {CodeBadStatement, false}, // not supported

	"57014": {effect.CodeTimeout, true},
	"42501": {CodeNotGranted, false},
}

// postgresError makes an error of the server's, or of the way to it, that of a tool.
func postgresError(err error) error {
	var own *tool.Error
	if err == nil || errors.As(err, &own) {
		return err
	}
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		// The text of a connection's error names host, user and database.
		out := &tool.Error{Code: CodeUnavailable, Message: "the database is not reached", Retryable: true}
		var op *net.OpError
		if errors.As(err, &op) {
			out.Message += ": " + op.Err.Error()
		}
		return out
	}
	out := &tool.Error{Code: CodeFailed, Message: e.Message, Data: map[string]string{"sqlstate": e.Code}}
	if e.Detail != "" {
		out.Message += " (" + e.Detail + ")"
	}
	if e.Hint != "" {
		out.Message += ". " + e.Hint
	}
	known, ok := codes[e.Code]
	if !ok {
		known, ok = codes[e.Code[:min(2, len(e.Code))]]
	}
	if ok {
		out.Code, out.Retryable = known.code, known.retryable
	}
	return out
}
