package secret

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// knowing returns Secrets that know some.
func knowing(secrets ...string) *Set {
	s := &Set{}
	for _, secret := range secrets {
		s.add(secret)
	}
	return s
}

// covered is a model of Text: it searches for each secret at each place.
func covered(secrets []string, text string) string {
	secret := make([]bool, len(text)+1)
	mark := func(from, to int) {
		for i := from; i < to; i++ {
			secret[i] = true
		}
	}
	for from := range text {
		for _, s := range secrets {
			if strings.HasPrefix(text[from:], s) {
				mark(from, from+len(s))
			}
			for n := minSecret/2 + 1; n < len(s); n++ {
				if strings.HasPrefix(text[from:], s[:n]+ellipsis) {
					mark(from, from+n)
				}
			}
		}
	}
	var b strings.Builder
	for i := range len(text) {
		switch {
		case !secret[i]:
			b.WriteByte(text[i])
		case !secret[i+1]:
			b.WriteString(redacted)
		}
	}
	return b.String()
}

// TestSecretsModel compares Text and JSON with a search for each secret at each place.
func TestSecretsModel(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	letters := []string{"a", "b", "é", "…", `"`, "\n"}
	word := func(least, more, alphabet int) string {
		var b strings.Builder
		for range least + r.IntN(more+1) {
			b.WriteString(letters[r.IntN(alphabet)])
		}
		return b.String()
	}
	for range 2000 {
		alphabet := 1 + r.IntN(len(letters))
		var secrets []string
		for range r.IntN(6) {
			secrets = append(secrets, word(minSecret, 4, alphabet))
		}
		compareSecrets(t, secrets, word(0, 60, len(letters)), uint64(r.Int64()))
	}
}

// FuzzSecrets is TestSecretsModel for any texts: the secrets are separated by zero bytes.
func FuzzSecrets(f *testing.F) {
	f.Add("abcdef\x00defghi", "abcdefghi", uint64(1))
	f.Add("secret", "the secret [secret], the sec…", uint64(2))
	f.Add("other", `{"a":[1,{"b":"x"}],"token": "p\u0061ssword","c":"password"}`, uint64(4))
	f.Add("pa\"ss\\word\x00\U0001F511\U0001F511", "pa\\\"ss\\\\word, \U0001F511\U0001F511", uint64(3))
	f.Fuzz(func(t *testing.T, secrets, text string, seed uint64) {
		if len(secrets) < 200 && len(text) < 200 && utf8.ValidString(secrets) && utf8.ValidString(text) {
			compareSecrets(t, strings.Split(secrets, "\x00"), text, seed)
			compareRewritten(t, text)
		}
	})
}

func compareSecrets(t *testing.T, secrets []string, text string, seed uint64) {
	t.Helper()
	s := knowing(secrets...)
	want := covered(s.texts, text)
	if got := s.Text(text); got != want {
		t.Fatalf("%q in %q: got %q, want %q", secrets, text, got, want)
	}
	quoted := escaped(text, seed)
	var back string
	if err := json.Unmarshal(s.JSON(quoted), &back); err != nil || back != want {
		t.Fatalf("%q in %s: got %q, want %q (%v)", secrets, quoted, back, want, err)
	}
	if odd := strings.Join(s.texts, "") + text; want == text && !strings.ContainsAny(odd, `"[`) && string(s.JSON(quoted)) != string(quoted) {
		t.Fatalf("%q in %s: got %s", secrets, quoted, s.JSON(quoted))
	}
}

// compareRewritten compares the replacement of fields in a JSON text with that in its value,
// and takes any text.
func compareRewritten(t *testing.T, text string) {
	t.Helper()
	fields, s := []string{"a", "token"}, &Set{}
	s.Note(json.RawMessage(text), fields, len(text)%2 == 0)
	if got := rewritten(json.RawMessage(text), fields, s.automaton()); !json.Valid(got) {
		t.Fatalf("%s: got %s", text, got)
	}
	v, err := decode(json.RawMessage(text))
	if err != nil || !json.Valid([]byte(text)) {
		return
	}
	got := rewritten(json.RawMessage(text), fields, nil)
	if back, err := decode(got); err != nil || !assert.ObjectsAreEqual(RedactValue(v, fields), back) {
		t.Fatalf("%s: got %s (%v)", text, got, err)
	}
}

// escaped returns a text as JSON in which any characters are escaped, in any way.
func escaped(text string, seed uint64) json.RawMessage {
	r := rand.New(rand.NewPCG(seed, 0))
	short := map[rune]string{'"': `\"`, '\\': `\\`, '/': `\/`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range text {
		how := r.IntN(3)
		switch e, ok := short[c]; {
		case ok && how > 0:
			b.WriteString(e)
		case how == 2 || c < ' ' || c == '"' || c == '\\':
			if c > 0xffff {
				c -= 0x10000
				fmt.Fprintf(&b, `\u%04x`, 0xd800+c>>10)
				c = 0xdc00 + c&0x3ff
			}
			fmt.Fprintf(&b, `\u%04X`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return json.RawMessage(b.String())
}

// TestSecretTexts checks which texts are replaced, and which are not.
func TestSecretTexts(t *testing.T) {
	for _, c := range []struct{ name, secrets, text, want string }{
		{"overlapping", "abcdef defghi", "abcdefghi", "[secret]"},
		{"touching", "abcdef ghijkl", "abcdefghijkl", "[secret]"},
		{"apart", "abcdef ghijkl", "abcdef ghijkl", "[secret] [secret]"},
		{"within another", "cdefgh abcdefghij", "abcdefghi abcdefghij", "ab[secret]i [secret]"},
		{"behind others", "bcdefg ijklmn abcdefghijklmnop", "abcdefghijklmnop", "[secret]"},
		{"too short", "abcde", "abcde", "abcde"},
		{"a beginning", "abcdefgh", "abcde… abc… abcde", "[secret]… abc… abcde"},
		{"the end", "abcdefgh", "…cdefgh", "…cdefgh"},
		{"an ellipsis in it", "abcd…efgh", "abcd…efgh abcd… …efgh", "[secret] [secret]… …efgh"},
		{"replaced already", "secret", "[secret] secret [secret", "[secret] [secret] [[secret]"},
		{"in quotes", `pass"word`, `"pass\"word" pass"word`, `"[secret]" [secret]`},
		{"in HTML", "a<b>c&d", `a\u003cb\u003ec\u0026d`, "[secret]"},
		{"in URLs", "+a/b=c&é", "?k=%2Ba%2Fb%3Dc%26%C3%A9&l=1 /+a%2Fb=c&%C3%A9/ /+a/b=c&%C3%A9", "?k=[secret]&l=1 /[secret]/ /[secret]"},
		{"in quotes of Go", "pass\x01word", `pass\x01word pass\u0001word`, "[secret] [secret]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := knowing(strings.Fields(c.secrets)...)
			assert.Equal(t, c.want, s.Text(c.text))
			assert.Equal(t, c.want, s.Text(s.Text(c.text)))
		})
	}
	assert.Equal(t, "any text…", (*Set)(nil).Text("any text…"))
}

// TestSecretsInJSON has a secret in JSON texts that write it in other ways.
func TestSecretsInJSON(t *testing.T) {
	for _, c := range []struct{ name, secret, text, want string }{
		{"as it is", "passwörd", `{"a":"passwörd"}`, `{"a":"[secret]"}`},
		{"escaped", "passwörd", `{"a":"passw\u00f6rd"}`, `{"a":"[secret]"}`},
		{"a pair", "pass🔑word", `["pass\uD83D\udd11word"]`, `["[secret]"]`},
		{"half a pair", "pass\ufffdword", `["pass\uD83Dword","pass\ud83d\u0041"]`, `["[secret]","pass\ud83d\u0041"]`},
		{"a solidus", "pass/word", `["pass\/word"]`, `["[secret]"]`},
		{"a key", "password", `{"p\u0061ssword":1}`, `{"[secret]":1}`},
		{"a number", "123456", `[123456,1234.56]`, `["[secret]",1234.56]`},
		{"no UTF-8", "pass\ufffdword", "[\"pass\xffword\"]", `["[secret]"]`},
		{"JSON in JSON", `pass"word`, `["{\"a\":\"pass\\\"word\"}"]`, `["{\"a\":\"[secret]\"}"]`},
		{"cut", "password", `["passw…"]`, `["[secret]…"]`},
		{"cut, escaped", "password", `["passw\u2026"]`, `["[secret]…"]`},
		{"among others", "password", ` {"z":1.0, "password":"a","a":[1e2,"password",{"b":"password"}],"z":12345678901234567890 }`, ` {"z":1.0, "[secret]":"a","a":[1e2,"[secret]",{"b":"[secret]"}],"z":12345678901234567890 }`},
		{"is only searched", "password", `[ 1,  {"b":"\n","a":"p…"}, "]`, `[ 1,  {"b":"\n","a":"p…"}, "]`},
		{"can't be read", "password", `["password"`, `"[secret]"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, string(knowing(c.secret).JSON(json.RawMessage(c.text))))
		})
	}
}

// TestRewritten checks that the values of some fields are replaced, and that everything else stays unchanged.
func TestRewritten(t *testing.T) {
	for text, want := range map[string]string{
		`{"token":"a","z":1,"a":2}`:                           `{"token":"[secret]","z":1,"a":2}`,
		`{"b":[{"TOKEN" : {"x":"}\"]","y":[1,{}]} , "c":1}]}`: `{"b":[{"TOKEN" : "[secret]" , "c":1}]}`,
		`{"token":1e5,"token":null,"token":true,"a":[]}`:      `{"token":"[secret]","token":"[secret]","token":"[secret]","a":[]}`,
		`{"tok\u0065n":-1}`:                                   `{"tok\u0065n":"[secret]"}`,
		`["token",{"a":"token"},"token"]`:                     `["token",{"a":"token"},"token"]`,
		`{"token":"a"`:                                        `"[secret]"`,
		`{"token":}`:                                          `"[secret]"`,
	} {
		assert.Equal(t, want, string(rewritten(json.RawMessage(text), []string{"token"}, nil)), text)
	}
}

// TestSecretsWithout checks that texts without secrets are not copied.
func TestSecretsWithout(t *testing.T) {
	s, text := knowing(randomSecrets(100)...), json.RawMessage(`{"a":"`+strings.Repeat(`… \u00e9 abc`, 100)+`"}`)
	plain := string(text)
	assert.Zero(t, testing.AllocsPerRun(10, func() { s.Text(plain); s.JSON(text) }))
}

// TestSecretBounds has more secrets than are searched for.
func TestSecretBounds(t *testing.T) {
	s := &Set{}
	for i := range maxSecrets + 10 {
		s.add(fmt.Sprintf("secret-%04d", i))
	}
	assert.Len(t, s.known, maxSecrets)
	assert.Equal(t, "[secret] secret-1001", s.Text("secret-0999 secret-1001"))
	s = knowing(strings.Repeat("a", maxSecretBytes/2), strings.Repeat("\x01", maxSecretBytes/8), "password")
	assert.Len(t, s.known, 2)
	assert.LessOrEqual(t, s.bytes, maxSecretBytes)
}

// TestSecretsAtOnce has goroutines that search while secrets become known: a search finds every secret that
// was known before it.
func TestSecretsAtOnce(t *testing.T) {
	s := &Set{}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 50 {
				secret := fmt.Sprintf("secret-%d-%d", i, j)
				arg, err := json.Marshal(map[string]string{"token": secret})
				require.NoError(t, err)
				s.Note(arg, []string{"token"}, false)
				assert.NotContains(t, s.Text("a "+secret+" b"), secret)
				assert.NotContains(t, string(s.JSON(arg)), secret)
			}
		})
	}
	wg.Wait()
}

// decode reads a JSON text; numbers keep their written form.
func decode(text json.RawMessage) (v any, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	err = dec.Decode(&v)
	return v, err
}
