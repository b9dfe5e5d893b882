//go:build unix

package docs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/filetest"
	"github.com/ptc-lang/ptc/prompt"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// TestLLM holds the Go blocks of llm.md to this file, and follows the others.
func TestLLM(t *testing.T) {
	code, err := os.ReadFile("llm_test.go")
	if err != nil {
		t.Fatal(err)
	}
	e := &embedded{document: "llm.md", lines: strings.Split(string(code), "\n")}
	filetest.Document{Path: "llm.md", Clone: "..", Bin: install(t), Other: e.check}.Follow(t)
	if e.blocks < 3 {
		t.Errorf("%d blocks found: the test shows nothing", e.blocks)
	}
}

// TestClientFiles starts ptc as the files for clients in llm.md say.
func TestClientFiles(t *testing.T) {
	text, err := os.ReadFile("llm.md")
	if err != nil {
		t.Fatal(err)
	}
	folders := strings.NewReplacer("/home/ann/data", t.TempDir(), "${workspaceFolder}/data", t.TempDir())
	type server struct {
		Command string
		Args    []string
	}
	tried := 0
	for _, b := range filetest.Fenced(string(text)) {
		if !strings.HasPrefix(b.Info, "json ") {
			continue
		}
		var file struct{ Servers, MCPServers map[string]server }
		if err := json.Unmarshal([]byte(folders.Replace(b.Text)), &file); err != nil {
			t.Fatalf("llm.md:%d: %v", b.Line, err)
		}
		for _, all := range []map[string]server{file.Servers, file.MCPServers} {
			for _, s := range all {
				out, err := exec.Command(filepath.Join(install(t), s.Command), s.Args...).CombinedOutput() // with no client
				if err != nil {
					t.Errorf("llm.md:%d: %v\n%s", b.Line, err, out)
				}
				tried++
			}
		}
	}
	if tried != 3 {
		t.Errorf("%d servers were started, want 3", tried)
	}
}

// Message is a part of a conversation, with the role system, user or assistant.
type Message struct{ Role, Content string }

// Answer asks a model to solve a task by programs over the tools of opts.
func Answer(ctx context.Context, opts ptc.Options, task string, ask func([]Message) (string, error)) (any, error) {
	card, err := prompt.Card(ctx, prompt.Options{Run: opts, Tokens: 2500})
	if err != nil {
		return nil, err
	}
	talk := []Message{{"system", card}, {"user", task}}
	for range 5 {
		answer, err := ask(talk)
		if err != nil {
			return nil, err
		}
		res, err := runAnswer(ctx, opts, answer)
		if err == nil {
			return res.Value()
		}
		var outcome strings.Builder
		if _, err := res.Envelope(err, 8000).WriteTo(&outcome); err != nil {
			return nil, err
		}
		talk = append(talk, Message{"assistant", answer}, Message{"user", outcome.String()})
	}
	return nil, errors.New("no program has run to its end in 5 turns")
}

// runAnswer runs the program in an answer of a model.
func runAnswer(ctx context.Context, opts ptc.Options, answer string) (*ptc.Result, error) {
	source, err := ptc.Source(answer)
	if err != nil {
		return nil, err
	}
	if found := ptc.Check(ctx, "program", source, opts); found.Err != nil {
		return nil, found.Err
	}
	prog, err := ptc.Compile(ctx, "program", source, opts)
	if err != nil {
		return nil, err
	}
	return prog.Run(ctx, ptc.RunOptions{})
}

func Example_loop() {
	tools, err := tool.NewRegistry(
		tool.New("search", "Searches the catalogue.", search, tool.ReadOnly()))
	if err != nil {
		fmt.Println(err)
		return
	}
	answers := []string{ // of a model, for this page
		"```clojure\n(pmp (comp count tool/search) [\"lamp\" \"desk\"])\n```",
		"I misspelt `pmap`:\n```clojure\n(pmap (comp count tool/search) [\"lamp\" \"desk\"])\n```",
	}
	value, err := Answer(context.Background(), ptc.Options{Tools: tools}, "How many lamps and desks are there?",
		func(talk []Message) (string, error) {
			if last := talk[len(talk)-1]; len(talk) > 2 {
				fmt.Println(last.Content[:90])
			}
			answer := answers[0]
			answers = answers[1:]
			return answer, nil
		})
	fmt.Println(value, err)
	// Output:
	// {"status":"error","value":null,"prints":"","error":{"code":"unknown-name","message":"Unabl
	// [2 2] <nil>
}

func Example_checked() {
	order := tool.New("order", "Orders a product.", func(_ context.Context, in struct {
		Product string `json:"product"`
	}) (bool, error) {
		return true, nil
	})
	tools, err := tool.NewRegistry(order)
	if err != nil {
		fmt.Println(err)
		return
	}
	opts := ptc.Options{Tools: tools}
	found := ptc.Check(context.Background(), "program", `
		(def lamps ["desk lamp" "floor lamp"])
		(doseq [x lamps] (tool/order {:produkt x}))`, opts)
	for _, d := range found.Diagnostics {
		fmt.Println(d.Severity, d.Code, d.Message)
	}
	for _, t := range found.Effects.Tools {
		fmt.Println(t.Name, t.Effect)
	}
	// Output:
	// warning tool-argument tool/order: got the unknown key :produkt, want {:product string}
	// order write
}

func Example_done() {
	order := tool.New("order", "Orders a product.", func(_ context.Context, in struct {
		Product string `json:"product"`
	}) (bool, error) {
		return true, nil
	})
	tools, err := tool.NewRegistry(order)
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := ptc.Run(context.Background(), `(tool/order "lamp") (+ 1 nil)`, ptc.Options{Tools: tools})
	fmt.Println(err)
	for _, c := range res.Calls {
		if c.Class == effect.Write && c.Done && !c.Outcome.Failed() {
			fmt.Printf("done already, do not repeat it: tool/%s %s\n", c.Name, c.Args)
		}
	}
	// Output:
	// program.ptc:1:26: nil-value: +: got nil, want a number
	// done already, do not repeat it: tool/order {"product":"lamp"}
}
