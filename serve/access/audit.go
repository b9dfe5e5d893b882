// This file defines the audit log.

package access

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// AuditFile is the name of the audit log in a directory. Older parts are AuditFile.1, the newest, to AuditFile.9.
const AuditFile = "audit.log"

// The bounds of the audit log: 100 MB, which are some 400,000 lines.
const (
	auditBytes = 10 << 20 // of one part
	auditParts = 9        // that are kept beside the current one
)

// auditSync is the time for which a line may be missing after the loss of power.
const auditSync = time.Second

// An Entry is one line of the audit log: who did what, when, and from where. It has neither the query nor a
// header nor the body of a request, so it never has a token or an argument of a program.
type Entry struct {
	Time   time.Time `json:"time"`
	Event  string    `json:"event"` // request, refused, login, login-failed or logout
	Name   string    `json:"name,omitempty"`
	Tenant string    `json:"tenant,omitempty"`
	Role   Role      `json:"role,omitempty"`
	By     string    `json:"by,omitempty"` // token ID, browser ID-OF-ITS-TOKEN or certificate SERIAL
	From   string    `json:"from"`         // the address of the client
	// Forwarded is the header X-Forwarded-For, which a proxy sets, or the client itself.
	Forwarded string            `json:"forwarded,omitempty"`
	Method    string            `json:"method,omitempty"`
	Path      string            `json:"path,omitempty"`
	Status    int               `json:"status,omitempty"` // of the response
	Code      string            `json:"code,omitempty"`   // the reason of a refusal
	Millis    int64             `json:"ms,omitempty"`
	Notes     map[string]string `json:"notes,omitempty"`  // added by the handler with Note, such as the id of a new run
	Missed    int               `json:"missed,omitempty"` // refusals of this address without a line, since its last one
}

// Audit writes the audit log of a directory, for any number of goroutines.
//
// A line is handed to the system before the response ends, so it survives a crash of the process. It is on the disk
// within a second: waiting for the disk at each request would bound the service to some hundred requests a second.
type Audit struct {
	path  string
	limit int64 // auditBytes; smaller in tests

	mu     sync.Mutex
	file   *os.File
	size   int64
	dirty  bool        // some lines may not be on the disk yet
	timer  *time.Timer // of the next write to the disk; nil: none is planned
	err    error       // of the last line
	closed bool
}

// OpenAudit opens the audit log of a directory, or makes one that only the owner may read.
func OpenAudit(dir string) (*Audit, error) {
	a := &Audit{path: filepath.Join(dir, AuditFile), limit: auditBytes}
	return a, a.open()
}

// open opens the file. The caller holds mu, or is the only one.
func (a *Audit) open() error {
	f, err := os.OpenFile(a.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	a.file, a.size = f, info.Size()
	return nil
}

// Write adds a line; Time is set. After an error the service continues: refusing all requests because a disk is
// full would stop the requests that free it. Err returns the error, for a check of readiness.
func (a *Audit) Write(e Entry) error {
	e.Time = time.Now().UTC().Truncate(time.Millisecond)
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.err = a.append(append(line, '\n'))
	return a.err
}

// Err returns the error of the last line, or nil.
func (a *Audit) Err() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.err
}

func (a *Audit) append(line []byte) error {
	if a.closed {
		return fs.ErrClosed
	}
	if a.size > 0 && a.size+int64(len(line)) > a.limit {
		if err := a.rotate(); err != nil {
			return err
		}
	}
	n, err := a.file.Write(line) // one call, so that lines are whole
	a.size += int64(n)
	if err != nil {
		return err
	}
	a.dirty = true
	if a.timer == nil {
		a.timer = time.AfterFunc(auditSync, a.sync)
	}
	return nil
}

// sync brings the lines to the disk.
func (a *Audit) sync() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.timer = nil
	if a.dirty && !a.closed {
		a.dirty = false
		if err := a.file.Sync(); err != nil {
			a.err = err
		}
	}
}

// rotate renames the parts and begins a new one. The oldest part is lost.
func (a *Audit) rotate() error {
	if err := errors.Join(a.file.Sync(), a.file.Close()); err != nil {
		return errors.Join(err, a.open())
	}
	for i := auditParts; i > 0; i-- {
		from := a.path
		if i > 1 {
			from = fmt.Sprintf("%s.%d", a.path, i-1)
		}
		if err := os.Rename(from, fmt.Sprintf("%s.%d", a.path, i)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(err, a.open()) // it grows until renaming is possible again
		}
	}
	return a.open()
}

// Close brings all lines to the disk and closes the file.
func (a *Audit) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return nil
	}
	a.closed = true
	if a.timer != nil {
		a.timer.Stop()
	}
	return errors.Join(a.file.Sync(), a.file.Close())
}
