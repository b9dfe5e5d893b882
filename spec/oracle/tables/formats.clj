;; format with numbers of every class and every conversion.
(DEF big (biginteger 5) (biginteger -255) (biginteger 123456789012345678901234567890) 5N)
(DEF n 5 -5 0 255 9223372036854775807 1.5 -0.5 -0.0 1e10 123456.789 (float 0.1) 1.50M -2.5M 1E+3M 1/3 ##NaN ##-Inf nil true "s" \c)
(EACH (format $["%d" "%8d" "%-8d|" "%08d" "%+d" "%,d" "%(d" "% d" "%x" "%X" "%#x" "%08x" "%o" "%#o" "%s" "%b" "%c" "%f" "%.2f" "%e" "%g"] $big) (String/format "%d|%x" (to-array [$big $big])))
(SAMPLE 10 (format "%d" $n) (format "%5d" $n) (format "%,d" $n) (format "%x" $n) (format "%#o" $n) (format "%c" $n) (format "%.0f" $n) (format "%(.2f" $n) (format "%,.2f" $n) (format "%010.2f" $n) (format "%.2e" $n) (format "%.3g" $n) (format "%h" $n) (format "%S" $n) (format "%.2s" $n))
(format "%x" -1) (format "%x" (long -1)) (format "%x" (int -1)) (format "%o" (byte -1)) (format "%c" (int 65))
