// This file tests each rule of the state: which records count. A script has a record on each line. One with "!" before
// it must not count, each other one must.
//
//	begun, lead NODE [SESSION], follow NODE [SESSION], dead NODE, gone NODE, halt NODE, park NODE (a halt that wants
//	    no other node to have units), final NODE, secret NODE
//	open NODE OPERATION ELEMENTS SIZE, claim and release NODE OPERATION UNIT, close NODE OPERATION LAST
//	values NODE OPERATION ELEMENT...
//	begin, end, suspend, withdraw, announce NODE EFFECT, of a write; read, look (a read that ends at once), choose, ask
//	settle EFFECT AS
//
// NODE is - for an operator.

package dist

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/journal"
)

// lines are the parts of the lines of a journal, by the words of a script.
var lines = map[string]string{
	"begin":    `{"t":"begin","id":"ID","attempt":1,"kind":"call","name":"pay","class":"write","worker":0,"at":1,"args":{}}`,
	"end":      `{"t":"end","id":"ID","took":1,"result":1}`,
	"read":     `{"t":"begin","id":"ID","attempt":1,"kind":"call","name":"see","class":"read-only","worker":0,"at":1,"args":{}}`,
	"pick":     `{"t":"begin","id":"ID","attempt":1,"kind":"choice","name":"pany","class":"read-only","worker":0,"at":1,"args":null}`,
	"suspend":  `{"t":"suspend","id":"ID","token":"T"}`,
	"withdraw": `{"t":"withdraw","id":"ID"}`,
	"announce": `{"t":"announce","id":"ID","kind":"call","name":"pay","class":"write","at":1,"args":{},"place":"p.ptc:1:1"}`,
	"ask":      `{"t":"announce","id":"ID","kind":"question","name":"","class":"read-only","at":1,"args":{},"place":"p.ptc:1:1"}`,
	"done":     `{"t":"settle","id":"ID","as":"done","at":1,"result":1}`,
	"retry":    `{"t":"settle","id":"ID","as":"retry","at":1}`,
	"approve":  `{"t":"settle","id":"ID","as":"approve","at":1}`,
}

// parsedLine returns the record of a line of a script.
func parsedLine(t *testing.T, text string) *Record {
	w := strings.Fields(text)
	r := &Record{Kind: Kind(max(slices.Index(kindNames[:], w[0]), 0)), Node: w[1]}
	if w[1] == "-" {
		r.Node = ""
	}
	number := func(i int) int {
		n, err := strconv.Atoi(w[i])
		require.NoError(t, err, text)
		return n
	}
	line := func(id string, names ...string) {
		r.ID = id
		var all []string
		for _, name := range names {
			require.Contains(t, lines, name, text)
			all = append(all, strings.ReplaceAll(lines[name], "ID", id))
		}
		r.Line = []byte(strings.Join(all, "\n"))
	}
	switch w[0] {
	case "begun":
		header, err := journal.HeaderRecord(&journal.Header{Run: "RUN", Program: "p.ptc", Source: "1", Seed: 7}, nil)
		require.NoError(t, err)
		r.Line, r.Text, r.Elements, r.Size = header, w[1], 2, 1
	case "lead", "follow":
		r.Kind, r.Follow = Lead, w[0] == "follow"
		if len(w) > 2 {
			r.Session = number(2)
		}
	case "gone":
		r.Kind, r.Gone = Dead, true
	case "park":
		r.Kind, r.Alone = Halt, true
	case "dead", "halt":
	case "final":
		r.Line = []byte(`{"t":"final","value":"1"}`)
	case "secret":
		r.Line = []byte(`{"t":"secret","hidden":"c2VhbGVk"}`)
	case "open":
		r.ID, r.Elements, r.Size = w[2], number(3), number(4)
	case "claim", "release":
		r.ID, r.Unit = w[2], number(3)
	case "close":
		r.ID, r.Last = w[2], number(3)
	case "values":
		r.ID = w[2]
		for i := range w[3:] {
			r.Values = append(r.Values, ElementValue{Index: number(3 + i)})
		}
	case "settle":
		r.Node = "who"
		line(w[1], w[2])
	case "begin":
		line(w[2], "begin")
	case "end", "suspend", "withdraw", "announce", "ask", "read":
		r.Kind = End
		line(w[2], w[0])
		if w[0] == "read" {
			r.Kind = Begin
		}
	case "look":
		r.Kind = End
		line(w[2], "read", "end")
	case "choose":
		r.Kind = End
		line(w[2], "pick", "end")
	case "twice":
		line(w[2], "done", "done")
		r.Kind = Settle
	default:
		t.Fatalf("no such record: %s", text)
	}
	return r
}

// played returns the state after a script.
func played(t *testing.T, script string) *State {
	t.Helper()
	st := NewState()
	for k, text := range strings.Split(script, ";") {
		text, not := strings.CutPrefix(strings.TrimSpace(text), "!")
		r, err := Decode(parsedLine(t, strings.TrimSpace(text)).Encode())
		require.NoError(t, err, text)
		counts, err := st.Apply(Position(k+1), r)
		require.NoError(t, err, text)
		require.Equal(t, !not, counts, "record %d, %s, of\n%s", k, text, script)
	}
	return st
}

const (
	// two nodes, led by a, and an operation of four elements in units of one
	led    = "begun here; lead a; lead b; "
	opened = led + "open a 0.1 4 1; "
	held   = opened + "claim a 0.1 0; claim b 0.1 1; "
)

// rules are scripts by the rules that they show.
var rules = map[string][]string{
	"begun: it is the first":             {"!lead a; begun here; !begun here"},
	"lead: the first one leads":          {led + "!begin b 0#1; begin a 0#1"},
	"lead: once":                         {led + "!lead b; !begin b 0#1", led + "!lead a"},
	"lead: again when nobody does":       {led + "dead a; lead b; begin b 0#1; !lead a", led + "dead b; !begin b 0#1; begin a 0#1"},
	"lead: not the dead":                 {led + "dead a; !lead a; !begin a 0#1", led + "gone a; !lead a", "begun here; dead c; !lead c"},
	"lead: all halts are known":          {"begun here; !lead a 1; lead a; halt a; !lead b; !lead b 2; lead b 1; begin b 0#1"},
	"lead: who follows does not lead":    {"begun here; follow a; !begin a 0#1; !follow a; lead a; begin a 0#1", "begun here; lead a; follow b; dead a; !begin b 0#1; lead b; begin b 0#1"},
	"halt: parked if no other has units": {held + "!park a; begin a 0.1.0#1; values b 0.1 1; park a; !begin a 0.1.0#2", held + "dead b; park a", opened + "!park b; park a"},
	"lead: it ends the halt":             {"begun here; lead a; halt -; lead b 1; halt b; lead c 2; begin c 0#1"},
	"dead: it was not known":             {led + "dead b; !dead b; !gone b", led + "gone b; !dead b; !gone b"},
	"dead: says nothing":                 {held + "dead b; !begin b 0.1.1#1; !values b 0.1 1; !claim b 0.1 2; !release b 0.1 1; !secret b", led + "dead a; !open a 0.1 4 1; !final a; !close a 0.1 0; !look a 0#1"},
	"dead: its units are free":           {held + "dead b; claim a 0.1 1; values a 0.1 1", held + "begin a 0.1.0#1; dead b; end a 0.1.0#1; values a 0.1 0"},
	"open: the owner":                    {led + "!open b 0.1 4 1; open a 0.1 4 1", held + "!open a 0.1.1.1 4 1; open b 0.1.1.1 4 1", opened + "!open a 0.1.2.1 4 1"},
	"open: once":                         {opened + "!open a 0.1 4 1", held + "values a 0.1 0; values b 0.1 1; close a 0.1 1; !open a 0.1 4 1"},
	"open: again after a bound":          {held + "close a 0.1 -1; !claim a 0.1 2; !open b 0.1 4 1; !open a 0.1 5 1; open a 0.1 4 1; !open a 0.1 4 1; claim a 0.1 2"},
	"open: it is needed":                 {held + "values a 0.1 0; close a 0.1 0; !open b 0.1.1.1 4 1"},
	"open: it can be":                    {led + "!open a 0.1 0 1; !open a 0.1 4 0; !open a 0.1 1048577 1; !open a 0 4 1; open a 0.1 1048576 50"},
	"claim: it is open":                  {led + "!claim b 0.1 0", opened + "claim b 0.1 3; !claim b 0.1 4; !claim b 0.2 0"},
	"claim: it is free":                  {opened + "claim b 0.1 0; !claim a 0.1 0; !claim b 0.1 0; !values a 0.1 0; values b 0.1 0"},
	"claim: elements are needed":         {held + "values a 0.1 0; release a 0.1 0; !claim b 0.1 0", led + "open a 0.1 5 2; claim a 0.1 0; values a 0.1 0; release a 0.1 0; claim b 0.1 0; values b 0.1 1; release b 0.1 0; !claim a 0.1 0"},
	"claim: not above the last":          {led + "open a 0.1 6 2; claim a 0.1 0; values a 0.1 0 1; claim a 0.1 1; values a 0.1 2; release a 0.1 1; close a 0.1 2; !claim b 0.1 2; claim b 0.1 1"},
	"claim: what is around is needed":    {held + "open b 0.1.1.1 4 1; claim a 0.1.1.1 0; values a 0.1 0; close a 0.1 0; !claim a 0.1.1.1 1", held + "open b 0.1.1.1 4 1; claim a 0.1.1.1 0; values b 0.1 1; !claim a 0.1.1.1 1"},
	"release: the holder":                {held + "!release a 0.1 1; !claim a 0.1 1; release b 0.1 1; !release b 0.1 1; claim a 0.1 1; !release a 0.1 4; !release a 0.2 0"},
	"begin: the owner":                   {held + "!begin a 0.1.1#1; begin b 0.1.1#1; !begin b 0.1.2#1; !begin a 0.1.2#1; !begin b 0#1; begin a 0#1"},
	"begin: the innermost holder":        {held + "open b 0.1.1.1 2 1; claim a 0.1.1.1 0; begin a 0.1.1.1.0#1; !begin b 0.1.1.1.0#2; begin b 0.1.1#1; !begin a 0.1.1#2"},
	"begin: nobody in what has ended":    {held + "values b 0.1 1; !begin b 0.1.1#1; begin a 0.1.0#1"},
	"begin: not above the last":          {held + "values a 0.1 0; close a 0.1 0; !begin b 0.1.1#1"},
	"begin: not what is done":            {led + "begin a 0#1; end a 0#1; !begin a 0#1", led + "announce a 0#1; !begin a 0#1; settle 0#1 approve; begin a 0#1"},
	"begin: not what is in doubt":        {led + "begin a 0#1; !begin a 0#1; gone a; lead b; !begin b 0#1; settle 0#1 retry; begin b 0#1", led + "begin a 0#1; withdraw a 0#1; begin a 0#1", led + "read a 0#1; dead a; lead b; read b 0#1"},
	"end: the owner":                     {led + "!look b 0#1; look a 0#1; !choose b 0#2; choose a 0#2", led + "!announce b 0#1; announce a 0#1", held + "!look a 0.1.1#1; look b 0.1.1#1"},
	"end: once":                          {led + "begin a 0#1; end a 0#1; !end a 0#1", led + "look a 0#1; !look a 0#1; !announce a 0#1"},
	"end: what it has begun":             {led + "!end a 0#1; !suspend a 0#1; !withdraw a 0#1; begin a 0#1; !end b 0#1; !look a 0#1; !announce a 0#1; suspend a 0#1", led + "announce a 0#1; !end a 0#1; !suspend a 0#1; !look a 0#1; !end - 0#1"},
	"end: of a write by the dead":        {led + "begin a 0#1; dead a; end a 0#1", led + "begin a 0#1; gone a; lead b; end a 0#1; !begin b 0#1", held + "begin b 0.1.1#1; release b 0.1 1; end b 0.1.1#1", led + "begin a 0#1; dead a; settle 0#1 retry; end a 0#1"},
	"end: not of another's":              {led + "begin a 0#1; dead a; lead b; !end b 0#1; settle 0#1 retry; begin b 0#1; !end a 0#1; end b 0#1"},
	"end: nothing else of the dead":      {led + "dead a; dead b; !look - 0#1", led + "dead a; !look a 0#1; !choose a 0#1; !announce a 0#1", led + "begin a 0#1; dead a; !withdraw a 0#1; !suspend a 0#1; !look a 0#1", led + "read a 0#1; dead a; !end a 0#1"},
	"settle: it pends":                   {led + "!settle 0#1 done; announce a 0#1; settle 0#1 done; !settle 0#1 done", led + "look a 0#1; !settle 0#1 done", led + "announce a 0#1; !twice a 0#1"},
	"settle: in doubt of the dead":       {led + "begin a 0#1; !settle 0#1 done; !settle 0#1 retry; dead a; settle 0#1 done", led + "begin a 0#1; gone a; settle 0#1 retry; !settle 0#1 done", led + "begin a 0#1; halt -; settle 0#1 done"},
	"settle: as it can be":               {led + "announce a 0#1; !settle 0#1 retry; settle 0#1 approve; !settle 0#1 approve", led + "ask a 0#1; !settle 0#1 approve; !settle 0#1 retry; settle 0#1 done", led + "begin a 0#1; suspend a 0#1; !settle 0#1 approve; settle 0#1 retry; begin a 0#1", led + "begin a 0#1; dead a; !settle 0#1 approve; settle 0#1 retry"},
	"values: the holder":                 {held + "!values a 0.1 1; !values a 0.1 2; values b 0.1 1", opened + "!values a 0.1 0"},
	"values: needed and new":             {held + "values b 0.1 1; !values b 0.1 1; !values b 0.1 4; !values b 0.2 1", led + "open a 0.1 4 2; claim a 0.1 0; claim b 0.1 1; values a 0.1 0; close a 0.1 0; !values a 0.1 1; !values b 0.1 2"},
	"values: those that can":             {held + "values b 0.1 0 1 2; values a 0.1 0; claim a 0.1 2; values a 0.1 2"},
	"close: the owner":                   {held + "values a 0.1 0; !close b 0.1 0; close a 0.1 0; !close a 0.1 0; !close a 0.2 0", held + "open b 0.1.1.1 2 1; claim a 0.1.1.1 0; values a 0.1.1.1 0; !close a 0.1.1.1 0; close b 0.1.1.1 0"},
	"close: all up to the last are in":   {held + "!close a 0.1 0; values b 0.1 1; !close a 0.1 1; values a 0.1 0; !close a 0.1 4; close a 0.1 1", led + "open a 0.1 2 2; claim a 0.1 0; values a 0.1 0 1; !close a 0.1 2; close a 0.1 1", held + "close a 0.1 -1"},
	"secret: the node is alive":          {led + "secret b; dead b; !secret b"},
	"final: the leader":                  {led + "!final b; final a"},
	"final: nothing after it":            {held + "announce a 0#1; begin b 0.1.1#1; final a; !final a; !halt -; !lead c; !dead b; !settle 0#1 done; !end b 0.1.1#1; !values a 0.1 0; !secret a"},
	"halt: the leader, or an operator":   {led + "!halt b; halt a", led + "halt -; !halt -", "begun here; halt -"},
	"halt: it ends all nodes":            {held + "halt a; !begin a 0#1; !values b 0.1 1; !lead b 1; lead c 1; claim c 0.1 1; claim c 0.1 0; values c 0.1 0 1"},
	"halt: a write that was begun ends":  {led + "begin a 0#1; halt -; end a 0#1"},
}

// TestRules requires each rule to hold.
func TestRules(t *testing.T) {
	for name, scripts := range rules {
		for i, script := range scripts {
			t.Run(fmt.Sprint(name, " ", i), func(t *testing.T) { played(t, script) })
		}
	}
}

// TestRulesOfState checks that the actions of nodes follow from the state.
func TestRulesOfState(t *testing.T) {
	st := played(t, held+"open b 0.1.1.1 4 2; claim a 0.1.1.1 0")
	require.Equal(t, "a", st.owner("0"))
	require.Equal(t, []string{"a", "b", "", ""}, []string{st.owner("0.1.0"), st.owner("0.1.1"), st.owner("0.1.2"), st.owner("0.1.3.7.2")})
	require.Equal(t, []string{"a", "a", ""}, []string{st.owner("0.1.1.1.0"), st.owner("0.1.1.1.1"), st.owner("0.1.1.1.2")})
	require.Equal(t, "b", st.owner("0.1.1.5.0"), "an operation that is not shared is the holder's")

	o := st.operations["0.1"]
	require.True(t, o.busy(0, "a"), "b holds element 1")
	require.False(t, o.busy(1, "a"))
	require.True(t, o.busy(0, "b"), "a is at an operation in element 1")
	require.False(t, o.busy(1, "b"))
	require.True(t, o.busy(-1, "b"), "a holds element 0")
	st = played(t, held+"values b 0.1 1")
	require.False(t, st.operations["0.1"].busy(0, "a"), "the unit is complete")
	require.Empty(t, st.owner("0.1.1"))
	require.True(t, st.finished("0.1.1.3.1"))
	require.False(t, st.finished("0.1.0"))
	st = played(t, led+"open a 0.1 5 2; claim b 0.1 2; claim b 0.1 0")
	require.False(t, st.operations["0.1"].busy(4, "a"))
	require.True(t, st.operations["0.1"].busy(3, "a"))
	st = played(t, led+"open a 0.1 4 2; claim b 0.1 0")
	require.True(t, st.operations["0.1"].busy(0, "a"), "the unit has an element above the last one")
	require.False(t, st.operations["0.1"].busy(1, "a"))
	st = played(t, held+"claim a 0.1 2")
	require.False(t, st.operations["0.1"].busy(1, "a"), "what it holds itself is no matter")
	st = played(t, held+"open b 0.1.1.1 4 1; claim a 0.1.1.1 0")
	require.True(t, st.operations["0.1"].busy(0, "b"), "the element around is above the last one")
	require.Empty(t, played(t, led+"final a").owner("0"))

	st = played(t, held+"values a 0.1 0; close a 0.1 0")
	require.True(t, st.unneeded("0.1.1.2.3"))
	require.False(t, st.unneeded("0.1.0"))

	require.Equal(t, past{2, 7}, played(t, led+"look a 0#2; look a 0#1; open a 0.7 4 1").past["0"])
	st = played(t, led+"look a 0#1; look a 0#2; open a 0.7 4 1; claim b 0.7 0; look b 0.7.0#1; look b 0.7.0.3.1.5.2#4")
	require.Equal(t, past{2, 7}, st.past["0"], "an operation that is open is known to follow")
	require.Equal(t, past{1, 3}, st.past["0.7.0"])
	require.Equal(t, past{4, 0}, st.past["0.7.0.3.1.5.2"])
	require.True(t, st.had["0.7"] && st.had["0.7.0.3"] && st.had["0.7.0.3.1.5"])
	require.False(t, st.had["0.8"])

	st = played(t, led+"dead a; !gone a; dead b")
	require.Equal(t, map[string]life{"a": gone, "b": dead}, st.nodes)
	require.Empty(t, st.leader)
	st = played(t, held+"gone b; halt a")
	require.Equal(t, map[string]life{"a": dead, "b": gone}, st.nodes)
	require.True(t, st.halted && st.halts == 1 && st.leader == "")
	require.Equal(t, []string{"", "", "", ""}, st.operations["0.1"].holders)
	require.Equal(t, "a", played(t, led+"begin a 0#1; dead a").effects["0#1"].node)
	require.Equal(t, "a", played(t, led+"look a 0#1").effects["0#1"].node)
	require.Equal(t, []string{"c2VhbGVk"}, played(t, led+"secret b").secrets)
}
