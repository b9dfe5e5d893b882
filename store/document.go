// This file defines documents.

package store

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Document is a version of a named body, such as a program. A version never changes.
type Document struct {
	Kind    Kind            `json:"kind"`
	Name    string          `json:"name"`
	Version int             `json:"version"`
	By      string          `json:"by,omitempty"` // who put it
	Created time.Time       `json:"created"`
	Body    json.RawMessage `json:"body,omitempty"`
}

// Kind is a kind of documents: a word of a to z and -. Names of different kinds have nothing to do with each other.
type Kind string

// The kinds of the service.
const (
	Programs       Kind = "programs"
	Schedules      Kind = "schedules"
	ScheduleStates Kind = "schedule-states" // which times of the schedules are decided
	Policies       Kind = "policies"
	Quotas         Kind = "quotas" // the remaining quotas and rates of policies
)

// Keep returns the number of versions that are kept of a document of the kind, 0 if all are.
func (k Kind) Keep() int {
	switch k {
	case Schedules:
		return 20 // enough to see the recent changes and their authors
	case ScheduleStates:
		return 1 // written at each time
	case Quotas:
		return 1 // written every few seconds
	}
	return 0
}

// MaxDocument is the most bytes of the body of a document: a source of 1 MB as a string of JSON takes less.
const MaxDocument = 8 << 20

// maxDocumentName lets a file system with names of 255 bytes hold a name in which every byte is escaped.
const maxDocumentName = 80

// CheckName returns ErrInvalid for a kind and a name that no document can have.
func CheckName(kind Kind, name string) error {
	word := strings.Trim(string(kind), "abcdefghijklmnopqrstuvwxyz-") == ""
	if kind == "" || len(kind) > maxDocumentName || !word {
		return ErrInvalid.With("got the kind of documents %.100q, want a word of a to z and -", kind)
	}
	if err := documentName(name); err != nil {
		return ErrInvalid.With("the name of a document %w", err)
	}
	return nil
}

func documentName(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("is empty")
	case len(name) > maxDocumentName:
		return fmt.Errorf("has %d bytes, want at most %d", len(name), maxDocumentName)
	case !utf8.ValidString(name), strings.ContainsFunc(name, unicode.IsControl):
		return fmt.Errorf("is %.100q, want UTF-8 without control characters", name)
	case strings.Contains(name, "@"):
		return fmt.Errorf("is %.100q, want one without @, which precedes a version", name)
	}
	return nil
}

// Check returns ErrInvalid for a document that a store can't keep.
func (d *Document) Check() error {
	if err := CheckName(d.Kind, d.Name); err != nil {
		return err
	}
	switch {
	case d.Version < 0:
		return ErrInvalid.With("document %s: got the version %d, want one above 0, or 0 for the next", d.Name, d.Version)
	case len(d.Body) > MaxDocument:
		return ErrInvalid.With("document %s: its body has %d bytes, want at most %d", d.Name, len(d.Body), MaxDocument)
	case !json.Valid(d.Body):
		return ErrInvalid.With("document %s: its body is no JSON", d.Name)
	}
	return nil
}
