// This file compares all facts of two regions: digests of buckets first, then the stamps in the buckets that differ,
// then the facts.

package facts

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"slices"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

// buckets is the number of digests. With 100,000 facts a difference costs the stamps of 400.
const buckets = 256

// digests are the sums of the hashes of all facts in each bucket: equal sets of facts have equal sums.
type digests [buckets]uint64

// stamps are the stamps of facts by their keys.
type stamps map[string]Stamp

// comparing asks for a comparison of the buckets from one on.
type comparing struct {
	Digests digests `json:"digests"`
	From    int     `json:"from"`
}

// comparison is the answer: the buckets that differ, in order, and the stamps of their facts.
type comparison struct {
	Buckets []int  `json:"buckets"`
	Stamps  stamps `json:"stamps"`
	// More reports whether further buckets differ. They are compared next time.
	More bool `json:"more"`
}

// maxStamps bounds the stamps of a comparison.
const maxStamps = 10_000

func hashOf(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		h.Write(binary.BigEndian.AppendUint32(nil, uint32(len(p))))
		h.Write([]byte(p))
	}
	return h.Sum64()
}

func bucketOf(key string) int { return int(hashOf(key) % buckets) }

// each calls f with the keys and facts of the region as this node knows them.
func (s *Store) each(ctx context.Context, f func(key string, fact Fact)) error {
	q := engine.Query{Prefix: prefix, Limit: MaxFacts, Stale: true}
	for {
		page, err := s.o.Engine.List(ctx, q)
		if err != nil {
			return err
		}
		for _, e := range page.Entries {
			if _, _, ok := splitKey(e.Key); !ok {
				continue
			}
			if fact, ok := s.readable(e); ok {
				f(e.Key, fact)
			}
		}
		if !page.More || len(page.Entries) == 0 {
			return nil
		}
		q.After = page.Entries[len(page.Entries)-1].Key
	}
}

// digest returns the digests of this region.
func (s *Store) digest(ctx context.Context) (d digests, err error) {
	err = s.each(ctx, func(key string, f Fact) {
		n := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(nil, uint64(f.Stamp.Wall)), f.Stamp.Logical)
		d[bucketOf(key)] += hashOf(key, string(n), f.Stamp.Node)
	})
	return d, err
}

// stampsOf returns the stamps of the facts in some buckets.
func (s *Store) stampsOf(ctx context.Context, in []int) (stamps, error) {
	list := make(stamps)
	return list, s.each(ctx, func(key string, f Fact) {
		if slices.Contains(in, bucketOf(key)) {
			list[key] = f.Stamp
		}
	})
}

// differing compares the digests of another region with those here.
func (s *Store) differing(ctx context.Context, theirs comparing) (c comparison, err error) {
	ours, err := s.digest(ctx)
	if err != nil {
		return c, err
	}
	for i := range ours {
		if i >= theirs.From && ours[i] != theirs.Digests[i] {
			c.Buckets = append(c.Buckets, i)
		}
	}
	if len(c.Buckets) == 0 {
		return c, nil
	}
	all, err := s.stampsOf(ctx, c.Buckets)
	if err != nil {
		return c, err
	}
	count := make(map[int]int)
	for key := range all {
		count[bucketOf(key)]++
	}
	sum := 0
	for i, b := range c.Buckets {
		if sum += count[b]; sum > maxStamps && i > 0 {
			c.Buckets, c.More = c.Buckets[:i], true
			break
		}
	}
	c.Stamps = make(stamps)
	for key, stamp := range all {
		if slices.Contains(c.Buckets, bucketOf(key)) {
			c.Stamps[key] = stamp
		}
	}
	return c, nil
}

// Compare compares all facts with those of a region, and exchanges the different ones. Buckets that still
// differ, because one of the regions refuses a fact, are not compared again.
func (s *Store) Compare(ctx context.Context, region string) error {
	for from := 0; ; {
		ours, err := s.digest(ctx)
		if err != nil {
			return err
		}
		c, err := ask[comparison](ctx, s, region, methodDigest, comparing{ours, from})
		if err != nil || len(c.Buckets) == 0 {
			return err
		}
		mine, err := s.stampsOf(ctx, c.Buckets)
		if err != nil {
			return err
		}
		send, want := make(map[string]bool), []string(nil)
		for key, stamp := range mine {
			if theirs, ok := c.Stamps[key]; !ok || stamp.Compare(theirs) > 0 {
				send[key] = true
			}
		}
		for key, stamp := range c.Stamps {
			if have, ok := mine[key]; !ok || stamp.Compare(have) > 0 {
				want = append(want, key)
			}
		}
		if err := s.push(ctx, region, send); err != nil {
			return err
		}
		if err := s.take(ctx, region, want); err != nil {
			return err
		}
		last := slices.Max(c.Buckets)
		if !c.More || last < from {
			return nil
		}
		from = last + 1
	}
}

// take fetches facts of a region by their keys, and merges them.
func (s *Store) take(ctx context.Context, region string, keys []string) error {
	slices.Sort(keys)
	for len(keys) > 0 {
		n := min(len(keys), maxBatch)
		facts, err := ask[[]shipped](ctx, s, region, methodFetch, keys[:n])
		if err != nil {
			return err
		}
		if _, err := s.merge(ctx, facts); err != nil {
			return err
		}
		if len(facts) == 0 || len(facts) == n {
			keys = keys[n:]
			continue
		}
		last := facts[len(facts)-1] // the message was full, or keys are gone
		i, found := slices.BinarySearch(keys, factKey(last.Host, last.Name))
		if !found || i >= n {
			return nil
		}
		keys = keys[i+1:]
	}
	return nil
}
