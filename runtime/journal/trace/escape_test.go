package trace_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/journal/trace"
)

// TestPolicy requires the browser to run the script of the page and no other one, and to load nothing.
func TestPolicy(t *testing.T) {
	page := string(html(t, run(1)))
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)[1]
	policy = strings.NewReplacer("&#39;", "'", "&#43;", "+").Replace(policy)
	require.True(t, strings.HasPrefix(policy, "default-src 'none'; "))
	require.NotContains(t, policy, "unsafe")
	for _, part := range []string{"script", "style"} {
		_, after, _ := strings.Cut(page, "<"+part+">")
		text, _, _ := strings.Cut(after, "</"+part+">")
		sum := sha256.Sum256([]byte(text))
		require.Contains(t, policy, part+"-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	markup := strings.ReplaceAll(page, trace.Script(), "")
	require.Empty(t, regexp.MustCompile(`(?i) (src|style|on[a-z]+)=`).FindString(markup))
	require.Empty(t, regexp.MustCompile(`https?:|@import|url\(`).FindString(markup))
}

// TestEscaped checks that every value of the page is in text or in a quoted attribute that is neither a
// style nor an event, nor a URL except its fragment: the escaping of put is safe there.
func TestEscaped(t *testing.T) {
	page, err := os.ReadFile("page.html")
	require.NoError(t, err)
	for _, own := range []string{"style", "script"} { // whose contents are constant
		page = bytes.ReplaceAll(page, []byte("<"+own+">{{"+own+"}}</"+own+">"), nil)
	}
	texts := []string{string(page)}
	for _, name := range []string{"html.go", "section.go", "tables.go"} {
		code, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		ast.Inspect(code, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				text, err := strconv.Unquote(l.Value)
				require.NoError(t, err)
				texts = append(texts, text)
			}
			return true
		})
	}
	value := regexp.MustCompile(`\{\{[a-z ]+\}\}|%[0-9]*[a-z]`)
	attribute := regexp.MustCompile(`([a-z0-9-]+)="[^"<>]*$`)
	n := 0
	for _, text := range texts {
		for _, at := range value.FindAllStringIndex(text, -1) {
			n++
			before := text[:at[0]]
			if strings.LastIndexByte(before, '<') <= strings.LastIndexByte(before, '>') {
				continue // text
			}
			m := attribute.FindStringSubmatch(before)
			require.NotNil(t, m, "%s is in no quoted attribute", before[max(0, len(before)-40):])
			require.Contains(t, []string{"id", "class", "x", "y", "x1", "x2", "width", "height", "href", "content", "for", "aria-label"}, m[1])
			if m[1] == "href" {
				require.True(t, strings.HasSuffix(before, `href="#e`))
			}
		}
	}
	require.Greater(t, n, 60)
}
