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
	"sync/atomic"
	"time"

	"github.com/ptc-lang/ptc/internal/durable"
)

// Tokens are the tokens of a directory, or those of Known, for any number of goroutines. A change of the file, by
// Create, Revoke or a person, holds from the next request.
type Tokens struct {
	file *watched[tokenList] // nil for those of Known
	set  atomic.Pointer[tokenList]
}

// Known returns tokens that are kept elsewhere.
func Known(all []Token) *Tokens {
	t := new(Tokens)
	t.Set(all)
	return t
}

// Set replaces the tokens of Known, from the next request on.
func (t *Tokens) Set(all []Token) {
	list := newList(all)
	t.set.Store(&list)
}

// list returns the current tokens.
func (t *Tokens) list() tokenList {
	if t.file != nil {
		return t.file.get()
	}
	return *t.set.Load()
}

// tokenList finds tokens.
type tokenList struct {
	byID   map[string]Token
	byName map[string]Token
}

func newList(all []Token) tokenList {
	list := tokenList{make(map[string]Token, len(all)), make(map[string]Token, len(all))}
	for _, token := range all {
		list.byID[token.ID], list.byName[token.Name] = token, token
	}
	return list
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
		return newList(tokens), err
	}, filepath.Join(dir, TokensFile))
	if err != nil {
		return nil, err
	}
	return &Tokens{file: file}, nil
}

// begin makes the first token of a directory.
func begin(dir string) error {
	return change(dir, func(tokens []Token) ([]Token, error) {
		if tokens != nil {
			return tokens, nil // another process was faster
		}
		first, err := First(dir)
		return []Token{first}, err
	})
}

// First returns a token of an operator for a service that has none, and writes its text to OperatorFile.
// The text is written before the hash: after a crash between both, the next start uses the existing text,
// so there is never a list whose only token is unknown.
func First(dir string) (Token, error) {
	path := filepath.Join(dir, OperatorFile)
	text, err := os.ReadFile(path)
	id, ok := idOf(strings.TrimSpace(string(text)))
	if err != nil || !ok {
		fresh := newText()
		if _, err := durable.Replace(path, dir, []byte(fresh+"\n")); err != nil {
			return Token{}, err
		}
		text = []byte(fresh)
		id, _ = idOf(fresh)
	}
	return Token{
		ID: id, Who: Who{Name: "operator", Tenant: DefaultTenant, Role: Operator},
		Created: time.Now().UTC().Truncate(time.Second), Hash: hash(strings.TrimSpace(string(text))),
	}, nil
}

// Verify returns the token with a text. The errors are ErrUnknown and *ExpiredError.
func (t *Tokens) Verify(text string) (Token, error) {
	id, ok := idOf(text)
	if !ok {
		return Token{}, ErrUnknown
	}
	token, known := t.list().byID[id]
	if !token.matches(text) || !known { // in this order, so that both cases take as long
		return Token{}, ErrUnknown
	}
	return token, token.current(time.Now())
}

// verifyID returns the token with an id, for a browser that has signed in with it.
func (t *Tokens) verifyID(id, hash string) (Token, error) {
	token, known := t.list().byID[id]
	if !known || token.Hash != hash {
		return Token{}, ErrUnknown
	}
	return token, token.current(time.Now())
}

// Share returns the share of the token with a name, or none.
func (t *Tokens) Share(name string) Share {
	return t.list().byName[name].Share
}

// Identity returns the identity of the token with a name; false if there is none, or it has expired.
func (t *Tokens) Identity(name string) (Who, bool) {
	token, ok := t.list().byName[name]
	return token.Who, ok && token.current(time.Now()) == nil
}

// NewToken returns a token with its text, which is kept nowhere. Name and role are required, an end must be in the
// future, and an empty tenant is DefaultTenant. ID, Created and Hash are set.
func NewToken(token Token) (text string, _ Token, err error) {
	if token.Tenant == "" {
		token.Tenant = DefaultTenant
	}
	token.Created = time.Now().UTC().Truncate(time.Second)
	if err := token.current(token.Created); err != nil {
		return "", Token{}, fmt.Errorf("the end %s is in the past", token.Expires.UTC().Format(time.RFC3339))
	}
	text = newText()
	token.ID, _ = idOf(text)
	token.Hash = hash(text)
	if err := token.check(); err != nil {
		return "", Token{}, err
	}
	return text, token, nil
}

// Create is NewToken, and adds the token to a directory.
func Create(dir string, token Token) (text string, _ Token, err error) {
	if text, token, err = NewToken(token); err != nil {
		return "", Token{}, err
	}
	err = change(dir, func(tokens []Token) ([]Token, error) {
		if i := slices.IndexFunc(tokens, func(t Token) bool { return t.Name == token.Name }); i >= 0 {
			return nil, fmt.Errorf("there is a token %s (id %s); revoke it, or choose another name", token.Name, tokens[i].ID)
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

// Find returns the token with an id or a name.
func Find(tokens []Token, which string) (Token, error) {
	i := slices.IndexFunc(tokens, func(t Token) bool { return t.ID == which })
	if i < 0 {
		i = slices.IndexFunc(tokens, func(t Token) bool { return t.Name == which })
	}
	if i < 0 {
		return Token{}, fmt.Errorf("there is no token with the id or name %s", which)
	}
	return tokens[i], nil
}

// Revoke removes the token with an id or a name. It holds from the next request. A file with the text of the
// operator's token is removed with that token.
func Revoke(dir, which string) (revoked Token, err error) {
	err = change(dir, func(tokens []Token) ([]Token, error) {
		if revoked, err = Find(tokens, which); err != nil {
			return nil, err
		}
		return slices.DeleteFunc(tokens, func(t Token) bool { return t.ID == revoked.ID }), nil
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
