// This file tests which calls of assoc, and which literals, may change a vector in place.

package compile

import "testing"

// TestOwned: the code has AssocLast where nothing reads the vector afterwards, VectorIn where an older vector is dead,
// and Share where a second reference to an owned vector begins.
func TestOwned(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"a loop that looks at its vector",
			`(fn [v] (loop [v v, i 0] (if (< i (count v)) (recur (assoc v i (inc (nth v i))) (inc i)) v)))`,
			"Move Int Move CallK JNLt Nth AddI AssocLast AddI Move Loop ReturnShare"},
		{"reduce in reduce",
			`(fn [n v] (reduce (fn [s i] (if (nth s i) (reduce (fn [s j] (assoc s j i)) s (range i n)) s)) v (range 2 9)))`,
			"Move Int Int CallK Move Iter IterNext Move Move Nth JFalse Move Move Move CallK Move Iter IterNext Move Move " +
				"AssocLast Reduced Loop Move Jump Move Reduced Loop Move ReturnShare"},
		{"the vector is read later", `(fn [v] (loop [v v] (let [w (assoc v 0 1)] (recur (assoc w 0 (nth v 0))))))`,
			"Move Int Int Assoc Int Int Nth Assoc Move Loop"},
		{"a second name is read later", `(fn [v] (loop [v v] (let [w v] (recur (assoc v 0 (if (nth v 0) (count (assoc w 0 1)) 2))))))`,
			"Move Share Int Int Nth JFalse Int Int Assoc CallK Jump Int AssocLast Move Loop"},
		{"a closure captures it", `(fn [v] (loop [v v] (recur (assoc v 0 (fn [] v)))))`, "Move Int Closure Assoc Move Loop"},
		{"a function gets it", `(fn [v] (loop [v v] (str v) (recur (assoc v 0 1))))`, "Move Share CallN Int Int AssocLast Loop"},
		{"a handler reads it", `(fn [v] (loop [v v] (recur (try (str (assoc v 0 1)) (catch Exception e v)))))`,
			"Move Int Int Assoc CallN Jump Catch JFalse Move Move Jump Throw Move Move Loop"},
		{"one after the other", `(fn [v] (assoc (assoc v 0 1) 1 2))`, "Int Int AssocLast Int Int AssocLast ReturnShare"},
		{"a literal in each turn",
			`(fn [n] (loop [[a b] [0 1] i 0] (if (< i n) (recur [b (+ a i)] (inc i)) a)))`,
			"Const Int NthK NthK JNLt Move Add VectorIn AddI Move Loop Return"},
		{"two literals",
			`(fn [] (loop [[a] [0], [b] [1]] (recur [b] [a])))`,
			"Const NthK Const NthK Move Move NthK NthK Move VectorIn Move VectorIn Move Loop"},
		{"the old literal is an element of the new one", `(fn [] (loop [[a :as p] [0]] (recur [a p])))`,
			"Const NthK Move Move Share VectorIn Loop"},
		{"a function gets the literal", `(fn [f] (loop [p [0]] (f p) (recur [(p 0) 2])))`,
			"Const Move Share Call Move Int Call Int VectorIn Loop"},
		{"it becomes its own element", `(fn [v] (loop [v v] (recur (assoc v 0 v))))`, "Move Int Assoc Loop"},
	} {
		if got := show(codeOf(t, c.source)); got != c.want {
			t.Errorf("%s: %s\n got %s\nwant %s", c.name, c.source, got, c.want)
		}
	}
}
