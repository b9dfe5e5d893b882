package examples

import (
	"path/filepath"
	"testing"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/examples/internal/ledger"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/sql"
)

func TestLedger(t *testing.T) {
	dir := t.TempDir()
	if err := ledger.Generate(dir, 20_000, 1); err != nil {
		t.Fatal(err)
	}
	dbs, err := sql.Open(sql.Grant{Databases: map[string]sql.Database{
		"shop":   {DSN: filepath.Join(dir, "shop.db")},
		"ledger": {DSN: filepath.Join(dir, "ledger.db"), Write: true},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dbs.Close() })
	tools, err := tool.NewRegistry(dbs.Tools()...)
	if err != nil {
		t.Fatal(err)
	}
	data := map[string]any{"night": "2024-06-01"}
	for range 2 { // a second run of the night finds the same, and replaces the entries
		compareWith(t, ledgerReconcile, ptc.Options{Tools: tools}, data, "expected.txt")
	}
}
