; Weeks of java.time, roll of a Calendar, days of unknown years.
(import '(java.time MonthDay LocalDate DayOfWeek) '(java.time.temporal WeekFields IsoFields)
        '(java.util Calendar TimeZone GregorianCalendar Locale))
(doseq [w [WeekFields/ISO WeekFields/SUNDAY_START (WeekFields/of DayOfWeek/SATURDAY 3)]]
  (println (str w) (str (.getFirstDayOfWeek w)) (.getMinimalDaysInFirstWeek w))
  (println (for [y (range 2015 2026) [m d] [[1 1] [1 4] [2 28] [12 28] [12 31]]]
             (mapv #(.get (LocalDate/of (int y) (int m) (int d)) %)
                   [(.dayOfWeek w) (.weekOfMonth w) (.weekOfYear w) (.weekOfWeekBasedYear w) (.weekBasedYear w)]))))
(println (mapv #(.get (LocalDate/of 2024 12 30) %)
               [IsoFields/WEEK_OF_WEEK_BASED_YEAR IsoFields/WEEK_BASED_YEAR IsoFields/QUARTER_OF_YEAR IsoFields/DAY_OF_QUARTER]))
(println (str (.with (LocalDate/of 2024 5 16) (.dayOfWeek WeekFields/ISO) 1))
         (str (.with (LocalDate/of 2024 5 16) (.weekOfWeekBasedYear WeekFields/ISO) 1)))
(println (map #(str (WeekFields/of %)) [Locale/US Locale/GERMANY Locale/UK]))
(doseq [[field ns] [[Calendar/YEAR [1 -3]] [Calendar/MONTH [1 13 -14]] [Calendar/DAY_OF_MONTH [1 40 -70]]
                    [Calendar/DAY_OF_YEAR [340 -31]] [Calendar/DAY_OF_WEEK [5 -9]] [Calendar/AM_PM [1 2]]
                    [Calendar/HOUR [3 -25]] [Calendar/HOUR_OF_DAY [3 -25]] [Calendar/MINUTE [15 -70]]
                    [Calendar/SECOND [-11 200]] [Calendar/MILLISECOND [5 -1]]]
        n ns]
  (let [c (doto (GregorianCalendar. 2024 0 31 23 50 10) (.roll (int field) (int n)))]
    (println field n (.get c Calendar/YEAR) (.get c Calendar/MONTH) (.get c Calendar/DATE)
             (.get c Calendar/HOUR_OF_DAY) (.get c Calendar/MINUTE) (.get c Calendar/SECOND) (.get c Calendar/MILLISECOND))))
(println (str (MonthDay/of 2 29)) (.isValidYear (MonthDay/of 2 29) 2023) (str (.atYear (MonthDay/of 2 29) 2023))
         (str (MonthDay/from (LocalDate/of 2024 5 6))) (str (MonthDay/parse "--12-03")) (str (.getMonth (MonthDay/of 3 4))))
(println (map str (sort [(MonthDay/of 12 1) (MonthDay/of 1 31) (MonthDay/of 1 2)]))
         (= (MonthDay/of 2 29) (MonthDay/of 2 29)) (.isBefore (MonthDay/of 2 29) (MonthDay/of 3 1)))
(println (try (MonthDay/of 2 30) (catch java.time.DateTimeException e :none))
         (try (MonthDay/parse "12-03") (catch java.time.format.DateTimeParseException e :none)))
(doseq [id ["America/New_York" "Europe/Berlin" "Asia/Kolkata" "Australia/Sydney" "UTC" "GMT+5"]
        :let [z (TimeZone/getTimeZone id)]]
  (println id (.getRawOffset z) (.useDaylightTime z) (.getDSTSavings z)
           (map #(.inDaylightTime z %) [#inst "2024-01-15" #inst "2024-07-15"])))
(println (.codePointCount "héllo" 1 4) (.offsetByCodePoints "abc" 0 2) java.io.File/separator)
