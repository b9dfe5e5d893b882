package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/client"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/api"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
	"github.com/ptc-lang/ptc/store/dir"
)

// exampleService is a local service in place of a remote one.
func exampleService() (address string, stop func()) {
	folder, err := os.MkdirTemp("", "ptc")
	if err != nil {
		panic(err)
	}
	st, err := dir.Open(folder)
	if err != nil {
		panic(err)
	}
	engine, err := serve.New(context.Background(), serve.Options{Store: st})
	if err != nil {
		panic(err)
	}
	handler := api.New(engine, api.Options{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := access.Who{Name: "ann", Tenant: "default", Role: access.Operator}
		handler.ServeHTTP(w, r.WithContext(access.With(r.Context(), who)))
	}))
	return server.URL, func() {
		server.CloseClientConnections()
		server.Close()
		engine.Drain(context.Background(), 0)
		st.Close()
		os.RemoveAll(folder)
	}
}

// A program is submitted, followed and read.
func Example() {
	address, stop := exampleService()
	defer stop()
	ctx := context.Background()
	c, err := client.New(address, client.Options{})
	if err != nil {
		panic(err)
	}
	run, err := c.Submit(ctx, store.Submission{
		Name:   "total.ptc",
		Source: `(println "adding" (count data/n)) (reduce + data/n)`,
		Data:   []byte(`{"n": [1, 2, 3]}`),
		Key:    "total-2026-11-23", // it is submitted once, although it may be sent again
	}, 0)
	if err != nil {
		panic(err)
	}
	run, err = c.Follow(ctx, run.ID, os.Stdout)
	if err != nil {
		panic(err)
	}
	fmt.Println(run.State, string(run.Value))
	// Output:
	// adding 3
	// succeeded 6
}

// A program that does not compile is refused with the error of package ptc.
func ExampleClient_Submit() {
	address, stop := exampleService()
	defer stop()
	c, err := client.New(address, client.Options{})
	if err != nil {
		panic(err)
	}
	_, err = c.Submit(context.Background(), store.Submission{Name: "a.ptc", Source: "(reduce + [1 2"}, 0)
	var program *ptc.Error
	if errors.As(err, &program) {
		fmt.Println(program.Code, program.Span)
	}
	_, err = c.Get(context.Background(), "06h0jsmyr7wae8bdr6n2azvtk8")
	fmt.Println(errors.Is(err, store.ErrNotFound))
	// Output:
	// syntax-error a.ptc:1:11
	// true
}

// A question of a program is answered.
func ExampleClient_Answer() {
	address, stop := exampleService()
	defer stop()
	ctx := context.Background()
	c, err := client.New(address, client.Options{})
	if err != nil {
		panic(err)
	}
	run, err := c.Submit(ctx, store.Submission{Source: `(ask {:question "Which?" :options ["a" "b"]})`}, 0)
	if err == nil {
		run, err = c.Wait(ctx, run.ID)
	}
	if err == nil {
		fmt.Println(run.State, run.Pending[0].Question)
		run, err = c.Answer(ctx, run.ID, run.Pending[0].ID, "b")
	}
	if err == nil {
		run, err = c.Wait(ctx, run.ID)
	}
	fmt.Println(string(run.Value), err)
	// Output:
	// waiting Which?
	// "b" <nil>
}

// The events of a run are read until it has ended.
func ExampleClient_Events() {
	address, stop := exampleService()
	defer stop()
	ctx := context.Background()
	c, err := client.New(address, client.Options{})
	if err != nil {
		panic(err)
	}
	run, err := c.Submit(ctx, store.Submission{Source: `(println "hello")`}, 0)
	if err != nil {
		panic(err)
	}
	for ev, err := range c.Events(ctx, run.ID, 0) {
		if err != nil {
			panic(err)
		}
		switch d := ev.Data.(type) {
		case wire.Printed:
			fmt.Print(d.Text)
		case wire.Changed:
			if d.State.Final() {
				fmt.Println(d.State)
			}
		}
	}
	// Output:
	// hello
	// succeeded
}
