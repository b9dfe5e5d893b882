// Package headers finds the secrets in the headers that a grant adds to requests.
package headers

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
)

// plain are the headers, in small letters, whose values are no secrets. A header that is not here
// may have one.
var plain = []string{"accept", "accept-charset", "accept-encoding", "accept-language", "cache-control",
	"content-language",
	"content-type", "from", "origin", "referer", "user-agent"}

// Secrets returns the secrets in headers, sorted: the values that may be one, and their parts that a service may
// return by themselves.
func Secrets(header http.Header) []string {
	var all []string
	for name, values := range header {
		name = strings.ToLower(name)
		if slices.Contains(plain, name) {
			continue
		}
		for _, v := range values {
			all = append(append(all, v), within(name, v)...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// within returns the secrets inside the value of a header: the token after its scheme, the password of a user,
// the values of cookies.
func within(name, value string) []string {
	var all []string
	if name == "cookie" {
		for pair := range strings.SplitSeq(value, ";") {
			if _, v, ok := strings.Cut(pair, "="); ok {
				all = append(all, strings.Trim(v, ` "`))
			}
		}
		return all
	}
	scheme, token, ok := strings.Cut(value, " ")
	if !ok {
		return nil
	}
	all = append(all, strings.TrimSpace(token))
	if pair, err := base64.StdEncoding.DecodeString(strings.TrimSpace(token)); strings.EqualFold(scheme,
		"Basic") && err == nil {
		_, password, _ := strings.Cut(string(pair), ":")
		all = append(all, string(pair), password)
	}
	return all
}
