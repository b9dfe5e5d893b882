package journal_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
)

// order is an effect of a program that orders things.
func order(id, item string) effect.Effect {
	return effect.Effect{ID: id, Kind: effect.KindCall, Name: "shop/order", Class: effect.Write, Args: fmt.Appendf(nil, `{"item":%q}`, item)}
}

func Example() {
	j := journal.New(journal.Options{})
	e := order("0.1.7#1", "pen")
	if outcome, do, err := j.Begin(context.Background(), e); err != nil {
		fmt.Println(err)
	} else if do {
		outcome.Result = []byte(`{"order":12}`) // the answer of the shop
		if err := j.End(e.ID, outcome); err != nil {
			fmt.Println(err)
		}
	}
	for _, entry := range j.Calls() {
		fmt.Printf("%s %s %s => %s\n", entry.ID, entry.Name, entry.Args, entry.Outcome.Result)
	}
	// Output: 0.1.7#1 shop/order {"item":"pen"} => {"order":12}
}

// A run is recorded, and killed while it orders the second thing.
func ExampleResume() {
	dir, err := os.MkdirTemp("", "journal")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "run.journal")
	j, err := journal.Create(path, journal.Header{Program: "orders.ptc"}, journal.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, _, _ = j.Begin(context.Background(), order("0#1", "pen"))
	_ = j.End("0#1", effect.Record{Result: []byte(`{"order":12}`)})
	_, _, _ = j.Begin(context.Background(), order("0#2", "ink"))
	_ = j.Close() // as if killed

	j, rec, err := journal.Resume(path, nil, journal.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	outcome, do, err := j.Begin(context.Background(), order("0#1", "pen"))
	fmt.Printf("%s: %s %v %v\n", rec.Header.Program, outcome.Result, do, err)
	_, do, err = j.Begin(context.Background(), order("0#2", "ink"))
	var doubt *journal.InDoubt
	fmt.Println(errors.As(err, &doubt), do, doubt.Entry.Name, string(doubt.Entry.Args))
	_ = j.Close()

	// The operator looks into the shop: ink was ordered.
	s, err := effect.ParseSettlement(`0#2=done:{"order":13}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	j, _, err = journal.Resume(path, []effect.Settlement{s}, journal.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range j.Given() { // a run of package ptc does this itself
		o, err := s.Outcome()
		fmt.Println(err, j.Settle(s.ID, s.As, o.Record()))
	}
	outcome, do, err = j.Begin(context.Background(), order("0#2", "ink"))
	fmt.Printf("%s %v %v\n", outcome.Result, do, err)
	_ = j.Close()
	// Output:
	// orders.ptc: {"order":12} false <nil>
	// true false shop/order {"item":"ink"}
	// <nil> <nil>
	// {"order":13} false <nil>
}

func ExampleReplay() {
	f, err := os.Open("testdata/v1.journal")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	rec, err := journal.Read(f)
	if err != nil {
		fmt.Println(err)
		return
	}
	j := journal.Replay(rec)
	outcome, do, err := j.Begin(context.Background(), effect.Effect{ID: "0.1.1#1", Kind: effect.KindCall, Name: "order", Class: effect.Write, Args: []byte(`{"item":"ink"}`)})
	fmt.Printf("%s %v %v\n", outcome.Result, do, err)
	_, _, err = j.Begin(context.Background(), effect.Effect{ID: "0.1.0#1", Kind: effect.KindCall, Name: "order", Class: effect.Write, Args: []byte(`{"item":"pencil"}`)})
	fmt.Println(strings.ReplaceAll(err.Error(), ": ", ":\n"))
	// Output:
	// {"id":12} false <nil>
	// journal:
	// the run differs from its recording at effect 0.1.0#1:
	// recorded call order {"item":"pen"}, got call order {"item":"pencil"}
}
