package jregex

// This file defines String.split.

// Split cuts s at the matches of re as Pattern.split does, and passes the pieces to emit, in order.
// With limit 0, trailing empty pieces are omitted. A positive limit is the maximum number of
// pieces, and a negative one means no limit. An empty match at the start makes no empty piece. The
// pieces share the memory of s. The error is that of emit or of poll. Each piece allocates at most
// re.MatchBytes in addition to the allocations of emit.
func Split(re *Regexp, s string, limit int, poll Poll, emit func(piece string) error) error {
	sp := splitter{drop: limit == 0, emit: emit}
	from := 0
	sc := re.Scan(s, poll)
	for count := 0; limit <= 0 || count < limit-1; {
		loc, err := sc.Next()
		if err != nil {
			return err
		}
		if loc == nil {
			break
		}
		if from == 0 && loc[1] == 0 {
			continue
		}
		if err := sp.piece(s[from:loc[0]]); err != nil {
			return err
		}
		from = loc[1]
		count++
	}
	if from == 0 { // no match: the whole string, even if it is empty
		return emit(s)
	}
	return sp.piece(s[from:])
}

// splitter delays empty pieces until it is known whether they are trailing.
type splitter struct {
	drop  bool
	empty int
	emit  func(string) error
}

func (sp *splitter) piece(piece string) error {
	if piece == "" && sp.drop {
		sp.empty++
		return nil
	}
	for ; sp.empty > 0; sp.empty-- {
		if err := sp.emit(""); err != nil {
			return err
		}
	}
	return sp.emit(piece)
}
