// This file defines how pending effects are shown.

package ask

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/chzyer/readline"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
)

const (
	minWidth = 20 // of lines, on a terminal that is narrower
	// shownText is the number of characters of arguments, of a question and of its data that are shown at first.
	shownText = 600
	// shownOptions is the number of options that are shown at first.
	shownOptions = 30
	// maxRows bounds the list of effects that are settled together: nobody reads more.
	maxRows = 100
)

// ShownArgs is the number of characters that a table shows of arguments, of a question or of a host.
const ShownArgs = 60

// shownPlace is the number of characters that a table shows of a place.
const shownPlace = 40

// bar stands before each line of foreign text.
const bar = "  | "

// kinds counts the pending effects of each kind.
func kinds(all []effect.Pending) string {
	count := make(map[string]int)
	var order []string
	for i := range all {
		what := "question"
		if all[i].Kind != effect.PendingQuestion {
			what = string(all[i].Kind) + " of tool/" + all[i].Tool
		}
		if count[what]++; count[what] == 1 {
			order = append(order, what)
		}
	}
	slices.Sort(order)
	for i, what := range order {
		order[i] = fmt.Sprintf("%d × %s", count[what], what)
	}
	return diag.Visible(strings.Join(order, ", "))
}

// brief returns the short form of a pending effect for its question.
func brief(p *effect.Pending, number, of, width int) string {
	var b strings.Builder
	title := fmt.Sprintf("%s %s", p.Kind, p.ID)
	if p.Kind != effect.PendingQuestion {
		title = fmt.Sprintf("%s of call %s: tool/%s (%s)", p.Kind, p.ID, p.Tool, p.Class)
	}
	if p.Host != "" {
		title += " on " + p.Host
	}
	if p.Place != "" {
		title += ", at " + p.Place
	}
	if p.Kind == effect.PendingDoubt {
		title += ", begun at " + clock(p.Since)
	}
	if p.Token != "" {
		title += ", known as " + p.Token
	}
	b.WriteByte('\n')
	wrap(&b, "", "   ", fmt.Sprintf("%d of %d: %s", number, of, line(title)), width)
	if p.Kind == effect.PendingQuestion {
		wrap(&b, bar, bar, cut(p.Question), width)
		if p.Data != nil {
			wrap(&b, bar, bar, cut("data: "+string(p.Data)), width)
		}
		options(&b, p, shownOptions, width)
	} else {
		wrap(&b, bar, bar, cut(string(p.Args)), width)
	}
	return b.String()
}

// options writes the options of a question, at most so many.
func options(b *strings.Builder, p *effect.Pending, most, width int) {
	byNumber := numbered(p)
	for i, o := range p.Options {
		if i == most {
			fmt.Fprintf(b, "  … and %d more, :d shows all\n", len(p.Options)-most)
			break
		}
		var text string
		if json.Unmarshal(o, &text) != nil || strings.TrimSpace(text) != text || text == "" {
			text = string(o)
		}
		mark := "  - "
		if byNumber {
			mark = fmt.Sprintf("%3d) ", i+1)
		}
		wrap(b, mark, "     ", cut(line(text)), width)
	}
}

// full returns everything about a pending effect.
func full(p *effect.Pending, width int) string {
	var b strings.Builder
	field := func(name, text string) {
		if text != "" {
			wrap(&b, "", "   ", name+": "+line(text), width)
		}
	}
	field("effect", p.ID)
	field("waits for", string(p.Kind))
	if p.Tool != "" {
		field("tool", fmt.Sprintf("tool/%s (%s)", p.Tool, p.Class))
	}
	field("host", p.Host)
	field("work", p.Token)
	field("at", p.Place)
	field("since", clock(p.Since))
	if p.Kind == effect.PendingQuestion {
		field("question", " ")
		wrap(&b, bar, bar, p.Question, width)
		block(&b, "data", p.Data, width)
		options(&b, p, len(p.Options), width)
	} else {
		block(&b, "arguments", p.Args, width)
	}
	return b.String()
}

// block writes JSON over several lines.
func block(b *strings.Builder, name string, text json.RawMessage, width int) {
	if text == nil {
		return
	}
	var laidOut bytes.Buffer
	if json.Indent(&laidOut, text, "", "  ") != nil {
		laidOut.Reset()
		laidOut.Write(text)
	}
	fmt.Fprintf(b, "%s:\n", name)
	wrap(b, bar, bar, laidOut.String(), width)
}

func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// prompt returns the prompt for an effect.
func prompt(p *effect.Pending) string {
	switch p.Kind {
	case effect.PendingApproval:
		return "approve? [y n a d s q ?] "
	case effect.PendingQuestion:
		if numbered(p) {
			return fmt.Sprintf("answer? [1-%d, ? explains] ", len(p.Options))
		}
		return "answer? [? explains] "
	case effect.PendingDoubt:
		return "outcome? [done failed retry a d s q ?] "
	}
	return "outcome? [done failed a d s q ?] "
}

// help lists the commands for an effect.
func help(p *effect.Pending) string {
	lines := []string{
		"y            approve the call",
		"n REASON     refuse it; the program gets the reason, which is optional",
		"a            approve all calls of tool/" + p.Tool + " that wait, after a list of them",
		"a n REASON   refuse all of them",
	}
	colon := ""
	switch p.Kind {
	case effect.PendingQuestion:
		lines, colon = []string{
			"ANSWER       an option, or its number; without options JSON, or text, which becomes a string",
			":a ANSWER    answer all questions that are the same",
		}, ":"
	case effect.PendingDoubt, effect.PendingOutcome:
		lines = []string{
			"done RESULT     it has happened; RESULT is JSON, and optional",
			"failed MESSAGE  it has failed",
			"a done …        the same for all calls of tool/" + p.Tool + " that wait, after a list of them",
		}
		if p.Kind == effect.PendingDoubt {
			lines = append(lines, "retry           it has not happened: make the call again")
		}
	}
	for _, c := range []string{"d            show everything about it",
		"s            decide later; the run continues with what is settled",
		"q            end the run, with what is settled so far"} {
		lines = append(lines, colon+c)
	}
	return strings.Join(lines, "\n") + "\n"
}

// Table writes a table of pending effects.
func Table(w io.Writer, all []effect.Pending) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tWAITS FOR\tEFFECT\tPLACE")
	for i := range all {
		p := &all[i]
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", foreign(p.ID), foreign(string(p.Kind)), Shortly(p), Place(p.Place))
	}
	table.Flush()
}

// list returns effects of one kind, one after the other.
func list(all []effect.Pending, width int) string {
	var b strings.Builder
	for i := range all {
		if i == maxRows {
			fmt.Fprintf(&b, "… and %d more\n", len(all)-maxRows)
			break
		}
		p := &all[i]
		what := Shortly(p)
		if p.Host != "" {
			what += " on " + Cell(p.Host, ShownArgs)
		}
		wrap(&b, "", "    ", p.ID+"  "+what, width)
	}
	return b.String()
}

// Shortly returns a pending effect in a line.
func Shortly(p *effect.Pending) string {
	if p.Kind == effect.PendingQuestion {
		return Cell(p.Question, ShownArgs)
	}
	return "tool/" + foreign(p.Tool) + " " + Cell(string(p.Args), ShownArgs)
}

// foreign returns foreign text as a cell of a table, whole: an id is copied from there.
func foreign(text string) string { return diag.Visible(line(text)) }

// Cell returns foreign text as a cell of a table, of at most so many characters.
func Cell(text string, most int) string {
	runes := []rune(foreign(text))
	if len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return string(runes)
}

// Place returns a place as a cell of a table: the end of it, which has the line.
func Place(text string) string {
	runes := []rune(foreign(text))
	if n := len(runes) - shownPlace; n > 0 {
		return "…" + string(runes[n+1:])
	}
	return string(runes)
}

// line returns foreign text in one line, so that it can't imitate a message.
func line(text string) string { return strings.NewReplacer("\n", "␤", "\t", " ").Replace(text) }

// cut returns the beginning of a text, and says how much is left out.
func cut(text string) string {
	n := utf8.RuneCountInString(text)
	if n <= shownText {
		return text
	}
	return string([]rune(text)[:shownText]) + fmt.Sprintf("… (%d more characters: details show all)", n-shownText)
}

// wrap writes a text in lines that a terminal does not wrap itself. Control characters are replaced. first and others
// stand before the first and the other lines.
func wrap(b *strings.Builder, first, others, text string, width int) {
	width = max(width, minWidth) - 1
	mark := first
	for part := range strings.SplitSeq(strings.ReplaceAll(diag.Visible(text), "\t", "    "), "\n") {
		b.WriteString(mark)
		mark = others
		column := len(mark)
		for _, c := range part {
			n := readline.Runes{}.Width(c)
			if column+n > width {
				b.WriteString("\n" + others)
				column = len(others)
			}
			b.WriteRune(c)
			column += n
		}
		b.WriteByte('\n')
	}
}
