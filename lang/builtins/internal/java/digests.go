// This file defines MessageDigest, Mac and the checksums of java.util.zip.

package java

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"crypto/subtle"
	"encoding"
	"encoding/hex"
	"hash"
	"hash/adler32"
	"hash/crc32"
	"strings"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/builtins/internal/strs"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// The classes of digests. The slots are the algorithm and the state of the hash in hexadecimal, "" for a new one. A
// Mac has its key, in hexadecimal, in a third; it is nil before init.
var (
	MessageDigest = &value.JavaClass{Name: "java.security.MessageDigest"}
	Mac           = &value.JavaClass{Name: "javax.crypto.Mac"}
	CRC32         = &value.JavaClass{Name: "java.util.zip.CRC32"}
	Adler32       = &value.JavaClass{Name: "java.util.zip.Adler32"}
	// SecretKey has the bytes of the key in hexadecimal, and the algorithm.
	SecretKey = &value.JavaClass{Name: "javax.crypto.spec.SecretKeySpec", Data: true,
		Hash: func(t *value.Task, v value.Value) int32 { return value.JavaHash(t, v.AsJava().Vals[0]) }}
)

const (
	digestName = iota
	digestState
	digestKey
)

// newHash returns a hash by the name of its algorithm, nil if there is none.
func newHash(name string) hash.Hash {
	if len(name) > len("SHA-512/224") {
		return nil
	}
	switch strings.ToUpper(name) {
	case "MD5":
		return md5.New()
	case "SHA-1", "SHA1", "SHA":
		return sha1.New()
	case "SHA-224", "SHA224":
		return sha256.New224()
	case "SHA-256", "SHA256":
		return sha256.New()
	case "SHA-384", "SHA384":
		return sha512.New384()
	case "SHA-512", "SHA512":
		return sha512.New()
	case "SHA-512/224":
		return sha512.New512_224()
	case "SHA-512/256":
		return sha512.New512_256()
	case "SHA3-224":
		return sha3.New224()
	case "SHA3-256":
		return sha3.New256()
	case "SHA3-384":
		return sha3.New384()
	case "SHA3-512":
		return sha3.New512()
	case "CRC32":
		return crc32.NewIEEE()
	case "ADLER32":
		return adler32.New()
	}
	return nil
}

// hashBytes bounds the memory of a hash, its state and the state's text.
const hashBytes = 4 << 10

// resumed returns the hash of an algorithm in a state.
func resumed(t *value.Task, name, state string) hash.Hash {
	t.Charge(hashBytes)
	t.Credit(hashBytes)
	h := newHash(name)
	if state == "" {
		return h
	}
	b, err := hex.DecodeString(state)
	if err == nil {
		err = h.(encoding.BinaryUnmarshaler).UnmarshalBinary(b)
	}
	if err != nil {
		t.Fail(diag.IllegalState, "%s: the state is damaged: %v", name, err)
	}
	return h
}

// stateOf returns the state of a hash.
func stateOf(t *value.Task, h hash.Hash) value.Value {
	b, err := h.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		t.Fail(diag.IllegalState, "the state of a digest: %v", err)
	}
	return t.CopyString(hex.EncodeToString(b))
}

// feed adds bytes to a hash, in pieces, so that the run can end in between.
func feed(t *value.Task, h hash.Hash, text string) {
	const piece = 32 << 10
	for text != "" {
		n := min(piece, len(text))
		t.Work(int64(n)/16 + 1)
		h.Write(unsafe.Slice(unsafe.StringData(text), n)) // never fails
		text = text[n:]
	}
}

// part returns the bytes that the arguments of update and digest are: one byte, an array, or a part of one.
func bytesPart(t *value.Task, a []value.Value, what string) string {
	if len(a) == 2 && a[1].IsInt() {
		return string([]byte{byte(a[1].AsInt())})
	}
	text := strs.BytesOf(t, a[1], what)
	if len(a) == 4 {
		from, n := value.ToInt(t, a[2]), value.ToInt(t, a[3])
		if from < 0 || n < 0 || from+n > int64(len(text)) {
			t.FailClass("java.lang.IllegalArgumentException", diag.IllegalArgument, "%s: got the part from %d of %d bytes, "+
				"want a part of an array of %d", what, from, n, len(text))
		}
		text = text[from : from+n]
	}
	return text
}

// hashOf returns the hash that an object is computing.
func hashOf(t *value.Task, v value.Value) hash.Hash {
	s := v.AsJava().Vals
	return resumed(t, s[digestName].AsString().S, s[digestState].AsString().S)
}

func setState(t *value.Task, v, state value.Value) value.Value {
	t.Owns(v, "digest")
	v.AsJava().Vals[digestState] = state
	return value.Nil
}

func reset(t *value.Task, a []value.Value) value.Value { return setState(t, a[0], strs.EmptyString) }

func update(t *value.Task, a []value.Value) value.Value {
	text := bytesPart(t, a, "update")
	h := hashOf(t, a[0])
	feed(t, h, text)
	return setState(t, a[0], stateOf(t, h))
}

func digest(t *value.Task, a []value.Value) value.Value {
	h := hashOf(t, a[0])
	if len(a) == 2 {
		feed(t, h, strs.BytesOf(t, a[1], "digest"))
	}
	sum := strs.ByteArray(t, string(h.Sum(nil)))
	reset(t, a)
	return sum
}

// macPad returns the block of a key with which a Mac begins its inner hash, or its outer one.
func macPad(t *value.Task, v value.Value, by byte) (h hash.Hash) {
	s := v.AsJava().Vals
	if s[digestKey].IsNil() {
		t.Fail(diag.IllegalState, "MAC not initialized: call .init with a SecretKeySpec")
	}
	key, _ := hex.DecodeString(s[digestKey].AsString().S) // as init wrote it
	h = resumed(t, s[digestName].AsString().S, "")
	block := make([]byte, h.BlockSize())
	copy(block, key)
	for i := range block {
		block[i] ^= by
	}
	h.Write(block)
	return h
}

// macKey returns the key that a Mac keeps, in hexadecimal: the key of the program, or its hash if it is
// longer than a block.
func macKey(t *value.Task, mac, key value.Value) value.Value {
	text := key.AsString().S
	h := resumed(t, mac.AsJava().Vals[digestName].AsString().S, "")
	if len(text) <= 2*h.BlockSize() {
		return key
	}
	var piece [1 << 10]byte
	for text != "" {
		n, _ := hex.Decode(piece[:], []byte(text[:min(2*len(piece), len(text))]))
		feed(t, h, unsafe.String(&piece[0], n))
		text = text[2*n:]
	}
	return t.CopyString(hex.EncodeToString(h.Sum(nil)))
}

// inner returns the inner hash of a Mac.
func inner(t *value.Task, v value.Value) hash.Hash {
	if v.AsJava().Vals[digestState].AsString().S == "" {
		return macPad(t, v, 0x36)
	}
	return hashOf(t, v)
}

func macFinal(t *value.Task, a []value.Value) value.Value {
	h, outer := inner(t, a[0]), macPad(t, a[0], 0x5c)
	if len(a) == 2 {
		feed(t, h, strs.BytesOf(t, a[1], "doFinal"))
	}
	outer.Write(h.Sum(nil))
	sum := strs.ByteArray(t, string(outer.Sum(nil)))
	reset(t, a)
	return sum
}

func digestMethods() []methods {
	size := func(t *value.Task, a []value.Value) value.Value { return value.Int(int64(hashOf(t, a[0]).Size())) }
	name := func(prefix string) value.NativeFunc {
		return func(t *value.Task, a []value.Value) value.Value {
			if prefix != "" {
				return t.CopyString(prefix + strings.ReplaceAll(a[0].AsJava().Vals[digestName].AsString().S, "-", ""))
			}
			return a[0].AsJava().Vals[digestName]
		}
	}
	checksum := func(t *value.Task, a []value.Value) value.Value {
		return value.Int(int64(hashOf(t, a[0]).(hash.Hash32).Sum32()))
	}
	return []methods{{[]*value.JavaClass{MessageDigest, CRC32, Adler32}, []method{
		{"update", "bytes | bytes from n", entry.PerByte, "Adds bytes, or one byte, to a digest or checksum.",
			`(let [c (java.util.zip.CRC32.)] (.update c (.getBytes "a")) (.getValue c)) => 3904355907`, update},
		{"reset", "", entry.Constant, "Begins a digest, a checksum or a stream again.",
			`(let [c (java.util.zip.CRC32.)] (.update c 1) (.reset c) (.getValue c)) => 0`, reset},
	}}, {[]*value.JavaClass{CRC32, Adler32}, []method{
		{"getValue", "", entry.Constant, "", "", checksum},
	}}, {[]*value.JavaClass{MessageDigest}, []method{
		{"digest", "| bytes", entry.PerByte, "Returns the digest of the bytes that were added, and of some more, as an " +
			"array of bytes. Begins it again.",
			`(format "%032x" (BigInteger. 1 (.digest (java.security.MessageDigest/getInstance "MD5") (.getBytes "a")))) ` +
				`=> "0cc175b9c0f1b6a831c399e269772661"`, digest},
		{"getAlgorithm", "", entry.Constant, "Returns the name of the algorithm of a digest.",
			`(.getAlgorithm (java.security.MessageDigest/getInstance "MD5")) => "MD5"`, name("")},
		{"getDigestLength", "", entry.Constant, "Returns the number of bytes of a digest.",
			`(.getDigestLength (java.security.MessageDigest/getInstance "MD5")) => 16`, size},
	}}, {[]*value.JavaClass{Mac}, []method{
		{"init", "key", entry.PerByte, "Sets the key of a Mac, a SecretKeySpec.",
			`(let [m (javax.crypto.Mac/getInstance "HmacMD5")] (.init m (javax.crypto.spec.SecretKeySpec. (.getBytes "k") ` +
				`"HmacMD5"))) => nil`, func(t *value.Task, a []value.Value) value.Value {
				key := macKey(t, a[0], t.WantJava(a[1], SecretKey, "init")[0])
				setState(t, a[0], strs.EmptyString)
				a[0].AsJava().Vals[digestKey] = key
				return value.Nil
			}},
		{"update", "bytes | bytes from n", entry.PerByte, "", "", func(t *value.Task, a []value.Value) value.Value {
			text := bytesPart(t, a, "update")
			h := inner(t, a[0])
			feed(t, h, text)
			return setState(t, a[0], stateOf(t, h))
		}},
		{"reset", "", entry.Constant, "", "", reset},
		{"doFinal", "| bytes", entry.PerByte,
			"Returns the code of the bytes that were added, and of some more, as an array " +
				"of bytes. Begins it again.",
			`(let [m (javax.crypto.Mac/getInstance "HmacMD5")] (.init m (javax.crypto.spec.SecretKeySpec. (.getBytes "k") ` +
				`"HmacMD5")) (count (.doFinal m (.getBytes "a")))) => 16`, macFinal},
		{"getAlgorithm", "", entry.Constant, "", "", name("Hmac")},
		{"getMacLength", "", entry.Constant, "Returns the number of bytes of the code of a Mac.",
			`(.getMacLength (javax.crypto.Mac/getInstance "HmacMD5")) => 16`, size},
	}}}
}

// noAlgorithm throws Java's exception for the name of an algorithm.
func noAlgorithm(t *value.Task, format, name string) {
	t.FailClass("java.security.NoSuchAlgorithmException", diag.IllegalArgument, format, name)
}

func digestStatics() []entry.Entry {
	sum := func(class *value.JavaClass, name, algorithm string) entry.Entry {
		return entry.StaticMethod("new", name, "", entry.Constant, "Returns a checksum, to which update adds bytes.",
			"(.getValue (java.util.zip."+name+".)) => "+map[string]string{"CRC32": "0", "Adler32": "1"}[name],
			func(t *value.Task, _ []value.Value) value.Value {
				return t.JavaOf(class, value.ConstString(algorithm), strs.EmptyString)
			})
	}
	return []entry.Entry{
		entry.StaticMethod("MessageDigest", "getInstance", "algorithm", entry.Constant,
			"Returns a digest: MD5, SHA-1, SHA-224, SHA-256, SHA-384, SHA-512 or one of SHA3.",
			`(count (.digest (java.security.MessageDigest/getInstance "SHA-256") (.getBytes "a"))) => 32`,
			func(t *value.Task, a []value.Value) value.Value {
				name := entry.WantText(t, a[0], "MessageDigest/getInstance")
				if h := newHash(name); h == nil || strings.HasSuffix(name, "32") {
					noAlgorithm(t, "%s MessageDigest not available", name)
				}
				return t.JavaOf(MessageDigest, a[0], strs.EmptyString)
			}),
		entry.StaticMethod("MessageDigest", "isEqual", "a b", entry.PerElement,
			"Returns true if two arrays have equal bytes.",
			`(java.security.MessageDigest/isEqual (.getBytes "a") (.getBytes "a")) => true`,
			func(t *value.Task, a []value.Value) value.Value {
				if a[0].IsNil() || a[1].IsNil() {
					return value.Bool(a[0].IsNil() && a[1].IsNil())
				}
				x, y := strs.BytesOf(t, a[0], "isEqual"), strs.BytesOf(t, a[1], "isEqual")
				return value.Bool(len(x) == len(y) && subtle.ConstantTimeCompare(unsafe.Slice(unsafe.StringData(x), len(x)),
					unsafe.Slice(unsafe.StringData(y), len(y))) == 1)
			}),
		entry.StaticMethod("Mac", "getInstance", "algorithm", entry.Constant,
			"Returns the code of a message with a key: HmacMD5, HmacSHA1, HmacSHA256 and so on.",
			`(.getMacLength (javax.crypto.Mac/getInstance "HmacSHA256")) => 32`,
			func(t *value.Task, a []value.Value) value.Value {
				name := entry.WantText(t, a[0], "Mac/getInstance")
				const prefix = "hmac"
				short := strings.TrimPrefix(strings.ToLower(name), prefix)
				if h := newHash(short); h == nil || len(short) == len(name) || strings.Contains(short, "32") {
					noAlgorithm(t, "Algorithm %s not available", name)
				}
				return t.JavaOf(Mac, t.CopyString(strings.ToUpper(short)), strs.EmptyString, value.Nil)
			}),
		entry.StaticMethod("new", "SecretKeySpec", "bytes algorithm", entry.PerByte, "Returns a key for a Mac.",
			`(some? (javax.crypto.spec.SecretKeySpec. (.getBytes "k") "HmacMD5")) => true`,
			func(t *value.Task, a []value.Value) value.Value {
				key := strs.BytesOf(t, a[0], "SecretKeySpec")
				if key == "" {
					t.Fail(diag.IllegalArgument, "Empty key")
				}
				text := t.StringOf(2*len(key), func(out []byte) {
					hex.Encode(out, unsafe.Slice(unsafe.StringData(key), len(key)))
				})
				return t.JavaOf(SecretKey, text, a[1])
			}),
		sum(CRC32, "CRC32", "CRC32"), sum(Adler32, "Adler32", "ADLER32"),
	}
}
