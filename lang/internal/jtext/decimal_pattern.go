// This file writes the pattern of a DecimalFormat.

package jtext

import "strings"

// Pattern returns the pattern as toPattern does, with the settings that have changed.
func (d *Decimal) Pattern() string {
	var b strings.Builder
	prefix, suffix := affixPattern(d.rawPrefix), affixPattern(d.rawSuffix)
	b.WriteString(prefix)
	d.digitsPattern(&b)
	b.WriteString(suffix)
	if d.rawNegative {
		negPrefix, negSuffix := affixPattern(d.rawNegPrefix), affixPattern(d.rawNegSuffix)
		same := negPrefix == prefix || negPrefix == "-"+prefix
		if !same || negSuffix != suffix {
			b.WriteString(";" + negPrefix)
			d.digitsPattern(&b)
			b.WriteString(negSuffix)
		}
	}
	return b.String()
}

// digitsPattern writes the pattern of the digits.
func (d *Decimal) digitsPattern(b *strings.Builder) {
	n := max(d.GroupSize, d.MinInt) + 1
	if d.MinExp > 0 {
		n = d.MaxInt
	}
	for i := n; i > 0; i-- {
		if i != n && d.Grouping > 0 && i%d.Grouping == 0 {
			b.WriteByte(',')
		}
		b.WriteByte("#0"[btoi(i <= d.MinInt)])
	}
	if d.MaxFrac > 0 || d.Point {
		b.WriteByte('.')
	}
	for i := range d.MaxFrac {
		b.WriteByte("#0"[btoi(i < d.MinFrac)])
	}
	if d.MinExp > 0 {
		b.WriteString("E" + strings.Repeat("0", d.MinExp))
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// affixPattern returns the text before or after the digits of a pattern with quotes where they are needed only.
func affixPattern(raw string) string {
	var b, literal strings.Builder
	flush := func() {
		s := strings.ReplaceAll(literal.String(), "'", "''")
		if strings.ContainsAny(s, "0,.%\u2030#;-\u00a4") {
			s = "'" + s + "'"
		}
		b.WriteString(s)
		literal.Reset()
	}
	quoted := false
	for i, r := range raw {
		switch {
		case r == '\'' && strings.HasPrefix(raw[i+1:], "'"): // the second one writes it
		case r == '\'' && i > 0 && raw[i-1] == '\'':
			literal.WriteByte('\'')
		case r == '\'':
			quoted = !quoted
		case !quoted && strings.ContainsRune("%\u2030-\u00a4", r):
			flush()
			b.WriteRune(r)
		default:
			literal.WriteRune(r)
		}
	}
	flush()
	return b.String()
}
