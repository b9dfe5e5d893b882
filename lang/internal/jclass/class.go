// Package jclass defines the Java classes that programs name, what they extend, and which values are instances of them.
package jclass

import (
	"strings"
	"sync"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
)

// Supers returns the classes and interfaces that each class extends directly, as in Clojure 1.11 on
// Java 17, if they are listed too. Package diag has the exceptions.
var Supers = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"long": "", "int": "", "short": "", "byte": "", "double": "", "float": "", "char": "", "boolean": "",
		"java.lang.Object": "", "java.io.Serializable": "", "java.lang.Comparable": "", "java.lang.CharSequence": "",
		"java.lang.Iterable": "", "java.lang.Runnable": "", "java.util.concurrent.Callable": "", "java.util.Comparator": "",
		"java.util.RandomAccess": "", "java.util.Iterator": "", "clojure.lang.SeqIterator": "java.util.Iterator",
		"java.util.function.Function": "", "java.util.function.BiFunction": "",
		"java.util.function.Predicate": "", "java.util.function.Supplier": "", "java.util.function.Consumer": "",
		"java.util.function.UnaryOperator":  "java.util.function.Function",
		"java.util.function.BinaryOperator": "java.util.function.BiFunction",
		"java.lang.AutoCloseable":           "", "java.io.Closeable": "java.lang.AutoCloseable",
		"[Ljava.lang.Object;": "", "[Ljava.lang.String;": "", "[Ljava.lang.Long;": "", "[J": "", "[I": "", "[S": "", "[B": "",
		"[D": "", "[F": "", "[C": "", "[Z": "", "[[Ljava.lang.Object;": "",
		"java.lang.ThreadLocal": "", "java.lang.ref.Reference": "", "java.lang.ref.ReferenceQueue": "",
		"java.lang.ref.SoftReference": "java.lang.ref.Reference", "java.lang.ref.WeakReference": "java.lang.ref.Reference",
		"java.util.Map": "", "java.util.Map$Entry": "", "java.util.AbstractMap$SimpleEntry": "java.util.Map$Entry",
		"java.util.AbstractMap$SimpleImmutableEntry": "java.util.Map$Entry",
		"java.util.Collection":                       "java.lang.Iterable", "java.util.List": "java.util.Collection",
		"java.util.Set":   "java.util.Collection",
		"java.lang.Class": "java.io.Serializable", "java.lang.Void": "", "java.lang.Math": "", "java.lang.System": "",
		"java.lang.Thread":     "java.lang.Runnable",
		"java.lang.String":     "java.lang.CharSequence java.lang.Comparable java.io.Serializable",
		"java.lang.Number":     "java.io.Serializable",
		"java.lang.Long":       "java.lang.Number java.lang.Comparable",
		"java.lang.Integer":    "java.lang.Number java.lang.Comparable",
		"java.lang.Short":      "java.lang.Number java.lang.Comparable",
		"java.lang.Byte":       "java.lang.Number java.lang.Comparable",
		"java.lang.Float":      "java.lang.Number java.lang.Comparable",
		"java.lang.Double":     "java.lang.Number java.lang.Comparable",
		"java.lang.Boolean":    "java.lang.Comparable java.io.Serializable",
		"java.lang.Character":  "java.lang.Comparable java.io.Serializable",
		"java.io.StringWriter": "java.io.Writer", "java.io.Writer": "java.io.Closeable",
		"java.io.PrintWriter": "java.io.Writer", "java.io.BufferedWriter": "java.io.Writer",
		"java.io.OutputStreamWriter": "java.io.Writer", "java.io.FileWriter": "java.io.Writer",
		"java.io.Reader": "java.io.Closeable", "java.io.StringReader": "java.io.Reader",
		"java.io.BufferedReader": "java.io.Reader", "java.io.PushbackReader": "java.io.Reader",
		"java.io.LineNumberReader": "java.io.BufferedReader", "java.io.InputStreamReader": "java.io.Reader",
		"java.io.FileReader": "java.io.InputStreamReader", "java.io.InputStream": "java.io.Closeable",
		"java.io.ByteArrayInputStream":             "java.io.InputStream",
		"clojure.lang.LineNumberingPushbackReader": "java.io.PushbackReader",
		"java.time.temporal.TemporalAccessor":      "", "java.time.temporal.TemporalAmount": "",
		"java.time.temporal.Temporal": "java.time.temporal.TemporalAccessor",
		"java.time.LocalDate":         temporalClass, "java.time.LocalTime": temporalClass,
		"java.time.LocalDateTime": temporalClass, "java.time.Instant": temporalClass,
		"java.time.OffsetDateTime": temporalClass, "java.time.ZonedDateTime": temporalClass,
		"java.time.YearMonth": temporalClass, "java.time.Year": temporalClass,
		"java.time.MonthDay":            "java.time.temporal.TemporalAccessor java.lang.Comparable java.io.Serializable",
		"java.time.temporal.WeekFields": "java.io.Serializable", "java.time.temporal.IsoFields": "",
		"java.time.Duration": "java.time.temporal.TemporalAmount java.lang.Comparable java.io.Serializable",
		"java.time.Period":   "java.time.temporal.TemporalAmount java.io.Serializable",
		"java.time.ZoneId":   "java.io.Serializable", "java.time.ZoneOffset": "java.time.ZoneId java.lang.Comparable",
		"java.time.ZoneRegion": "java.time.ZoneId", "java.lang.Enum": "java.lang.Comparable java.io.Serializable",
		"java.time.DayOfWeek":           "java.lang.Enum java.time.temporal.TemporalAccessor",
		"java.time.Month":               "java.lang.Enum java.time.temporal.TemporalAccessor",
		"java.time.temporal.ChronoUnit": "java.lang.Enum", "java.time.temporal.ChronoField": "java.lang.Enum",
		"java.time.temporal.TemporalAdjuster": "", "java.time.temporal.TemporalAdjusters": "",
		"java.time.format.DateTimeFormatter": "", "java.time.format.TextStyle": "java.lang.Enum",
		"java.time.format.FormatStyle": "java.lang.Enum",
		"java.io.File":                 "java.io.Serializable java.lang.Comparable",
		"java.lang.StringBuffer":       "java.lang.CharSequence java.lang.Comparable java.io.Serializable",
		"java.lang.StringBuilder":      "java.lang.CharSequence java.lang.Comparable java.io.Serializable",
		"java.math.BigDecimal":         "java.lang.Number java.lang.Comparable",
		"java.math.BigInteger":         "java.lang.Number java.lang.Comparable", "java.math.RoundingMode": "",
		"java.util.Locale": "", "java.math.MathContext": "",
		"java.util.UUID": "java.lang.Comparable java.io.Serializable",
		"java.util.Date": "java.lang.Comparable java.io.Serializable", "java.util.Random": "", "java.util.Objects": "",
		"java.util.regex.Pattern": "java.io.Serializable", "java.util.regex.Matcher": "",
		"java.util.ArrayList": "java.util.List java.util.RandomAccess", "java.util.HashMap": "java.util.Map",
		"java.util.HashSet": "java.util.Set", "java.util.LinkedHashMap": "java.util.HashMap",
		"java.util.LinkedHashSet": "java.util.HashSet", "java.util.TreeMap": "java.util.SortedMap",
		"java.lang.StackTraceElement": "java.io.Serializable", "java.lang.reflect.Method": "",
		"java.util.Hashtable":   "java.util.Map java.io.Serializable",
		"java.util.WeakHashMap": "java.util.Map", "java.util.IdentityHashMap": "java.util.Map",
		"java.util.TreeSet": "java.util.SortedSet", "java.util.SortedMap": "java.util.Map",
		"java.util.SortedSet": "java.util.Set", "java.util.Queue": "java.util.Collection",
		"java.util.Deque": "java.util.Queue", "java.util.Scanner": "java.io.Closeable",
		"java.util.Collections": "", "java.util.Arrays": "", "java.util.LinkedList": "java.util.List java.util.Deque",
		"java.util.ArrayDeque": "java.util.Deque", "java.util.PriorityQueue": "java.util.Queue",
		"java.util.Vector": "java.util.List java.util.RandomAccess", "java.util.Stack": "java.util.Vector",

		"clojure.lang.Compiler": "", "clojure.lang.Box": "", "clojure.lang.LispReader$StringReader": "clojure.lang.AFn",
		"java.util.Base64": "", "java.util.Base64$Encoder": "", "java.util.Base64$Decoder": "",
		"java.security.MessageDigest": "", "javax.crypto.Mac": "", "java.util.zip.CRC32": "java.util.zip.Checksum",
		"java.util.zip.Adler32": "java.util.zip.Checksum", "java.util.zip.Checksum": "",
		"javax.crypto.spec.SecretKeySpec": "java.security.Key", "java.security.Key": "java.io.Serializable",
		"java.nio.charset.Charset": "java.lang.Comparable", "java.nio.charset.StandardCharsets": "",
		"java.net.URLEncoder": "", "java.net.URLDecoder": "", "java.net.URI": "java.lang.Comparable java.io.Serializable",
		"java.net.URL":           "java.io.Serializable",
		"java.text.NumberFormat": "java.text.Format", "java.text.DecimalFormat": "java.text.NumberFormat",
		"java.text.Format": "java.io.Serializable", "java.text.SimpleDateFormat": "java.text.DateFormat",
		"java.text.DateFormat": "java.text.Format", "java.text.DecimalFormatSymbols": "",
		"java.util.TimeZone": "java.io.Serializable", "java.util.Calendar": "java.lang.Comparable java.io.Serializable",
		"java.util.GregorianCalendar": "java.util.Calendar",
		"java.util.Optional":          "", "java.util.StringJoiner": "", "java.io.OutputStream": "java.io.Closeable",
		"java.io.ByteArrayOutputStream": "java.io.OutputStream",

		"clojure.lang.RT": "", "clojure.lang.Numbers": "", "clojure.lang.Util": "", "clojure.lang.Murmur3": "",
		"java.util.concurrent.atomic.AtomicReference": "", "java.util.AbstractMap": "java.util.Map",
		"java.util.concurrent.atomic.AtomicLong":     "java.lang.Number",
		"java.util.concurrent.atomic.AtomicInteger":  "java.lang.Number",
		"java.util.concurrent.atomic.LongAdder":      "java.lang.Number",
		"java.util.concurrent.atomic.AtomicBoolean":  "",
		"java.util.concurrent.locks.Lock":            "",
		"java.util.concurrent.locks.ReentrantLock":   "java.util.concurrent.locks.Lock",
		"java.util.concurrent.Semaphore":             "",
		"java.util.HashMap$EntrySet":                 "java.util.Set",
		"java.text.MessageFormat":                    "java.text.Format",
		"java.util.BitSet":                           "java.io.Serializable",
		"java.util.Enumeration":                      "",
		"java.util.StringTokenizer":                  "java.util.Enumeration",
		"java.util.concurrent.ThreadLocalRandom":     "java.util.Random",
		"java.util.concurrent.ConcurrentMap":         "java.util.Map",
		"java.util.concurrent.ConcurrentHashMap":     "java.util.concurrent.ConcurrentMap",
		"java.util.concurrent.ConcurrentSkipListMap": "java.util.concurrent.ConcurrentMap java.util.SortedMap",
		"java.util.concurrent.ConcurrentSkipListSet": "java.util.SortedSet",
		"java.util.concurrent.ConcurrentLinkedQueue": "java.util.Queue",
		"java.util.concurrent.ConcurrentLinkedDeque": "java.util.Deque",
		"java.util.concurrent.BlockingQueue":         "java.util.Queue",
		"java.util.concurrent.LinkedBlockingQueue":   "java.util.concurrent.BlockingQueue",
		"java.util.concurrent.LinkedBlockingDeque":   "java.util.concurrent.BlockingQueue java.util.Deque",
		"java.util.concurrent.ArrayBlockingQueue":    "java.util.concurrent.BlockingQueue",
		"java.util.concurrent.PriorityBlockingQueue": "java.util.concurrent.BlockingQueue",
		"java.util.concurrent.CopyOnWriteArrayList":  "java.util.List java.util.RandomAccess",
		"java.util.concurrent.CompletableFuture":     "java.util.concurrent.Future",
		"clojure.core.protocols.CollReduce":          "", "clojure.core.protocols.IKVReduce": "",
		"clojure.core.protocols.InternalReduce": "", "clojure.core.protocols.Datafiable": "",
		"clojure.core.protocols.Navigable":    "",
		"clojure.lang.ITransientMap":          "clojure.lang.ITransientAssociative clojure.lang.Counted",
		"clojure.lang.ITransientSet":          "clojure.lang.ITransientCollection clojure.lang.Counted",
		"clojure.lang.ITransientVector":       "clojure.lang.ITransientAssociative clojure.lang.Indexed",
		"clojure.lang.ITransientAssociative2": "clojure.lang.ITransientAssociative",
		"clojure.lang.IChunk":                 "clojure.lang.Indexed",
		"clojure.lang.ILookupSite":            "", "clojure.lang.IProxy": "", "clojure.lang.IKeywordLookup": "",
		"java.util.ListIterator": "java.util.Iterator",
		"clojure.lang.IMeta":     "", "clojure.lang.IObj": "clojure.lang.IMeta",
		"clojure.lang.Obj":     "clojure.lang.IObj java.io.Serializable",
		"clojure.lang.Seqable": "", "clojure.lang.ILookup": "", "clojure.lang.Counted": "", "clojure.lang.Sequential": "",
		"clojure.lang.Sorted":     "",
		"clojure.lang.Reversible": "", "clojure.lang.Named": "", "clojure.lang.IDeref": "", "clojure.lang.IPending": "",
		"clojure.lang.IHashEq":     "",
		"clojure.lang.IReduceInit": "", "clojure.lang.IBlockingDeref": "", "clojure.lang.IReduce": "clojure.lang.IReduceInit",
		"clojure.lang.IKVReduce":           "",
		"clojure.lang.IEditableCollection": "", "clojure.lang.MapEquivalence": "", "clojure.lang.IMapIterable": "",
		"clojure.lang.IRecord": "", "clojure.lang.IType": "", "clojure.lang.ReaderConditional": "clojure.lang.ILookup",
		"clojure.lang.Fn": "", "clojure.lang.IExceptionInfo": "", "clojure.lang.Settable": "",
		"clojure.lang.IFn": "java.util.concurrent.Callable java.lang.Runnable",
		"clojure.lang.AFn": "clojure.lang.IFn",
		Function: "clojure.lang.AFn clojure.lang.IObj java.util.Comparator " +
			"clojure.lang.Fn java.io.Serializable",
		"clojure.lang.RestFn":                Function,
		"clojure.lang.IPersistentCollection": "clojure.lang.Seqable",
		"clojure.lang.ISeq":                  "clojure.lang.IPersistentCollection",
		"clojure.lang.IndexedSeq":            "clojure.lang.ISeq clojure.lang.Sequential clojure.lang.Counted",
		"clojure.lang.IChunkedSeq":           "clojure.lang.ISeq clojure.lang.Sequential",
		"clojure.lang.Associative":           "clojure.lang.IPersistentCollection clojure.lang.ILookup",
		"clojure.lang.IPersistentStack":      "clojure.lang.IPersistentCollection",
		"clojure.lang.Indexed":               "clojure.lang.Counted",
		"clojure.lang.IPersistentVector": "clojure.lang.Associative clojure.lang.Sequential " +
			"clojure.lang.IPersistentStack clojure.lang.Reversible clojure.lang.Indexed",
		"clojure.lang.IPersistentList": "clojure.lang.Sequential clojure.lang.IPersistentStack",
		"clojure.lang.IPersistentMap":  "java.lang.Iterable clojure.lang.Associative clojure.lang.Counted",
		"clojure.lang.IPersistentSet":  "clojure.lang.IPersistentCollection clojure.lang.Counted",
		"clojure.lang.IMapEntry":       "java.util.Map$Entry",
		"clojure.lang.APersistentVector": "clojure.lang.AFn clojure.lang.IPersistentVector java.lang.Iterable " +
			"java.util.List java.util.RandomAccess java.lang.Comparable java.io.Serializable clojure.lang.IHashEq",
		"clojure.lang.PersistentVector": "clojure.lang.APersistentVector clojure.lang.IObj " +
			"clojure.lang.IEditableCollection clojure.lang.IReduce clojure.lang.IKVReduce",
		"clojure.lang.AMapEntry": "clojure.lang.APersistentVector clojure.lang.IMapEntry",
		"clojure.lang.MapEntry":  "clojure.lang.AMapEntry",
		"clojure.lang.APersistentMap": "clojure.lang.AFn clojure.lang.IPersistentMap java.util.Map " +
			"java.io.Serializable clojure.lang.MapEquivalence clojure.lang.IHashEq",
		"clojure.lang.PersistentArrayMap": "clojure.lang.APersistentMap clojure.lang.IObj " +
			"clojure.lang.IEditableCollection clojure.lang.IMapIterable clojure.lang.IKVReduce",
		"clojure.lang.PersistentHashMap": "clojure.lang.APersistentMap clojure.lang.IObj " +
			"clojure.lang.IEditableCollection clojure.lang.IMapIterable clojure.lang.IKVReduce",
		"clojure.lang.PersistentTreeMap": "clojure.lang.APersistentMap clojure.lang.IObj clojure.lang.Reversible " +
			"clojure.lang.Sorted clojure.lang.IKVReduce",
		"clojure.lang.APersistentSet": "clojure.lang.AFn clojure.lang.IPersistentSet java.util.Set " +
			"java.io.Serializable clojure.lang.IHashEq",
		"clojure.lang.PersistentHashSet": "clojure.lang.APersistentSet clojure.lang.IObj " +
			"clojure.lang.IEditableCollection",
		"clojure.lang.PersistentTreeSet": "clojure.lang.APersistentSet clojure.lang.IObj clojure.lang.Reversible " +
			"clojure.lang.Sorted",
		"clojure.lang.ASeq": "clojure.lang.Obj clojure.lang.ISeq clojure.lang.Sequential " +
			"java.util.List clojure.lang.IHashEq",
		"clojure.lang.PersistentList": "clojure.lang.ASeq clojure.lang.IPersistentList clojure.lang.IReduce " +
			"clojure.lang.Counted",
		"clojure.lang.PersistentList$EmptyList": "clojure.lang.Obj clojure.lang.IPersistentList java.util.List " +
			"clojure.lang.ISeq clojure.lang.Counted clojure.lang.IHashEq",
		"clojure.lang.Cons":        "clojure.lang.ASeq",
		"clojure.lang.ChunkedCons": "clojure.lang.ASeq clojure.lang.IChunkedSeq",
		"clojure.lang.LazySeq": "clojure.lang.Obj clojure.lang.ISeq clojure.lang.Sequential " +
			"java.util.List clojure.lang.IPending clojure.lang.IHashEq",
		"clojure.lang.Range": "clojure.lang.ASeq clojure.lang.IChunkedSeq clojure.lang.IReduce",
		"clojure.lang.LongRange": "clojure.lang.ASeq clojure.lang.Counted clojure.lang.IChunkedSeq " +
			"clojure.lang.IReduce",
		"clojure.lang.Repeat":                      "clojure.lang.ASeq clojure.lang.IReduce",
		"clojure.lang.Iterate":                     "clojure.lang.ASeq clojure.lang.IReduce clojure.lang.IPending",
		"clojure.lang.Cycle":                       "clojure.lang.ASeq clojure.lang.IReduce clojure.lang.IPending",
		"clojure.lang.StringSeq":                   "clojure.lang.ASeq clojure.lang.IndexedSeq",
		"clojure.lang.PersistentVector$ChunkedSeq": "clojure.lang.ASeq clojure.lang.IChunkedSeq clojure.lang.Counted",
		"clojure.lang.APersistentVector$RSeq":      "clojure.lang.ASeq clojure.lang.IndexedSeq",
		"clojure.lang.APersistentMap$KeySeq":       "clojure.lang.ASeq",
		"clojure.lang.APersistentMap$ValSeq":       "clojure.lang.ASeq",
		"clojure.lang.PersistentArrayMap$Seq":      "clojure.lang.ASeq clojure.lang.Counted",
		"clojure.lang.PersistentHashMap$NodeSeq":   "clojure.lang.ASeq",
		"clojure.lang.PersistentTreeMap$Seq":       "clojure.lang.ASeq",
		"clojure.lang.PersistentQueue": "clojure.lang.Obj clojure.lang.IPersistentList java.util.Collection " +
			"clojure.lang.Counted clojure.lang.IHashEq",
		"clojure.lang.Keyword": "clojure.lang.IFn java.lang.Comparable clojure.lang.Named " +
			"java.io.Serializable clojure.lang.IHashEq",
		"clojure.lang.Symbol": "clojure.lang.AFn clojure.lang.IObj java.lang.Comparable clojure.lang.Named " +
			"java.io.Serializable clojure.lang.IHashEq",
		"clojure.lang.Ratio":      "java.lang.Number java.lang.Comparable",
		"clojure.lang.BigInt":     "java.lang.Number clojure.lang.IHashEq",
		"clojure.lang.IReference": "clojure.lang.IMeta",
		"clojure.lang.IRef":       "clojure.lang.IDeref",
		"clojure.lang.IAtom":      "", "clojure.lang.IAtom2": "clojure.lang.IAtom",
		"clojure.lang.ARef":           "clojure.lang.IReference clojure.lang.IRef",
		"clojure.lang.Atom":           "clojure.lang.ARef clojure.lang.IAtom2",
		"clojure.lang.Ref":            "clojure.lang.ARef java.lang.Comparable clojure.lang.IFn",
		"clojure.lang.Var":            "clojure.lang.ARef clojure.lang.IFn clojure.lang.Settable java.io.Serializable",
		"clojure.lang.Volatile":       "clojure.lang.IDeref",
		"clojure.lang.Delay":          "clojure.lang.IDeref clojure.lang.IPending",
		"clojure.lang.Reduced":        "clojure.lang.IDeref",
		"java.util.concurrent.Future": "",
		"clojure.core$future_call$reify": "clojure.lang.IDeref clojure.lang.IBlockingDeref clojure.lang.IPending " +
			"java.util.concurrent.Future",
		"clojure.core$promise$reify": "clojure.lang.IDeref clojure.lang.IBlockingDeref clojure.lang.IPending " +
			"clojure.lang.IFn",
		"java.util.concurrent.CountDownLatch": "", "java.util.concurrent.Executor": "", "java.util.concurrent.Executors": "",
		"java.util.concurrent.ExecutorService":    "java.util.concurrent.Executor",
		"java.util.concurrent.ThreadPoolExecutor": "java.util.concurrent.ExecutorService",
		"java.util.concurrent.TimeUnit":           "java.lang.Enum",
		"clojure.lang.Agent":                      "clojure.lang.ARef",
		"clojure.lang.MultiFn":                    "clojure.lang.AFn",
		"clojure.lang.Namespace":                  "clojure.lang.IReference java.io.Serializable",
		"clojure.lang.TaggedLiteral":              "clojure.lang.ILookup",
		"clojure.lang.ITransientCollection":       "",
		"clojure.lang.ITransientAssociative": "clojure.lang.ITransientCollection " +
			"clojure.lang.ILookup",
		"clojure.lang.PersistentVector$TransientVector": "clojure.lang.AFn clojure.lang.ITransientAssociative " +
			"clojure.lang.Counted",
		"clojure.lang.PersistentArrayMap$TransientArrayMap": "clojure.lang.AFn clojure.lang.ITransientAssociative " +
			"clojure.lang.Counted",
		"clojure.lang.PersistentHashMap$TransientHashMap": "clojure.lang.AFn clojure.lang.ITransientAssociative " +
			"clojure.lang.Counted",
		"clojure.lang.PersistentHashSet$TransientHashSet": "clojure.lang.AFn clojure.lang.ITransientCollection " +
			"clojure.lang.Counted",
	}
})

// Function is the class that the class of each function extends.
const Function = "clojure.lang.AFunction"

// RecordSupers are the interfaces that every record implements.
const RecordSupers = "clojure.lang.IRecord clojure.lang.IHashEq clojure.lang.IObj clojure.lang.ILookup " +
	"clojure.lang.IKeywordLookup clojure.lang.IPersistentMap java.util.Map java.io.Serializable"

// TypeSupers are the interfaces that the objects of every type have.
const TypeSupers = "clojure.lang.IType"

// SupersOfType returns the interfaces that a type of the program has without naming them.
func SupersOfType(typ *value.RecordType) string {
	if Implements(typ, TypeSupers) {
		return TypeSupers
	}
	return RecordSupers
}

// ExceptionClasses are classes without instances and subclasses in PTC, which programs name for static methods
// or in a catch clause.
var ExceptionClasses = strings.Fields(`java.lang.Throwable java.lang.Exception java.lang.RuntimeException java.lang.Error
java.lang.ArithmeticException java.lang.ArrayIndexOutOfBoundsException java.lang.AssertionError java.lang.ClassCastException
java.lang.ClassNotFoundException java.lang.IllegalArgumentException java.lang.IllegalStateException
java.lang.IndexOutOfBoundsException java.lang.InterruptedException java.lang.NullPointerException
java.lang.NumberFormatException java.lang.StackOverflowError java.lang.OutOfMemoryError
java.lang.StringIndexOutOfBoundsException java.lang.UnsupportedOperationException java.io.IOException
java.io.FileNotFoundException java.net.SocketTimeoutException java.net.ConnectException java.net.UnknownHostException
java.util.NoSuchElementException java.util.regex.PatternSyntaxException java.util.IllegalFormatException
java.util.concurrent.TimeoutException java.util.concurrent.ExecutionException java.util.concurrent.CancellationException
java.util.concurrent.CompletionException java.lang.IllegalMonitorStateException
java.util.concurrent.RejectedExecutionException java.util.EmptyStackException java.lang.IllegalThreadStateException
java.time.format.DateTimeParseException
java.lang.NegativeArraySizeException java.lang.IllegalAccessError java.lang.AbstractMethodError java.lang.IncompatibleClassChangeError
java.lang.LinkageError java.lang.NoSuchFieldException java.lang.CloneNotSupportedException java.io.EOFException java.io.UncheckedIOException
java.util.ConcurrentModificationException java.util.InputMismatchException java.time.DateTimeException java.time.temporal.UnsupportedTemporalTypeException java.time.zone.ZoneRulesException
java.lang.SecurityException java.net.URISyntaxException java.net.MalformedURLException java.io.UnsupportedEncodingException
java.nio.charset.UnsupportedCharsetException java.nio.charset.IllegalCharsetNameException java.text.ParseException
java.lang.ArrayStoreException java.security.GeneralSecurityException java.security.NoSuchAlgorithmException java.security.InvalidKeyException
java.util.DuplicateFormatFlagsException java.util.FormatFlagsConversionMismatchException java.util.IllegalFormatArgumentIndexException
java.util.IllegalFormatCodePointException java.util.IllegalFormatConversionException java.util.IllegalFormatFlagsException
java.util.IllegalFormatPrecisionException java.util.IllegalFormatWidthException java.util.MissingFormatArgumentException
java.util.MissingFormatWidthException java.util.UnknownFormatConversionException java.util.UnknownFormatFlagsException
clojure.lang.ExceptionInfo clojure.lang.ArityException clojure.lang.Compiler$CompilerException`)

// temporalClass are the interfaces of the classes of dates and times.
const temporalClass = "java.time.temporal.Temporal java.lang.Comparable java.io.Serializable"

// Names returns the full name of every class by its full and its simple name.
var Names = sync.OnceValue(func() map[string]string {
	names := make(map[string]string, 2*len(Supers()))
	add := func(full string) {
		names[full] = full
		if !strings.Contains(full, "$") {
			names[SimpleName(full)] = full
		}
	}
	for full := range Supers() {
		add(full)
	}
	for _, full := range ExceptionClasses {
		add(full)
	}
	return names
})

// classes holds the one value of each class.
var classes = sync.OnceValue(func() map[string]value.Value {
	m := make(map[string]value.Value, len(Names()))
	for _, full := range Names() {
		if m[full].IsNil() {
			m[full] = value.ConstClass(full)
		}
	}
	return m
})

// Class returns the class of a full or simple name.
func Class(name string) (value.Value, bool) {
	full, ok := Names()[name]
	if !ok {
		return value.Nil, false
	}
	return classes()[full], true
}

// InstanceOf reports whether v is an instance of a class, given by its full name.
func InstanceOf(v value.Value, class string) bool {
	switch {
	case v.IsNil():
		return false
	case class == "java.lang.Object":
		return true
	}
	switch v.Kind() {
	case value.KindRecord:
		return Implements(v.AsRecord().Type, class) || AnyExtends(RecordSupers, class)
	case value.KindObject:
		return Implements(v.AsObject().Type, class)
	case value.KindFn, value.KindNative, value.KindProtocolFn:
		return Extends(Function, class) || class == value.ClassName(v)
	case value.KindException:
		return Extends(v.AsException().Class, class) ||
			class == "clojure.lang.IExceptionInfo" && diag.ClassExtends(v.AsException().Class, "clojure.lang.ExceptionInfo")
	}
	return Extends(value.ClassName(v), class)
}

// Implements reports whether a type has a name, or its definition has methods of the class with
// that name.
func Implements(typ *value.RecordType, class string) bool {
	if typ.Name == class {
		return true
	}
	if typ.Impls.IsNil() {
		return false
	}
	for it := value.NewMapIter(typ.Impls); it.Next(); {
		if it.Key.Kind() == value.KindType && Extends(it.Key.AsType().Name, class) ||
			it.Key.Kind() == value.KindProtocol && strings.ReplaceAll(it.Key.AsProtocol().Name, "/", ".") == class {
			return true
		}
	}
	return false
}

// Extends reports whether class is ancestor or extends it.
func Extends(class, ancestor string) bool {
	return class == ancestor || ancestor == "java.lang.Object" || AnyExtends(SupersOf(class), ancestor) ||
		diag.ClassExtends(class, ancestor)
}

// SupersOf returns the classes and interfaces that a class extends directly, separated by spaces. A class that is not
// known, with a dollar in its name, is that of a function.
func SupersOf(class string) string {
	supers, known := Supers()[class]
	if !known && strings.Contains(class, "$") {
		return Function
	}
	return supers
}

// AnyExtends reports whether one of the classes of a list, separated by spaces, is ancestor or extends it.
func AnyExtends(list, ancestor string) bool {
	for list != "" {
		var class string
		class, list, _ = strings.Cut(list, " ")
		if Extends(class, ancestor) {
			return true
		}
	}
	return false
}

// SimpleName returns the name of a class without its package.
func SimpleName(class string) string { return class[strings.LastIndexAny(class, ".$")+1:] }

// ClassOf returns the class or record type of a value that is not nil.
func ClassOf(_ *value.Task, v value.Value) value.Value {
	if typ := value.TypeOf(v); typ != nil {
		return value.Of(&typ.Header)
	}
	if class, ok := Class(value.ClassName(v)); ok {
		return class
	}
	switch v.Kind() {
	case value.KindFn, value.KindNative, value.KindProtocolFn:
		class, _ := Class(Function)
		return class
	}
	class, _ := Class("java.lang.Object")
	return class
}

// IsA reports whether v is of a class or record type.
func IsA(v value.Value, typ *value.RecordType) bool {
	if !typ.Class {
		return value.TypeOf(v) == typ
	}
	return InstanceOf(v, typ.Name)
}

// ObjectClass is the name of the class that every value but nil belongs to.
const ObjectClass = "java.lang.Object"
