package strfmt

// This file defines how a caller describes an argument, and the errors.

import (
	"math/big"
)

// Kind tells which fields of an Arg count and which conversions take it.
type Kind uint8

// The kinds of arguments.
const (
	Nil     Kind = iota // prints as null, false with %b
	Bool                // Bool
	Int                 // Int: a Java long
	Int32               // Int: a Java int, which %c takes as a code point
	BigInt              // Big: a java.math.BigInteger
	Float               // Float: a double
	Decimal             // Big and Scale: a java.math.BigDecimal
	Char                // Int: a code point
	Other               // strings and all else: only %s, %b and %h take it
)

// Arg describes an argument of format.
type Arg struct {
	Kind  Kind
	Scale int32 // Decimal: the value is Big × 10^-Scale
	Bool  bool
	Int   int64
	Float float64
	Big   *big.Int
	// Class is the Java class that errors name; "" gives that of the Kind.
	Class string
	// Str returns what (str arg) gives. It is called once for each %s that
	// uses the argument, by Prepare, and must charge for itself. It may be nil
	// for Nil, Bool, Int and Char.
	Str func() (string, error)
	// Hash returns Java's hashCode, for %h, which is refused without it.
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

// Error is an error of the format string or of an argument that does not suit
// it. Class is the simple name of Java's exception, or LimitExceeded or
// NotSupported for what only this package refuses; Message is Java's message.
type Error struct {
	Class   string
	Message string
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

func fail(class, message string) error { return &Error{class, message} }
