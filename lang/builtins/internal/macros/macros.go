// Package macros defines the macros of the language that are written in Go. The macros of guards and of parallel
// operations are with their functions, in package builtins.
package macros

import (
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/expand"
)

// Entries returns the macros. An expansion names functions with
// their namespace, so that a program may shadow them, and special forms bare.
func Entries() [][]entry.Entry {
	return [][]entry.Entry{bindingMacros, defMacros, choiceMacros, threadMacros, iterationMacros, stateMacros, typeMacros,
		deftypeMacros, withMacros, arrayMacros, refMacros, testMacros}
}

// The special forms.
var (
	symBinding   = expand.BareSym("binding*")
	symCase      = expand.BareSym("case*")
	symCatch     = expand.BareSym("catch")
	symDeclare   = expand.CoreSym("declare")
	symDef       = expand.BareSym("def")
	symDot       = expand.BareSym(".")
	symEnd       = expand.CoreSym("%end")
	symFinally   = expand.BareSym("finally")
	symFold      = expand.CoreSym("%fold")
	symIf        = expand.BareSym("if")
	symLazy      = expand.CoreSym("lazy-seq")
	symLetfn     = expand.BareSym("letfn*")
	symLoop      = expand.BareSym("loop*")
	symNot       = expand.CoreSym("not")
	symPercent   = expand.BareSym("%")
	symRecur     = expand.BareSym("recur")
	symPlainNot  = expand.BareSym("not")
	symTest      = expand.BareSym("test")
	symThrow     = expand.BareSym("throw")
	symThrowable = expand.BareSym("java.lang.Throwable")
	symVar       = expand.BareSym("var")
)

// The functions that expansions call.
var (
	fnAssertFailed = expand.CoreSym("%assert-failed")
	fnConcat       = expand.CoreSym("concat")
	fnAddMethod    = expand.CoreSym("%add-method")
	fnBound        = expand.CoreSym("bound?")
	fnBox          = expand.CoreSym("%box")
	fnBoxLen       = expand.CoreSym("%blen")
	fnChunked      = expand.CoreSym("chunked-seq?")
	fnEqual        = expand.CoreSym("=")
	fnChunk        = expand.CoreSym("%chunk")
	fnCell         = expand.CoreSym("%cell")
	fnChunkCons    = expand.CoreSym("%chunk-cons")
	fnChunkRest    = expand.CoreSym("%chunk-rest")
	fnClock        = expand.CoreSym("%clock")
	fnDelay        = expand.CoreSym("%delay")
	fnElapsed      = expand.CoreSym("%elapsed")
	fnLong         = expand.CoreSym("long")
	fnIsMulti      = expand.CoreSym("%multi?")
	fnMulti        = expand.CoreSym("%multi-fn")
	fnPush         = expand.CoreSym("%push")
	fnAlterMeta    = expand.CoreSym("alter-meta!")
	fnAssoc        = expand.CoreSym("assoc")
	fnVarRoot      = expand.CoreSym("%var-root")
	fnVarSet       = expand.CoreSym("%var-set")
	fnVreset       = expand.CoreSym("vreset!")
	fnWithMeta     = expand.CoreSym("with-meta")
	fnPopOut       = expand.CoreSym("%pop-out")
	fnPushOut      = expand.CoreSym("%push-out")
	fnDeref        = expand.CoreSym("deref")
	fnCons         = expand.CoreSym("cons")
	fnFirst        = expand.CoreSym("first")
	fnGet          = expand.CoreSym("get")
	fnInc          = expand.CoreSym("inc")
	fnKwargs       = expand.CoreSym("%kwargs")
	fnLess         = expand.CoreSym("<")
	fnNext         = expand.CoreSym("next")
	fnNil          = expand.CoreSym("nil?")
	fnNoMatch      = expand.CoreSym("%no-match")
	fnNth          = expand.CoreSym("nth")
	fnPrStr        = expand.CoreSym("pr-str")
	fnExtend       = expand.CoreSym("extend")
	fnMapRecord    = expand.CoreSym("%map->record")
	fnProtocol     = expand.CoreSym("%protocol")
	fnProtocolFn   = expand.CoreSym("%protocol-fn")
	fnRecord       = expand.CoreSym("%record")
	fnRecordType   = expand.CoreSym("%record-type")
	fnReify        = expand.CoreSym("%reify")
	fnObject       = expand.CoreSym("%object")
	fnField        = expand.CoreSym("%field-named")
	symFields      = expand.CoreSym("%fields")
	fnClass        = expand.CoreSym("class")
	fnExMessage    = expand.CoreSym("ex-message")
	fnList         = expand.CoreSym("list")
	fnReFind       = expand.CoreSym("re-find")
	fnReduced      = expand.CoreSym("reduced")
	fnRest         = expand.CoreSym("rest")
	fnSeq          = expand.CoreSym("seq")
	fnStr          = expand.CoreSym("str")
)
