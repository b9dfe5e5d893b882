package rank

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

type thing [3]string

func (t thing) Name() string      { return t[0] }
func (t thing) Signature() string { return t[0] + " " + t[1] }
func (t thing) Doc() string       { return t[2] }

var catalogue = []thing{
	{"github.createIssue", "{:title string}", "Creates an issue in a repository."},
	{"github.listIssues", "{:repository string}", "Lists the issues of a repository."},
	{"mail.send", "{:to string :subject string}", "Sends a message to a customer or colleague."},
	{"orders.find", "{:customer string}", "Finds orders."},
	{"http.get", "{:url string}", "Requests a page."},
}

func TestSearch(t *testing.T) {
	for query, want := range map[string]string{
		"create an issue":            "github.createIssue github.listIssues",
		"send mail to a customer":    "mail.send orders.find",
		"list_issues":                "github.listIssues github.createIssue",
		"http.get":                   "http.get",
		"GET":                        "http.get",
		"customer":                   "orders.find mail.send",
		"issu":                       "github.createIssue github.listIssues",
		"":                           "",
		" \x00\xff":                  "",
		"nothing has these words 42": "",
	} {
		var names []string
		for _, found := range Search(catalogue, query) {
			names = append(names, found.Name())
		}
		require.True(t, strings.HasPrefix(strings.Join(names, " "), want) && (want != "" || names == nil), "%q: %q", query, names)
	}
}

// A word that most things have says little about each.
func TestRareWords(t *testing.T) {
	all := []thing{{"zeta", "", "a record of invoices"}}
	for i := range 50 {
		all = append(all, thing{fmt.Sprintf("record.%d", i), "", "something else"})
	}
	require.Equal(t, "zeta", Search(all, "invoices record")[0].Name(), "the only one with invoices")
}
