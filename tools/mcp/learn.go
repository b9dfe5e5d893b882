// This file defines how the shapes of results are learned, kept and compared.

package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/ptc-lang/ptc/internal/durable"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/tool"
)

const (
	// unknownShape stands in a signature for a result that was never seen.
	unknownShape = "?"
	// settled is the number of results after which another shape is reported.
	settled = 5
	// enough is the number of results after which those of the same shape are only counted.
	enough = 100
	// maxLearned bounds the results that are looked at, in bytes: larger ones cost more than they teach.
	maxLearned = 256 << 10
	// maxShapes bounds the file of a server.
	maxShapes = 1 << 20
)

// learned is the knowledge about the results of a tool.
type learned struct {
	Count int    `json:"count"`
	Shape *shape `json:"shape"`

	fresh  int          // results since the file was read
	schema *tool.Schema // of Shape; nil after it has changed
	told   bool         // that results have another shape
}

// shapes are the shapes of the results of a server, and the file that keeps them.
type shapes struct {
	file string // "" if there is none

	mu    sync.Mutex
	tools map[string]*learned
}

// openShapes reads the shapes of a server. A file that is damaged is one without any: it is learned again.
func openShapes(dir string, s *Server) *shapes {
	sh := &shapes{tools: make(map[string]*learned)}
	if dir == "" {
		return sh
	}
	// Another server of the same name does not get these shapes. The arguments may be folders, and change nothing.
	sum := sha256.Sum256([]byte(s.Name + "\x00" + s.Command + "\x00" + s.shown()))
	sh.file = filepath.Join(dir, s.Name+"-"+hex.EncodeToString(sum[:8])+".json")
	if kept, err := readShapes(sh.file); err == nil {
		sh.tools = kept
	}
	return sh
}

// readShapes reads a file of shapes.
func readShapes(file string) (map[string]*learned, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxShapes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxShapes {
		return nil, fmt.Errorf("%s: more than %d bytes", file, maxShapes)
	}
	kept := make(map[string]*learned)
	if err := json.Unmarshal(text, &kept); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for name, l := range kept {
		if l == nil || l.Shape == nil || l.Shape.complete(shapeDepth+1) != nil || l.Shape.nodes() > 2*shapeNodes {
			delete(kept, name)
		}
	}
	return kept, nil
}

// complete returns an error for a shape that a damaged file has: one with missing parts, or nested too deep.
func (s *shape) complete(depth int) error {
	if depth == 0 {
		return errors.New("nested too deep")
	}
	for name, f := range s.Fields {
		if f == nil || f.Shape == nil || !isFieldName(name) {
			return errors.New("a field without a shape")
		}
		if err := f.Shape.complete(depth - 1); err != nil {
			return err
		}
	}
	for _, part := range []*shape{s.Map, s.Items} {
		if part == nil {
			continue
		}
		if err := part.complete(depth - 1); err != nil {
			return err
		}
	}
	return nil
}

// seen returns the shape of the results of a tool for its signature: {:id int}?
func (sh *shapes) seen(name string) string {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	l := sh.tools[name]
	if l == nil {
		return unknownShape
	}
	schema := l.checked()
	if schema == nil {
		return unknownShape
	}
	return schema.Brief(maxSignature) + unknownShape
}

// count returns the number of results that the shape of a tool comes from.
func (sh *shapes) count(name string) int {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if l := sh.tools[name]; l != nil {
		return l.Count
	}
	return 0
}

// checked returns the schema of the shape; nil if it can't be made.
func (l *learned) checked() *tool.Schema {
	if l.schema == nil {
		text, err := json.Marshal(l.Shape.schema())
		if err != nil {
			return nil
		}
		if l.schema, err = tool.ParseSchema(text); err != nil {
			return nil
		}
	}
	return l.schema
}

// learn adds a result of a tool. A result unlike many before is logged, once.
func (s *server) learn(d *declared, result json.RawMessage) {
	if len(result) > maxLearned {
		return
	}
	if drift := s.shapes.learn(d.name, result); drift != "" {
		s.log.Warn("a result has another shape than earlier ones", "tool", "tool/"+s.Name+"."+d.name, "drift",
			s.clean(drift))
	}
}

// learn adds a result, and returns a description of its difference if that should be reported.
func (sh *shapes) learn(name string, result json.RawMessage) (drift string) {
	var v any
	if json.Unmarshal(result, &v) != nil { // a number beyond a float
		return ""
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	l := sh.tools[name]
	if l == nil {
		l = &learned{Shape: &shape{}}
		sh.tools[name] = l
	}
	if l.Count > 0 {
		schema := l.checked()
		if schema == nil {
			return ""
		}
		err := schema.Check(result, nil)
		if err == nil && l.Count >= enough {
			l.Count++
			l.fresh++
			return ""
		}
		if bad := (*tool.Mismatch)(nil); errors.As(err, &bad) && l.Count >= settled && !l.told {
			l.told = true
			at := bad.Path
			if at == "" {
				at = "the result"
			}
			drift = fmt.Sprintf("%s: want %s as in %s", at, bad.Want, diag.Counted(l.Count, "result"))
		}
	}
	if l.Shape.nodes() < shapeNodes {
		l.Shape.add(v, shapeDepth)
		l.schema = nil
	}
	l.Count++
	l.fresh++
	return drift
}

// save adds the learned shapes to the file. Another process may have done so in the meantime.
func (sh *shapes) save() error {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	fresh := slices.ContainsFunc(slices.Collect(maps.Values(sh.tools)), func(l *learned) bool { return l.fresh > 0 })
	if sh.file == "" || !fresh {
		return nil
	}
	dir := filepath.Dir(sh.file)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	lock, err := os.OpenFile(sh.file+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	unlock, err := durable.Lock(lock)
	if errors.Is(err, durable.ErrHeld) {
		return nil // the shapes of this run are not worth a wait
	}
	if err != nil {
		return err
	}
	defer unlock()
	kept, err := readShapes(sh.file)
	if err != nil {
		kept = nil
	}
	sh.merge(kept)
	text, err := json.Marshal(sh.tools)
	if err != nil || len(text) > maxShapes {
		return err
	}
	_, err = durable.Replace(sh.file, dir, text)
	return err
}

// merge adds the shapes of the file, which other processes may have extended since it was read.
func (sh *shapes) merge(kept map[string]*learned) {
	for name, k := range kept {
		l := sh.tools[name]
		switch {
		case l == nil || l.fresh == 0:
			sh.tools[name] = k
		case k.Count > l.Count-l.fresh:
			l.Shape.merge(k.Shape)
			l.Count = k.Count + l.fresh
		}
	}
	for _, l := range sh.tools {
		l.fresh, l.schema = 0, nil
	}
}
