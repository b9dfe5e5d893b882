// This file defines pending effects: those whose outcome comes from outside of the run, and later.

package effect

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/lang/diag"
)

// PendingKind is the reason why an effect is pending. It decides which settlements fit.
type PendingKind string

// The kinds.
const (
	PendingApproval PendingKind = "approval" // a call that is made only if it is approved
	PendingQuestion PendingKind = "question" // of the program, by ask
	PendingOutcome  PendingKind = "outcome"  // a call that was made, and whose outcome comes later
	// PendingDoubt is a write that an earlier process began, and whose outcome is not in the journal.
	PendingDoubt PendingKind = "in-doubt"
)

// Pending is an effect that waits for a Settlement.
type Pending struct {
	ID    string      `json:"id"`
	Kind  PendingKind `json:"kind"`
	Tool  string      `json:"tool,omitempty"` // "" for a question
	Class Class       `json:"class"`
	// Args are the arguments of the call as JSON. Secrets are replaced, also in the fields of a question.
	Args     json.RawMessage   `json:"args,omitempty"`
	Host     string            `json:"host,omitempty"` // that the call reaches; "" if it has none, or the run is parked
	Question string            `json:"question,omitempty"`
	Data     json.RawMessage   `json:"data,omitempty"`    // of the question
	Options  []json.RawMessage `json:"options,omitempty"` // the possible answers; none if any JSON is one
	Token    string            `json:"token,omitempty"`   // of PendingOutcome: the tool's name for the work
	Place    string            `json:"place,omitempty"`   // in the source, such as "deploy.ptc:3:5"; "" if not known
	Since    time.Time         `json:"since"`
}

// Path returns the path of the evaluation that has the effect, such as "0.1.7".
func (p *Pending) Path() string {
	path, _, _ := strings.Cut(p.ID, "#")
	return path
}

// PendingOf returns the pending effect of an effect, whose arguments have no secrets.
func PendingOf(e Effect, kind PendingKind, since time.Time) Pending {
	p := Pending{ID: e.ID, Kind: kind, Class: e.Class, Since: since}
	if kind != PendingQuestion {
		p.Tool, p.Args = e.Name, e.Args
		return p
	}
	var q question
	if json.Unmarshal(e.Args, &q) == nil {
		p.Question, p.Data, p.Options = q.Question, q.Data, q.Options
	}
	return p
}

// question is the argument of ask.
type question struct {
	Question string            `json:"question"`
	Data     json.RawMessage   `json:"data"`
	Options  []json.RawMessage `json:"options"`
}

// QuestionSize returns a bound on the memory in bytes that a question takes while it is pending, in
// addition to its arguments: two copies of their parts, and a slice header for each option, with some spare
// ones in an array that grows.
func QuestionSize(args string) int64 { return 2*int64(len(args)) + 64*int64(strings.Count(args, ",")) }

// Verdict is the kind of a settlement.
type Verdict string

// The verdicts.
const (
	Approve Verdict = "approve" // the call may be made
	Refuse  Verdict = "refuse"  // the call must not be made: the program gets an exception with the reason
	Done    Verdict = "done"    // with a result, or an answer
	Failed  Verdict = "failed"  // with a failure
	Retry   Verdict = "retry"   // a write in doubt has not happened: it is done
)

// verdicts lists the verdicts that fit each kind.
var verdicts = map[PendingKind][]Verdict{
	PendingApproval: {Approve, Refuse},
	PendingQuestion: {Done, Failed},
	PendingOutcome:  {Done, Failed},
	PendingDoubt:    {Done, Failed, Retry},
}

// Settlement settles a pending effect. The first one of an effect holds; a second one is an error.
type Settlement struct {
	// ID is the id of an effect, or the name of a tool for all of its pending calls that the verdict fits. A
	// settlement of one effect takes precedence.
	ID      string          `json:"id"`
	As      Verdict         `json:"as"`
	Reason  string          `json:"reason,omitempty"`  // of Refuse
	Result  json.RawMessage `json:"result,omitempty"`  // of Done; nil is null
	Failure *Failure        `json:"failure,omitempty"` // of Failed
}

// OfTool reports whether the settlement names a tool, and not a single effect: ids begin with a digit, and no tool
// does.
func (s *Settlement) OfTool() bool { return s.ID != "" && (s.ID[0] < '0' || s.ID[0] > '9') }

// Names reports whether the settlement is one of this effect, by its id or its tool. The settlement need not Fit.
func (s *Settlement) Names(p Pending) bool {
	return s.ID == p.ID || s.OfTool() && s.ID == p.Tool && slices.Contains(verdicts[p.Kind], s.As)
}

// Fit returns an error unless the settlement fits the effect: then the program can read it. A result has at most most
// bytes; 0 is no bound. If the effect is a call and its tool is known, a result must be one of the tool's.
func (p *Pending) Fit(s Settlement, t Tool, most int) error {
	if may := verdicts[p.Kind]; !slices.Contains(may, s.As) {
		return p.unfit("%.100q does not settle it, want one of %s", s.As, list(may))
	}
	if (s.As == Failed) != (s.Failure != nil) {
		return p.unfit("got %s, want a failure with %q and only there", given(s.Failure != nil, "a failure"), Failed)
	}
	if s.As != Done && s.Result != nil || s.As != Refuse && s.Reason != "" {
		return p.unfit("got a result or a reason with %q, want a result with %q and a reason with %q", s.As, Done, Refuse)
	}
	if s.As == Failed {
		if _, err := s.failed(); err != nil {
			return p.unfit("%v", err)
		}
	}
	if s.As != Done {
		return nil
	}
	if err := readable(s.Result, most); err != nil {
		return p.unfit("its result %v", err)
	}
	is := func(option json.RawMessage) bool { return equal(option, s.Result) }
	if len(p.Options) > 0 && !slices.ContainsFunc(p.Options, is) {
		return p.unfit("got the answer %.100s, want one of %s", orNull(s.Result), list(p.Options))
	}
	if t == nil {
		return nil
	}
	if err := t.CheckResult(orNull(s.Result)); err != nil {
		return p.unfit("its result does not match the schema of tool/%s: %v", t.Name(), err)
	}
	return nil
}

// MaxNesting is the number of arrays and objects in one another up to which a program can read JSON.
const MaxNesting = 512

// readable returns an error for a result that a program could not read.
func readable(result json.RawMessage, most int) error {
	switch {
	case result == nil:
		return nil
	case most > 0 && len(result) > most:
		return fmt.Errorf("has %d bytes, want at most %d", len(result), most)
	case !utf8.Valid(result):
		return fmt.Errorf("is not UTF-8: %.100q", result)
	case !json.Valid(result):
		return fmt.Errorf("is not JSON: %.100q", result)
	case nesting(result) > MaxNesting:
		return fmt.Errorf("is nested deeper than %d levels", MaxNesting)
	}
	return nil
}

// nesting returns the depth of arrays and objects in a JSON text.
func nesting(text json.RawMessage) (deepest int) {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
			deepest = max(deepest, depth)
		case c == ']' || c == '}':
			depth--
		}
	}
	return deepest
}

func (p *Pending) unfit(format string, args ...any) error {
	what := string(p.Kind)
	if p.Tool != "" {
		what += " of tool/" + p.Tool
	}
	return fmt.Errorf("the settlement of effect %s (%s): %s", p.ID, what, fmt.Sprintf(format, args...))
}

func given(yes bool, what string) string {
	if yes {
		return what
	}
	return "none"
}

// list writes the elements of a list, at most eight of them, each cut.
func list[T ~string | ~[]byte](all []T) string {
	var parts []string
	for i, one := range all {
		if i == 8 {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, fmt.Sprintf("%.40s", one))
	}
	return strings.Join(parts, ", ")
}

// equal reports whether two texts are the same JSON.
func equal(a, b json.RawMessage) bool {
	a, b = bytes.TrimSpace(orNull(a)), bytes.TrimSpace(orNull(b))
	if bytes.Equal(a, b) {
		return true
	}
	if sole(a, b) { // there may be very many options
		return false
	}
	var x, y any
	return decode(a, &x) == nil && decode(b, &y) == nil && reflect.DeepEqual(x, y)
}

// sole reports whether two different texts are certainly different JSON values. Numbers are compared by their texts.
func sole(a, b []byte) bool {
	if len(a) == 0 || len(b) == 0 || a[0] != b[0] {
		return true
	}
	switch a[0] {
	case '[', '{':
		return false
	case '"':
		return !bytes.ContainsRune(a, '\\') && !bytes.ContainsRune(b, '\\')
	}
	return true
}

func decode(text json.RawMessage, v *any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return dec.Decode(v)
}

// AnswerOf returns a text that a person has typed as JSON: the text itself if it is JSON, and otherwise a string.
func AnswerOf(text string) json.RawMessage {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	quoted, _ := json.Marshal(text) // a string has JSON
	return quoted
}

func orNull(text json.RawMessage) json.RawMessage {
	if text == nil {
		return json.RawMessage("null")
	}
	return text
}

// The bounds of the failure of a settlement, in bytes: those of a tool's failure.
const (
	maxSettledText = 2000
	maxSettledCode = 100
	maxSettledData = 64 << 10
)

// CodeRefused is the code of a call that was not approved.
const CodeRefused = "approval-refused"

// Outcome returns the outcome of an effect with this settlement, which Fit has checked. It has none with Approve
// and Retry. An error means that JSON in it can't be kept.
func (s *Settlement) Outcome() (Outcome, error) {
	switch s.As {
	case Refuse:
		reason, err := json.Marshal(map[string]string{"reason": clip(s.Reason, maxSettledText)})
		return Outcome{Failure: &Failure{Kind: diag.ApprovalRefused, Code: CodeRefused, Data: reason,
			Message: cmp.Or(clip(s.Reason, maxSettledText), "the call was not approved")}}, err
	case Failed:
		return s.failed()
	case Done:
		var line bytes.Buffer
		err := json.Compact(&line, orNull(s.Result))
		return Outcome{Result: line.Bytes()}, err
	}
	return Outcome{}, nil
}

func (s *Settlement) failed() (Outcome, error) {
	f := Failure{Kind: diag.ToolFailed, Code: cmp.Or(clip(s.Failure.Code, maxSettledCode), CodeFailed),
		Hint: clip(s.Failure.Hint, maxSettledText), Retryable: s.Failure.Retryable, RetryAfter: max(s.Failure.RetryAfter, 0)}
	f.Message = cmp.Or(clip(s.Failure.Message, maxSettledText), "it failed with the code "+f.Code)
	if s.Failure.Data != nil {
		var line bytes.Buffer
		if err := json.Compact(&line, s.Failure.Data); err != nil {
			return Outcome{}, fmt.Errorf("the data of the failure is not JSON: %w", err)
		}
		if line.Len() > maxSettledData {
			return Outcome{}, fmt.Errorf("the data of the failure has %d bytes, want at most %d", line.Len(), maxSettledData)
		}
		f.Data = line.Bytes()
	}
	return Outcome{Failure: &f}, nil
}

// clip cuts a string to some number of bytes, and replaces bytes that are not UTF-8.
func clip(s string, most int) string {
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return strings.ToValidUTF8(s, "\ufffd")
}

// ParseSettlement reads ID=HOW, where ID is the id of an effect or the name of a tool, and HOW is approve, refuse,
// refuse:REASON, done, done:RESULT, failed:FAILURE or retry. REASON is a text; RESULT and FAILURE are JSON.
func ParseSettlement(text string) (s Settlement, err error) {
	id, how, _ := strings.Cut(text, "=")
	as, payload, has := strings.Cut(how, ":")
	s.ID, s.As = id, Verdict(as)
	switch {
	case id == "" || s.Verdict() != nil || has != (payload != "") || has && (s.As == Approve || s.As == Retry) ||
		!has && s.As == Failed:
		return s, fmt.Errorf("want ID=approve, ID=refuse:REASON, ID=done, ID=done:RESULT, " +
			"ID=failed:FAILURE or ID=retry")
	case s.As == Refuse:
		s.Reason = payload
	case !has:
	case !json.Valid([]byte(payload)):
		return s, fmt.Errorf("%.200q: got an outcome that is not JSON", text)
	case s.As == Done:
		s.Result = json.RawMessage(payload)
	default:
		s.Failure = &Failure{}
		if err := json.Unmarshal([]byte(payload), s.Failure); err != nil {
			return s, fmt.Errorf("%.200q: got no failure, want an object such as {\"code\":\"sold-out\"}", text)
		}
	}
	return s, nil
}

// Verdict returns an error unless the verdict is one of the constants.
func (s *Settlement) Verdict() error {
	switch s.As {
	case Approve, Refuse, Done, Failed, Retry:
		return nil
	}
	return fmt.Errorf("there is no verdict %.100q, want approve, refuse, done, failed or retry", s.As)
}

// The errors of a settlement that comes too late, or for nothing.
var (
	// ErrSettled means that the effect is settled already, or is no longer needed.
	ErrSettled = errors.New("it is settled already, or no longer needed")
	// ErrNotPending means that nothing of this id or tool is pending.
	ErrNotPending = errors.New("nothing of this id or tool is pending")
	// ErrRunOver means that the run has ended or is parked: it can be settled when the run is resumed.
	ErrRunOver = errors.New("the run has ended or is parked: give the settlement when the run is resumed")
)

// Pendings are the pending effects of one run. *pending.Set is the implementation.
type Pendings interface {
	// Wait waits until a pending effect is settled, or the context ends: then err is its error, and the effect is
	// pending no longer. by rests in the meantime; it is optional. There is an outcome unless the verdict is Approve or
	// Retry. left reports that an earlier run has left the effect pending; err is ErrSettled if it was settled before
	// the call.
	Wait(ctx context.Context, p Pending, left bool, by Rester) (as Verdict, o Outcome, err error)
	// Ended returns an error for which errors.Is finds ErrRunOver if the run was ended because of what is pending, and
	// nil otherwise. Nothing may begin in such a run.
	Ended() error
	// Idle returns the time for which the run was quiet so far. It counts for no limit.
	Idle() time.Duration
}
