// Package accesslog makes web server access logs for the access-log example and its tests.
//
// A log is a pure function of its size and seed: the generator has its own random numbers and uses
// integers only, so that the same arguments make the same bytes on every platform and Go release.
//
// Every line is in the combined log format followed by the response time in milliseconds:
//
//	203.0.113.9 - - [12/Mar/2025:10:15:32 +0000] "GET /cart HTTP/1.1" 200 5123 "-" "Mozilla/5.0" 48
//
// The lines cover one day whatever the size. Traffic follows the hours of an office day, the
// checkout fails often between 14:00 and 15:00, and about one line in five hundred is damaged.
package accesslog

import (
	"strconv"
	"strings"
)

// maxLine is more than the longest line of the tables below; it bounds the memory reserved past size.
const maxLine = 512

// Generate returns a log of at most size bytes that ends in a line feed; it is the longest such log of
// its seed, and empty if size is too small for one line.
func Generate(size int, seed uint64) string {
	if size <= 0 {
		return ""
	}
	g := generator{random: random(seed), size: size}
	g.out.Grow(size + maxLine)
	for {
		start := g.out.Len()
		g.line()
		if g.out.Len() > size {
			return g.out.String()[:start]
		}
	}
}

type generator struct {
	random
	out  strings.Builder
	size int
}

// line appends one log line. The share of the log that is already written decides the time of day.
func (g *generator) line() {
	hour, second := clock(g.out.Len(), g.size)
	route := routes[g.weighted(routeWeights)]
	status := g.status(route, hour)
	damaged := g.below(500) == 0

	g.address()
	g.text(" - ", users[g.weighted(userWeights)], " [12/Mar/2025:", two(hour), ":", two(second/60), ":", two(second%60),
		" +0000] ")
	if damaged {
		g.text("\"", route.method, "\n") // the server was stopped while it wrote
		return
	}
	g.text("\"", route.method, " ")
	g.path(route)
	g.text(" HTTP/1.1\" ", strconv.Itoa(status), " ", g.bytes(route, status), " \"")
	g.text(referrers[g.weighted(referrerWeights)], "\" \"", agents[g.weighted(agentWeights)], "\" ")
	g.text(strconv.Itoa(g.millis(route, status)), "\n")
}

func (g *generator) text(parts ...string) {
	for _, p := range parts {
		g.out.WriteString(p)
	}
}

// address writes a client address from the three blocks reserved for documentation. The smaller of two
// draws is taken, so that some clients are much busier than others.
func (g *generator) address() {
	block := [...]string{"192.0.2.", "198.51.100.", "203.0.113."}[g.below(3)]
	g.text(block, strconv.Itoa(1+min(g.below(254), g.below(254))))
}

// path writes the route's path with the placeholder, if any, replaced by a number, and sometimes a query.
func (g *generator) path(r route) {
	before, after, found := strings.Cut(r.path, "#")
	g.text(before)
	if found {
		g.text(strconv.Itoa(1+min(g.below(400), g.below(400), g.below(400))), after)
	}
	if r.query != "" && g.below(3) == 0 {
		g.text("?", r.query, "=", strconv.Itoa(1+g.below(20)))
	}
}

func (g *generator) status(r route, hour int) int {
	failing := 2 // per thousand
	if hour == incidentHour && r.fails {
		failing = 350
	}
	switch n := g.below(1000); {
	case n < failing:
		return [...]int{500, 502, 503, 504}[g.below(4)]
	case n < failing+r.missing:
		return 404
	case n < failing+r.missing+r.refused:
		return [...]int{401, 403, 429}[g.below(3)]
	case n < failing+r.missing+r.refused+30:
		return 302
	case r.method == "GET" && n > 880:
		return 304
	case r.method == "POST" && r.fails:
		return 201
	default:
		return 200
	}
}

// bytes is the size column: "-" where no body was sent.
func (g *generator) bytes(r route, status int) string {
	switch {
	case status == 304 || status == 302:
		return "-"
	case status >= 400:
		return strconv.Itoa(150 + g.below(400))
	default:
		return strconv.Itoa(r.bytes/2 + g.below(r.bytes))
	}
}

// millis is the response time. One answer in fifty is slow by a factor of up to 40; errors of a gateway time out.
func (g *generator) millis(r route, status int) int {
	ms := r.millis/2 + g.below(r.millis)
	if g.below(50) == 0 {
		ms += r.millis * g.below(40)
	}
	if status == 504 {
		ms += 30000
	}
	return ms
}

// clock turns a place in the log into an hour and a second of that hour, so that each hour's share of the
// log is its weight's share of the day.
func clock(at, size int) (hour, second int) {
	total := sum(hourWeights)
	// at < size is true for every line that is kept; the rest of the product stays far below 2^63.
	ticks := int(int64(min(at, size-1)) * int64(total) * 3600 / int64(size))
	for hour = range hourWeights {
		span := hourWeights[hour] * 3600
		if ticks < span {
			return hour, ticks / hourWeights[hour]
		}
		ticks -= span
	}
	return 23, 3599
}

func two(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

// random is SplitMix64 (Steele, Lea and Flood, 2014): a handful of integer operations whose sequence is
// fixed by its definition, where a library's generator may change between releases.
type random uint64

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number in [0, n). The bias of the remainder is under n/2^64.
func (r *random) below(n int) int {
	return int(r.next() % uint64(n))
}

// weighted returns an index of weights, each as often as its weight's share of their sum.
func (r *random) weighted(weights []int) int {
	n := r.below(sum(weights))
	for i, w := range weights {
		if n < w {
			return i
		}
		n -= w
	}
	panic("accesslog: weights do not add up")
}

func sum(weights []int) int {
	total := 0
	for _, w := range weights {
		total += w
	}
	return total
}
