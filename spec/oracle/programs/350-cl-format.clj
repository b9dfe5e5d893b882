(require '[clojure.pprint :refer [cl-format]])
(doseq
 [[f & as]
  [["~d items" 5] ["~:d" 1234567] ["~5d|~-5d" 42 7] ["~a and ~s" "x" "y"] ["~{~a~^, ~}" [1 2 3]]
   ["~:{<~a ~a>~}" [[1 2] [3 4]]] ["~r ~:r ~@r" 21 21 21] ["~x ~o ~b ~8,'0b" 255 8 5 5]
   ["~,2f ~8,3f ~e" 3.14159 2.5 1234.5] ["~10a|~10@a|" "l" "r"] ["~[a~;b~;c~]" 1] ["~:[f~;t~]" nil]
   ["~@[x=~a~]" 5] ["~a~%~~" 1] ["~c ~:c" \a \space] ["~p ~@p" 1 2] ["~(ABC~) ~:(ab cd~)"]
   ["~*~a" 1 2] ["~3*~a" 1 2 3 4] ["~$" 3.14159] ["~v,'xd" 6 42] ["~a" nil] ["~s" nil]
   ["~a" {:a "b"}] ["~s" {:a "b"}] ["~#[none~;one~:;many~]" 1 2] ["~<~a~;~a~>" 1 2] ["~vt|" 5]
   ["~6,2f|~6,0f|~,3f" 1.005 2.5 100]]]
  (println (pr-str f) "=>"
           (try (apply cl-format nil f as) (catch Exception e (.getSimpleName (class e))))))
