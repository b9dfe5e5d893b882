// This file defines how blobs are written and read, and how nodes copy them from each other.

package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/cluster/peer"
)

// The methods between nodes.
const (
	// keepMethod asks a node to keep a blob, which it pulls from the node that asks. The answer is empty.
	keepMethod = "blob/keep"
	// readMethod asks a node for the contents of a blob.
	readMethod = "blob/read"
)

// The codes of refusals.
const (
	codeMissing = "blob-missing" // the node has no undamaged copy
	codeInvalid = "blob-invalid"
	codeFailed  = "blob-failed" // it could not keep a copy
)

// wanted is the request of both methods.
type wanted struct {
	Sum  string `json:"sum"`
	Size int64  `json:"size"`
}

func want(request []byte) (w wanted, err error) {
	if err := json.Unmarshal(request, &w); err != nil || !validSum(w.Sum) || w.Size < 0 {
		return w, &peer.Error{Code: codeInvalid, Message: fmt.Sprintf("blob: got the request %.200q, want a sum and a size",
			request)}
	}
	return w, nil
}

// serve answers the requests of other nodes.
func (s *Store) serve() {
	s.o.Network.Handle(keepMethod, func(ctx context.Context, from string, request []byte) ([]byte, error) {
		w, err := want(request)
		if err != nil {
			return nil, err
		}
		if err := s.ensure(ctx, w, []string{from}); err != nil {
			return nil, &peer.Error{Code: codeFailed, Message: err.Error()}
		}
		return nil, nil
	})
	s.o.Network.Stream(readMethod, func(_ context.Context, _ string, request []byte, out io.Writer) error {
		w, err := want(request)
		if err != nil {
			return err
		}
		if data, ok := s.borrow(w.Sum); ok {
			_, err = out.Write(data)
			return err
		}
		f, _, err := s.files.open(w.Sum)
		if err != nil {
			return &peer.Error{Code: codeMissing, Message: err.Error()}
		}
		_, err = io.Copy(out, f)
		return errors.Join(err, f.Close())
	})
}

// ensure makes this node have an undamaged copy of a blob, from one of other nodes if needed.
func (s *Store) ensure(ctx context.Context, w wanted, from []string) error {
	unlock := s.lock(w.Sum)
	_, err := s.files.has(w.Sum)
	unlock()
	for _, node := range from {
		if err == nil || node == s.self() {
			continue
		}
		if failed := s.pull(ctx, w, node); failed != nil {
			err = errors.Join(err, failed)
		} else {
			err = nil
		}
	}
	return err
}

// pull copies a blob from another node.
func (s *Store) pull(ctx context.Context, w wanted, node string) error {
	d, err := s.files.draft()
	if err != nil {
		return err
	}
	defer d.discard()
	if err := s.read(ctx, w, node, d); err != nil {
		return err
	}
	if d.sum() != w.Sum {
		return fmt.Errorf("blob: node %s has sent %d bytes of %s, which has %d: %w", node, d.size, w.Sum, w.Size, errDamaged)
	}
	defer s.lock(w.Sum)()
	return s.files.install(d)
}

// read copies the part of a blob that a node has to a writer.
func (s *Store) read(ctx context.Context, w wanted, node string, to io.Writer) error {
	request, err := json.Marshal(w)
	if err != nil {
		return err
	}
	in, err := s.o.Network.Open(ctx, node, readMethod, request)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, io.LimitReader(in, w.Size+1)) // one more shows that it is another one
	return errors.Join(err, in.Close())
}

// Put keeps data. See Create. If the disk of this node takes no copy, because it is full or broken, those of other
// nodes do.
func (s *Store) Put(ctx context.Context, owner string, data []byte) (ref string, err error) {
	ref, _, err = s.Create(ctx, owner, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	var disk *diskError
	if !errors.As(err, &disk) {
		return ref, err
	}
	hash := sha256.Sum256(data)
	w := wanted{hex.EncodeToString(hash[:]), int64(len(data))}
	defer s.lend(w.Sum, data)()
	others := slices.DeleteFunc(s.nodes(w.Sum), func(node string) bool { return node == s.self() })
	nodes, failed := s.spread(ctx, w, nil, others)
	if failed == nil && len(nodes) == 0 {
		failed = ErrCopies // there is no other node
	}
	if failed != nil {
		return "", errors.Join(err, failed)
	}
	s.o.Log.Warn("this node can't keep a blob, but other nodes can", "blob", w.Sum, "nodes", nodes, "error", err)
	return w.Sum, s.register(ctx, w.Sum, owner, w.Size, nodes)
}

// loan is a blob that other nodes read from the memory of this one.
type loan struct{ data []byte }

// lend lends a blob until the function that it returns is called.
func (s *Store) lend(sum string, data []byte) (end func()) {
	s.lending.Lock()
	defer s.lending.Unlock()
	l := &loan{data}
	s.lent[sum] = append(s.lent[sum], l)
	return func() {
		s.lending.Lock()
		defer s.lending.Unlock()
		s.lent[sum] = slices.DeleteFunc(s.lent[sum], func(o *loan) bool { return o == l })
		if len(s.lent[sum]) == 0 {
			delete(s.lent, sum)
		}
	}
}

// borrow returns a blob that is lent.
func (s *Store) borrow(sum string) (data []byte, ok bool) {
	s.lending.Lock()
	defer s.lending.Unlock()
	if all := s.lent[sum]; len(all) > 0 {
		return all[0].data, true
	}
	return nil, false
}

// Create keeps the bytes that write writes as a blob of an owner, and returns its name. When it returns,
// several nodes have the blob; see the package. After an error it is unknown whether the owner owns it.
func (s *Store) Create(ctx context.Context, owner string,
	write func(io.Writer) error) (ref string, size int64, err error) {
	if owner == "" || strings.Contains(owner, "\x00") {
		return "", 0, fmt.Errorf("blob: got the owner %.200q, want a name without NUL", owner)
	}
	d, err := s.files.draft()
	if err != nil {
		return "", 0, &diskError{err}
	}
	defer d.discard()
	if err := write(d); err != nil {
		return "", 0, err
	}
	w := wanted{d.sum(), d.size}
	if err := s.keep(d); err != nil {
		return "", 0, &diskError{err}
	}
	nodes, err := s.spread(ctx, w, []string{s.self()}, s.nodes(w.Sum))
	if err == nil {
		err = s.register(ctx, w.Sum, owner, w.Size, nodes)
	}
	return w.Sum, w.Size, err
}

// keep installs a draft, unless there is an undamaged file already, whose time it renews.
func (s *Store) keep(d *draft) error {
	defer s.lock(d.sum())()
	if _, err := s.files.has(d.sum()); err == nil {
		return nil
	}
	return s.files.install(d)
}

// spread copies a blob of this node to other nodes until enough have it, and returns all that have it.
func (s *Store) spread(ctx context.Context, w wanted, have, candidates []string) ([]string, error) {
	request, err := json.Marshal(w)
	if err != nil {
		return nil, err
	}
	have = slices.Clone(have)
	var failed error
	for _, node := range candidates {
		if len(have) >= s.o.Copies {
			break
		}
		if slices.Contains(have, node) {
			continue
		}
		if _, err := s.o.Network.Call(ctx, node, keepMethod, request); err != nil {
			failed = errors.Join(failed, fmt.Errorf("node %s: %w", node, err))
			continue
		}
		have = append(have, node)
	}
	if least := min(leastCopies, len(candidates), s.o.Copies); len(have) < least {
		return have, fmt.Errorf("%w: %d of %d have %s: %w", ErrCopies, len(have), least, w.Sum, failed)
	}
	if failed != nil {
		s.o.Log.Warn("a blob has fewer copies than it should have, until it is repaired", "blob", w.Sum, "error", failed)
	}
	return have, nil
}

// sources returns the nodes that may have a blob: first the known holders, then the others.
func (s *Store) sources(h *holders, sum string) []string {
	all := slices.Clone(h.Nodes)
	for _, node := range s.nodes(sum) {
		if !slices.Contains(all, node) {
			all = append(all, node)
		}
	}
	return slices.DeleteFunc(all, func(node string) bool { return node == s.self() })
}

// Get returns a blob, which has been verified. It reads from another node if it must, and needs no room on the disk.
func (s *Store) Get(ctx context.Context, ref string) ([]byte, error) {
	if !validSum(ref) {
		return nil, fmt.Errorf("%w: %.200q", ErrNotFound, ref)
	}
	f, size, err := s.files.open(ref)
	if err == nil {
		data := make([]byte, size)
		_, err = io.ReadFull(f, data)
		if err = errors.Join(err, f.Close()); err == nil {
			return data, nil
		}
	}
	h, _, failed := s.at(ctx, ref)
	if failed != nil {
		return nil, failed
	}
	for _, node := range s.sources(&h, ref) {
		var b bytes.Buffer
		failed := s.read(ctx, wanted{ref, h.Size}, node, &b)
		sum := sha256.Sum256(b.Bytes())
		if failed == nil && hex.EncodeToString(sum[:]) == ref {
			return b.Bytes(), nil
		}
		err = errors.Join(err, fmt.Errorf("node %s: %w", node, orDamaged(failed)))
	}
	return nil, fmt.Errorf("%w: %s: %w", ErrLost, ref, err)
}

func orDamaged(err error) error {
	if err == nil {
		return errDamaged
	}
	return err
}

// Open returns a blob, which has been verified. If this node has no undamaged copy, it makes one.
func (s *Store) Open(ctx context.Context, ref string) (io.ReadCloser, error) {
	if !validSum(ref) {
		return nil, fmt.Errorf("%w: %.200q", ErrNotFound, ref)
	}
	f, _, err := s.files.open(ref)
	if err == nil {
		return f, nil
	}
	h, _, failed := s.at(ctx, ref)
	if failed != nil {
		return nil, failed
	}
	if err := s.ensure(ctx, wanted{ref, h.Size}, s.sources(&h, ref)); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrLost, ref, err)
	}
	f, _, err = s.files.open(ref)
	if err != nil {
		return nil, err
	}
	return f, nil
}
