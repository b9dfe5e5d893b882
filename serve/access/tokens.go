// This file defines the list of tokens of a directory.

package access

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/internal/durable"
)

// Tokens are the tokens of a directory, for any number of goroutines. A change of the file, by Create, Revoke or
// a person, holds from the next request.
type Tokens struct {
	file *watched[tokenList]
}

// tokenList finds tokens.
type tokenList struct {
	byID   map[string]Token
	byName map[string]Token
}

// Open reads the tokens of a directory. If it has no file of tokens, Open makes one with an operator's token, and
// writes the text of that token to OperatorFile, which only the owner may read.
//
// If the file is bad later, the tokens before stay in use, and the error is logged to log.
func Open(dir string, log *slog.Logger) (*Tokens, error) {
	if _, err := os.Stat(filepath.Join(dir, TokensFile)); errors.Is(err, fs.ErrNotExist) {
		if err := begin(dir); err != nil {
			return nil, err
		}
	}
	file, err := watch(log, func() (tokenList, error) {
		tokens, err := load(dir)
		list := tokenList{make(map[string]Token, len(tokens)), make(map[string]Token, len(tokens))}
		for _, token := range tokens {
			list.byID[token.ID], list.byName[token.Name] = token, token
		}
		return list, err
	}, filepath.Join(dir, TokensFile))
	if err != nil {
		return nil, err
	}
	return &Tokens{file}, nil
}

// begin makes the first token. It writes the text before the hash: after a crash between them, the next start
// takes the text that is there, and never is there a list whose only token nobody knows.
func begin(dir string) error {
	path := filepath.Join(dir, OperatorFile)
	return change(dir, func(tokens []Token) ([]Token, error) {
		if tokens != nil {
			return tokens, nil // another process was faster
		}
		text, err := os.ReadFile(path)
		id, ok := idOf(strings.TrimSpace(string(text)))
		if err != nil || !ok {
			fresh := newText()
			if _, err := durable.Replace(path, dir, []byte(fresh+"\n")); err != nil {
				return nil, err
			}
			text = []byte(fresh)
			id, _ = idOf(fresh)
		}
		return []Token{{
			ID: id, Who: Who{Name: "operator", Tenant: DefaultTenant, Role: Operator},
			Created: time.Now().UTC().Truncate(time.Second), Hash: hash(strings.TrimSpace(string(text))),
		}}, nil
	})
}

// Verify returns the token with a text. The errors are ErrUnknown and *ExpiredError.
func (t *Tokens) Verify(text string) (Token, error) {
	id, ok := idOf(text)
	if !ok {
		return Token{}, ErrUnknown
	}
	token, known := t.file.get().byID[id]
	if !token.matches(text) || !known { // in this order, so that both cases take as long
		return Token{}, ErrUnknown
	}
	return token, token.current(time.Now())
}

// verifyID returns the token with an id, for a browser that has signed in with it.
func (t *Tokens) verifyID(id, hash string) (Token, error) {
	token, known := t.file.get().byID[id]
	if !known || token.Hash != hash {
		return Token{}, ErrUnknown
	}
	return token, token.current(time.Now())
}

// Share returns the share of the token with a name, or none.
func (t *Tokens) Share(name string) Share {
	return t.file.get().byName[name].Share
}

// Identity returns the identity of the token with a name; false if there is none, or it has expired.
func (t *Tokens) Identity(name string) (Who, bool) {
	token, ok := t.file.get().byName[name]
	return token.Who, ok && token.current(time.Now()) == nil
}

// Create adds a token to a directory and returns its text, which is kept nowhere. Name and role are required, an end
// must be in the future, and an empty tenant is DefaultTenant. ID, Created and Hash are set.
func Create(dir string, token Token) (text string, _ Token, err error) {
	if token.Tenant == "" {
		token.Tenant = DefaultTenant
	}
	token.Created = time.Now().UTC().Truncate(time.Second)
	if err := token.current(token.Created); err != nil {
		return "", Token{}, fmt.Errorf("the end %s is in the past", token.Expires.UTC().Format(time.RFC3339))
	}
	err = change(dir, func(tokens []Token) ([]Token, error) {
		if i := slices.IndexFunc(tokens, func(t Token) bool { return t.Name == token.Name }); i >= 0 {
			return nil, fmt.Errorf("there is a token %s (id %s); revoke it, or choose another name", token.Name, tokens[i].ID)
		}
		text = newText()
		token.ID, _ = idOf(text)
		token.Hash = hash(text)
		if err := token.check(); err != nil {
			return nil, err
		}
		return append(tokens, token), nil
	})
	if err != nil {
		return "", Token{}, err
	}
	return text, token, nil
}

// List returns the tokens of a directory in the order of their creation.
func List(dir string) ([]Token, error) { return load(dir) }

// Revoke removes the token with an id or a name. It holds from the next request. A file with the text of the
// operator's token is removed with that token.
func Revoke(dir, which string) (revoked Token, err error) {
	err = change(dir, func(tokens []Token) ([]Token, error) {
		i := slices.IndexFunc(tokens, func(t Token) bool { return t.ID == which })
		if i < 0 {
			i = slices.IndexFunc(tokens, func(t Token) bool { return t.Name == which })
		}
		if i < 0 {
			return nil, fmt.Errorf("there is no token with the id or name %s", which)
		}
		revoked = tokens[i]
		return slices.Delete(tokens, i, i+1), nil
	})
	if err != nil {
		return Token{}, err
	}
	path := filepath.Join(dir, OperatorFile)
	if text, err := os.ReadFile(path); err == nil && revoked.matches(strings.TrimSpace(string(text))) {
		err = os.Remove(path)
		return revoked, err
	}
	return revoked, nil
}
