package csv

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/fs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func registry(t *testing.T, g Grant) *tool.Registry {
	t.Helper()
	tools, err := Tools(g)
	require.NoError(t, err)
	reg, err := tool.NewRegistry(tools...)
	require.NoError(t, err)
	for name, how := range Names() {
		reg.Withhold(name, how)
	}
	return reg
}

// run returns the value of a program that may use the files of a directory, as d.
func run(t *testing.T, dir, program string) (string, error) {
	t.Helper()
	reg := registry(t, Grant{Dirs: []fs.Dir{{Path: dir, Name: "d", Write: true}}})
	res, err := ptc.Run(context.Background(), program, ptc.Options{Tools: reg})
	if err != nil {
		return "", err
	}
	return res.EDN()
}

func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

func TestRead(t *testing.T) {
	dir := tree(t, map[string]string{
		"plain.csv":  "id,name,unit_price\n2,lamp,9.50\n1,desk,210\n",
		"quoted.csv": "a,b\r\n\"x,\"\"y\"\"\",\"two\nlines\"\r\n\r\n\"\",last",
		"mark.csv":   "\ufeffa;b\n1;2\n",
		"none.csv":   "",
		"head.csv":   "a,b\n",
		"bare.csv":   "1,2\n3,4\n",
		"empty.csv":  "a,,a2\n1,2,3\n",
		"latin.csv":  "name\nM\xfcller\n",
		"nine.csv":   "z,y,x,w,v,u,t,s,r\n1,2,3,4,5,6,7,8,9\n",
		"hostile.csv": "__proto__,a b,\"q\"\"k\",</script>\n" +
			"1,\u2028,\"=cmd|' /C calc'!A0\",\x01\n",
		"a.jsonl": "{\"id\":12345678901234567890,\"x\":1.50}\n\n[1,null,\"<&\"]\r\n  7",
	})
	for _, test := range []struct{ program, want string }{
		{`(tool/csv.read "d/plain.csv")`, `{:columns ["id" "name" "unit_price"], :rows [{:id "2", :name "lamp", :unit_price "9.50"} {:id "1", :name "desk", :unit_price "210"}]}`},
		{`(tool/csv.read {:path "d/plain.csv" :limit 1})`, `{:columns ["id" "name" "unit_price"], :rows [{:id "2", :name "lamp", :unit_price "9.50"}], :next 31}`},
		{`(tool/csv.read {:path "d/plain.csv" :from 31})`, `{:columns ["id" "name" "unit_price"], :rows [{:id "1", :name "desk", :unit_price "210"}]}`},
		{`(map :id (mapcat identity (iteration #(tool/csv.read {:path "d/plain.csv" :from % :limit 1}) :initk 0 :vf :rows :kf :next)))`, `("2" "1")`},
		{`(:rows (tool/csv.read "d/quoted.csv"))`, `[{:a "x,\"y\"", :b "two\nlines"} {:a "", :b "last"}]`},
		{`(mapcat identity (iteration #(tool/csv.read {:path "d/quoted.csv" :from % :limit 1}) :initk 0 :vf :rows :kf :next))`, `({:a "x,\"y\"", :b "two\nlines"} {:a "", :b "last"})`},
		{`(:rows (tool/csv.read {:path "d/mark.csv" :separator ";"}))`, `[{:a "1", :b "2"}]`},
		{`(tool/csv.read "d/none.csv")`, `{:columns [], :rows []}`},
		{`(tool/csv.read "d/head.csv")`, `{:columns ["a" "b"], :rows []}`},
		{`(:rows (tool/csv.read {:path "d/bare.csv" :columns ["x" "y"]}))`, `[{:x "1", :y "2"} {:x "3", :y "4"}]`},
		{`(:rows (tool/csv.read "d/empty.csv"))`, `[{:a "1", :column-2 "2", :a2 "3"}]`},
		{`(:rows (tool/csv.read {:path "d/latin.csv" :encoding "latin-1"}))`, `[{:name "Müller"}]`},
		{`(count (first (:rows (tool/csv.read "d/nine.csv"))))`, `9`},
		{`(vals (first (:rows (tool/csv.read "d/hostile.csv"))))`, "(\"1\" \"\u2028\" \"=cmd|' /C calc'!A0\" \"\x01\")"},
		{`(tool/csv.read {:path "d/plain.csv" :from 10000})`, `{:columns ["id" "name" "unit_price"], :rows []}`},
		{`(tool/jsonl.read "d/a.jsonl")`, `{:rows [{:id 12345678901234567890N, :x 1.5} [1 nil "<&"] 7]}`},
		{`(:next (tool/jsonl.read {:path "d/a.jsonl" :limit 1}))`, `37`},
		{`(mapcat identity (iteration #(tool/jsonl.read {:path "d/a.jsonl" :from % :limit 1}) :initk 0 :vf :rows :kf :next))`, `({:id 12345678901234567890N, :x 1.5} [1 nil "<&"] 7)`},
	} {
		t.Run(test.program, func(t *testing.T) {
			got, err := run(t, dir, test.program)
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
		})
	}
}

func TestWrite(t *testing.T) {
	for _, test := range []struct{ program, want string }{
		{`(tool/csv.write {:path "d/x" :rows [{:b 1 :a "x,y"} {:a nil :b true}]})`, "a,b\n\"x,y\",1\n,true\n"},
		{`(tool/csv.write {:path "d/x" :columns ["b" "a"] :rows [{:b 1.50 :a 12345678901234567890} {:b 2}]})`, "b,a\n1.5,12345678901234567890\n2,\n"},
		{`(tool/csv.write {:path "d/x" :rows [[1 "a\"b"] [2 "c\nd"]] :separator ";"})`, "1;\"a\"\"b\"\n2;\"c\nd\"\n"},
		{`(tool/csv.write {:path "d/x" :columns ["a"] :rows [[nil] [""] ["x"]]})`, "a\n\"\"\n\"\"\nx\n"},
		{`(tool/csv.write {:path "d/x" :rows []})`, ""},
		{`(do (tool/csv.append {:path "d/x" :rows [{:b 1 :a 2}]}) (tool/csv.append {:path "d/x" :rows [{:b 3}]}))`, "a,b\n2,1\n,3\n"},
		{`(do (tool/fs.write {:path "d/x" :text "b,a"}) (tool/csv.append {:path "d/x" :rows [{:b 1 :a 2} [3 4]]}))`, "b,a\n1,2\n3,4\n"},
		{`(do (tool/csv.append {:path "d/x" :rows [[1 1]]}) (tool/csv.append {:path "d/x" :rows [[2 2]]}))`, "1,1\n2,2\n"},
		{`(tool/jsonl.write {:path "d/x" :rows [{:b 1 :a [1.0 nil]} "<&>" 12345678901234567890]})`, "{\"a\":[1.0,null],\"b\":1}\n\"<&>\"\n12345678901234567890\n"},
		{`(do (tool/fs.write {:path "d/x" :text "1"}) (tool/jsonl.append {:path "d/x" :rows [2]}) (tool/jsonl.append {:path "d/x" :rows [3]}))`, "1\n2\n3\n"},
		{`(let [rows [{:a "x\ny" :b "\"q\""} {:a "" :b "ü;,"}]]
			(tool/csv.write {:path "d/x" :rows rows})
			(when (= rows (:rows (tool/csv.read "d/x"))) (tool/fs.write {:path "d/x" :text "same"})))`, "same"},
	} {
		t.Run(test.program, func(t *testing.T) {
			dir := t.TempDir()
			g := Grant{Dirs: []fs.Dir{{Path: dir, Name: "d", Write: true}}}
			reg := registry(t, g)
			files, err := fs.Tools(g)
			require.NoError(t, err)
			require.NoError(t, reg.Add(files...))
			_, err = ptc.Run(t.Context(), test.program, ptc.Options{Tools: reg})
			require.NoError(t, err)
			got, err := os.ReadFile(filepath.Join(dir, "x"))
			require.NoError(t, err)
			assert.Equal(t, test.want, string(got))
		})
	}
}

func TestFailures(t *testing.T) {
	dir := tree(t, map[string]string{
		"plain.csv": "a,b\n", "ragged.csv": "a,b\n1,2\n1,2,3\n", "short.csv": "a,b\n1\n", "quote.csv": "a\n\"x\n", "twice.csv": "a,a\n1,2\n", "bad.csv": "a\n\xff\n",
		"open.csv": "a\n\"" + strings.Repeat("x\n", 1<<20), "wide": strings.Repeat("x", 2<<20), "broken.jsonl": "{}\n{\"a\":}\n", "bytes.jsonl": "\"\xff\"\n",
		"deep.jsonl": strings.Repeat("[", 5000) + strings.Repeat("]", 5000), "deeper.jsonl": strings.Repeat("[", 20000) + strings.Repeat("]", 20000),
	})
	for _, test := range []struct{ program, code, message string }{
		{`(tool/csv.read "d/none")`, "not-found", "d/none"},
		{`(tool/csv.read "/etc/passwd")`, "refused", "granted directories (d)"},
		{`(tool/csv.read "d/ragged.csv")`, "bad-csv", "line 3: want as many fields as columns, 2 ("},
		{`(tool/csv.read "d/short.csv")`, "bad-csv", "line 2: want as many fields as columns, 2 ("},
		{`(tool/csv.read "d/quote.csv")`, "bad-csv", "line 2: a quote"},
		{`(tool/csv.read "d/twice.csv")`, "bad-csv", `two columns have the name "a"`},
		{`(tool/csv.read {:path "d/ragged.csv" :columns ["x" "x"]})`, "bad-csv", "two columns"},
		{`(tool/csv.read "d/bad.csv")`, "not-text", "UTF-8"},
		{`(tool/csv.read "d/open.csv")`, "too-large", "line 2: the row has more than"},
		{`(tool/csv.read "d/wide")`, "too-large", "line 1"},
		{`(tool/csv.read {:path "d/short.csv" :separator "ab"})`, "bad-arguments", ":separator"},
		{`(tool/csv.read {:path "d/short.csv" :separator "\n"})`, "bad-arguments", ":separator"},
		{`(tool/csv.read {:path "d/short.csv" :from -1})`, "bad-arguments", ":from"},
		{`(tool/jsonl.read "d/broken.jsonl")`, "bad-json", "line 2 is no JSON"},
		{`(tool/jsonl.read "d/bytes.jsonl")`, "not-text", "byte 1"},
		{`(tool/jsonl.read "d/deeper.jsonl")`, "bad-json", "depth"},
		{`(tool/csv.write {:path "d/x" :rows [{:a [1]}]})`, "bad-arguments", `[:rows 0]: "a": got a collection`},
		{`(tool/csv.write {:path "d/x" :rows [1]})`, "bad-arguments", "[:rows 0]: got a single value"},
		{`(tool/csv.write {:path "d/x" :columns ["a"] :rows [{:a 1} {:b 1}]})`, "bad-arguments", `[:rows 1]: got the key "b"`},
		{`(tool/csv.write {:path "d/x" :columns ["a"] :rows [[1 2]]})`, "bad-arguments", "want one field for each column (1), got 2"},
		{`(tool/csv.append {:path "d/plain.csv" :rows [{:c 1}]})`, "bad-arguments", `got the key "c", want keys among the columns`},
		{`(tool/csv.append {:path "d/twice.csv" :rows [{:c 1}]})`, "bad-csv", "two columns"},
		{`(tool/csv.write {:path "d/none/x" :rows []})`, "not-found", "fs.mkdir"},
	} {
		t.Run(test.program, func(t *testing.T) {
			_, err := run(t, dir, test.program)
			var e *ptc.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, diag.ToolFailed, e.Code)
			assert.Contains(t, e.Message, test.message)
			got, err := run(t, dir, `(try `+test.program+` (catch Exception e (:code (ex-data e))))`)
			require.NoError(t, err)
			assert.Equal(t, ":"+test.code, got)
		})
	}
	_, err := os.Stat(filepath.Join(dir, "x"))
	require.ErrorIs(t, err, os.ErrNotExist)

	// Data nested deeper than the language reads is an error of the call, not of the process.
	_, err = run(t, dir, `(count (str (tool/jsonl.read "d/deep.jsonl")))`)
	var e *ptc.Error
	if err != nil {
		require.ErrorAs(t, err, &e)
		assert.NotEqual(t, diag.Internal, e.Code)
	}
}

// TestPages reads a table of many windows in a memory that does not hold it.
func TestPages(t *testing.T) {
	var text strings.Builder
	text.WriteString("id,note\n")
	for i := range 100_000 {
		text.WriteString(strings.Repeat("7", i%7+1) + ",\"some\nnote\"\n")
	}
	dir := tree(t, map[string]string{"big.csv": text.String()})
	reg := registry(t, Grant{Dirs: []fs.Dir{{Path: dir, Name: "d"}}})
	res, err := ptc.Run(t.Context(), `
		(defn rows [path] (mapcat identity (iteration (fn [k] (tool/csv.read {:path path :from k})) :initk 0 :vf :rows :kf :next)))
		(reduce (fn [n row] (+ n (count (:id row)))) 0 (rows "d/big.csv"))`,
		ptc.Options{Tools: reg, Limits: ptc.Limits{Memory: 8 << 20}})
	require.NoError(t, err)
	want := 0
	for i := range 100_000 {
		want += i%7 + 1
	}
	got, err := res.Value()
	require.NoError(t, err)
	assert.EqualValues(t, want, got)
}

func TestDeclarations(t *testing.T) {
	tools, err := Tools(Grant{})
	require.NoError(t, err)
	assert.Empty(t, tools)
	reading := registry(t, Grant{Dirs: []fs.Dir{{Path: t.TempDir()}}})
	assert.Len(t, reading.All(), 2)
	reg := registry(t, Grant{Dirs: []fs.Dir{{Path: t.TempDir(), Write: true}}})
	assert.Len(t, reg.All(), len(Names()))
	for _, x := range reg.All() {
		assert.NotEmpty(t, x.Examples(), x.Name())
		for _, e := range x.Examples() {
			_, err := ptc.Compile(context.Background(), "", e, ptc.Options{Tools: reg})
			require.NoError(t, err, e)
		}
	}
	assert.Equal(t, effect.Write, reg.Lookup("csv.append").Class())
	assert.Equal(t, effect.Idempotent, reg.Lookup("csv.write").Class())
	assert.Equal(t, "csv.read {:path string :from int? :limit int? :columns [string]? :separator string? :encoding string?} -> {:columns [string] :rows [{string string}] :next int|nil?}",
		reg.Lookup("csv.read").Signature())
}
