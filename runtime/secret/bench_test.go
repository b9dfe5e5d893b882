package secret

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// secretCases are a megabyte of a log, with secrets and without, and of one letter.
var secretCases = []struct {
	name    string
	secrets func(n int) []string
	text    func(secrets []string) string
}{
	{"absent", randomSecrets, func([]string) string { return ordinary }},
	{"present", randomSecrets, func(secrets []string) string {
		return strings.Join(append([]string{}, strings.SplitAfterN(ordinary, "\n", len(secrets))...), secrets[0]+secrets[len(secrets)/2])
	}},
	{"runs", runs, func([]string) string { return strings.Repeat("a", 1<<20) }},
	{"almost", almost, func([]string) string { return strings.Repeat("a", 1<<20) }},
}

var ordinary = func() string {
	var b strings.Builder
	for i := 0; b.Len() < 1<<20; i++ {
		fmt.Fprintf(&b, "2026-03-01T12:%02d:%02d web-%d GET /orders/%d?page=%d 200 %d bytes in %d ms\n", i/60%60, i%60, i%7, i*7919%100000, i%13, i*31%5000, i%90)
	}
	return b.String()[:1<<20]
}()

// randomSecrets returns secrets as services make them.
func randomSecrets(n int) []string {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	r := rand.New(rand.NewPCG(1, 2))
	out := make([]string, n)
	for i := range out {
		b := make([]byte, 40)
		for j := range b {
			b[j] = digits[r.IntN(len(digits))]
		}
		out[i] = string(b)
	}
	return out
}

// runs returns secrets that are part of each other.
func runs(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = strings.Repeat("a", minSecret+i*200/n)
	}
	return out
}

// almost returns secrets that differ only at their ends from a text of one repeated letter.
func almost(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = strings.Repeat("a", 200) + fmt.Sprint(i)
	}
	return out
}

func BenchmarkSecrets(b *testing.B) {
	for _, c := range secretCases {
		for _, n := range []int{64, maxSecrets} {
			secrets := c.secrets(n)
			s, text := knowing(secrets...), c.text(secrets)
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					s.Text(text)
				}
			})
		}
	}
}

// BenchmarkSecretsJSON is a text with escapes and without secrets.
func BenchmarkSecretsJSON(b *testing.B) {
	text, err := json.Marshal(strings.Split(ordinary, "\n"))
	if err != nil {
		b.Fatal(err)
	}
	quoted, err := json.Marshal(ordinary)
	if err != nil {
		b.Fatal(err)
	}
	s := knowing(append(randomSecrets(64), `with "quotes"`)...)
	for name, text := range map[string]json.RawMessage{"plain": text, "escapes": quoted} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				s.JSON(text)
			}
		})
	}
}

// BenchmarkSecretsBuild measures the first search after a secret was added.
func BenchmarkSecretsBuild(b *testing.B) {
	for _, c := range []struct{ n, size int }{
		{3, 40}, {64, 40}, {maxSecrets, 40}, {maxSecrets, maxSecretBytes / maxSecrets},
	} {
		secrets := randomSecrets(c.n)
		for i := range secrets {
			secrets[i] = strings.Repeat(secrets[i], c.size/40+1)[:c.size]
		}
		b.Run(fmt.Sprintf("%dx%d", c.n, c.size), func(b *testing.B) {
			s := knowing(secrets...)
			b.ReportAllocs()
			for b.Loop() {
				s.search = nil
				s.automaton()
			}
		})
	}
}
