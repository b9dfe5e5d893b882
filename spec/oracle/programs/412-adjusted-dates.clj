;; TemporalAdjusters, and the days and months of dates.
(import '(java.time LocalDate LocalDateTime LocalTime DayOfWeek Month ZonedDateTime ZoneId YearMonth)
        '(java.time.temporal TemporalAdjusters UnsupportedTemporalTypeException)
        'java.util.GregorianCalendar)

(def dates (map #(LocalDate/parse %) ["2024-01-31" "2024-02-05" "2023-12-31" "2000-02-29" "2023-10-01"]))

(doseq [d dates
        adjuster [(TemporalAdjusters/firstDayOfMonth) (TemporalAdjusters/lastDayOfMonth)
                  (TemporalAdjusters/firstDayOfNextMonth) (TemporalAdjusters/firstDayOfYear)
                  (TemporalAdjusters/lastDayOfYear) (TemporalAdjusters/firstDayOfNextYear)]]
  (print (str (.with d adjuster) " ")))
(newline)
(doseq [d dates
        day [DayOfWeek/MONDAY DayOfWeek/WEDNESDAY DayOfWeek/SUNDAY]
        f [#(TemporalAdjusters/next %) #(TemporalAdjusters/nextOrSame %) #(TemporalAdjusters/previous %)
           #(TemporalAdjusters/previousOrSame %) #(TemporalAdjusters/firstInMonth %) #(TemporalAdjusters/lastInMonth %)]]
  (print (str (.with d (f day)) " ")))
(newline)
(doseq [d dates n (range -6 7) day [DayOfWeek/FRIDAY DayOfWeek/SUNDAY]]
  (print (str (.with d (TemporalAdjusters/dayOfWeekInMonth n day)) " ")))
(newline)
(println (str (.with (LocalDateTime/of 2024 5 6 7 8) (TemporalAdjusters/lastDayOfMonth)))
         (str (.with (ZonedDateTime/of 2024 3 30 2 30 0 0 (ZoneId/of "Europe/Berlin")) (TemporalAdjusters/next DayOfWeek/SUNDAY)))
         (str (.with (LocalDateTime/of 2024 5 6 7 8) (LocalTime/of 9 10)))
         (str (.with (LocalDateTime/of 2024 5 6 7 8) (LocalDate/of 2020 2 29)))
         (str (.with (LocalDate/of 2024 1 31) DayOfWeek/MONDAY))
         (str (.with (LocalDate/of 2024 1 31) Month/FEBRUARY)))
(println (map #(str (DayOfWeek/from %)) dates) (map #(str (Month/from %)) dates) (str (Month/from (YearMonth/of 2024 5))))
(println (try (DayOfWeek/from (LocalTime/of 1 2)) (catch java.time.DateTimeException e (ex-message e))))
(println (try (.with (LocalTime/of 1 2) (TemporalAdjusters/lastDayOfMonth)) (catch UnsupportedTemporalTypeException e (ex-message e))))
(println (for [year (range 2020 2025)
               :let [c (GregorianCalendar. year GregorianCalendar/DECEMBER 25)]
               :when (= (.get c GregorianCalendar/DAY_OF_WEEK) GregorianCalendar/FRIDAY)]
           year))
(println (. GregorianCalendar SUNDAY) (.get (GregorianCalendar. 2024 0 1) GregorianCalendar/MONTH))
