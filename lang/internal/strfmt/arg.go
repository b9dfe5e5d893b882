package strfmt

// This file defines how a caller describes an argument, and the errors.

import (
	"math/big"
)

// Kind is the kind of an argument. It determines which fields of an Arg are used and which
// conversions accept it.
type Kind uint8

// The kinds of arguments.
const (
	Nil     Kind = iota // prints as null, false with %b
	Bool                // Bool
	Int                 // Int, a Java long
	Int32               // Int, a Java int, which %c takes as a code point
	BigInt              // Big, a java.math.BigInteger
	Float               // Float, a double
	Decimal             // Big and Scale, a java.math.BigDecimal
	Char                // Int, a code point
	Other               // a string or any other value: only %s, %b and %h accept it
)

// Arg describes an argument of format.
type Arg struct {
	Kind  Kind
	Scale int32 // of a Decimal: the value is Big × 10^-Scale
	Bool  bool
	Int   int64
	Float float64
	Big   *big.Int
	// Class is the Java class that error messages name. If it is "", they name the class of the
	// Kind.
	Class string
	// Str returns the value of (str arg). Prepare calls it once for each %s that uses the argument.
	// It must charge its own memory. It may be nil for Nil, Bool, Int and Char.
	Str func() (string, error)
	// Hash returns Java's hashCode, for %h. If it is nil, %h is an error.
	Hash func() int32
}

var classes = [...]string{
	Nil: "nil", Bool: "java.lang.Boolean", Int: "java.lang.Long", Int32: "java.lang.Integer",
	BigInt: "java.math.BigInteger", Float: "java.lang.Double", Decimal: "java.math.BigDecimal",
	Char: "java.lang.Character", Other: "java.lang.Object",
}

func (a *Arg) class() string {
	if a.Class != "" {
		return a.Class
	}
	return classes[a.Kind]
}

// Error is an error in the format string, or an argument that does not match its conversion. Class
// is the simple name of Java's exception, or LimitExceeded or NotSupported for formats that only
// this package rejects. Message is Java's message.
type Error struct {
	Class   string
	Message string
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

func fail(class, message string) error { return &Error{class, message} }
