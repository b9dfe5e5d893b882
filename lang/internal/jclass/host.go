// This file defines which names are those of classes of the JVM that PTC does not have.

package jclass

import (
	"strings"
	"sync"
	"unicode"

	"github.com/ptc-lang/ptc/lang/value"
)

// hostPackages are the packages whose classes a program can name without an import, by their full names.
var hostPackages = []string{"java.", "javax.", "jdk.", "sun.", "com.sun.", "org.w3c.", "org.xml.", "clojure.lang.",
	"clojure.asm.", "clojure.core."}

// hostSimple are the classes of java.lang that PTC does not have. Programs name them without an import.
var hostSimple = sync.OnceValue(func() map[string]bool {
	names := make(map[string]bool)
	for name := range strings.FieldsSeq("Appendable ClassLoader ClassFormatError " +
		"ClassCircularityError ClassValue Cloneable Compiler Deprecated Enum ExceptionInInitializerError " +
		"IllegalAccessException IllegalCallerException IllegalMonitorStateException IllegalThreadStateException " +
		"InheritableThreadLocal InstantiationError InstantiationException InternalError Module NoClassDefFoundError " +
		"NoSuchFieldError NoSuchMethodError NoSuchMethodException Override Package Process ProcessBuilder " +
		"ProcessHandle Readable ReflectiveOperationException Runtime RuntimePermission SecurityManager " +
		"StackWalker StrictMath Thread ThreadDeath ThreadGroup ThreadLocal " +
		"TypeNotPresentException UnknownError UnsatisfiedLinkError UnsupportedClassVersionError VerifyError " +
		"VirtualMachineError") {
		names[name] = true
	}
	return names
})

// IsHost reports whether a name without an import is that of a class of the JVM, which PTC may not have.
func IsHost(name string) bool {
	if !strings.Contains(name, ".") {
		return hostSimple()[name]
	}
	if last := name[strings.LastIndexByte(name, '.')+1:]; last == "" || !unicode.IsUpper(rune(last[0])) {
		return false
	}
	for _, p := range hostPackages {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// HostClass returns a class that PTC does not have, by its full name. It has no instances.
func HostClass(name string) value.Value {
	if !strings.Contains(name, ".") {
		name = "java.lang." + name
	}
	return value.ConstClass(name)
}
