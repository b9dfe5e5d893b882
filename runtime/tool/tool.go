// This file defines Tool and its declarations.

package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// Func is the function of a tool. Its arguments are a JSON object, and its result is JSON. It
// should return soon after ctx ends: the package comment describes the treatment of functions that
// do not.
type Func func(ctx context.Context, args json.RawMessage) (json.RawMessage, error)

// Tool is a function of the host with its declarations. It is immutable. New and Dynamic make it;
// Registry.Add refuses the zero Tool.
type Tool struct {
	name, doc    string
	args, result *Schema // no result: any
	check        *Schema // that results are checked against; nil for none
	fn           Func

	class       effect.Class
	timeout     time.Duration
	concurrency int
	maxCalls    int
	secrets     []string
	credentials []string
	// secretResult means that the whole result is a secret.
	secretResult bool
	hint         effect.Hint
	rate         func(args json.RawMessage) effect.Hint // of each call; nil if it is the hint's
	host         string                                 // the argument that names the host
	runs         func(args json.RawMessage) Commands    // of each call; nil if the tool runs no programs
	rules        []Rule                                 // of an operator
	examples     []string
	signature    func() string // made on first use
	brief        int           // bytes of each of its parts; 0 for no bound
	seen         string        // the shape of results, without a schema
	sole         string
	// approve reports whether a call has to be approved; nil if none has.
	approve func(args json.RawMessage) bool
	async   bool  // the outcome of a call may come later
	err     error // of its declaration; Registry.Add reports it
}

// Option is an optional declaration of a tool.
type Option func(*Tool)

// ReadOnly declares that the tool changes nothing.
func ReadOnly() Option { return func(t *Tool) { t.class = effect.ReadOnly } }

// Idempotent declares that calling the tool twice has the same effect as calling it once.
func Idempotent() Option { return func(t *Tool) { t.class = effect.Idempotent } }

// Timeout bounds each call. Without it, or if d is below 1, the bound is DefaultTimeout. No call
// outlasts its run.
func Timeout(d time.Duration) Option {
	return func(t *Tool) {
		if d > 0 {
			t.timeout = d
		}
	}
}

// DefaultTimeout is the default bound of a call, equal to that of a run.
const DefaultTimeout = 30 * time.Second

// Concurrency bounds the concurrent calls of the tool, in all runs that share a queue. Further calls wait
// in the order of their arrival.
func Concurrency(n int) Option { return func(t *Tool) { t.concurrency = n } }

// Hint declares the guards of a call: see package effect. The host of a HostExclusive hint is the
// argument that Host names. The default Key of a RateLimited hint is the name of the tool, and the default
// Burst lets the calls of one second begin together.
func Hint(h effect.Hint) Option { return func(t *Tool) { t.hint = h } }

// Rate declares that the rate limit of a call depends on its arguments, which match the schema: f
// returns a RateLimited hint. A hint without PerSecond takes no token and only names a rate limit,
// which another tool or rate-limited in the program uses: it pauses when the call fails with a
// RetryAfter.
func Rate(f func(args json.RawMessage) effect.Hint) Option { return func(t *Tool) { t.rate = f } }

// Host names the argument, a string, that is the host of a call. The default is "host".
func Host(field string) Option { return func(t *Tool) { t.host = field } }

// MaxCalls bounds the calls of the tool in one run.
func MaxCalls(n int) Option { return func(t *Tool) { t.maxCalls = n } }

// Secret names fields, of the arguments and of the result, at any depth, whose values
// reach no journal, log or error, and neither do strings that contain them: see secret.Set.
func Secret(fields ...string) Option {
	return func(t *Tool) { t.secrets = append(t.secrets, fields...) }
}

// SecretResult declares that the result is a secret as a whole. The journal does not have it, so a
// resumed run calls a ReadOnly tool again.
func SecretResult() Option { return func(t *Tool) { t.secretResult = true } }

// Credentials declares secrets that the tool uses and that are not in its calls, such as the token
// that it sends to a service. They are replaced in the service's response like the fields of
// Secret.
func Credentials(texts ...string) Option {
	return func(t *Tool) { t.credentials = append(t.credentials, texts...) }
}

// NeedsApproval declares that a call whose arguments, which match the schema, satisfy f is made only if it is
// approved: see ptc.RunOptions.OnPending. If f is nil, all calls need approval. The function f must depend on the
// arguments alone, so that a resumed run decides in the same way.
func NeedsApproval(f func(args json.RawMessage) bool) Option {
	return func(t *Tool) {
		if t.approve = f; f == nil {
			t.approve = func(json.RawMessage) bool { return true }
		}
	}
}

// MayNeedApproval reports whether the tool declares that calls of it have to be approved, see NeedsApproval.
func (t *Tool) MayNeedApproval() bool { return t.approve != nil }

// Async declares that the function of the tool may return the error Pending: it has begun work elsewhere, whose
// outcome comes later by a settlement. The call keeps its guards and its place in the queue until then. A run that
// is parked meanwhile releases them, and does not take them again when it is resumed.
func Async() Option { return func(t *Tool) { t.async = true } }

// Pending returns the error of a function whose outcome comes later: see Async. token is the tool's name for the
// work, such as the number of a job, for the system that settles the call.
func Pending(token string) error { return &later{clip(token, maxToken)} }

// later is the error of Pending.
type later struct{ token string }

func (l *later) Error() string { return "the outcome comes later, as " + l.token }

// maxToken bounds a token in bytes.
const maxToken = 1000

// Example is a call of the tool, for its documentation: `(tool/search {:query "lamp"})`.
func Example(call string) Option { return func(t *Tool) { t.examples = append(t.examples, call) } }

// New makes a tool of a Go function. In must be a struct, or a map with string keys: the arguments
// are its JSON, by the tags of package encoding/json. A field without omitempty or omitzero is
// required; tags `jsonschema:"…"` and `enum:"a,b,c"` describe it, see SchemaOf. The schemas of
// arguments and result come from the types; a type that has none is an error, which Registry.Add
// reports.
func New[In, Out any](name, doc string, fn func(ctx context.Context, in In) (Out, error), opts ...Option) *Tool {
	args, err := SchemaOf[In]()
	result, rerr := SchemaOf[Out]()
	t := &Tool{name: name, doc: doc, args: args, result: result, err: errors.Join(err, rerr)}
	if fn == nil {
		t.err = errors.Join(t.err, errors.New("its function is nil, want one"))
	}
	t.fn = func(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
		var in In
		if err := json.Unmarshal(args, &in); err != nil {
			return nil, t.undecodable(err)
		}
		out, err := fn(ctx, in)
		if err != nil {
			return nil, err
		}
		result, err := encoded(out)
		if err != nil {
			return nil, fmt.Errorf("its result can't be written as JSON: %w", err)
		}
		return result, nil
	}
	return t.declare(opts)
}

// undecodable returns the error of arguments that match the schema but not the Go type, such as an
// integer that is too large for its field. The text of err may show a secret.
func (t *Tool) undecodable(err error) error {
	message := err.Error()
	if bad := (*json.UnmarshalTypeError)(nil); errors.As(err, &bad) {
		message = fmt.Sprintf("argument %s: got what %s can't hold", key(bad.Field), bad.Type)
	}
	return &Error{Code: effect.CodeBadArguments, Message: message}
}

// Dynamic makes a tool of schemas and a function on JSON. If result is nil, any JSON is a result. If
// fn is nil, the tool is a stub: see Stub.
func Dynamic(name, doc string, args, result json.RawMessage, fn Func, opts ...Option) *Tool {
	t := &Tool{name: name, doc: doc}
	t.args, t.err = ParseSchema(args)
	if result != nil {
		var err error
		t.result, err = ParseSchema(result)
		t.err = errors.Join(t.err, err)
	}
	t.fn = func(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
		out, err := fn(ctx, slices.Clone(args)) // the journal keeps them too, and fn may change them
		if err != nil || len(out) == 0 {
			return nil, err
		}
		return oneLine(out)
	}
	t.check = t.result
	if t.declare(opts); fn == nil {
		return t.Stub()
	}
	return t
}

// Stub returns the tool's declaration without its function, for compiling and for documentation. A call of
// it fails.
func (t *Tool) Stub() *Tool {
	d := *t
	d.fn = func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return nil, errors.New("the tool is a stub: it has no function to call")
	}
	return &d
}

// oneLine returns the result of a dynamic tool on one line, if it is JSON.
func oneLine(out json.RawMessage) (json.RawMessage, error) {
	var line bytes.Buffer
	if err := json.Compact(&line, out); err != nil {
		return nil, &Error{Code: effect.CodeBadResult, Message: "its result is not JSON: " + err.Error()}
	}
	return line.Bytes(), nil
}

// CheckResult returns an error unless a text can be the result of a call. It shows no secrets.
func (t *Tool) CheckResult(result json.RawMessage) error { return t.checkResult(result, t.result) }

// checkResult checks a result by a schema, if there is one. The result of a tool that New has made
// needs none, since the schema comes from its type.
func (t *Tool) checkResult(result json.RawMessage, by *Schema) error {
	if by == nil {
		return nil
	}
	err := by.Check(result, t.secrets)
	if bad := (*Mismatch)(nil); t.secretResult && errors.As(err, &bad) {
		return &Mismatch{Got: notShown, Want: by.String()}
	}
	return err
}

// validName reports whether a program can write a name after tool/: letters, digits, - and _,
// in parts separated by dots; the first character is a letter, the last may be ? or !.
func validName(name string) bool {
	if name == "" || !isLetter(name[0]) || len(name) > maxName {
		return false
	}
	if last := name[len(name)-1]; last == '?' || last == '!' {
		name = name[:len(name)-1]
	}
	for part := range strings.SplitSeq(name, ".") {
		if part == "" || strings.IndexFunc(part, func(r rune) bool {
			return r > 'z' || !isLetter(byte(r)) && (r < '0' || r > '9') && r != '-' && r != '_'
		}) >= 0 {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

const maxName = 100

func (t *Tool) declare(opts []Option) *Tool {
	t.timeout, t.host = DefaultTimeout, "host"
	for _, o := range opts {
		if o == nil {
			t.err = errors.Join(t.err, errors.New("one of its options is nil, want none that is"))
			continue
		}
		o(t)
	}
	t.hint = t.hint.OrDefault(t.name)
	t.signature = sync.OnceValue(t.describe)
	switch {
	case !validName(t.name):
		t.err = errors.Join(fmt.Errorf("tool %.100q: a name is letters, digits, - and _, "+
			"in parts separated by dots, up to %d characters", t.name, maxName), t.err)
	case t.err != nil:
		t.err = fmt.Errorf("tool %s: %w", t.name, t.err)
	case !t.args.object():
		t.err = fmt.Errorf("tool %s: the arguments are %s, want an object", t.name, t.args)
	case t.hint.Validate() != nil:
		t.err = fmt.Errorf("tool %s: %w", t.name, t.hint.Validate())
	case t.hint.Kind&effect.HostExclusive != 0 && !t.args.requires(t.host):
		t.err = fmt.Errorf("tool %s: it is host-exclusive, and the host is its argument %q, "+
			"which must be a string and required: got %s", t.name, t.host, t.args)
	case t.concurrency < 0 || t.maxCalls < 0:
		t.err = fmt.Errorf("tool %s: concurrency %d, calls %d: want numbers above 0", t.name, t.concurrency, t.maxCalls)
	}
	if t.args != nil {
		t.sole = t.soleField()
	}
	return t
}

// Name returns the name, without tool/.
func (t *Tool) Name() string { return t.name }

// Doc returns the documentation.
func (t *Tool) Doc() string { return t.doc }

// Class returns the class of a call. It is effect.Write unless ReadOnly or Idempotent declares
// otherwise.
func (t *Tool) Class() effect.Class { return t.class }

// Hint returns the guards of a call.
func (t *Tool) Hint() effect.Hint { return t.hint }

// HostArgument returns the name of the argument that is the host of a call, "" if calls have no
// host.
func (t *Tool) HostArgument() string {
	if !t.args.requires(t.host) {
		return ""
	}
	return t.host
}

// Examples returns the examples.
func (t *Tool) Examples() []string { return slices.Clone(t.examples) }

// Secrets returns the names of the fields that Secret declares.
func (t *Tool) Secrets() []string { return slices.Clone(t.secrets) }

// Credentials returns the secrets that the tool uses and that are not in its calls.
func (t *Tool) Credentials() []string { return slices.Clone(t.credentials) }

// Args returns the schema of the arguments.
func (t *Tool) Args() *Schema { return t.args }

// Result returns the schema of the result, nil if the result may be any JSON.
func (t *Tool) Result() *Schema { return t.result }

// Scratch returns a bound on the memory in bytes that preparing a call takes beside its arguments
// and result.
func (t *Tool) Scratch(args string) int64 { return CheckSize(args) }

// Sole returns the name of the argument that a call with a single value that is not a map sets: the
// only required one, or else the only one. It is "" if there are several.
func (t *Tool) Sole() string { return t.sole }

// soleField finds the name for Sole.
func (t *Tool) soleField() string {
	props, required := t.args.fields()
	switch {
	case len(required) == 1:
		return required[0]
	case len(required) == 0 && len(props) == 1:
		return props[0]
	}
	return ""
}

// encoded is json.Marshal without the escapes of < and &.
func encoded(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return json.RawMessage(b.Bytes()[:b.Len()-1]), nil // without the newline
}
