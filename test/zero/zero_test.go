package zero

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/client"
	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/mcp"
	"github.com/ptc-lang/ptc/policy"
	"github.com/ptc-lang/ptc/prompt"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/journal/trace"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/runtime/secret"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
	"github.com/ptc-lang/ptc/telemetry"
	"github.com/ptc-lang/ptc/telemetry/otlp"
	"github.com/ptc-lang/ptc/telemetry/spans"
	"github.com/ptc-lang/ptc/tools/csv"
	"github.com/ptc-lang/ptc/tools/env"
	"github.com/ptc-lang/ptc/tools/exec"
	"github.com/ptc-lang/ptc/tools/facts"
	"github.com/ptc-lang/ptc/tools/fs"
	"github.com/ptc-lang/ptc/tools/grant"
	"github.com/ptc-lang/ptc/tools/http"
	"github.com/ptc-lang/ptc/tools/kv"
	mcptools "github.com/ptc-lang/ptc/tools/mcp"
	"github.com/ptc-lang/ptc/tools/sql"
	"github.com/ptc-lang/ptc/tools/ssh"
	ptctime "github.com/ptc-lang/ptc/tools/time"
)

// input is the arguments of a tool.
type input struct {
	Name string `json:"name"`
}

// functions are the exported functions of the API.
var functions = []any{
	client.Failure, client.New, wire.Events, wire.MissedPolicies, wire.OverlapPolicies,
	store.Change, store.CheckName, store.FirstID, store.IDTime, store.New, store.States, store.ValidID,
	ptc.Check, ptc.Compile, ptc.Fix, ptc.JoinFiles, ptc.Namespaces, ptc.NewProcessors, ptc.NewSession, ptc.Replay,
	ptc.Resume, ptc.Run, ptc.Source, mcp.BearerToken, mcp.New,
	diag.ClassExtends, diag.ClassOf, diag.Counted[int], diag.Decode, diag.Duration, diag.New, diag.ParentClass,
	diag.Rounded, diag.Suggest,
	diag.Visible, diag.Word, diag.Written, diag.Clipped,
	token.NewFile, policy.CheckTools, policy.Format, policy.Hints, policy.Parse, prompt.Card,
	prompt.ParseTools, prompt.Shape, prompt.Tokens,
	effect.AnswerOf, effect.BeginWait, effect.CompareIDs, effect.EndingOf, effect.FailureOf, effect.GuardLost, effect.Hide,
	effect.Late,
	effect.ParseApprovals, effect.ParseSettlement, effect.PendingOf, effect.QuestionSize, effect.QuoteGuard,
	effect.RunError, effect.TraceOf, effect.ValidGuardName, effect.WhileHeld, effect.WithBegun, effect.WithTrace,
	guard.NewOwner, guard.NewSet,
	trace.Chrome, trace.HTML, trace.Script, trace.Section, trace.Style,
	journal.Begin, journal.Create, journal.CreateOn, journal.Ended, journal.Export, journal.File, journal.HeaderRecord,
	journal.Import, journal.New, journal.ParseRecords, journal.ResumeRecord, journal.Share,
	journal.Read, journal.ReadFile, journal.Records, journal.Replay, journal.Resume, journal.ResumeOn,
	queue.New, queue.NewEnforcer, queue.NewExternals, queue.NewExternalsOf, queue.Pack,
	secret.IsField, secret.Redact, secret.RedactValue, secret.Show,
	tool.Allow, tool.CallID,
	tool.Brief, tool.CheckSize, tool.Concurrency, tool.Credentials, tool.Dynamic, tool.Example, tool.Fence, tool.Fits,
	tool.Hint, tool.Host, tool.Idempotent, tool.MaxCalls, tool.New[input, any], tool.NewRegistry, tool.NewRun,
	tool.ParseSchema, tool.Rate, tool.ReadOnly, tool.ResultRoom, tool.Runs,
	tool.SchemaOf[input], tool.Secret, tool.Seen, tool.SecretResult,
	tool.Timeout, tool.Async, tool.NeedsApproval, tool.Pending,
	csv.Names, csv.Stubs, csv.Tools, env.Names, env.Tools,
	exec.Environment, exec.Find, exec.Names, exec.Places, exec.Stubs, exec.Tools,
	fs.CheckWindow, fs.Decode, fs.Failure, fs.Names, fs.Open, fs.ParseDir, fs.Stubs, fs.Tools,
	grant.CheckApprovals, grant.DefaultHints, grant.Kinds, grant.KnownName,
	mcptools.Names, mcptools.Open, mcptools.ParseServer, mcptools.SignIn,
	grant.ToolNames, http.Names, http.ParseHost, http.Tools, kv.Names, kv.Open, kv.Stubs,
	sql.Names, sql.Open, sql.ParseDatabase, sql.Stubs,
	spans.FailureOf, spans.Follow, spans.Links, spans.Meta, spans.Parent, spans.Parse, spans.RunName, spans.Under,
	otlp.FromEnvironment, telemetry.New, telemetry.NewCluster, telemetry.OpenTelemetry, telemetry.PushFromEnvironment,
	ssh.ForUser, ssh.Names, ssh.Open, ssh.Places, ssh.Quote, ssh.Stubs, ptctime.Names, ptctime.Tools,
	facts.Names, facts.Stubs, facts.Tools,
}

// types have the exported methods of the API.
var types = []any{
	client.Client{}, client.Error{}, tool.Description{},
	store.Document{}, store.Error{}, store.IDs{}, store.Kind(""), store.Query{}, store.Run{}, store.Settled{},
	store.State(""), store.Submission{},
	wire.CallBegun{}, wire.CallEnded{}, wire.Changed{}, wire.Dropped{}, wire.Printed{}, wire.Program{}, wire.Progressed{}, wire.WaitBegun{}, facts.Level(""),
	wire.Waited{},
	ptc.Bound{}, ptc.BoundKind(0), ptc.Diagnostic{}, ptc.Effects{}, ptc.Envelope{}, ptc.Limits{}, ptc.Program{},
	mcp.Server{}, ptc.Parked{}, ptc.Pending{}, ptc.Plan{}, ptc.Processors{}, ptc.Progress{}, ptc.Result{}, ptc.Session{},
	diag.Element{}, diag.Error{}, token.File{}, token.FileSet{}, token.Span{}, prompt.TooFewError{},
	effect.Class(0), effect.Ending(0), effect.GuardKind(0), effect.Hidden{}, effect.Hint{}, effect.Observer{},
	effect.Outcome{}, effect.Priority(0), effect.Record{},
	effect.Approvals{}, effect.Pending{}, effect.Settlement{}, effect.Call{}, effect.Trace{},
	guard.Error{}, guard.Held{}, guard.Owner{}, guard.Set{},
	journal.Damage{}, journal.Divergence{}, journal.Entry{}, journal.Failure{}, journal.Final{}, journal.Header{},
	journal.InDoubt{},
	journal.Journal{}, journal.Key{}, journal.Recording{}, journal.Withheld{},
	queue.Action{}, queue.Cancelled{}, queue.Enforcer{}, queue.Externals{}, queue.Full{},
	queue.NotActive{}, queue.Policies{},
	queue.Uncounted{},
	queue.Problem{}, queue.Set{}, queue.TimedOut{}, queue.Violation{}, secret.Set{},
	tool.Error{}, tool.Mismatch{}, tool.Registry{}, tool.Rule{}, tool.Run{}, tool.Schema{}, tool.Tool{}, tool.Unknown{},
	csv.Table{}, csv.ValuesArgs{}, csv.WriteArgs{}, fs.Files{}, fs.Grant{}, grant.Kind{}, grant.Set{},
	otlp.Exporter{}, spans.Context{}, spans.Run{}, telemetry.Push{}, telemetry.Resources{},
	telemetry.Cluster{}, telemetry.Run{}, telemetry.Telemetry{},
	http.GetArgs{}, http.PostArgs{}, http.RequestArgs{}, kv.Store{}, mcptools.Login{}, mcptools.Refused{},
	mcptools.Server{}, mcptools.Servers{}, sql.Database{}, sql.Databases{}, ssh.Hosts{},
}

// nilReceivers are the types whose methods treat a nil pointer as the zero value: types of package ptc, and
// types whose nil means none.
var nilReceivers = map[string]bool{"ptc.Envelope": true, "ptc.Pending": true, "ptc.Plan": true,
	"ptc.Program": true, "ptc.Progress": true, "ptc.Result": true,
	"ptc.Session": true, "diag.Error": true, "secret.Set": true, "tool.Registry": true, "effect.Hidden": true,
	"effect.Observer": true, "spans.Run": true, "telemetry.Cluster": true, "telemetry.Push": true, "telemetry.Run": true,
	"telemetry.Telemetry": true}

// TestNothingPanics calls everything with nil, zero and extreme arguments.
func TestNothingPanics(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("HOME", t.TempDir())
	for _, f := range functions {
		v := reflect.ValueOf(f)
		callAll(t, nameOf(v), v, nil)
	}
	for _, x := range types {
		typ := reflect.TypeOf(x)
		pointer := reflect.PointerTo(typ)
		for m := range pointer.Methods() {
			zero := func() reflect.Value { return reflect.New(typ) }
			callAll(t, "(*"+typ.String()+")."+m.Name, m.Func, zero)
			// Go itself panics when a nil pointer has no value.
			if _, ofValue := typ.MethodByName(m.Name); !ofValue && nilReceivers[typ.String()] {
				none := func() reflect.Value { return reflect.Zero(pointer) }
				callAll(t, "(*"+typ.String()+")(nil)."+m.Name, m.Func, none)
			}
		}
	}
}

func nameOf(f reflect.Value) string {
	name := runtime.FuncForPC(f.Pointer()).Name()
	return strings.TrimSuffix(name[strings.LastIndexByte(name, '/')+1:], "[...]")
}

// most returns with how many combinations of arguments a function is called.
func most() int { return testlevel.Size(100, 500) }

// callAll calls a function with combinations of the values for its parameters: all of them if they are few.
func callAll(t *testing.T, name string, f reflect.Value, receiver func() reflect.Value) {
	r := rand.New(rand.NewPCG(1, 2))
	var given [][]func() reflect.Value
	n := 1
	for i := range f.Type().NumIn() {
		values := valuesOf(f.Type().In(i), 0)
		if i == 0 && receiver != nil {
			values = []func() reflect.Value{receiver}
		}
		given = append(given, values)
		n *= len(values)
	}
	for i := range min(n, most()) {
		args := make([]reflect.Value, len(given))
		for j, values := range given {
			k := i % len(values)
			if i /= len(values); n > most() {
				k = r.IntN(len(values))
			}
			args[j] = values[k]()
		}
		if !call(t, name, f, args) {
			return
		}
	}
}

// call calls a function, and reports whether that went well.
func call(t *testing.T, name string, f reflect.Value, args []reflect.Value) (ok bool) {
	shown := func() string {
		var all []string
		for _, a := range args {
			all = append(all, fmt.Sprintf("%.60s", fmt.Sprintf("%s(%+v)", a.Type(), a)))
		}
		return name + "(" + strings.Join(all, ", ") + ")"
	}
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%s\n\tpanics: %v\n%s", shown(), p, where(debug.Stack()))
			ok = false
		}
	}()
	var out []reflect.Value
	if f.Type().IsVariadic() {
		out = f.CallSlice(args)
	} else {
		out = f.Call(args)
	}
	for _, v := range out {
		if c, isCloser := v.Interface().(io.Closer); isCloser && !v.IsZero() {
			_ = c.Close()
		}
		err, _ := v.Interface().(error)
		var e *diag.Error
		if errors.As(err, &e) && e != nil && e.Code == diag.Internal {
			t.Errorf("%s\n\treturns a bug of PTC: %v", shown(), err)
			return false
		}
	}
	return true
}

// where returns the innermost functions of this module on a stack.
func where(stack []byte) string {
	var at []string
	for line := range strings.Lines(string(stack)) {
		if strings.HasPrefix(line, "\t") && strings.Contains(line, ".go:") && !strings.Contains(line, "zero_test.go") {
			at = append(at, "\t\t"+strings.TrimSpace(line))
		}
	}
	return strings.Join(at[min(2, len(at)):min(9, len(at))], "\n")
}

// valuesOf returns functions that make the nil, zero and extreme values of a type.
func valuesOf(typ reflect.Type, depth int) []func() reflect.Value {
	zero := func() reflect.Value { return reflect.Zero(typ) }
	of := func(values ...any) (all []func() reflect.Value) {
		for _, v := range values {
			all = append(all, func() reflect.Value { return reflect.ValueOf(v).Convert(typ) })
		}
		return append(all, zero)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	switch typ {
	case reflect.TypeFor[context.Context]():
		return of(context.Background(), ended)
	case reflect.TypeFor[io.Writer]():
		return of(io.Discard)
	case reflect.TypeFor[io.Reader]():
		return of(strings.NewReader("{}"))
	case reflect.TypeFor[any]():
		return of(1, func() {}, "text")
	case reflect.TypeFor[error]():
		return of(errors.New("an error"), (*diag.Error)(nil), &diag.Error{})
	case reflect.TypeFor[time.Time]():
		return of(time.Now(), time.Unix(math.MaxInt64/2, 0))
	}
	switch typ.Kind() {
	case reflect.String:
		return of("", "x", "(+ 1 2)", "a=b", "\xff\x00", strings.Repeat("(", 5000), `{"type":"object"}`)
	case reflect.Int, reflect.Int64, reflect.Int32:
		return of(int32(-1), int32(1), int32(math.MaxInt32), int32(math.MinInt32),
			func() any { return reflect.ValueOf(int64(math.MaxInt64)).Convert(typ).Interface() }(),
			func() any { return reflect.ValueOf(int64(math.MinInt64)).Convert(typ).Interface() }())
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		return of(uint8(1), uint8(77), uint8(255))
	case reflect.Float64:
		return of(math.NaN(), math.Inf(1), -1.0)
	case reflect.Bool:
		return of(true)
	}
	if depth > 2 {
		return []func() reflect.Value{zero}
	}
	all := []func() reflect.Value{zero}
	switch typ.Kind() {
	case reflect.Pointer:
		if typ.Elem().Kind() != reflect.Struct || typ.Elem().PkgPath() != "" {
			all = append(all, func() reflect.Value { return reflect.New(typ.Elem()) })
		}
		for _, elem := range valuesOf(typ.Elem(), depth+1)[1:] {
			all = append(all, func() reflect.Value {
				p := reflect.New(typ.Elem())
				p.Elem().Set(elem())
				return p
			})
		}
	case reflect.Slice:
		all = append(all, func() reflect.Value { return reflect.MakeSlice(typ, 0, 0) })
		for _, elem := range valuesOf(typ.Elem(), depth+1) {
			all = append(all, func() reflect.Value { return reflect.Append(reflect.Zero(typ), elem()) })
		}
		if typ.Elem().Kind() == reflect.Uint8 {
			all = append(all, of([]byte("{}"), []byte(`{"type":"object"}`), []byte("\xff"), make([]byte, 32))...)
		}
	case reflect.Map:
		for _, key := range valuesOf(typ.Key(), depth+1) {
			for _, elem := range valuesOf(typ.Elem(), depth+1) {
				all = append(all, func() reflect.Value {
					m := reflect.MakeMap(typ)
					m.SetMapIndex(key(), elem())
					return m
				})
			}
		}
	case reflect.Struct:
		for i := range typ.NumField() {
			if !typ.Field(i).IsExported() {
				continue
			}
			for _, field := range valuesOf(typ.Field(i).Type, depth+1) {
				all = append(all, func() reflect.Value {
					s := reflect.New(typ).Elem()
					s.Field(i).Set(field())
					return s
				})
			}
		}
	case reflect.Interface:
		for _, x := range append(types, json.RawMessage(nil)) {
			if p := reflect.PointerTo(reflect.TypeOf(x)); p.Implements(typ) {
				all = append(all, func() reflect.Value { return reflect.New(p.Elem()).Convert(typ) })
			}
		}
	}
	return all
}

// TestTablesAreWhole compares the tables with the listing of the API.
func TestTablesAreWhole(t *testing.T) {
	text, err := os.ReadFile("../../api/v0.1.txt")
	require.NoError(t, err)
	known := make(map[string]bool)
	for _, f := range functions {
		known[nameOf(reflect.ValueOf(f))] = true
	}
	for _, x := range types {
		known["type "+reflect.TypeOf(x).String()] = true
	}
	lint := map[string]string{}
	for _, x := range types {
		name := reflect.TypeOf(x).String()
		lint[name[strings.IndexByte(name, '.')+1:]] = name
	}
	for _, m := range regexp.MustCompile(`(?m)^(?:.*/)?(\w+): func (\w+)`).FindAllStringSubmatch(string(text), -1) {
		assert.True(t, known[m[1]+"."+m[2]], "function %s.%s", m[1], m[2])
	}
	for _, m := range regexp.MustCompile(`(?m)^(?:.*/)?(\w+): (by alias: )?func \((?:\w+ )?\*?(\w+)\)`).
		FindAllStringSubmatch(string(text), -1) {
		name := m[1] + "." + m[3]
		if m[2] != "" {
			name = lint[m[3]]
		}
		assert.True(t, known["type "+name], "type %s", name)
	}
}
