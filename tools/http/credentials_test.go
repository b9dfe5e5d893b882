package http

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCredentials names the secrets in headers of a grant, whole and where a service returns a part of them.
func TestCredentials(t *testing.T) {
	for _, test := range []struct {
		name, value string
		want        []string
	}{
		{"Authorization", "Bearer s3cr3t-token", []string{"Bearer s3cr3t-token", "s3cr3t-token"}},
		{"Authorization", "Basic YW5uOmh1bnRlcjI=", []string{"Basic YW5uOmh1bnRlcjI=", "YW5uOmh1bnRlcjI=", "ann:hunter2", "hunter2"}},
		{"authorization", "s3cr3t-token", []string{"s3cr3t-token"}},
		{"Cookie", `a=s3cr3t-a; b="s3cr3t-b"`, []string{`a=s3cr3t-a; b="s3cr3t-b"`, "s3cr3t-a", "s3cr3t-b"}},
		{"X-Whatever", "s3cr3t", []string{"s3cr3t"}},
		{"Accept", "application/json", nil},
		{"user-agent", "orders/1.0", nil},
	} {
		reg, _ := registry(t, Grant{Hosts: []Host{{Name: "a.test", Header: http.Header{test.name: {test.value}}}}})
		slices.Sort(test.want)
		for _, known := range reg.All() {
			assert.Equal(t, test.want, known.Credentials(), "%s of %s", test.name, known.Name())
		}
		require.NotEmpty(t, reg.All())
	}
}
