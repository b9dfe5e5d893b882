package coord_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/coord"
	"github.com/ptc-lang/ptc/cluster/internal/engine/memory"
	"github.com/ptc-lang/ptc/cluster/peer"
)

// FuzzMessage has a node send any message to the coordinator, which must go on.
func FuzzMessage(f *testing.F) {
	net := peer.NewMemory(1)
	engine := memory.New(memory.Options{Timeout: time.Second}, "node1")
	defer engine.Crash("node1")
	link := net.Join("node1")
	defer link.Close()
	n, err := coord.New(coord.Options{Engine: engine.Member("node1"), Network: link})
	if err != nil {
		f.Fatal(err)
	}
	defer n.Close()
	rogue := net.Join("node2")
	defer rogue.Close()
	for name := ""; name == ""; name, _ = n.Coordinator() {
		time.Sleep(10 * time.Millisecond)
	}
	methods := []string{"coord/hello", "coord/ops", "coord/poll", "coord/bye", "coord/list", "coord/local", "coord/external"}
	for i := range methods {
		f.Add(uint8(i), []byte(`{"session":"s","incarnation":"i","number":1,"ack":18446744073709551615}`))
	}
	for _, op := range []string{
		`{"op":"acquire","id":1,"hint":{"kind":"host-exclusive"},"host":"h","owner":[{"id":1,"path":"0"}]}`,
		`{"op":"acquire","id":1,"owner":[]}`, `{"op":"hold","id":2,"fence":18446744073709551615,"owner":[{"id":1,"path":""}]}`,
		`{"op":"release","id":1}`, `{"op":"pause","key":"k","for":-1}`, `{"op":"slow","key":"k","per_second":-1e308}`,
		`{"op":"start","id":3,"action":"a"}`, `{"op":"start","id":3,"action":"a","execution":{}}`, `{"op":"leave","id":3}`,
		`{"op":"active","id":4,"execution":null}`, `{"op":"admit","tool":"t"}`, `{"op":"idle","id":3}`, `{"op":"x"}`} {
		f.Add(uint8(1), []byte(`{"session":"s","number":1,"ops":[`+op+`]}`))
	}
	f.Fuzz(func(t *testing.T, which uint8, message []byte) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		defer cancel()
		if which%2 == 1 { // a batch needs a session, and is the next one of it
			_, _ = rogue.Call(ctx, "node1", "coord/hello", []byte(`{"session":"s","incarnation":"i"}`))
		}
		_, err := rogue.Call(ctx, "node1", methods[int(which)%len(methods)], message)
		if refusal := new(peer.Error); errors.As(err, &refusal) && refusal.Code == peer.CodeInternal {
			t.Errorf("%v", err)
		}
		if at, _ := n.Coordinator(); at != "node1" {
			t.Error("the coordinator is gone")
		}
	})
}
