package time

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// run returns the value of a program that asks a clock which is stopped.
func run(t *testing.T, program string) (string, error) {
	t.Helper()
	at := time.Date(2026, 11, 22, 4, 5, 6, 789_999_999, time.UTC)
	reg, err := tool.NewRegistry(clock{func() time.Time { return at }}.tools()...)
	require.NoError(t, err)
	res, err := ptc.Run(context.Background(), program, ptc.Options{Tools: reg})
	if err != nil {
		return "", err
	}
	return res.EDN()
}

func TestTools(t *testing.T) {
	for program, want := range map[string]string{
		`(tool/time.now)`:                         `{:ms 1795320306789, :iso "2026-11-22T04:05:06.789Z", :zone "UTC"}`,
		`(tool/time.now {:zone "Europe/Vienna"})`: `{:ms 1795320306789, :iso "2026-11-22T05:05:06.789+01:00", :zone "Europe/Vienna"}`,
		`(:iso (tool/time.now "Asia/Kathmandu"))`: `"2026-11-22T09:50:06.789+05:45"`,
		`(tool/time.format 0)`:                    `"1970-01-01T00:00:00Z"`,
		`(tool/time.format {:ms -1})`:             `"1969-12-31T23:59:59.999Z"`,
		`(tool/time.format {:ms 1795320306789 :pattern "yyyy-MM-dd HH:mm:ss.SSS XXX"})`:                                                                                    `"2026-11-22 04:05:06.789 Z"`,
		`(tool/time.format {:ms 1795320306789 :pattern "EEEE, d MMMM yy 'at' h:mm a" :zone "America/New_York"})`:                                                           `"Saturday, 21 November 26 at 11:05 PM"`,
		`(tool/time.format {:ms 1795320306789 :pattern "EEE d.M.uuuu H" :zone "UTC"})`:                                                                                     ``,
		`(tool/time.format {:ms 1795320306789 :pattern "DDD 'o''clock' '' – xxx z" :zone "Europe/Vienna"})`:                                                                `"326 o'clock ' – +01:00 CET"`,
		`(tool/time.format {:ms 0 :pattern "'Jan 2006' yyyy"})`:                                                                                                            `"Jan 2006 1970"`,
		`(tool/time.format {:ms 0 :pattern "''"})`:                                                                                                                         `"'"`,
		`(tool/time.parse "2026-11-22T04:05:06.789Z")`:                                                                                                                     `1795320306789`,
		`(tool/time.parse "2026-11-22T05:05:06.789+01:00")`:                                                                                                                `1795320306789`,
		`(tool/time.parse "1970-01-02")`:                                                                                                                                   `86400000`,
		`(tool/time.parse {:text "22.11.2026 05:05" :pattern "dd.MM.yyyy HH:mm" :zone "Europe/Vienna"})`:                                                                   `1795320300000`,
		`(tool/time.parse {:text "20261122040506" :pattern "yyyyMMddHHmmss"})`:                                                                                             `1795320306000`,
		`(tool/time.parse {:text "2026-11-22T04:05:06.789" :pattern "yyyy-MM-dd'T'HH:mm:ss.SSS"})`:                                                                         `1795320306789`,
		`(tool/time.parse {:text "Sun, 22 Nov 2026 04:05:06 +0000" :pattern "EEE, dd MMM yyyy HH:mm:ss Z"})`:                                                               `1795320306000`,
		`(let [p "d MMM yyyy, h:mm a XXX"] (tool/time.format {:ms (tool/time.parse {:text "9 Feb 2031, 7:08 AM +03:00" :pattern p}) :pattern p :zone "Europe/Istanbul"}))`: `"9 Feb 2031, 7:08 AM +03:00"`,
	} {
		got, err := run(t, program)
		if want == "" {
			require.ErrorContains(t, err, "H is not one of its letters")
			continue
		}
		require.NoError(t, err, program)
		assert.Equal(t, want, got, program)
	}
}

func TestFailures(t *testing.T) {
	for _, test := range []struct{ program, code, message string }{
		{`(tool/time.now "Europe/Wien")`, ":unknown-zone", `got the time zone "Europe/Wien"`},
		{`(tool/time.now "../../../etc/passwd")`, ":unknown-zone", "Europe/Vienna"},
		{`(tool/time.now "/etc/localtime")`, ":unknown-zone", "Europe/Vienna"},
		{`(tool/time.format {:ms 0 :pattern "yyyy-qq"})`, ":bad-pattern", "qq is not one of its letters"},
		{`(tool/time.format {:ms 0 :pattern "'open"})`, ":bad-pattern", "a quote is not closed"},
		{`(tool/time.format {:ms 0 :pattern "'open''"})`, ":bad-pattern", "a quote is not closed"},
		{`(tool/time.format {:ms 0 :pattern "SSS"})`, ":bad-pattern", "S stands behind a dot"},
		{`(tool/time.format {:ms 0 :pattern (apply str (repeat 1000 "y "))})`, ":bad-pattern", "more than 200 bytes"},
		{`(tool/time.format 253402300800000)`, ":bad-time", "the years 1 to 9999"},
		{`(tool/time.format -9223372036854775808)`, ":bad-time", "the years 1 to 9999"},
		{`(tool/time.parse "yesterday")`, ":bad-time", `got the time "yesterday", want one such as`},
		{`(tool/time.parse {:text "31.02.2026" :pattern "dd.MM.yyyy"})`, ":bad-time", "by the pattern dd.MM.yyyy"},
		{`(tool/time.parse {:text "x" :pattern "HH z"})`, ":bad-pattern", "only be written"},
		{`(tool/time.parse {:text "x" :pattern "yyyy'Jan'"})`, ":bad-pattern", "can't be told from a part of a time"},
	} {
		_, err := run(t, test.program)
		require.ErrorContains(t, err, test.message, test.program)
		got, err := run(t, `(try `+test.program+` (catch Exception e (:code (ex-data e))))`)
		require.NoError(t, err)
		assert.Equal(t, test.code, got, test.program)
	}
}

func TestGrant(t *testing.T) {
	none, err := Tools(Grant{})
	require.NoError(t, err)
	assert.Empty(t, none)
	before := time.Now().UnixMilli()
	tools, err := Tools(Grant{Clock: true})
	require.NoError(t, err)
	assert.Len(t, tools, len(Names()))
	reg, err := tool.NewRegistry(tools...)
	require.NoError(t, err)
	res, err := ptc.Run(t.Context(), `(:ms (tool/time.now))`, ptc.Options{Tools: reg})
	require.NoError(t, err)
	got, err := res.Value()
	require.NoError(t, err)
	assert.GreaterOrEqual(t, got, before)
	for _, x := range tools {
		for _, e := range x.Examples() {
			_, err := ptc.Compile(context.Background(), "", e, ptc.Options{Tools: reg})
			require.NoError(t, err, e)
		}
	}
	withheld := &tool.Registry{}
	for name, how := range Names() {
		withheld.Withhold(name, how)
	}
	_, err = ptc.Run(t.Context(), `(tool/time.now)`, ptc.Options{Tools: withheld})
	var e *ptc.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, diag.NotGranted, e.Code)
	assert.Equal(t, "grant it with --allow-time", e.Hint)
}

// FuzzPattern reads patterns: a pattern that can read times writes the same text as its parts, whatever the
// time.
func FuzzPattern(f *testing.F) {
	for _, p := range []string{"yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "EEE d MMM yy h:mm a", "''", "'a''b'", "yyyy_d", "–", "DDD"} {
		f.Add(p, int64(1795320306789))
	}
	f.Fuzz(func(t *testing.T, text string, ms int64) {
		p, err := readPattern(text)
		if err != nil {
			return
		}
		at := time.UnixMilli(max(firstMS, min(lastMS, ms))).UTC()
		if layout, err := p.layout(); err == nil && at.Format(layout) != p.format(at) {
			t.Errorf("%q: got %q, want %q", text, at.Format(layout), p.format(at))
		}
	})
}
