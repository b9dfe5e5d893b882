// This file compares a search in the sequence of iterate that became a loop with the unfused search.

package ptc

import "testing"

// TestIterateSearch: the loop calls the functions in the same order, and fails in the same way.
func TestIterateSearch(t *testing.T) {
	const say = `(defn say [k f] (fn [x] (print k x "") (f x))) (defn half [x] (quot x 2)) `
	for _, source := range []string{
		`(first (drop-while (say :p #(< % 50)) (iterate (say :f inc) 40)))`,
		`(first (filter (say :p #(= 0 (mod % 7))) (iterate (say :f inc) 3)))`,
		`(first (remove (say :p pos?) (iterate (say :f half) 100)))`,
		`(first (drop-while (do (print "p ") #(< % 3)) (iterate (do (print "f ") inc) (do (print "x ") 0))))`,
		`(first (drop-while #(< % 5) (iterate (fn [x] (if (= x 3) (throw (ex-info "three" {})) (inc x))) 0)))`,
		`(first (filter #(> 1 (/ 1 %)) (iterate inc -2)))`,
		`(first (drop-while #(< % 3) (iterate nil 0)))`,
		`(first (drop-while nil (iterate inc 0)))`,
		`(first (filter #{8} (iterate #(* 2 %) 1)))`,
		`(first (drop-while (fn [x] (loop [i 0] (if (< i x) (recur (inc i)) (< x 5)))) (iterate (fn [x] (if (neg? x) (recur 0) (inc x))) -3)))`,
		`(let [first second] (first (drop-while #(< % 3) (iterate inc 0))))`,
		`(first (drop-while (constantly true) (iterate inc 0)))`,
	} {
		in := fusionInput{steps: 3000}
		got, want := runFusion(say+source, false, in), runFusion(say+source, true, in)
		got.steps, want.steps = 0, 0
		if got != want {
			t.Errorf("%s\n got %+v\nwant %+v", source, got, want)
		}
	}
}
