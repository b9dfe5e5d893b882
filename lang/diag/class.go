// This file defines the Java class of each code. Programs written for Clojure catch exceptions by
// class.

package diag

import "sync"

// classes maps each code that a program can catch to the class that JVM Clojure throws in the same
// situation.
var classes = sync.OnceValue(func() map[Code]string {
	return map[Code]string{
		Thrown:          "clojure.lang.ExceptionInfo",
		WrongType:       "java.lang.ClassCastException",
		NilValue:        "java.lang.NullPointerException",
		IllegalArgument: "java.lang.IllegalArgumentException",
		BadArity:        "clojure.lang.ArityException",
		IllegalState:    "java.lang.IllegalStateException",
		OutOfRange:      "java.lang.IndexOutOfBoundsException",
		Arithmetic:      "java.lang.ArithmeticException",
		NumberFormat:    "java.lang.NumberFormatException",
		NotSupported:    "java.lang.UnsupportedOperationException",
		NoMatch:         "java.lang.IllegalArgumentException",
		AssertFailed:    "java.lang.AssertionError",
		NestingTooDeep:  "java.lang.StackOverflowError",
		SyntaxError:     "java.lang.RuntimeException",
		Unsupported:     "java.lang.UnsupportedOperationException",
		GuardHeld:       "java.lang.IllegalStateException",
		GuardBusy:       "java.lang.IllegalStateException",
		GuardCycle:      "java.lang.IllegalStateException",
		GuardTimeout:    "java.util.concurrent.TimeoutException",
		GuardConflict:   "java.lang.IllegalArgumentException",
		Failed:          "clojure.lang.ExceptionInfo",

		ToolFailed:       "clojure.lang.ExceptionInfo",
		ApprovalRefused:  "clojure.lang.ExceptionInfo",
		ArgumentTooLarge: "clojure.lang.ExceptionInfo",
		ResultTooLarge:   "clojure.lang.ExceptionInfo",
		CallsExceeded:    "clojure.lang.ExceptionInfo",
	}
})

// parents maps each class to its superclass.
var parents = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"clojure.lang.ExceptionInfo":                          "java.lang.RuntimeException",
		"java.lang.ClassCastException":                        "java.lang.RuntimeException",
		"java.lang.NullPointerException":                      "java.lang.RuntimeException",
		"java.lang.IllegalArgumentException":                  "java.lang.RuntimeException",
		"clojure.lang.ArityException":                         "java.lang.IllegalArgumentException",
		"java.lang.NumberFormatException":                     "java.lang.IllegalArgumentException",
		"java.lang.IllegalStateException":                     "java.lang.RuntimeException",
		"java.lang.IndexOutOfBoundsException":                 "java.lang.RuntimeException",
		"java.lang.StringIndexOutOfBoundsException":           "java.lang.IndexOutOfBoundsException",
		"java.lang.ArithmeticException":                       "java.lang.RuntimeException",
		"java.lang.UnsupportedOperationException":             "java.lang.RuntimeException",
		"java.util.NoSuchElementException":                    "java.lang.RuntimeException",
		"java.util.regex.PatternSyntaxException":              "java.lang.IllegalArgumentException",
		"java.util.IllegalFormatException":                    "java.lang.IllegalArgumentException",
		"java.util.DuplicateFormatFlagsException":             "java.util.IllegalFormatException",
		"java.util.FormatFlagsConversionMismatchException":    "java.util.IllegalFormatException",
		"java.util.IllegalFormatArgumentIndexException":       "java.util.IllegalFormatException",
		"java.util.IllegalFormatCodePointException":           "java.util.IllegalFormatException",
		"java.util.IllegalFormatConversionException":          "java.util.IllegalFormatException",
		"java.util.IllegalFormatFlagsException":               "java.util.IllegalFormatException",
		"java.util.IllegalFormatPrecisionException":           "java.util.IllegalFormatException",
		"java.util.IllegalFormatWidthException":               "java.util.IllegalFormatException",
		"java.util.MissingFormatArgumentException":            "java.util.IllegalFormatException",
		"java.util.MissingFormatWidthException":               "java.util.IllegalFormatException",
		"java.util.UnknownFormatConversionException":          "java.util.IllegalFormatException",
		"java.util.UnknownFormatFlagsException":               "java.util.IllegalFormatException",
		"java.lang.ArrayIndexOutOfBoundsException":            "java.lang.IndexOutOfBoundsException",
		"java.lang.NegativeArraySizeException":                "java.lang.RuntimeException",
		"java.lang.IllegalAccessError":                        "java.lang.IncompatibleClassChangeError",
		"java.lang.AbstractMethodError":                       "java.lang.IncompatibleClassChangeError",
		"java.lang.IncompatibleClassChangeError":              "java.lang.LinkageError",
		"java.lang.LinkageError":                              "java.lang.Error",
		"java.lang.NoSuchFieldException":                      "java.lang.Exception",
		"java.lang.CloneNotSupportedException":                "java.lang.Exception",
		"java.io.EOFException":                                "java.io.IOException",
		"java.io.UncheckedIOException":                        "java.lang.RuntimeException",
		"java.util.ConcurrentModificationException":           "java.lang.RuntimeException",
		"java.util.InputMismatchException":                    "java.util.NoSuchElementException",
		"java.time.DateTimeException":                         "java.lang.RuntimeException",
		"java.lang.SecurityException":                         "java.lang.RuntimeException",
		"java.util.concurrent.TimeoutException":               "java.lang.Exception",
		"java.util.concurrent.CancellationException":          "java.lang.IllegalStateException",
		"java.util.concurrent.RejectedExecutionException":     "java.lang.RuntimeException",
		"java.util.EmptyStackException":                       "java.lang.RuntimeException",
		"java.lang.IllegalThreadStateException":               "java.lang.IllegalArgumentException",
		"java.lang.IllegalMonitorStateException":              "java.lang.RuntimeException",
		"java.util.concurrent.CompletionException":            "java.lang.RuntimeException",
		"java.util.concurrent.ExecutionException":             "java.lang.Exception",
		"java.lang.ClassNotFoundException":                    "java.lang.Exception",
		"java.time.format.DateTimeParseException":             "java.time.DateTimeException",
		"clojure.lang.Compiler$CompilerException":             "java.lang.RuntimeException",
		"java.lang.InterruptedException":                      "java.lang.Exception",
		"java.io.IOException":                                 "java.lang.Exception",
		"java.io.FileNotFoundException":                       "java.io.IOException",
		"java.net.SocketTimeoutException":                     "java.io.IOException",
		"java.net.ConnectException":                           "java.io.IOException",
		"java.net.UnknownHostException":                       "java.io.IOException",
		"java.net.URISyntaxException":                         "java.lang.Exception",
		"java.net.MalformedURLException":                      "java.io.IOException",
		"java.io.UnsupportedEncodingException":                "java.io.IOException",
		"java.nio.charset.UnsupportedCharsetException":        "java.lang.IllegalArgumentException",
		"java.nio.charset.IllegalCharsetNameException":        "java.lang.IllegalArgumentException",
		"java.security.GeneralSecurityException":              "java.lang.Exception",
		"java.security.NoSuchAlgorithmException":              "java.security.GeneralSecurityException",
		"java.security.InvalidKeyException":                   "java.security.GeneralSecurityException",
		"java.text.ParseException":                            "java.lang.Exception",
		"java.lang.ArrayStoreException":                       "java.lang.RuntimeException",
		"java.lang.RuntimeException":                          "java.lang.Exception",
		"java.lang.Exception":                                 "java.lang.Throwable",
		"java.lang.StackOverflowError":                        "java.lang.Error",
		"java.lang.OutOfMemoryError":                          "java.lang.Error",
		"java.lang.AssertionError":                            "java.lang.Error",
		"java.lang.Error":                                     "java.lang.Throwable",
		"java.lang.Throwable":                                 "java.lang.Object",
		"java.time.temporal.UnsupportedTemporalTypeException": "java.time.DateTimeException",
		"java.time.zone.ZoneRulesException":                   "java.time.DateTimeException",
	}
})

// ClassOf returns the Java class of exceptions with code c.
func ClassOf(c Code) string {
	if class, ok := classes()[c]; ok {
		return class
	}
	return "java.lang.RuntimeException"
}

// ParentClass returns the superclass of class, or "" for java.lang.Object and for classes that are
// not exceptions.
func ParentClass(class string) string { return parents()[class] }

// ClassExtends reports whether class is ancestor or a subclass of it.
func ClassExtends(class, ancestor string) bool {
	for ; class != ""; class = parents()[class] {
		if class == ancestor {
			return true
		}
	}
	return false
}
