// This file defines how policies are kept that were replaced while the service runs.

package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/store"
)

// policiesName is the name of the document of the policies: a service has one.
const policiesName = "service"

// keptPolicies is the body of the document.
type keptPolicies struct {
	Text string `json:"text"`           // a policy file
	Base string `json:"base,omitempty"` // Options.Policies of the engine that has kept them
}

// PutPolicies keeps the text of policies, and has the text apply that was kept last: another request, on another node
// of a cluster, may have kept one since. The text is durable when PutPolicies returns. The errors are those of parse,
// of the store, and of Views.
func (e *Engine) PutPolicies(ctx context.Context, text, by string, parse func(string) (queue.Policies, error)) error {
	if _, err := parse(text); err != nil {
		return err
	}
	body, err := json.Marshal(keptPolicies{text, e.opts.Policies})
	if err == nil {
		_, err = e.opts.Store.Put(ctx, store.Document{Kind: store.Policies, Name: policiesName, By: by, Body: body})
	}
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx) // the kept policies apply
	return ApplyPolicies(ctx, e.opts.Store, e.opts.Policies, func(text string, _ bool) error {
		p, err := parse(text)
		if err == nil {
			err = e.opts.Views.Queues.Replace(ctx, p)
		}
		return err
	})
}

// ApplyPolicies calls apply with the result of KeptPolicies, again until that has not changed in the meantime.
func ApplyPolicies(ctx context.Context, st store.Store, base string, apply func(text string, found bool) error) error {
	text, found, err := KeptPolicies(ctx, st, base)
	for err == nil {
		if err = apply(text, found); err != nil {
			return err
		}
		was := text
		if text, found, err = KeptPolicies(ctx, st, base); text == was {
			break
		}
	}
	return err
}

// KeptPolicies returns the text that PutPolicies has kept, by an engine whose Options.Policies were the same. If the
// configuration has changed since, or nothing was kept, found is false.
func KeptPolicies(ctx context.Context, st store.Store, base string) (text string, found bool, err error) {
	d, err := st.Document(ctx, store.Policies, policiesName, 0)
	if errors.Is(err, store.ErrNotFound) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	var kept keptPolicies
	if err := json.Unmarshal(d.Body, &kept); err != nil {
		return "", false, fmt.Errorf("version %d of the policies: %w", d.Version, err)
	}
	return kept.Text, kept.Base == base, nil
}
