// This file tests which calls of assoc may change a vector in place.

package compile

import "testing"

func TestOwned(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{`(fn [n] (loop [v (vec (range n)), i 0] (if (< i 100000) (recur (assoc v i i) (inc i)) (+ (nth v 10) (count v)))))`, ""},
		{`(fn [n v] (reduce (fn [s i] (if (nth s i) (reduce (fn [s j] (assoc s j false)) s (range (* i i) n i)) s)) v (range 2 142)))`, ""},
	} {
		if got := show(codeOf(t, c.source)); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.source, got, c.want)
		}
	}
}
