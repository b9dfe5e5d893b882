package fs_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/fs"
)

func ExampleTools() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "app.log"), []byte("start\nERROR disk\nERROR net\nstop\n"),
		0o600); err != nil {
		panic(err)
	}

	tools, err := fs.Tools(fs.Grant{Dirs: []fs.Dir{{Path: dir, Name: "logs"}}})
	if err != nil {
		panic(err)
	}
	registry, err := tool.NewRegistry(tools...)
	if err != nil {
		panic(err)
	}
	for _, program := range []string{
		`(filter #(str/starts-with? % "ERROR") (:lines (tool/fs.lines "logs/app.log")))`,
		`(tool/fs.read "logs/../passwd")`,
	} {
		res, err := ptc.Run(context.Background(), program, ptc.Options{Tools: registry})
		if err != nil {
			fmt.Println(strings.ReplaceAll(err.Error(), "; ", ";\n"))
			continue
		}
		fmt.Println(res.Value())
	}
	// Output:
	// [ERROR disk ERROR net] <nil>
	// program.ptc:1:1: tool-failed: tool/fs.read: logs/../passwd is in none of the granted directories (logs);
	// grant more with --allow-fs DIR
}
