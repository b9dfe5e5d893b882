// This file defines the table of the macros written in Go, and the symbols that
// their expansions are made of.

package builtins

import (
	"github.com/ptc-lang/ptc/lang/value"
)

// macros are the macros of the language. An expansion names functions with
// their namespace, so that a program may shadow them, and special forms bare.
func macros() [][]Entry {
	return [][]Entry{bindingMacros, defMacros, choiceMacros, threadMacros, iterationMacros, stateMacros, typeMacros,
		deftypeMacros, withMacros, arrayMacros, refMacros, testMacros}
}

// bareSym returns the symbol of a special form.
func bareSym(name string) value.Value { return value.ConstSymbol("", name) }

// coreSym returns the symbol of a name of clojure.core.
func coreSym(name string) value.Value { return value.ConstSymbol("clojure.core", name) }

// The special forms.
var (
	symBinding   = bareSym("binding*")
	symCase      = bareSym("case*")
	symCatch     = bareSym("catch")
	symDeclare   = coreSym("declare")
	symDef       = bareSym("def")
	symDot       = bareSym(".")
	symFinally   = bareSym("finally")
	symFold      = coreSym("%fold")
	symIf        = bareSym("if")
	symLazy      = coreSym("lazy-seq")
	symLetfn     = bareSym("letfn*")
	symLoop      = bareSym("loop*")
	symNot       = coreSym("not")
	symPercent   = bareSym("%")
	symRecur     = bareSym("recur")
	symPlainNot  = bareSym("not")
	symTest      = bareSym("test")
	symThrow     = bareSym("throw")
	symThrowable = bareSym("java.lang.Throwable")
	symVar       = bareSym("var")
)

// The functions that expansions call.
var (
	fnAssertFailed = coreSym("%assert-failed")
	fnConcat       = coreSym("concat")
	fnAddMethod    = coreSym("%add-method")
	fnBound        = coreSym("bound?")
	fnBox          = coreSym("%box")
	fnBoxLen       = coreSym("%blen")
	fnChunked      = coreSym("chunked-seq?")
	fnEqual        = coreSym("=")
	fnChunk        = coreSym("%chunk")
	fnChunkCons    = coreSym("%chunk-cons")
	fnChunkRest    = coreSym("%chunk-rest")
	fnClock        = coreSym("%clock")
	fnDelay        = coreSym("%delay")
	fnElapsed      = coreSym("%elapsed")
	fnLong         = coreSym("long")
	fnIsMulti      = coreSym("%multi?")
	fnMulti        = coreSym("%multi-fn")
	fnPush         = coreSym("%push")
	fnAlterMeta    = coreSym("alter-meta!")
	fnAssoc        = coreSym("assoc")
	fnVarRoot      = coreSym("%var-root")
	fnVarSet       = coreSym("%var-set")
	fnVreset       = coreSym("vreset!")
	fnWithMeta     = coreSym("with-meta")
	fnPopOut       = coreSym("%pop-out")
	fnPushOut      = coreSym("%push-out")
	fnDeref        = coreSym("deref")
	fnFirst        = coreSym("first")
	fnGet          = coreSym("get")
	fnInc          = coreSym("inc")
	fnKwargs       = coreSym("%kwargs")
	fnLess         = coreSym("<")
	fnNext         = coreSym("next")
	fnNil          = coreSym("nil?")
	fnNoMatch      = coreSym("%no-match")
	fnNth          = coreSym("nth")
	fnPrStr        = coreSym("pr-str")
	fnExtend       = coreSym("extend")
	fnMapRecord    = coreSym("%map->record")
	fnProtocol     = coreSym("%protocol")
	fnProtocolFn   = coreSym("%protocol-fn")
	fnRecord       = coreSym("%record")
	fnRecordType   = coreSym("%record-type")
	fnReify        = coreSym("%reify")
	fnObject       = coreSym("%object")
	fnField        = coreSym("%field-named")
	symFields      = coreSym("%fields")
	fnClass        = coreSym("class")
	fnExMessage    = coreSym("ex-message")
	fnList         = coreSym("list")
	fnReFind       = coreSym("re-find")
	fnReduced      = coreSym("reduced")
	fnRest         = coreSym("rest")
	fnSeq          = coreSym("seq")
	fnStr          = coreSym("str")
)
