; Measures a kernel on the JVM: clojure.main driver.clj FILE. It prints the result, and the least processor time of a call in
; nanoseconds. The time is that of the process, so the collector counts; the calls before the measurement are for the compiler.
(let [bean ^com.sun.management.OperatingSystemMXBean (java.lang.management.ManagementFactory/getOperatingSystemMXBean)
      cpu (fn [] (.getProcessCpuTime bean))
      kernel (binding [*ns* (create-ns 'kernels)]
               (refer 'clojure.core)
               (load-file (first *command-line-args*))
               @(resolve 'kernel))
      timed (fn [n]
              (let [start (cpu)]
                (dotimes [_ n] (kernel))
                (- (cpu) start)))
      result (kernel)
      warm (fn [ns]
             (let [start (cpu)]
               (loop [n 0] (if (< (- (cpu) start) ns) (do (kernel) (recur (inc n))) n))))]
  (warm 3e9)
  (let [n (inc (warm 3e8))] ; a tick of the clock is 10 ms
    (System/gc)
    (println (str result) (long (apply min (repeatedly 5 #(/ (timed n) n)))))))
