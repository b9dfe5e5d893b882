// This file defines which texts in the headers of a grant are secrets.

package http

import (
	"encoding/base64"
	"slices"
	"strings"
)

// plain are the headers, in small letters, whose values are no secrets. A header that is not here
// may have one.
var plain = []string{"accept", "accept-charset", "accept-encoding", "accept-language", "cache-control",
	"content-language",
	"content-type", "from", "origin", "referer", "user-agent"}

// credentials returns the secrets in the headers of the grant. If a service returns them, they are replaced in
// the journal, logs and errors.
func (c *client) credentials() []string {
	var all []string
	for i := range c.hosts {
		for name, values := range c.hosts[i].Header {
			name = strings.ToLower(name)
			if slices.Contains(plain, name) {
				continue
			}
			for _, v := range values {
				all = append(append(all, v), within(name, v)...)
			}
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
