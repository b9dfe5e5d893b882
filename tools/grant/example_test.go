package grant_test

import (
	"context"
	"fmt"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/tools/grant"
)

func ExampleSet() {
	var granted grant.Set
	err := granted.ReadFile("ptc.yaml", []byte("allow:\n  htpp: [api.example.com]\n"))
	fmt.Println(err)

	if err := granted.Grant("time", "", ""); err != nil {
		panic(err)
	}
	registry, err := granted.Registry(context.Background())
	if err != nil {
		panic(err)
	}
	for _, program := range []string{
		`(tool/time.format {:ms 0 :pattern "EEEE, d MMMM yyyy"})`,
		`(tool/http.get "https://api.example.com")`,
	} {
		res, err := ptc.Run(context.Background(), program, ptc.Options{Tools: registry})
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(res.Value())
	}
	// Output:
	// ptc.yaml:2:3: allow has no key htpp; did you mean http?
	// Thursday, 1 January 1970 <nil>
	// program.ptc:1:2: not-granted: tool/http.get is not granted
}
