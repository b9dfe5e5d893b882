// This file defines the resources: values that are too large for an answer, and documentation.

package mcp

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// kept is a value that a server keeps.
type kept struct {
	owner string
	text  string // JSON
	used  time.Time
}

// values are the values that a server keeps, by the ids of their runs.
type values struct {
	mu       sync.Mutex
	all      map[string]*kept
	size     int
	lifetime time.Duration
}

func newValues(lifetime time.Duration) *values {
	return &values{all: make(map[string]*kept), lifetime: lifetime}
}

// keep keeps a value in place of the least recently used ones. It reports whether there is room.
func (v *values) keep(id, owner, text string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.expire()
	if len(text) > maxKept/2 {
		return false
	}
	if v.all[id] != nil { // a run of a service, which may be followed again
		v.drop(id)
	}
	for v.size+len(text) > maxKept {
		v.drop(v.oldest())
	}
	v.all[id] = &kept{owner, text, time.Now()}
	v.size += len(text)
	return true
}

// get returns a value of an owner.
func (v *values) get(id, owner string) (string, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.expire()
	k := v.all[id]
	if k == nil || k.owner != owner {
		return "", false
	}
	k.used = time.Now()
	return k.text, true
}

// expire drops values that were not used for too long.
func (v *values) expire() {
	for id, k := range v.all {
		if time.Since(k.used) > v.lifetime {
			v.drop(id)
		}
	}
}

func (v *values) oldest() (oldest string) {
	for id, k := range v.all {
		if oldest == "" || k.used.Before(v.all[oldest].used) {
			oldest = id
		}
	}
	return oldest
}

func (v *values) drop(id string) {
	v.size -= len(v.all[id].text)
	delete(v.all, id)
}

func (v *values) close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.all, v.size = make(map[string]*kept), 0
}

// valueURI returns the address of the value of a run.
func valueURI(id string) string { return "ptc://run/" + id + "/value" }

func (s *Server) addResources() {
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{Name: "value", Title: "The value of a run",
		URITemplate: "ptc://run/{id}/value{?offset,limit}", MIMEType: "application/json",
		Description: fmt.Sprintf("The JSON of a value that was too large for the answer. Without offset and limit, in "+
			"bytes, it is the first %d; what follows is at the next offset.", maxPage)}, s.readValue)
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{Name: "doc", Title: "Documentation of a function or tool",
		URITemplate: "ptc://doc/{+name}", MIMEType: "text/plain",
		Description: "What describe_tools returns for one name."}, s.readDoc)
}

func (s *Server) readValue(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	u, err := url.Parse(r.Params.URI)
	if err != nil {
		return nil, sdk.ResourceNotFoundError(r.Params.URI)
	}
	text, ok := s.values.get(strings.TrimSuffix(strings.TrimPrefix(u.Path, "/"), "/value"), callerOf(r))
	if !ok {
		return nil, sdk.ResourceNotFoundError(r.Params.URI)
	}
	from, err := within(u, "offset", 0, 0, len(text))
	if err != nil {
		return nil, err
	}
	size, err := within(u, "limit", 1, maxPage, maxPage)
	if err != nil {
		return nil, err
	}
	page, next := pageOf(text, from, size)
	c := &sdk.ResourceContents{URI: r.Params.URI, MIMEType: "text/plain", Text: page,
		Meta: sdk.Meta{"ptc/size": len(text), "ptc/offset": next - len(page)}}
	if len(page) == len(text) {
		c.MIMEType = "application/json"
	}
	if next < len(text) {
		c.Meta["ptc/next"] = fmt.Sprintf("ptc://run%s?offset=%d", u.Path, next)
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{c}}, nil
}

// within returns a number of the query of an address.
func within(u *url.URL, name string, least, initial, most int) (int, error) {
	text := u.Query().Get(name)
	if text == "" {
		return initial, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, invalid(fmt.Errorf("%s: got %.40q, want a whole number from %d to %d", name, text, least, most))
	}
	return n, nil
}

// pageOf returns the characters of a text that are between two bytes, or the first character after the first of them if
// none does, and the position after them.
func pageOf(text string, from, size int) (page string, next int) {
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	next = min(from+size, len(text))
	for next < len(text) && next > from && !utf8.RuneStart(text[next]) {
		next--
	}
	if next == from {
		_, one := utf8.DecodeRuneInString(text[from:])
		next += one
	}
	return text[from:next], next
}
