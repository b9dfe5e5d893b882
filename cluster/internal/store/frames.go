// This file defines how the journals in blobs are encrypted: in frames, so that a journal need not fit into memory.

package store

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/ptc-lang/ptc/store"
)

// frameSize is the maximum number of bytes of a frame before it is encrypted. maxFrame allows for the
// overhead of encryption.
const (
	frameSize = 64 << 10
	maxFrame  = 2 * frameSize
)

// framePlace names the frame of a journal. Frames can't be exchanged or left out, as each has its number, and the last
// one is empty.
func framePlace(run string, n int) string { return fmt.Sprintf("journal/%s/%d", run, n) }

// copySealed copies a journal to a blob, encrypted if there is a key.
func (s *Store) copySealed(w io.Writer, r io.Reader, run string) error {
	if s.o.Seal == nil {
		_, err := io.Copy(w, r)
		return err
	}
	buf := make([]byte, frameSize)
	for n := 0; ; n++ {
		size, err := io.ReadFull(r, buf)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		sealed, err := s.o.Seal.Seal(framePlace(run, n), buf[:size])
		if err != nil {
			return err
		}
		if _, err := w.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(sealed))), sealed...)); err != nil {
			return err
		}
		if size == 0 {
			return nil
		}
	}
}

// openSealed opens a blob that copySealed has written.
func (s *Store) openSealed(ctx context.Context, run, ref string) (io.ReadCloser, error) {
	r, err := s.o.Blobs.Open(ctx, ref)
	if err != nil || s.o.Seal == nil {
		return r, err
	}
	return &frames{s: s, run: run, in: bufio.NewReader(r), Closer: r}, nil
}

// frames reads the frames of a journal.
type frames struct {
	io.Closer
	s    *Store
	run  string
	in   *bufio.Reader
	n    int
	rest []byte
	err  error
}

func (f *frames) Read(p []byte) (int, error) {
	for len(f.rest) == 0 && f.err == nil {
		f.rest, f.err = f.next()
	}
	if len(f.rest) == 0 {
		return 0, f.err
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// next returns the next frame, and io.EOF after the last one.
func (f *frames) next() ([]byte, error) {
	var head [4]byte
	_, err := io.ReadFull(f.in, head[:])
	size := binary.BigEndian.Uint32(head[:])
	if err == nil && size > maxFrame {
		err = fmt.Errorf("it has %d bytes", size)
	}
	sealed := make([]byte, min(size, maxFrame))
	if err == nil {
		_, err = io.ReadFull(f.in, sealed)
	}
	var text []byte
	if err == nil {
		text, err = f.s.o.Seal.Open(framePlace(f.run, f.n), sealed)
	}
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, store.ErrDamaged.With("frame %d of the journal of run %s: %w", f.n, f.run, err)
	}
	if f.n++; len(text) == 0 {
		return nil, io.EOF
	}
	return text, nil
}
