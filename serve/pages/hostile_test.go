package pages_test

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/store"
)

// hostile are texts that would change a page if they were not escaped.
var hostile = []string{`</script><script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, `<!--`, `]]>`,
	`javascript:alert(1)`, "\x1b[31m\u202e", `{{.}}`, `</pre></details><style>*{display:none}</style>`, `<svg onload=alert(1)>`}

// TestHostile puts hostile texts wherever a run has one. The pages have the same elements as with harmless texts.
func TestHostile(t *testing.T) {
	s := newSite(t)
	close(s.leave)
	tags := regexp.MustCompile(`<[a-zA-Z/][^>]*>`)
	drawn := regexp.MustCompile(`</?(svg|rect|text|title|line|g)[ />][^<]*`) // whose number depends on times
	attributes := regexp.MustCompile(`="[^"]*"`)
	shape := func(page string) string {
		_, body, _ := strings.Cut(page, "<main")
		all := tags.FindAllString(attributes.ReplaceAllString(body, `=""`), -1)
		return strings.Join(slices.DeleteFunc(all, drawn.MatchString), "\n")
	}
	show := func(text string) (run, failed, list string) {
		lit, err := json.Marshal(text)
		require.NoError(t, err)
		quoted := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(lit))
		source := "(println " + quoted + ") (tool/wait {:host " + quoted + "}) "
		sub := store.Submission{Name: text, Source: source + quoted, Data: json.RawMessage(`{"x":` + string(lit) + `}`), Labels: map[string]string{"a": text}}
		if strings.ContainsAny(text, "\x1b\u202e") {
			sub.Name, sub.Labels = "p", map[string]string{"a": "b"} // which the store refuses
		}
		ok := s.ran(sub)
		require.Equal(t, store.Succeeded, ok.State, ok.Text)
		sub.Source = source + "(throw (ex-info " + quoted + " {:x " + quoted + "}))"
		bad := s.ran(sub)
		require.Equal(t, store.Failed, bad.State)
		return s.get(viewer, "/runs/"+ok.ID), s.get(viewer, "/runs/"+bad.ID), s.get(viewer, "/runs?label="+url.QueryEscape("a="+text))
	}
	run, failed, _ := show("harmless")
	for _, text := range hostile {
		gotRun, gotFailed, gotList := show(text)
		require.Equal(t, shape(run), shape(gotRun), text)
		require.Equal(t, shape(failed), shape(gotFailed), text)
		for _, page := range []string{gotRun, gotFailed, gotList} {
			require.Equal(t, 2, strings.Count(page, "<script"), "%q: those of the layout", text)
			require.NotContains(t, page, "<img")
			require.NotContains(t, page, "\x1b")
			require.NotContains(t, page, "\u202e")
			require.Empty(t, regexp.MustCompile(` (style|on[a-z]+)=`).FindString(attributes.ReplaceAllString(strings.Join(tags.FindAllString(page, -1), ""), `=""`)))
			require.NotContains(t, page, `href="javascript:`)
		}
	}
}
