// Package ask asks a person about the pending effects of a run.
//   - Asker asks about one effect after the other. Its lines come from a function, so it does not depend on terminals.
//   - Table lists pending effects.
//
// Everything that comes from a program is shown after a bar and with its control characters replaced, so that it can
// neither move the cursor nor imitate a question of the Asker.
package ask

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// Asker asks a person. Decide is the ptc.RunOptions.OnPending of one run.
type Asker struct {
	// ReadLine shows a prompt and returns the next line. An error means that the person leaves.
	ReadLine func(ctx context.Context, prompt string) (string, error)
	Out      io.Writer // the terminal
	Width    func() int
	Tool     func(name string) effect.Tool // nil for a tool that is not known
	// Left is called when the person leaves. It returns the error of the run, or nil, which parks the run. interrupted
	// reports that ReadLine has failed. A nil Left parks the run.
	Left func(all []effect.Pending, interrupted bool) error

	quit bool // the person has chosen to end the run
}

// Decide asks about each of the effects, and returns the settlements.
func (a *Asker) Decide(ctx context.Context, all []effect.Pending) ([]effect.Settlement, error) {
	if a.quit {
		return nil, a.left(all, false)
	}
	r := &round{Asker: a, all: all, chosen: make(map[string]effect.Settlement)}
	fmt.Fprintf(a.Out, "the run waits for %s: %s\n", diag.Counted(len(all), "settlement"), kinds(all))
	for i := range all {
		if _, settled := r.chosen[all[i].ID]; settled {
			continue
		}
		if err := r.ask(ctx, i); errors.Is(err, errQuit) {
			a.quit = true
			break
		} else if err != nil {
			return nil, a.left(all, true)
		}
	}
	var settle []effect.Settlement
	for _, p := range all {
		if s, settled := r.chosen[p.ID]; settled {
			settle = append(settle, s)
		}
	}
	if settle == nil {
		return nil, a.left(all, false)
	}
	return settle, nil
}

func (a *Asker) left(all []effect.Pending, interrupted bool) error {
	if a.Left == nil {
		return nil
	}
	return a.Left(all, interrupted)
}

// errQuit means that the person ends the run.
var errQuit = errors.New("quit")

// round is one call of Decide.
type round struct {
	*Asker
	all    []effect.Pending
	chosen map[string]effect.Settlement // by ids
}

// ask asks about an effect until it is settled or skipped.
func (r *round) ask(ctx context.Context, i int) error {
	p := &r.all[i]
	r.show(brief(p, i+1, len(r.all), r.Width()))
	for {
		line, err := r.ReadLine(ctx, prompt(p))
		if err != nil {
			return err
		}
		c, err := read(p, line)
		if err != nil {
			r.show(complaint(err, r.Width()))
			continue
		}
		switch c.do {
		case again:
		case explain:
			r.show(help(p))
		case details:
			r.show(full(p, r.Width()))
		case skip:
			return nil
		case quit:
			return errQuit
		case settle:
			group := []effect.Pending{*p}
			if c.all {
				group = r.alike(p)
			}
			if done, err := r.settle(ctx, group, c.settlement); done || err != nil {
				return err
			}
		}
	}
}

// alike returns the unsettled effects that are like p: calls of the same tool, or the same question.
func (r *round) alike(p *effect.Pending) (group []effect.Pending) {
	for _, q := range r.all {
		_, settled := r.chosen[q.ID]
		if !settled && q.Kind == p.Kind && q.Tool == p.Tool && q.Question == p.Question &&
			fmt.Sprintf("%s", q.Options) == fmt.Sprintf("%s", p.Options) {
			group = append(group, q)
		}
	}
	return group
}

// settle chooses a settlement for effects, if it fits them. It asks again if they are several, because the person has
// not seen the others.
func (r *round) settle(ctx context.Context, group []effect.Pending, s effect.Settlement) (done bool, err error) {
	for i := range group {
		if err := group[i].Fit(s, r.Tool(group[i].Tool), 0); err != nil {
			r.show(complaint(err, r.Width()))
			return false, nil
		}
	}
	if len(group) > 1 {
		r.show(list(group, r.Width()))
		line, err := r.ReadLine(ctx, fmt.Sprintf("%s all %d of them? [y/n] ", s.As, len(group)))
		if err != nil {
			return false, err
		}
		if word := strings.ToLower(strings.TrimSpace(line)); word != "y" && word != "yes" {
			return false, nil
		}
	}
	for _, p := range group {
		s.ID = p.ID
		r.chosen[p.ID] = s
	}
	return true, nil
}

// show writes a text immediately.
func (r *round) show(text string) { io.WriteString(r.Out, text) }

// complaint returns the text of a mistake.
func complaint(err error, width int) string {
	var b strings.Builder
	wrap(&b, "", "", err.Error(), width)
	return b.String()
}
