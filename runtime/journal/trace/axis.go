// This file defines the axis of time: positions, ticks and zooms.

package trace

import (
	"strconv"
	"strings"
	"time"
)

// zooms are the widths of the drawing that the page offers, in widths of its window. Each has its own
// ticks.
var zooms = [...]int{1, 4, 16, 64}

// maxTicks is the maximum number of ticks in a window: their labels have 45 pixels each on a phone.
const maxTicks = 6

// percent returns a position on the axis, or a length, with four digits after the point.
func (d *drawing) percent(at time.Duration) string {
	text := strconv.FormatFloat(float64(at)/float64(d.total)*100, 'f', 4, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".") + "%"
}

// step returns the round time between two ticks for a zoom.
func (d *drawing) step(zoom int) time.Duration {
	window := d.total / time.Duration(zoom)
	for unit := time.Duration(1); unit < time.Second; unit *= 10 {
		for _, n := range []time.Duration{1, 2, 5} {
			if window/(n*unit) < maxTicks {
				return n * unit
			}
		}
	}
	for _, s := range []time.Duration{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200} {
		if window/(s*time.Second) < maxTicks {
			return s * time.Second
		}
	}
	for day := 24 * time.Hour; ; day *= 2 {
		if window/day < maxTicks {
			return day
		}
	}
}

// tick is a mark on the axis. The label of one near the end is at its left, if there is room.
type tick struct {
	at         time.Duration
	left, bare bool
}

// ticks returns the ticks for a zoom.
func (d *drawing) ticks(zoom int) []tick {
	step := d.step(zoom)
	room := d.total / time.Duration(zoom) / 8 // of a label
	var all []tick
	for at := time.Duration(0); at <= d.total; at += step {
		left := at > 0 && d.total-at < room
		all = append(all, tick{at, left, left && step < 2*room})
	}
	return all
}
