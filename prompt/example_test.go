package prompt_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/prompt"
	"github.com/ptc-lang/ptc/runtime/tool"
)

type query struct {
	Words string `json:"words"`
}

func ExampleCard() {
	search := tool.New("search", "Finds products by words.", func(_ context.Context, q query) ([]string, error) {
		return []string{q.Words + " lamp"}, nil
	}, tool.ReadOnly())
	tools, err := tool.NewRegistry(search)
	if err != nil {
		log.Fatal(err)
	}
	card, err := prompt.Card(context.Background(), prompt.Options{Run: ptc.Options{Tools: tools, DataNames: []string{"orders"}}, Tokens: 1500})
	if err != nil {
		log.Fatal(err)
	}
	for line := range strings.Lines(card) {
		if strings.Contains(line, " -> ") || strings.Contains(line, "Finds") {
			fmt.Print(strings.TrimLeft(line, " "))
		}
	}
	fmt.Println(prompt.Tokens(card) <= 1500)
	// Output:
	// tool/search {:words string} -> [string]
	// ; Finds products by words. [read-only]
	// true
}
