// Package schedule runs programs of a service at times. A Scheduler keeps schedules in the store of an engine, and
// submits a run to the engine at each time of each schedule.
//
//	s, err := schedule.New(ctx, engine, schedule.Options{Identity: identity})
//	kept, err := s.Put(ctx, schedule.Ref{Name: "nightly"}, schedule.Setting{Cron: "30 2 * * *", Zone: "Europe/Berlin",
//		Run: store.Submission{Program: "backup"}}, 0, who)
//	s.Close()
//
// # Times
//
// An expression has the five fields of crontab(5): minute, hour, day of the month, month, day of the week. It is
// compared with the clock of a time zone, whose offset may change:
//
//   - An expression with * as its hour counts real time: no time is skipped, and it has the times of an hour that
//     occurs twice both times.
//   - Another one names hours of the clock. A time that does not exist, because the clock is set forward over it, is at
//     the moment of the change. One that occurs twice counts the first time.
//
// # Each time once
//
// A time is decided when it is submitted or skipped. The last decided time of a schedule is a document in the store,
// which is written after the submission. The submission has a key of the schedule and the time. If a process ends
// between both, the next one finds the run by its label, and the time by the key of the run. So no time is
// lost or run twice.
//
// A time that is decided more than Late after it has come was missed: the process did not run, or the engine was full.
// The policy Missed selects the missed times that are run then. A scheduler decides the times of one schedule one
// after the other, so runs are submitted in their order.
package schedule
