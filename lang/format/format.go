// Package format lays out source text in one style, that of the Clojure community
// style guide as cljfmt applies it.
//
// It sets white space only: tokens, comments and the line breaks between forms
// stay as the author wrote them. Forms are indented by the form they are in: two
// blanks in the body of def, let, when and their like, under the first argument
// in a call, under the first element in a collection. There is no blank inside of brackets, one blank
// separates the forms on a line, no line ends in blanks, and two or more blank lines become one. Where the
// author has set forms or trailing comments of several lines under each other in a column, they stay in a
// column.
//
// The text is cut by the lexer of the reader (parser.Tokens), not by a scanner of
// this package, so that both agree about tokens: a character such
// as \( or a string that holds a bracket can't be taken for something else here.
package format

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/parser"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// Format returns the source in the standard layout; formatting that again changes
// nothing. The error says why the source cannot be read. name stands for it there.
//
// Before it is given, the text is cut into tokens again and compared: if a token
// or comment differed, that would be an internal error, not a changed program.
func Format(name, source string) (string, *diag.Error) {
	before, err := itemsOf(name, source)
	if err != nil {
		return "", err
	}
	text, err := layOut(before, limits.Default().SourceBytes)
	if err != nil {
		return "", err
	}
	after, err := itemsOf(name, text)
	if err != nil || !sameItems(before, after) {
		return "", diag.New(diag.Internal, token.Span{}, "the formatted text of %s does not read as its source does", name).
			WithHint("this is a bug of the formatter; please report it with the source")
	}
	return text, nil
}

// itemsOf cuts a source into tokens and comments.
func itemsOf(name, source string) ([]item, *diag.Error) {
	file := token.NewFile(name, source)
	tokens, err := parser.Tokens(file, limits.Limits{})
	if err != nil {
		return nil, err
	}
	return cut(source, tokens), nil
}

func sameItems(a, b []item) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].kind != b[i].kind || a[i].text != b[i].text {
			return false
		}
	}
	return true
}
