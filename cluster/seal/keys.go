// This file defines where master keys come from.

package seal

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/internal/durable"
)

// NewKey returns a new master key.
func NewKey() (k Key) {
	rand.Read(k[:])
	return k
}

// WriteKey writes a key to a new file of mode 0600.
func WriteKey(file string, k Key) error {
	return durable.Create(file, []byte(hex.EncodeToString(k[:])+"\n"))
}

// maxKey bounds the text of a key.
const maxKey = 1 << 10

// ReadKey reads a key from a file, which others than its owner must not be able to read: 32 bytes in hexadecimal
// digits.
func ReadKey(file string) (Key, error) {
	f, err := os.Open(file)
	if err != nil {
		return Key{}, fmt.Errorf("the master key: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Key{}, fmt.Errorf("the master key: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return Key{}, fmt.Errorf("the master key: users other than its owner can use %s, its mode is %#o: run chmod 600 %s",
			file, info.Mode().Perm(), file)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxKey))
	if err != nil {
		return Key{}, fmt.Errorf("the master key: %w", err)
	}
	k, err := parseKey(text)
	if err != nil {
		return Key{}, fmt.Errorf("the master key in %s: %w", file, err)
	}
	return k, nil
}

// commandTime bounds the time of a command that prints a key.
const commandTime = 30 * time.Second

// CommandKey returns the key that a command prints. Errors never contain its output.
func CommandKey(ctx context.Context, words []string) (Key, error) {
	if len(words) == 0 {
		return Key{}, errors.New("the master key: the command is empty")
	}
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	c.WaitDelay = time.Second
	out := &limited{most: maxKey}
	c.Stdout, c.Stderr = out, os.Stderr
	if err := c.Run(); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("it has not ended in %v", commandTime)
		}
		return Key{}, fmt.Errorf("the command of the master key, %s: %w", words[0], err)
	}
	k, err := parseKey(out.Bytes())
	if err != nil {
		return Key{}, fmt.Errorf("the command of the master key, %s: %w", words[0], err)
	}
	return k, nil
}

// limited keeps the first bytes that are written.
type limited struct {
	bytes.Buffer
	most int
}

func (l *limited) Write(p []byte) (int, error) {
	if room := l.most - l.Len(); room > 0 {
		l.Buffer.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}

// parseKey returns the key of a text.
func parseKey(text []byte) (k Key, err error) {
	trimmed := strings.TrimSpace(string(text))
	b, err := hex.DecodeString(trimmed)
	if err != nil || len(b) != len(k) {
		return Key{}, fmt.Errorf("got %d characters, want 64 hexadecimal digits, such as openssl rand -hex 32 prints",
			len(trimmed))
	}
	if bytes.Equal(b, make([]byte, len(b))) {
		return Key{}, errors.New("it is all zeros, want random bytes")
	}
	return Key(b), nil
}
