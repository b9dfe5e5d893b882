// This file tests what the conversion of inputs costs.

package ptc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc"
)

// people gives n records in 20 departments.
func people(n int) []any {
	records := make([]any, n)
	for i := range records {
		records[i] = map[string]any{"id": i, "dept": fmt.Sprintf("dept-%02d", i%20), "salary": i, "age": i}
	}
	return records
}

// A record of an input takes one allocation: its keys, and texts that occur again,
// are there already.
func TestRecordsTakeOneAllocation(t *testing.T) {
	const n = 10_000
	prog, err := ptc.Compile("count.ptc", "(count data/records)", ptc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	records := people(n)
	text, err := json.Marshal(records)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]any{"values": records, "JSON": json.RawMessage(text)} {
		var memory int64
		allocs := testing.AllocsPerRun(3, func() {
			res, err := prog.Run(context.Background(), ptc.Input{Data: map[string]any{"records": data}})
			if err != nil {
				t.Fatal(err)
			}
			memory = res.Usage.Memory
		})
		if allocs > 1.2*n {
			t.Errorf("%s: %.0f allocations for %d records", name, allocs, n)
		}
		if memory > 256*n {
			t.Errorf("%s: %d bytes charged for %d records", name, memory, n)
		}
	}
}

// Records whose keys differ are told apart, whatever shapes came before.
func TestRecordsOfManyShapes(t *testing.T) {
	var records []any
	for i := range 400 {
		r := map[string]any{"n": i}
		for bit, name := range []string{"a", "b/c", "d", "e", "f", "g", "h", "i", "j"} {
			if i>>bit&1 == 1 {
				r[name] = map[string]any{name: i}
			}
		}
		records = append(records, r)
	}
	text, err := json.Marshal(records)
	if err != nil {
		t.Fatal(err)
	}
	const source = "(= data/values data/text (map #(into {} (reverse %)) data/values) (map #(into (sorted-map) %) data/text))"
	for _, stringKeys := range []bool{false, true} {
		prog, err := ptc.Compile("same.ptc", source, ptc.Options{StringKeys: stringKeys})
		if err != nil {
			t.Fatal(err)
		}
		res, err := prog.Run(context.Background(), ptc.Input{Data: map[string]any{"values": records, "text": json.RawMessage(text)}})
		if err != nil || valueOf(res) != true {
			t.Errorf("got %v, %v", valueOf(res), err)
		}
	}
}

// The error names the place whose value cannot be converted.
func TestUnconvertible(t *testing.T) {
	records := append(people(40), map[string]any{"id": 1, "dept": func() {}, "salary": 1, "age": 1})
	prog, err := ptc.Compile("count.ptc", "(count data/records)", ptc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = prog.Run(context.Background(), ptc.Input{Data: map[string]any{"records": records}})
	if err == nil || !strings.Contains(err.Error(), "[40]: dept: a Go func() can't become a value") {
		t.Fatalf("got %v", err)
	}
}
