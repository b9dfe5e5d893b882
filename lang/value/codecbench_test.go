// This file measures the codec beside encoding/json and encoding/gob with the same data.

package value

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"testing"
)

// codecRows returns n rows as a value, and as data of Go.
func codecRows(t *Task, n int) (Value, []map[string]any) {
	var rows []Value
	var maps []map[string]any
	keys := []Value{ConstKeyword("host"), ConstKeyword("status"), ConstKeyword("load"), ConstKeyword("ports")}
	for i := range n {
		host, load := fmt.Sprintf("host-%d.example.net", i), float64(i)/7
		rows = append(rows, t.MapOf(keys[0], t.CopyString(host), keys[1], Int(int64(200+i%3)), keys[2], Float(load),
			keys[3], t.Vector(Int(22), Int(443), Int(int64(i)))))
		maps = append(maps, map[string]any{"host": host, "status": 200 + i%3, "load": load, "ports": []int{22, 443, i}})
	}
	return t.Vector(rows...), maps
}

func BenchmarkCodec(b *testing.B) {
	t := newTask()
	v, maps := codecRows(t, 1000)
	encoded, err := Encode(nil, v)
	if err != nil {
		b.Fatal(err)
	}
	text, err := json.Marshal(maps)
	if err != nil {
		b.Fatal(err)
	}
	gob.Register([]int(nil))
	var stream bytes.Buffer
	if err := gob.NewEncoder(&stream).Encode(maps); err != nil {
		b.Fatal(err)
	}
	run := func(name string, size int, f func() error) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(size), "encoded-B")
		})
	}
	run("encode", len(encoded), func() error { _, err := Encode(nil, v); return err })
	run("encode json", len(text), func() error { _, err := json.Marshal(maps); return err })
	run("encode gob", stream.Len(), func() error { return gob.NewEncoder(&bytes.Buffer{}).Encode(maps) })
	run("decode", len(encoded), func() error {
		t.Start(context.Background(), 1<<30, 1<<50, testTimeout)
		_, err := Decode(t, encoded)
		return err
	})
	run("decode json", len(text), func() error {
		var out []map[string]any
		return json.Unmarshal(text, &out)
	})
	run("decode gob", stream.Len(), func() error {
		var out []map[string]any
		return gob.NewDecoder(bytes.NewReader(stream.Bytes())).Decode(&out)
	})
	small := t.MapOf(ConstKeyword("ok"), True, ConstKeyword("ms"), Int(17))
	data, err := Encode(nil, small)
	if err != nil {
		b.Fatal(err)
	}
	run("encode small", len(data), func() error { _, err := Encode(nil, small); return err })
	run("decode small", len(data), func() error {
		t.Start(context.Background(), 1<<30, 1<<50, testTimeout)
		_, err := Decode(t, data)
		return err
	})
}
