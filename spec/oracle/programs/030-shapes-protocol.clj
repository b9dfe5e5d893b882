(defprotocol Shape
  (area [this])
  (perimeter [this])
  (describe [this]))
(defrecord Circle [radius]
  Shape
  (area [_] (* Math/PI radius radius))
  (perimeter [_] (* 2 Math/PI radius))
  (describe [this] (format "Circle r=%s area=%.2f" radius (area this))))
(defrecord Rect [w h]
  Shape
  (area [_] (* w h))
  (perimeter [_] (* 2 (+ w h)))
  (describe [this] (str "Rect " w "x" h " area=" (area this))))
(defrecord Triangle [a b c]
  Shape
  (area [this] (let [s (/ (perimeter this) 2)] (Math/sqrt (* s (- s a) (- s b) (- s c)))))
  (perimeter [_] (+ a b c))
  (describe [this] (str "Triangle area=" (area this))))

(def shapes [(->Circle 1.5) (->Rect 3 4) (map->Triangle {:a 3 :b 4 :c 5})])
(run! (comp println describe) shapes)
(println (map perimeter shapes))
(println (reduce + (map area shapes)))
(prn (second shapes) (assoc (second shapes) :w 10))
(println (= (->Rect 3 4) (second shapes)) (= {:w 3 :h 4} (into {} (second shapes))))
(:radius (first shapes))
