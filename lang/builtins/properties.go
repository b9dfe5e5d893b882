// This file defines the properties of objects, which bean reads, and the methods that get them.

package builtins

import (
	"strings"
	"sync"

	"github.com/ptc-lang/ptc/lang/builtins/internal/java"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/jclass"
	"github.com/ptc-lang/ptc/lang/value"
)

// propertyLines are the properties of classes that have more than the class, as java.beans.Introspector lists them on
// Java 17; only those whose methods the language has. After a class follow its properties with their types, which are
// int if none is given; ? stands for the method is… of type boolean. Classes that extend one of the last three, and
// have no line of their own, have its properties.
const propertyLines = `clojure.lang.Atom validator:clojure.lang.IFn watches:clojure.lang.IPersistentMap
clojure.lang.Keyword name:java.lang.String namespace:java.lang.String
clojure.lang.MapEntry ?empty key:java.lang.Object value:java.lang.Object
clojure.lang.Symbol name:java.lang.String namespace:java.lang.String
java.io.File ?absolute absoluteFile:java.io.File absolutePath:java.lang.String canonicalFile:java.io.File ` +
	`canonicalPath:java.lang.String ?directory ?file name:java.lang.String parent:java.lang.String ` +
	`parentFile:java.io.File path:java.lang.String
java.lang.Double ?infinite ?naN
java.lang.Float ?infinite ?naN
java.lang.StackTraceElement className:java.lang.String fileName:java.lang.String lineNumber ` +
	`methodName:java.lang.String
java.lang.String ?blank bytes:[B ?empty
java.math.BigInteger lowestSetBit
java.net.URI ?absolute authority:java.lang.String fragment:java.lang.String host:java.lang.String ?opaque ` +
	`path:java.lang.String port query:java.lang.String rawAuthority:java.lang.String rawFragment:java.lang.String ` +
	`rawPath:java.lang.String rawQuery:java.lang.String rawSchemeSpecificPart:java.lang.String ` +
	`rawUserInfo:java.lang.String scheme:java.lang.String schemeSpecificPart:java.lang.String userInfo:java.lang.String
java.time.DayOfWeek value
java.time.Duration nano ?negative seconds:long ?zero
java.time.Instant epochSecond:long nano
java.time.LocalDate dayOfMonth dayOfWeek:java.time.DayOfWeek dayOfYear ?leapYear month:java.time.Month monthValue year
java.time.LocalDateTime dayOfMonth dayOfWeek:java.time.DayOfWeek dayOfYear hour minute month:java.time.Month ` +
	`monthValue nano second year
java.time.LocalTime hour minute nano second
java.time.Month value
java.time.MonthDay dayOfMonth month:java.time.Month monthValue
java.time.OffsetDateTime dayOfMonth dayOfWeek:java.time.DayOfWeek dayOfYear hour minute month:java.time.Month ` +
	`monthValue nano offset:java.time.ZoneOffset second year
java.time.Period days months ?negative years ?zero
java.time.Year value
java.time.YearMonth ?leapYear month:java.time.Month monthValue year
java.time.ZoneOffset id:java.lang.String totalSeconds
java.time.ZoneRegion id:java.lang.String
java.time.ZonedDateTime dayOfMonth dayOfWeek:java.time.DayOfWeek dayOfYear hour minute month:java.time.Month ` +
	`monthValue nano offset:java.time.ZoneOffset second year zone:java.time.ZoneId
java.util.Date date day hours minutes month seconds time:long timezoneOffset year
java.util.GregorianCalendar time:java.util.Date timeInMillis:long
java.util.Optional ?empty ?present
java.util.UUID leastSignificantBits:long mostSignificantBits:long
java.util.concurrent.CountDownLatch count:long
java.util.zip.Adler32 value:long
java.util.zip.CRC32 value:long
clojure.lang.ExceptionInfo cause:java.lang.Throwable data:clojure.lang.IPersistentMap ` +
	`localizedMessage:java.lang.String message:java.lang.String stackTrace:[Ljava.lang.StackTraceElement; ` +
	`suppressed:[Ljava.lang.Throwable;
java.lang.Throwable cause:java.lang.Throwable localizedMessage:java.lang.String message:java.lang.String ` +
	`stackTrace:[Ljava.lang.StackTraceElement; suppressed:[Ljava.lang.Throwable;
java.util.Collection ?empty
java.util.Map ?empty`

// beanProperty is a property of the objects of a class: its name, and the method that gets it with the type of its
// result.
type beanProperty struct{ Name, Method, Type string }

// properties maps the classes of propertyLines to the properties.
var properties = sync.OnceValue(func() map[string][]beanProperty {
	all := make(map[string][]beanProperty)
	for _, line := range strings.Split(propertyLines, "\n") {
		words := strings.Fields(line)
		var list []beanProperty
		named := false
		for _, word := range words[1:] {
			p := property(word)
			if !named && p.Name > classProperty.Name {
				list, named = append(list, classProperty), true
			}
			list = append(list, p)
		}
		if !named {
			list = append(list, classProperty)
		}
		all[words[0]] = list
	}
	return all
})

// classProperty is a property of all classes.
var classProperty = beanProperty{"class", "getClass", "java.lang.Class"}

// property parses a word of propertyLines.
func property(word string) beanProperty {
	prefix, typ := "get", "int"
	if rest, ok := strings.CutPrefix(word, "?"); ok {
		prefix, typ, word = "is", "boolean", rest
	}
	name, own, ok := strings.Cut(word, ":")
	if ok {
		typ = own
	}
	return beanProperty{name, prefix + strings.ToUpper(name[:1]) + name[1:], typ}
}

// propertiesOf returns the properties of the objects of a class in the order of their names.
func propertiesOf(class string) []beanProperty {
	all := properties()
	if list, ok := all[class]; ok {
		return list
	}
	for _, of := range []string{"java.lang.Throwable", "java.util.Collection", "java.util.Map"} {
		if jclass.Extends(class, of) {
			return all[of]
		}
	}
	return []beanProperty{classProperty}
}

// getMethods is the method of a class: an array of its methods that get properties.
func getMethods(t *value.Task, a []value.Value) value.Value {
	list := propertiesOf(a[0].AsType().Name)
	vals := t.Vals(len(list))
	for i, p := range list {
		of, ok := jclass.Class(p.Type)
		if !ok {
			of, _ = jclass.Class("java.lang.Object")
		}
		vals[i] = t.JavaOf(java.Method, a[0], t.InternedString(p.Method), of)
	}
	return t.Array(value.ElemObject, value.Blocks{Vals: vals})
}

// beanMethods are the methods of classes that get their methods.
func beanMethods() []entry.Entry {
	return []entry.Entry{entry.Method("getMethods", "", value.Kinds(value.KindType), entry.Constant,
		"Returns an array of the methods of a class that get properties of its objects, as bean does.",
		`(map #(.getName %) (.getMethods clojure.lang.Keyword)) => ("getClass" "getName" "getNamespace")`, getMethods)}
}
