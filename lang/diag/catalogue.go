// This file defines the catalogue of the error codes.

package diag

// Entry describes a code.
type Entry struct {
	Code Code
	// About says in one line when an error has the code.
	About string
	// Example is a program that gives the code. It may begin with the directives of
	// package filetest, which set bounds and data.
	Example string
	// NoExample says why no program by itself gives the code, if none does.
	NoExample string
}

// Catalogue lists every code. A test runs the examples.
var Catalogue = []Entry{
	{Code: SyntaxError, About: "The text is no program: a bracket is missing or surplus, a literal is malformed.",
		Example: "(+ 1 2"},
	{Code: SourceTooLarge, About: "The text has more bytes than the source limit.",
		Example: ";; limit source 10\n(+ 1 2 3)"},
	{Code: NestingTooDeep, About: "Forms, or the values that a function walks through, are nested too deeply.",
		Example: ";; limit nesting 3\n[[[[]]]]"},

	{Code: UnknownName, About: "A symbol, class or namespace means nothing here.",
		Example: "(prinln 1)"},
	{Code: UnknownData, About: "The input has no such data/name.",
		Example: ";; data {\"sales\": []}\n(count data/sale)"},
	{Code: UnknownTool, About: "No tool of this name is granted.",
		Example: "(tool/search {:query \"lamp\"})"},
	{Code: BadForm, About: "A special form or macro is malformed.",
		Example: "(let [x] x)"},
	{Code: BadArity, About: "A function is called with a number of arguments that it does not take.",
		Example: "(inc 1 2)"},
	{Code: MisplacedRecur, About: "A recur is not the last thing that its loop or function does.",
		Example: "(loop [i 0] (inc (recur i)))"},
	{Code: Unsupported, About: "Clojure or Java has the name, a task program does not; the hint says what to use.",
		Example: "(slurp \"data.json\")"},
	{Code: MacroTooDeep, About: "The expansion of a macro does not end, or gives forms that are nested too deeply.",
		Example: "(defmacro again [] `(again)) (again)"},

	{Code: Thrown, About: "An exception that the program made, by ex-info or a constructor, was thrown.",
		Example: "(throw (ex-info \"out of stock\" {:item 7}))"},
	{Code: WrongType, About: "A value is of a kind that the operation cannot take.",
		Example: "(inc \"1\")"},
	{Code: NilValue, About: "A value is nil where the operation needs one.",
		Example: "(inc nil)"},
	{Code: IllegalArgument, About: "A value is of the right kind, but not one that the function takes.",
		Example: "(hash-map :a)"},
	{Code: IllegalState, About: "The operation does not fit the state of what it is done to.",
		Example: "(declare f) (f)"},
	{Code: OutOfRange, About: "An index lies outside of a vector, sequence or string.",
		Example: "(nth [1 2] 5)"},
	{Code: Arithmetic, About: "A division by zero, or an integer that does not fit 64 bits.",
		Example: "(/ 1 0)"},
	{Code: NumberFormat, About: "A text is no number.",
		Example: "(Long/parseLong \"twelve\")"},
	{Code: NotSupported, About: "The value does not support the operation.",
		Example: "(nth #{1 2} 0)"},
	{Code: NoMatch, About: "No clause of case or condp matches, and there is no default.",
		Example: "(case 3 1 :one 2 :two)"},
	{Code: AssertFailed, About: "The condition of assert, :pre or :post does not hold.",
		Example: "(assert (= 1 2))"},
	{Code: NotOwner, About: "An evaluation changes an atom that belongs to another one.",
		Example: "(defmacro shared [] (atom 0)) (swap! (shared) inc)"},
	{Code: CapacityExceeded, About: "A parallel operation finds no free worker slot, because those around it hold all of them.",
		Example: ";; limit workers 1\n(pmap (fn [x] (pmap inc [x])) [1 2])"},
	{Code: NotGranted, About: "The program needs something that the host did not grant.",
		Example: ";; tools\n(tool/http.get \"https://example.com\")"},
	{Code: ToolFailed, About: "A tool was called with arguments that it does not take, or it failed; (:code (ex-data e)) is the tool's own code.",
		Example: ";; tools\n(tool/fail {:code \"unavailable\"})"},
	{Code: ArgumentTooLarge, About: "The arguments of a call of a tool have more bytes of JSON than they may.",
		Example: ";; tools\n;; limit arguments 100\n(tool/echo (apply str (repeat 200 \"x\")))"},
	{Code: GuardHeld, About: "An evaluation wants a host, or the global guard, that it holds already, or that one holds which waits for it to end.",
		Example: "(host-exclusive \"web-1\" (host-exclusive \"web-1\" 1))"},
	{Code: GuardBusy, About: "An evaluation wants a host, or the global guard, that a call still has which it, or one that waits for it, has left behind because the tool did not end in time; it may be tried again.",
		NoExample: "it takes a tool that does not heed the end of its context"},
	{Code: GuardCycle, About: "Evaluations wait for guards in a circle, because they took them in different orders; the message shows the circle.",
		NoExample: "it depends on the timing of several evaluations"},
	{Code: GuardTimeout, About: "The time ran out before a guard was free, or would run out before the rate limit has a token.",
		Example: "(with-limits {:ms 500} (dotimes [_ 2] (rate-limited \"api\" {:per-second 0.01} :done)))"},
	{Code: GuardConflict, About: "The key of a rate limit is in use with another rate.",
		Example: "(rate-limited \"api\" {:per-second 1} (rate-limited \"api\" {:per-second 2} 1))"},
	{Code: Failed, About: "The program ended itself with fail.",
		Example: "(fail \"no stock\")"},
	{Code: PolicyViolation, About: "A call would exceed a rate or a quota that a policy sets.",
		NoExample: "it takes the policies of an operator"},
	{Code: QueueFull, About: "A call finds as many waiting for the same action as may.",
		NoExample: "it takes the policies of an operator"},
	{Code: QueueTimeout, About: "A call waited for its turn as long as it may.",
		NoExample: "it takes the policies of an operator"},
	{Code: QueueCancelled, About: "A call was taken out of the queue, or all queues were cleared, before its turn.",
		NoExample: "it is the host's doing"},

	{Code: Diverged, About: "A run that is replayed or resumed has another effect than its recording.",
		NoExample: "it takes a recording"},
	{Code: InDoubt, About: "A resumed run comes to a write-effect that was begun, and nobody knows whether it happened.",
		NoExample: "it takes an interrupted run"},
	{Code: JournalFailed, About: "The journal of the run cannot be written; no further effect happens.",
		NoExample: "it is the doing of the disk"},

	{Code: Timeout, About: "The run took longer than the time limit.",
		Example: ";; limit timeout 20ms\n(loop [] (recur))"},
	{Code: StepsExceeded, About: "The run took more steps than the step limit.",
		Example: ";; limit steps 1000\n(loop [] (recur))"},
	{Code: MemoryExceeded, About: "The evaluation holds more bytes than the memory limit.",
		Example: ";; limit memory 1MB\n(vec (range 1000000))"},
	{Code: DepthExceeded, About: "Calls are nested deeper than the depth limit.",
		Example: "(defn f [n] (inc (f n))) (f 1)"},
	{Code: CallsExceeded, About: "The run made more calls of tools, or of one tool, than it may.",
		Example: ";; tools\n;; limit calls 3\n(mapv tool/echo (range 5))"},
	{Code: ResultTooLarge, About: "The value of the program, or the result of a call of a tool, takes more bytes as text than it may.",
		Example: ";; limit result 100\n(range 1000)"},
	{Code: Cancelled, About: "The host cancelled the run.",
		NoExample: "it is the host's doing"},

	{Code: BadPolicy, About: "A file of policies is malformed, or says what no policy can be.",
		NoExample: "it is the operator's file that is wrong"},

	{Code: Internal, About: "The interpreter has a bug; the error carries the Go stack.",
		NoExample: "it is a bug if a program gives it"},
}
