package value

import (
	"context"
	"testing"
	"time"

	"github.com/ptc-lang/ptc/internal/testlevel"
)

func literalTask() *Task {
	t := &Task{Owner: 1}
	t.Start(context.Background(), 1<<20, 1e6, time.Minute)
	return t
}

// TestInst checks timestamps against clojure.instant/read-instant-date of JVM
// Clojure 1.11.
func TestInst(t *testing.T) {
	for _, c := range []struct {
		text   string
		millis int64
		prints string
	}{
		{"2020", 1577836800000, "2020-01-01T00:00:00.000-00:00"},
		{"2020-02-29", 1582934400000, "2020-02-29T00:00:00.000-00:00"},
		{"2020-02-03T23", 1580770800000, "2020-02-03T23:00:00.000-00:00"},
		{"2020-02-03T23:59:60", 1580774400000, "2020-02-04T00:00:00.000-00:00"},
		{"2020-02-03T04:05:06.1", 1580702706100, "2020-02-03T04:05:06.100-00:00"},
		{"2020-02-03T04:05:06.123456789", 1580702706123, "2020-02-03T04:05:06.123-00:00"},
		{"2020-02-03T04:05:06.1234567891", 1580702706123, "2020-02-03T04:05:06.123-00:00"},
		{"2020-02-03T04:05:06Z", 1580702706000, "2020-02-03T04:05:06.000-00:00"},
		{"2020Z", 1577836800000, "2020-01-01T00:00:00.000-00:00"},
		{"2020-02+01:00", 1580511600000, "2020-01-31T23:00:00.000-00:00"},
		{"2020-02-03T04:05:06-12:34", 1580747946000, "2020-02-03T16:39:06.000-00:00"},
		{"1969-12-31T23:59:59.999Z", -1, "1969-12-31T23:59:59.999-00:00"},
		{"9999-12-31T23:59:59.999", 253402300799999, "9999-12-31T23:59:59.999-00:00"},
		// Dates of the Julian calendar.
		{"1582-10-15", -12219292800000, "1582-10-15T00:00:00.000-00:00"},
		{"1582-10-04", -12219379200000, "1582-10-04T00:00:00.000-00:00"},
		{"1582-10-10", -12218860800000, "1582-10-20T00:00:00.000-00:00"},
		{"1500-01-01", -14830992000000, "1500-01-01T00:00:00.000-00:00"},
		{"0001-01-01", -62135769600000, "0001-01-01T00:00:00.000-00:00"},
		{"0000-01-01", -62167392000000, "0001-01-01T00:00:00.000-00:00"},
	} {
		v, err := literalTask().InstFrom(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := v.AsInst().Millis; got != c.millis {
			t.Errorf("%s: got %d, want %d", c.text, got, c.millis)
		}
		if got := string(appendInst(nil, c.millis)); got != c.prints {
			t.Errorf("%d prints as %s, want %s", c.millis, got, c.prints)
		}
	}
}

func TestBadInst(t *testing.T) {
	const syntax = ", want a timestamp like 2024-01-31T12:30:00.000Z"
	for text, want := range map[string]string{
		"2020-02-30":                "day is 30, want 1 to 29",
		"2021-02-29":                "day is 29, want 1 to 28",
		"1900-02-29":                "day is 29, want 1 to 28",
		"2020-00":                   "month is 0, want 1 to 12",
		"2020-13":                   "month is 13, want 1 to 12",
		"2020-01-00":                "day is 0, want 1 to 31",
		"2020-02-03T24":             "hour is 24, want 0 to 23",
		"2020-02-03T04:60":          "minute is 60, want 0 to 59",
		"2020-02-03T23:58:60":       "second is 60, want 0 to 59",
		"2020-02-03T23:59:61":       "second is 61, want 0 to 60",
		"2020-02-03T04:05:06-24:00": "offset hour is 24, want 0 to 23",
		"2020-02-03T04:05:06-23:60": "offset minute is 60, want 0 to 59",
		"":                          `got ""` + syntax,
		"x":                         `got "x"` + syntax,
		"20200":                     `got "20200"` + syntax,
		"2020-1":                    `got "2020-1"` + syntax,
		"2020-01-01T":               `got "2020-01-01T"` + syntax,
		"2020-01-01t00":             `got "2020-01-01t00"` + syntax,
		"2020-02-03T04:05:06.":      `got "2020-02-03T04:05:06."` + syntax,
		"2020-02-03T04:05.5":        `got "2020-02-03T04:05.5"` + syntax,
		"2020-02-03T04:05:06Zx":     `got "2020-02-03T04:05:06Zx"` + syntax,
		"2020-02-03T04:05:06+1:00":  `got "2020-02-03T04:05:06+1:00"` + syntax,
	} {
		if _, err := literalTask().InstFrom(text); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

// TestCalendar checks that each day of 2,500 years prints differently and reads back as the same
// day.
func TestCalendar(t *testing.T) {
	last := ""
	for day := int64(-719164); day < 200_000; day += int64(testlevel.Size(5, 1)) { // 0001-01-03 to 2517-07-30
		text := string(appendInst(nil, day*86400000))
		if text <= last {
			t.Fatalf("day %d is %s, after %s", day, text, last)
		}
		last = text
		// Clojure checks the day by the Gregorian rule, so it cannot read the leap days of Julian
		// centuries.
		if day < gregorianStart && text[2:10] == "00-02-29" && daysIn(yearOf(text), 2) == 28 {
			continue
		}
		if millis, err := parseInst(text); err != nil || millis != day*86400000 {
			t.Fatalf("day %d is %s, which reads as %d, %v", day, text, millis, err)
		}
	}
}

// yearOf returns the year at the start of a timestamp.
func yearOf(text string) int {
	year, _, _ := digits(text, 4)
	return year
}

// TestUUID checks UUIDs against java.util.UUID/fromString.
func TestUUID(t *testing.T) {
	for text, want := range map[string]string{
		"ffffffff-FFFF-ffff-ffff-ffffffffffff":  "ffffffff-ffff-ffff-ffff-ffffffffffff",
		"123e4567-e89b-12d3-a456-426614174000":  "123e4567-e89b-12d3-a456-426614174000",
		"1-1-1-1-1":                             "00000001-0001-0001-0001-000000000001",
		"+1-1-1-1-1":                            "00000001-0001-0001-0001-000000000001",
		"123456789-1-1-1-1":                     "23456789-0001-0001-0001-000000000001",
		"7fffffffffffffff-1-1-1-1":              "ffffffff-0001-0001-0001-000000000001",
		"1-12345-1-1-1":                         "00000001-2345-0001-0001-000000000001",
		"8fffffffffffffff-1-1-1-1":              "",
		"11111111111111111-1-1-1-1":             "",
		"00000000-0000-0000-0000-0000000000011": "",
		"00000000-0000-0000-0000-00000000000g":  "",
		"1--1-1-1":                              "",
		"1-1-1-1":                               "",
		"1-1-1-1-":                              "",
		"-1-1-1-1-1":                            "",
		"1-1-1-1-1-1":                           "",
		"":                                      "",
	} {
		task := literalTask()
		v, err := task.UUIDFrom(text)
		if want == "" {
			if err == nil {
				t.Errorf("%s: got no error", text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := task.Str(v).AsString().S; got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestSymbolAt(t *testing.T) {
	task := literalTask()
	sym := task.Symbol("a", "b")
	used := task.Used()
	v := task.SymbolAt(sym.AsSymbol(), 7)
	if Identical(v, sym) || v.AsSymbol().Pos != 7 || !Equal(task, v, sym) || Hash(task, v) != Hash(task, sym) {
		t.Errorf("got %v at %d, want a/b at 7", task.Str(v), v.AsSymbol().Pos)
	}
	if task.Used() != 2*used {
		t.Errorf("it was charged %d bytes, the symbol %d", task.Used()-used, used)
	}
}
