// This file defines the macros of clojure.test.

package macros

import (
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/expand"
	"github.com/ptc-lang/ptc/lang/value"
)

var testMacros = []entry.Entry{
	{NS: "clojure.test", Name: "deftest", Args: "name & body", Cost: entry.Syntax, Indent: entry.IndentBody,
		Facts: entry.DefinesNames, Macro: expandDeftest,
		Doc: "Defines a test: a function of no arguments with body under :test in the metadata of its var, for " +
			"run-tests.",
		Examples: []string{"(do (clojure.test/deftest t (clojure.test/is (= 2 (+ 1 1)))) (:pass (clojure.test/run-tests))) " +
			"=> 1"}},
	{NS: "clojure.test", Name: "deftest-", Args: "name & body", Cost: entry.Syntax, Indent: entry.IndentBody,
		Facts: entry.DefinesNames, Macro: expandPrivateTest,
		Doc:      "Defines a private test, like deftest.",
		Examples: []string{"(do (clojure.test/deftest- t (clojure.test/is true)) (:pass (clojure.test/run-tests))) => 1"}},
	{NS: "clojure.test", Name: "with-test", Args: "definition & body", Cost: entry.Syntax, Indent: entry.IndentBody,
		Macro: expandWithTest,
		Doc:   "Evaluates definition, and puts body as a test under :test in the metadata of the var; returns the var.",
		Examples: []string{"(do (clojure.test/with-test (defn f [] 1) (clojure.test/is (= 1 (f)))) (:pass " +
			"(clojure.test/run-tests))) => 1"}},
	{NS: "clojure.test", Name: "set-test", Args: "name & body", Cost: entry.Syntax, Macro: expandSetTest,
		Doc: "Puts body as a test under :test in the metadata of a var.",
		Examples: []string{"(do (defn f [] 1) (clojure.test/set-test f (clojure.test/is (= 1 (f)))) (:pass " +
			"(clojure.test/run-tests))) => 1"}},
	{NS: "clojure.test", Name: "is", Args: "form | form message", Cost: entry.Syntax, Macro: expandIs,
		Doc: "Tests that form is truthy, and reports the result. Returns the value of form. form may be (thrown? Class " +
			"body…) or " +
			"(thrown-with-msg? Class regex body…), which hold if the body throws.",
		Examples: []string{"(clojure.test/is (= 4 (+ 2 2))) => true",
			"(ex-message (clojure.test/is (thrown? ArithmeticException (/ 1 0)))) => \"Divide by zero\""}},
	{NS: "clojure.test", Name: "are", Args: "argv expr & args", Cost: entry.Syntax, Indent: entry.IndentBlock2,
		Macro: expandAre,
		Doc:   "Tests expr with the names in argv replaced by the args, as many at a time as there are names.",
		Examples: []string{"(clojure.test/are [x y] (= x (inc y)) 2 1 4 3) => true",
			"(clojure.test/are [x y] (= x y) 1) !bad-form"}},
	{NS: "clojure.template", Name: "do-template", Args: "argv expr & values", Cost: entry.Syntax, Macro: expandDoTemplate,
		Doc: "Evaluates expr with the names in argv replaced by the values, as many at a time as there are names.",
		Examples: []string{"(with-out-str (clojure.template/do-template [x y] (print (+ x y)) 1 2 3 4)) => \"37\"",
			"(clojure.template/do-template 1 x) !bad-form"}},
	{NS: "clojure.test", Name: "with-test-out", Args: "& body", Cost: entry.Syntax, Indent: entry.IndentBody,
		Macro:    expandWithTestOut,
		Doc:      "Evaluates body with its output sent to *test-out*.",
		Examples: []string{"(clojure.test/with-test-out 1) => 1"}},
	{NS: "clojure.test", Name: "testing", Args: "string & body", Cost: entry.Syntax, Indent: entry.IndentBlock1,
		Macro:    expandTesting,
		Doc:      "Evaluates body. Failures in it are reported with string.",
		Examples: []string{`(clojure.test/testing "sums" (clojure.test/is (= 2 (+ 1 1)))) => true`}},
	{NS: "clojure.test", Name: "thrown?", Args: "class & body", Cost: entry.Syntax, Macro: expandThrown,
		Doc:      "Passes, inside is, if body throws an exception of the class.",
		Examples: []string{"(clojure.test/thrown? Exception 1) !bad-form"}},
	{NS: "clojure.test", Name: "thrown-with-msg?", Args: "class regex & body", Cost: entry.Syntax, Macro: expandThrown,
		Doc:      "Passes, inside is, if body throws an exception of the class whose message regex matches.",
		Examples: []string{"(clojure.test/thrown-with-msg? Exception #\"x\" 1) !bad-form"}},
	{NS: "clojure.test", Name: "assert-expr", Args: "msg form", Cost: entry.Syntax, Macro: expandAssertExpr,
		Doc: "Defines, by (defmethod assert-expr 'name [msg form] body…), the form to which (is (name …)) expands in the " +
			"program.",
		Examples: []string{"(do (defmethod clojure.test/assert-expr 'odd [msg form] (list 'odd? (second form))) " +
			"(clojure.test/is (odd 1))) => true", "(clojure.test/assert-expr nil 1) !bad-form"}},
	{NS: "clojure.test", Name: "run-tests", Args: "& namespaces", Cost: entry.Syntax, Facts: entry.ReachesNames,
		Macro: expandRunTests,
		AsFn:  "%run-tests",
		Doc: "Runs the tests of namespaces (default: the current one). Prints failures and a summary, and returns the " +
			"summary.",
		Examples: []string{"(clojure.test/run-tests) => {:test 0, :pass 0, :fail 0, :error 0, :type :summary}"}},
	{NS: "clojure.test", Name: "run-test", Args: "name", Cost: entry.Syntax, Facts: entry.ReachesNames,
		Macro:    expandRunTest,
		Doc:      "Runs one test of the current namespace. Prints failures and a summary, and returns the summary.",
		Examples: []string{"(do (clojure.test/deftest t (clojure.test/is true)) (:pass (clojure.test/run-test t))) => 1"}},
	{NS: "clojure.test", Name: "use-fixtures", Args: "kind & fixtures", Cost: entry.Syntax, Indent: entry.IndentBody,
		Macro: expandUseFixtures,
		Doc: "Wraps the tests of the current namespace in functions that take a test function: :each around every " +
			"test, :once around all tests.",
		Examples: []string{`(do (clojure.test/use-fixtures :each (fn [f] (print "<") (f) (print ">"))) ` +
			`(clojure.test/deftest t (print "t")) (subs (with-out-str (clojure.test/run-tests)) 14 17)) => "<t>"`}},
}

// testSym returns the symbol of a function of clojure.test.
func testSym(name string) value.Value { return value.ConstSymbol("clojure.test", name) }

// The functions that expansions of tests call.
var (
	symExpecting = expand.CoreSym("%expecting")

	testVar      = testSym("test-var")
	testContexts = testSym("*testing-contexts*")
	testOut      = testSym("%with-test-out")
	testReport   = testSym("do-report")
	testRun      = testSym("%run-tests")
	testRunOne   = testSym("%run-test")
	testFixture  = testSym("%use-fixtures")
)

// namespace returns the quoted symbol of the current namespace.
func namespace(x *expand.Expansion) value.Value { return x.Quote(x.T.Symbol("", x.NS)) }

func expandDeftest(x *expand.Expansion, form value.Value) value.Value {
	return deftest(x, form, value.EmptyMap)
}

func expandPrivateTest(x *expand.Expansion, form value.Value) value.Value {
	return deftest(x, form, x.T.MapOf(value.ConstKeyword("private"), value.True))
}

var keyTest = value.ConstKeyword("test")

// deftest makes the definition of a test: a function that runs the one under :test.
func deftest(x *expand.Expansion, form, meta value.Value) value.Value {
	args := x.Args(form, 1, -1, "(deftest name body…)")
	x.PlainName("deftest", form, args[0])
	for it := value.NewMapIter(metaOrEmpty(args[0])); it.Next(); {
		meta = x.T.MapAssoc(meta, it.Key, it.Val)
	}
	body := x.Call(form, args[1:], expand.SymFn, methodName(x, args[0].AsSymbol().Name, symTest), x.Vec())
	name := value.WithMeta(x.T, args[0], x.T.MapAssoc(meta, keyTest, body))
	run := x.List(form, testVar, x.List(form, symVar, args[0]))
	return x.List(form, symDef, name, x.List(form, expand.SymFn, args[0], x.Vec(), run))
}

func metaOrEmpty(v value.Value) value.Value {
	if m := value.MetaOf(v); !m.IsNil() {
		return m
	}
	return value.EmptyMap
}

func expandWithTest(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(with-test definition body…)")
	v := x.Gensym("var")
	test := x.Call(form, args[1:], expand.SymFn, x.Vec())
	set := x.List(form, fnAlterMeta, v, fnAssoc, keyTest, test)
	return x.List(form, expand.SymLet, x.Vec(v, args[0]), set, v)
}

func expandSetTest(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(set-test name body…)")
	x.PlainName("set-test", form, args[0])
	test := x.Call(form, args[1:], expand.SymFn, x.Vec())
	return x.List(form, fnAlterMeta, x.List(form, symVar, args[0]), fnAssoc, keyTest, test)
}

func expandWithTestOut(x *expand.Expansion, form value.Value) value.Value {
	return x.List(form, testOut, x.Thunk(form, expand.FormItems(form)[1:]))
}

func expandTesting(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(testing string body…)")
	inner := x.List(form, expand.CoreSym("conj"), testContexts, args[0])
	return x.Call(form, args[1:], symBinding, x.Vec(testContexts, inner))
}

func expandRunTests(x *expand.Expansion, form value.Value) value.Value {
	args := expand.FormItems(form)[1:]
	if len(args) == 0 {
		args = []value.Value{namespace(x)}
	}
	return x.Call(form, args, testRun)
}

func expandRunTest(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, 1, "(run-test name)")
	if !args[0].IsSymbol() {
		x.Fail(form, "run-test: got %s, want the name of a test", value.Describe(x.T, args[0]))
	}
	return x.List(form, testRunOne, namespace(x), x.Quote(args[0]))
}

func expandUseFixtures(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(use-fixtures :each f…)")
	if !expand.IsKey(args[0], "each") && !expand.IsKey(args[0], "once") {
		x.Fail(form, "use-fixtures: got %s, want :each or :once", value.Describe(x.T, args[0]))
	}
	return x.List(form, testFixture, namespace(x), args[0], x.Vec(args[1:]...))
}

func expandThrown(x *expand.Expansion, form value.Value) value.Value {
	x.Fail(form, "%s: write it inside of is: (is (thrown? Exception …))", expand.FormItems(form)[0].AsSymbol().Name)
	return value.Nil
}

func expandIs(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, 2, "(is form message?)")
	message := value.Nil
	if len(args) == 2 {
		message = args[1]
	}
	return is(x, form, args[0], message)
}

// check is one assertion under expansion.
type check struct {
	x             *expand.Expansion
	at            value.Value
	form, message value.Value
}

// is makes the form that evaluates an assertion and reports how it went.
func is(x *expand.Expansion, at, form, message value.Value) value.Value {
	c := check{x, at, form, message}
	e := x.Gensym("e")
	return x.List(at, expand.SymTry, c.body(), x.List(at, symCatch, symThrowable, e, c.report("error", e)))
}

// report makes the call that reports a result of a type.
func (c check) report(kind string, actual value.Value) value.Value {
	x := c.x
	m := x.T.MapOf(
		value.ConstKeyword("type"), value.ConstKeyword(kind),
		value.ConstKeyword("message"), c.message,
		value.ConstKeyword("expected"), x.Quote(c.form),
		value.ConstKeyword("actual"), actual,
		value.ConstKeyword("place"), x.Str(x.Place(c.at)))
	return x.List(c.at, testReport, m)
}

// result makes the form that reports the value in a symbol, and returns it.
func (c check) result(sym, passed, failed value.Value) value.Value {
	return c.x.List(c.at, expand.SymDo, c.x.List(c.at, symIf, sym, c.report("pass", passed), c.report("fail", failed)),
		sym)
}

func (c check) body() value.Value {
	if expand.IsList(c.form) {
		if items := expand.FormItems(c.form); len(items) > 0 && items[0].IsSymbol() {
			if macro, ok := c.x.MacroNamed(assertPrefix + symbolText(items[0])); ok {
				return c.x.List(c.at, macro, c.message, c.form)
			}
			return c.call(items)
		}
	}
	return c.any()
}

// call makes the body for a list: it depends on the head. If that is a function, the arguments are
// evaluated first, so that a failure can show them.
func (c check) call(items []value.Value) value.Value {
	x, head := c.x, items[0]
	switch name := head.AsSymbol().Name; {
	case name == "thrown?" && len(items) >= 2:
		return c.thrown(items[1], items[2:], func(e value.Value) value.Value { return c.report("pass", e) })
	case name == "thrown-with-msg?" && len(items) >= 3:
		return c.thrown(items[1], items[3:], func(e value.Value) value.Value {
			found := x.List(c.at, fnReFind, items[2], x.List(c.at, fnExMessage, e))
			return x.List(c.at, symIf, found, c.report("pass", e), c.report("fail", e))
		})
	case name == "instance?" && len(items) == 3:
		return c.instance(items)
	case x.IsLocal(head) || x.IsMacro(head):
		return c.any()
	}
	var bindings, args []value.Value
	for _, item := range items[1:] {
		g := x.Gensym("arg")
		bindings = append(bindings, g, item)
		args = append(args, g)
	}
	result := x.Gensym("result")
	bindings = append(bindings, result, x.Call(c.form, args, head))
	shown := x.Call(c.at, args, fnList, x.Quote(head))
	failed := x.List(c.at, fnList, x.Quote(symPlainNot), shown)
	return x.List(c.at, expand.SymLet, x.Vec(bindings...), c.result(result, shown, failed))
}

// any makes the body for a form that is evaluated as a whole.
func (c check) any() value.Value {
	g := c.x.Gensym("value")
	return c.x.List(c.at, expand.SymLet, c.x.Vec(g, c.form), c.result(g, g, g))
}

func (c check) instance(items []value.Value) value.Value {
	x := c.x
	class, object, result := x.Gensym("class"), x.Gensym("object"), x.Gensym("result")
	bindings := x.Vec(class, items[1], object, items[2], result, x.List(c.form, items[0], class, object))
	actual := x.List(c.at, fnClass, object)
	return x.List(c.at, expand.SymLet, bindings, c.result(result, actual, actual))
}

// thrown makes the body for an expression that is to throw; check returns the form
// that reports the exception.
func (c check) thrown(class value.Value, body []value.Value, check func(e value.Value) value.Value) value.Value {
	x := c.x
	e := x.Gensym("e")
	missed := c.report("fail", value.Nil)
	caught := x.List(c.at, symCatch, class, e, check(e), e)
	return x.List(c.at, expand.SymTry, x.Call(c.at, body, symExpecting), missed, caught)
}

// assertPrefix begins the names of the macros that methods of assert-expr are. A program cannot write them.
const assertPrefix = "%assert-expr "

func expandAssertExpr(x *expand.Expansion, form value.Value) value.Value {
	x.Fail(form, "assert-expr: write (defmethod assert-expr 'name [msg form] …)")
	return value.Nil
}

// assertMethod returns the name of the macro that a method of assert-expr becomes, because is calls it when it expands.
// ok is false for another multimethod.
func assertMethod(x *expand.Expansion, multifn, dispatch value.Value) (name string, ok bool) {
	if s := x.Resolve(multifn).AsSymbol(); s.NS != "clojure.test" || s.Name != "assert-expr" {
		return "", false
	}
	items := expand.FormItems(dispatch)
	if !expand.IsList(dispatch) || len(items) != 2 || !expand.IsNamed(items[0], "quote") || !items[1].IsSymbol() {
		return "", false
	}
	return assertPrefix + symbolText(items[1]), true
}

func symbolText(sym value.Value) string {
	if s := sym.AsSymbol(); s.NS != "" {
		return s.NS + "/" + s.Name
	}
	return sym.AsSymbol().Name
}
