// This file defines whole numbers in structured content.

package mcp

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// maxExact is the greatest whole number up to which clients that decode numbers as floats keep all digits.
const maxExact = 1 << 53

// exact returns JSON in which whole numbers beyond maxExact are strings.
func exact(text json.RawMessage) json.RawMessage {
	var out []byte
	from := 0
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			i++
		case c == '-' || c >= '0' && c <= '9':
			end := i + 1
			for end < len(text) && strings.IndexByte("0123456789+-.eE", text[end]) >= 0 {
				end++
			}
			if number := text[i:end]; beyond(number) {
				out = append(append(append(append(out, text[from:i]...), '"'), number...), '"')
				from = end
			}
			i = end
		default:
			i++
		}
	}
	if from == 0 {
		return text
	}
	return append(out, text[from:]...)
}

// beyond reports whether a number is a whole one beyond maxExact.
func beyond(number []byte) bool {
	digits := bytes.TrimPrefix(number, []byte("-"))
	if len(digits) < len("9007199254740992") || bytes.ContainsAny(digits, ".eE") {
		return false
	}
	n, err := strconv.ParseUint(string(digits), 10, 64)
	return err != nil || n > maxExact
}
