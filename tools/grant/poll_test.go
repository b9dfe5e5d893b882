package grant

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
)

// TestPoll asks a service for 1,000 items, page by page and item by item in parallel, and
// writes a table. The service refuses every fifth request.
func TestPoll(t *testing.T) {
	var mu sync.Mutex
	requests, refused := 0, 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		requests++
		refuse := requests%5 == 0
		if refuse {
			refused++
		}
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		switch {
		case refuse:
			w.WriteHeader(http.StatusServiceUnavailable)
		case r.URL.Path == "/items":
			var page int
			fmt.Sscan(r.URL.Query().Get("page"), &page)
			ids := []string{}
			for i := range 100 {
				ids = append(ids, fmt.Sprint(page*100+i))
			}
			next := "null"
			if page < 9 {
				next = fmt.Sprint(page + 1)
			}
			fmt.Fprintf(w, `{"ids": [%s], "next": %s}`, strings.Join(ids, ","), next)
		default:
			fmt.Fprintf(w, `{"id": %s, "name": "item, %[1]s"}`, strings.TrimPrefix(r.URL.Path, "/items/"))
		}
	}))
	t.Cleanup(srv.Close)
	out := t.TempDir()
	var s Set
	require.NoError(t, s.Grant("http", strings.TrimPrefix(srv.URL, "http://")+"=GET", ""))
	require.NoError(t, s.Grant("fs", filepath.Base(out), filepath.Dir(out)))
	reg, err := s.Registry()
	require.NoError(t, err)
	prog, err := ptc.Compile("poll", `
		(defn ask [path query]
		  (retry {:times 20 :backoff-ms 1 :max-ms 5 :on #{:unavailable}}
		    (:json (tool/http.get {:url (str data/base path) :query query}))))
		(def ids (mapcat identity (iteration #(ask "/items" {:page %}) :initk 0 :vf :ids :kf :next)))
		(def items (pmap #(ask (str "/items/" %) {}) ids))
		(tool/csv.write {:path "001/items.csv" :columns ["id" "name"] :rows items})
		(count items)`, ptc.Options{Tools: reg, DataNames: []string{"base"}})
	require.NoError(t, err)
	res, err := prog.Run(t.Context(), ptc.Input{Data: map[string]any{"base": srv.URL}})
	require.NoError(t, err)
	assert.EqualValues(t, 1000, res.Value)
	text, err := os.ReadFile(filepath.Join(out, "items.csv"))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	assert.Len(t, lines, 1001)
	assert.Equal(t, `id,name`, lines[0])
	for i, line := range lines[1:] {
		assert.Equal(t, fmt.Sprintf(`%d,"item, %[1]d"`, i), line)
	}
	assert.Greater(t, refused, 200)
}
