// This file defines the schemas of the tools of a server.

package mcp

import (
	"encoding/json"

	"github.com/ptc-lang/ptc/runtime/tool"
)

// schema is the schema of the arguments of a tool, as clients get it, and for the check of a call.
type schema struct {
	text  json.RawMessage
	check *tool.Schema
}

// mustSchema returns the schema with a text, which is one of this file.
func mustSchema(text string) schema {
	s, err := tool.ParseSchema(json.RawMessage(text))
	if err != nil {
		panic("mcp: " + err.Error())
	}
	return schema{json.RawMessage(text), s}
}

const runArgs = `{"type": "object", "additionalProperties": false, "properties": {
 "program": {"type": "string", "description": "the source; the value of its last form is the answer"},
 "input": {"type": "object", "description": "what the program reads as data/NAME, by NAME"},
 "session": {"type": "string", "description": "new for a session, which keeps definitions; or the name that its first answer had"},
 "restart": {"type": "boolean", "description": "forget what the session has defined"},
 "limits": {"type": "object", "additionalProperties": false, "description": "lower limits than those of the server", "properties": {
  "timeout": {"type": "string", "description": "such as 5s"},
  "steps": {"type": "integer"}, "memory": {"type": "integer", "description": "bytes"},
  "workerMemory": {"type": "integer", "description": "bytes"}, "workers": {"type": "integer"},
  "calls": {"type": "integer"}, "toolCalls": {"type": "integer", "description": "of one tool"},
  "outputBytes": {"type": "integer"}, "resultBytes": {"type": "integer"}}},
 "journal": {"type": "string", "description": "a name under which the run is recorded: the same call continues an interrupted run, or returns the result of one that has ended, and repeats no effect"},
 "continuation": {"type": "string", "description": "continues a run that its answer names; without a program"},
 "answers": {"type": "object", "description": "answers of the person to the questions of a pending run, by their ids"}}}`

const checkArgs = `{"type": "object", "additionalProperties": false, "required": ["program"], "properties": {
 "program": {"type": "string"},
 "inputs": {"type": "array", "items": {"type": "string"}, "description": "the names that it may read as data/NAME; default: any"}}}`

const searchArgs = `{"type": "object", "additionalProperties": false, "required": ["query"], "properties": {
 "query": {"type": "string", "description": "words that describe the purpose"},
 "limit": {"type": "integer", "minimum": 1, "maximum": 50, "description": "default 10"}}}`

const describeArgs = `{"type": "object", "additionalProperties": false, "required": ["names"], "properties": {
 "names": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 20, "description": "of tools, or of functions"}}}`

// problemSchema is the schema of an error. The schemas of the errors of runs and checks are parts of it.
const problemSchema = `"type": "object", "additionalProperties": false, "required": ["code", "message"], "properties": {
  "code": {"type": "string"}, "class": {"type": "string"}, "message": {"type": "string"}, "hint": {"type": "string"},
  "severity": {"type": "string", "enum": ["error", "warning"]},
  "line": {"type": "integer"}, "column": {"type": "integer"}, "endLine": {"type": "integer"}, "endColumn": {"type": "integer"},
  "replacement": {"type": "string"}, "data": {}}`

const runResult = `{"type": "object", "additionalProperties": false, "required": ["status", "run"], "properties": {
 "status": {"type": "string", "enum": ["ok", "error", "pending"]},
 "run": {"type": "string"},
 "value": {"description": "of the last form; whole numbers beyond 2^53 are strings"},
 "prints": {"type": "string"},
 "error": {` + problemSchema + `},
 "others": {"type": "array", "items": {` + problemSchema + `}},
 "calls": {"type": "array", "items": {"type": "object", "additionalProperties": false, "required": ["tool", "calls"], "properties": {
  "tool": {"type": "string"}, "calls": {"type": "integer"}, "errors": {"type": "integer"}, "ms": {"type": "integer"}}}},
 "written": {"type": "array", "description": "calls of a failed run that have changed something", "items": {"type": "object", "additionalProperties": false, "required": ["tool"], "properties": {
  "tool": {"type": "string"}, "args": {}}}},
 "usage": {"type": "object", "additionalProperties": false, "properties": {
  "ms": {"type": "integer"}, "steps": {"type": "integer"}, "memoryPeak": {"type": "integer"}, "calls": {"type": "integer"},
  "elements": {"type": "integer"}, "workersPeak": {"type": "integer"}}},
 "pending": {"type": "array", "items": {"type": "object", "additionalProperties": false, "required": ["id", "kind"], "properties": {
  "id": {"type": "string"}, "kind": {"type": "string", "enum": ["approval", "question", "outcome", "in-doubt"]},
  "tool": {"type": "string"}, "args": {}, "question": {"type": "string"}, "data": {}, "options": {"type": "array"}, "place": {"type": "string"}}}},
 "continuation": {"type": "string"},
 "session": {"type": "string"},
 "resource": {"type": "string", "description": "the whole value"},
 "cut": {"type": "object", "additionalProperties": {"type": "integer"}, "description": "bytes of what was shortened"},
 "next": {"type": "string", "description": "what to do"}}}`

const checkResult = `{"type": "object", "additionalProperties": false, "required": ["ok", "findings"], "properties": {
 "ok": {"type": "boolean", "description": "it compiles"},
 "findings": {"type": "array", "items": {` + problemSchema + `}},
 "tools": {"type": "array", "items": {"type": "string"}, "description": "that it may call"},
 "cut": {"type": "integer", "description": "further findings"}}}`

const searchResult = `{"type": "object", "additionalProperties": false, "required": ["tools"], "properties": {
 "tools": {"type": "array", "items": {"type": "object", "additionalProperties": false, "required": ["name", "signature"], "properties": {
  "name": {"type": "string"}, "signature": {"type": "string"}, "doc": {"type": "string"}, "class": {"type": "string"}}}},
 "more": {"type": "integer", "description": "further matches"}}}`

const describeResult = `{"type": "object", "additionalProperties": false, "required": ["described"], "properties": {
 "described": {"type": "array", "items": {"type": "object", "additionalProperties": false, "required": ["name", "text"], "properties": {
  "name": {"type": "string"}, "text": {"type": "string"}}}},
 "unknown": {"type": "array", "items": {"type": "string"}},
 "cut": {"type": "array", "items": {"type": "string"}, "description": "for which there was no room"}}}`
