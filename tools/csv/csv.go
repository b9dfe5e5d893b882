// This file defines the grant and its tools.

package csv

import (
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/fs"
)

// Grant grants the files that programs may use, as in package fs.
type Grant = fs.Grant

// The flags that grant the tools.
const (
	grantRead  = "grant it with --allow-fs DIR:ro"
	grantWrite = "grant it with --allow-fs DIR"
)

// Names returns the names of the tools, each with the flag that grants it.
func Names() map[string]string {
	return map[string]string{
		"csv.read": grantRead, "jsonl.read": grantRead,
		"csv.write": grantWrite, "csv.append": grantWrite, "jsonl.write": grantWrite, "jsonl.append": grantWrite,
	}
}

// tables are the tools' state: none but the files.
type tables struct{ files *fs.Files }

// Tools returns the tools of a grant. Tools that write are included only if a directory may be written.
func Tools(g Grant) ([]*tool.Tool, error) {
	files, err := fs.Open(g)
	if err != nil {
		return nil, err
	}
	return tables{files}.tools(g), nil
}

// Stubs returns the same tools as Tools, for checking only: they cannot be called, and nothing is opened.
func Stubs(g Grant) []*tool.Tool { return tables{}.tools(g) }

func (t tables) tools(g Grant) []*tool.Tool {
	if len(g.Dirs) == 0 {
		return nil
	}
	tools := []*tool.Tool{
		tool.New("csv.read", "Returns a window of the rows of a CSV file, as maps from the names in its first line to "+
			"strings. The next window begins at :next, which is absent at the end.",
			t.readCSV, tool.ReadOnly(),
			tool.Example(`(:rows (tool/csv.read "data/orders.csv"))`),
			tool.Example(`(mapcat identity (iteration #(tool/csv.read {:path "data/orders.csv" :from %}) `+
				`:initk 0 :vf :rows :kf :next))`)),
		tool.New("jsonl.read", "Returns a window of the values of a file with one JSON value on each line. The next "+
			"window begins at :next, which is absent at the end.",
			t.readLines, tool.ReadOnly(), tool.Example(`(:rows (tool/jsonl.read {:path "data/events.jsonl" :limit 100}))`)),
	}
	if g.Writable() {
		tools = append(tools, t.writers()...)
	}
	return tools
}

func (t tables) writers() []*tool.Tool {
	return []*tool.Tool{
		tool.New("csv.write", "Writes rows, maps or lists, as a CSV file in one step, and returns its size.", t.writeCSV,
			tool.Idempotent(),
			tool.Example(`(tool/csv.write {:path "out/totals.csv" :columns ["region" "total"] `+
				`:rows [{:region "north" :total 12.5}]})`)),
		tool.New("csv.append", "Appends rows to a CSV file, in the order of its columns, and returns its new size. It "+
			"creates the file if necessary.", t.appendCSV,
			tool.Example(`(tool/csv.append {:path "out/totals.csv" :rows [{:region "south" :total 3}]})`)),
		tool.New("jsonl.write", "Writes values as a file with one JSON value on each line, in one step, and returns its "+
			"size.", t.writeLines, tool.Idempotent(),
			tool.Example(`(tool/jsonl.write {:path "out/events.jsonl" :rows [{:id 1} {:id 2}]})`)),
		tool.New("jsonl.append", "Appends values to a file with one JSON value on each line, and returns its new size. "+
			"It creates the file if necessary.", t.appendLines,
			tool.Example(`(tool/jsonl.append {:path "out/events.jsonl" :rows [{:id 3}]})`)),
	}
}
