// This file defines the macros of clojure.test.

package builtins

import "github.com/ptc-lang/ptc/lang/value"

var testMacros = []Entry{
	{NS: "clojure.test", Name: "deftest", Args: "name & body", Cost: Syntax, Indent: IndentBody, Facts: DefinesNames,
		Macro: expandDeftest,
		Doc: "Defines a test: a function of no arguments with body under :test in the metadata of its var, for " +
			"run-tests.",
		Examples: []string{"(do (clojure.test/deftest t (clojure.test/is (= 2 (+ 1 1)))) (:pass (clojure.test/run-tests))) " +
			"=> 1"}},
	{NS: "clojure.test", Name: "deftest-", Args: "name & body", Cost: Syntax, Indent: IndentBody, Facts: DefinesNames,
		Macro:    expandPrivateTest,
		Doc:      "Defines a private test, like deftest.",
		Examples: []string{"(do (clojure.test/deftest- t (clojure.test/is true)) (:pass (clojure.test/run-tests))) => 1"}},
	{NS: "clojure.test", Name: "with-test", Args: "definition & body", Cost: Syntax, Indent: IndentBody,
		Macro: expandWithTest,
		Doc:   "Evaluates definition, and puts body as a test under :test in the metadata of the var; returns the var.",
		Examples: []string{"(do (clojure.test/with-test (defn f [] 1) (clojure.test/is (= 1 (f)))) (:pass " +
			"(clojure.test/run-tests))) => 1"}},
	{NS: "clojure.test", Name: "set-test", Args: "name & body", Cost: Syntax, Macro: expandSetTest,
		Doc: "Puts body as a test under :test in the metadata of a var.",
		Examples: []string{"(do (defn f [] 1) (clojure.test/set-test f (clojure.test/is (= 1 (f)))) (:pass " +
			"(clojure.test/run-tests))) => 1"}},
	{NS: "clojure.test", Name: "is", Args: "form | form message", Cost: Syntax, Macro: expandIs,
		Doc: "Tests that form is truthy, and reports the result. Returns the value of form. form may be (thrown? Class " +
			"body…) or " +
			"(thrown-with-msg? Class regex body…), which hold if the body throws.",
		Examples: []string{"(clojure.test/is (= 4 (+ 2 2))) => true",
			"(ex-message (clojure.test/is (thrown? ArithmeticException (/ 1 0)))) => \"Divide by zero\""}},
	{NS: "clojure.test", Name: "are", Args: "argv expr & args", Cost: Syntax, Indent: IndentBlock2, Macro: expandAre,
		Doc: "Tests expr with the names in argv replaced by the args, as many at a time as there are names.",
		Examples: []string{"(clojure.test/are [x y] (= x (inc y)) 2 1 4 3) => true",
			"(clojure.test/are [x y] (= x y) 1) !bad-form"}},
	{NS: "clojure.template", Name: "do-template", Args: "argv expr & values", Cost: Syntax, Macro: expandDoTemplate,
		Doc: "Evaluates expr with the names in argv replaced by the values, as many at a time as there are names.",
		Examples: []string{"(with-out-str (clojure.template/do-template [x y] (print (+ x y)) 1 2 3 4)) => \"37\"",
			"(clojure.template/do-template 1 x) !bad-form"}},
	{NS: "clojure.test", Name: "with-test-out", Args: "& body", Cost: Syntax, Indent: IndentBody, Macro: expandWithTestOut,
		Doc: "Evaluates body with its output sent to *test-out*.", Examples: []string{"(clojure.test/with-test-out 1) => 1"}},
	{NS: "clojure.test", Name: "testing", Args: "string & body", Cost: Syntax, Indent: IndentBlock1, Macro: expandTesting,
		Doc:      "Evaluates body. Failures in it are reported with string.",
		Examples: []string{`(clojure.test/testing "sums" (clojure.test/is (= 2 (+ 1 1)))) => true`}},
	{NS: "clojure.test", Name: "thrown?", Args: "class & body", Cost: Syntax, Macro: expandThrown,
		Doc:      "Passes, inside is, if body throws an exception of the class.",
		Examples: []string{"(clojure.test/thrown? Exception 1) !bad-form"}},
	{NS: "clojure.test", Name: "thrown-with-msg?", Args: "class regex & body", Cost: Syntax, Macro: expandThrown,
		Doc:      "Passes, inside is, if body throws an exception of the class whose message regex matches.",
		Examples: []string{"(clojure.test/thrown-with-msg? Exception #\"x\" 1) !bad-form"}},
	{NS: "clojure.test", Name: "run-tests", Args: "& namespaces", Cost: Syntax, Facts: ReachesNames, Macro: expandRunTests,
		AsFn: "%run-tests",
		Doc: "Runs the tests of namespaces (default: the current one). Prints failures and a summary, and returns the " +
			"summary.",
		Examples: []string{"(clojure.test/run-tests) => {:test 0, :pass 0, :fail 0, :error 0, :type :summary}"}},
	{NS: "clojure.test", Name: "run-test", Args: "name", Cost: Syntax, Facts: ReachesNames, Macro: expandRunTest,
		Doc:      "Runs one test of the current namespace. Prints failures and a summary, and returns the summary.",
		Examples: []string{"(do (clojure.test/deftest t (clojure.test/is true)) (:pass (clojure.test/run-test t))) => 1"}},
	{NS: "clojure.test", Name: "use-fixtures", Args: "kind & fixtures", Cost: Syntax, Indent: IndentBody,
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
	testVar     = testSym("test-var")
	testEnter   = testSym("%enter-context")
	testLeave   = testSym("%leave-context")
	testOut     = testSym("%with-test-out")
	testReport  = testSym("do-report")
	testRun     = testSym("%run-tests")
	testRunOne  = testSym("%run-test")
	testFixture = testSym("%use-fixtures")
)

// namespace returns the quoted symbol of the current namespace.
func (x *Expansion) namespace() value.Value { return x.quote(x.T.Symbol("", x.NS)) }

func expandDeftest(x *Expansion, form value.Value) value.Value {
	return x.deftest(form, value.EmptyMap)
}

func expandPrivateTest(x *Expansion, form value.Value) value.Value {
	return x.deftest(form, x.T.MapOf(value.ConstKeyword("private"), value.True))
}

var keyTest = value.ConstKeyword("test")

// deftest makes the definition of a test: a function that runs the one under :test.
func (x *Expansion) deftest(form, meta value.Value) value.Value {
	args := x.args(form, 1, -1, "(deftest name body…)")
	x.plainName("deftest", form, args[0])
	for it := value.NewMapIter(metaOrEmpty(args[0])); it.Next(); {
		meta = x.T.MapAssoc(meta, it.Key, it.Val)
	}
	body := x.call(form, args[1:], symFn, x.methodName(args[0].AsSymbol().Name, symTest), x.vec())
	name := value.WithMeta(x.T, args[0], x.T.MapAssoc(meta, keyTest, body))
	run := x.list(form, testVar, x.list(form, symVar, args[0]))
	return x.list(form, symDef, name, x.list(form, symFn, args[0], x.vec(), run))
}

func metaOrEmpty(v value.Value) value.Value {
	if m := value.MetaOf(v); !m.IsNil() {
		return m
	}
	return value.EmptyMap
}

func expandWithTest(x *Expansion, form value.Value) value.Value {
	args := x.args(form, 1, -1, "(with-test definition body…)")
	v := x.Gensym("var")
	test := x.call(form, args[1:], symFn, x.vec())
	set := x.list(form, fnAlterMeta, v, fnAssoc, keyTest, test)
	return x.list(form, symLet, x.vec(v, args[0]), set, v)
}

func expandSetTest(x *Expansion, form value.Value) value.Value {
	args := x.args(form, 1, -1, "(set-test name body…)")
	x.plainName("set-test", form, args[0])
	test := x.call(form, args[1:], symFn, x.vec())
	return x.list(form, fnAlterMeta, x.list(form, symVar, args[0]), fnAssoc, keyTest, test)
}

func expandWithTestOut(x *Expansion, form value.Value) value.Value {
	return x.list(form, testOut, x.thunk(form, formItems(form)[1:]))
}

func expandTesting(x *Expansion, form value.Value) value.Value {
	args := x.args(form, 1, -1, "(testing string body…)")
	try := x.call(form, append(args[1:len(args):len(args)], x.list(form, symFinally, x.list(form, testLeave))), symTry)
	return x.list(form, symDo, x.list(form, testEnter, args[0]), try)
}

func expandRunTests(x *Expansion, form value.Value) value.Value {
	args := formItems(form)[1:]
	if len(args) == 0 {
		args = []value.Value{x.namespace()}
	}
	return x.call(form, args, testRun)
}

func expandRunTest(x *Expansion, form value.Value) value.Value {
	args := x.args(form, 1, 1, "(run-test name)")
	if !args[0].IsSymbol() {
		x.Fail(form, "run-test: got %s, want the name of a test", value.Describe(x.T, args[0]))
	}
	return x.list(form, testRunOne, x.namespace(), x.quote(args[0]))
}

func expandUseFixtures(x *Expansion, form value.Value) value.Value {
	args := x.args(form, 1, -1, "(use-fixtures :each f…)")
	if !isKey(args[0], "each") && !isKey(args[0], "once") {
		x.Fail(form, "use-fixtures: got %s, want :each or :once", value.Describe(x.T, args[0]))
	}
	return x.list(form, testFixture, x.namespace(), args[0], x.vec(args[1:]...))
}

func expandThrown(x *Expansion, form value.Value) value.Value {
	x.Fail(form, "%s: write it inside of is: (is (thrown? Exception …))", formItems(form)[0].AsSymbol().Name)
	return value.Nil
}

func expandIs(x *Expansion, form value.Value) value.Value {
	args := x.args(form, 1, 2, "(is form message?)")
	message := value.Nil
	if len(args) == 2 {
		message = args[1]
	}
	return x.is(form, args[0], message)
}

// check is one assertion under expansion.
type check struct {
	x             *Expansion
	at            value.Value
	form, message value.Value
}

// is makes the form that evaluates an assertion and reports how it went.
func (x *Expansion) is(at, form, message value.Value) value.Value {
	c := check{x, at, form, message}
	e := x.Gensym("e")
	return x.list(at, symTry, c.body(), x.list(at, symCatch, symThrowable, e, c.report("error", e)))
}

// report makes the call that reports a result of a type.
func (c check) report(kind string, actual value.Value) value.Value {
	x := c.x
	m := x.T.MapOf(
		value.ConstKeyword("type"), value.ConstKeyword(kind),
		value.ConstKeyword("message"), c.message,
		value.ConstKeyword("expected"), x.quote(c.form),
		value.ConstKeyword("actual"), actual,
		value.ConstKeyword("place"), x.str(x.Place(c.at)))
	return x.list(c.at, testReport, m)
}

// result makes the form that reports the value in a symbol, and returns it.
func (c check) result(sym, passed, failed value.Value) value.Value {
	return c.x.list(c.at, symDo, c.x.list(c.at, symIf, sym, c.report("pass", passed), c.report("fail", failed)), sym)
}

func (c check) body() value.Value {
	if isList(c.form) {
		if items := formItems(c.form); len(items) > 0 && items[0].IsSymbol() {
			return c.call(items)
		}
	}
	return c.any()
}

// call makes the body for a list: what its head asks for; for a function, the
// arguments are evaluated first, so that a failure can show them.
func (c check) call(items []value.Value) value.Value {
	x, head := c.x, items[0]
	switch name := head.AsSymbol().Name; {
	case name == "thrown?" && len(items) >= 2:
		return c.thrown(items[1], items[2:], func(e value.Value) value.Value { return c.report("pass", e) })
	case name == "thrown-with-msg?" && len(items) >= 3:
		return c.thrown(items[1], items[3:], func(e value.Value) value.Value {
			found := x.list(c.at, fnReFind, items[2], x.list(c.at, fnExMessage, e))
			return x.list(c.at, symIf, found, c.report("pass", e), c.report("fail", e))
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
	bindings = append(bindings, result, x.call(c.form, args, head))
	shown := x.call(c.at, args, fnList, x.quote(head))
	failed := x.list(c.at, fnList, x.quote(symPlainNot), shown)
	return x.list(c.at, symLet, x.vec(bindings...), c.result(result, shown, failed))
}

// any makes the body for a form that is evaluated as a whole.
func (c check) any() value.Value {
	g := c.x.Gensym("value")
	return c.x.list(c.at, symLet, c.x.vec(g, c.form), c.result(g, g, g))
}

func (c check) instance(items []value.Value) value.Value {
	x := c.x
	class, object, result := x.Gensym("class"), x.Gensym("object"), x.Gensym("result")
	bindings := x.vec(class, items[1], object, items[2], result, x.list(c.form, items[0], class, object))
	actual := x.list(c.at, fnClass, object)
	return x.list(c.at, symLet, bindings, c.result(result, actual, actual))
}

// thrown makes the body for an expression that is to throw; check returns the form
// that reports the exception.
func (c check) thrown(class value.Value, body []value.Value, check func(e value.Value) value.Value) value.Value {
	x := c.x
	e := x.Gensym("e")
	missed := c.report("fail", value.Nil)
	caught := x.list(c.at, symCatch, class, e, check(e), e)
	return x.call(c.at, append(body[:len(body):len(body)], missed, caught), symTry)
}
