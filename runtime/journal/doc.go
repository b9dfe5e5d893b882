// Package journal records the effects of a run, and returns recorded outcomes to replay the run, or to
// resume it after an interruption.
//
//   - Journal: the record of a run. New keeps it in memory, Create writes it to a file, Resume
//     continues the file of an interrupted run, Replay only returns recorded outcomes.
//   - Entry: an effect, its outcome and its time.
//   - Recording: a file that was read.
//   - Divergence, InDoubt, Failure, Damage: the errors.
//
// # Ids
//
// An effect is named by its position in the program, never by a moment, so a parallel run has the
// same ids whatever its timing. "0#3" is the third effect of the main evaluation. Element 7 of the
// main evaluation's second parallel operation has the path "0.2.7", and its first effect is
// "0.2.7#1". The caller makes the ids, and ensures that a program whose effects have the same
// outcomes has the same effects. So a decision that depends on timing, and that the program can
// see, must be an effect too, of the kind Choice. Random numbers come from the run's seed and the
// path of the evaluation, so the seed in the header is their whole record.
//
// # Durability
//
// Lines are in the file in the order in which Begin and End were called, and a sync covers all
// lines before it. The beginning of an effect that changes the world (effect.Write,
// effect.Idempotent) is durable before Begin returns; the end of a write-effect is durable before
// End returns, and so is the end of the run. Other lines are written within 50 ms or 64 KB and not
// synced. Writers in parallel share their syncs.
//
// So a killed process can lose the last 50 ms of lines that no caller waited for, and a loss of power can
// lose all such lines since the last sync. That is sound, for this invariant: if an effect that changes the
// world has begun, all outcomes that it can depend on are in the file. An outcome reaches the program after
// its line was appended, the effect begins after that, and the sync of its beginning takes the line along.
// So a crash loses only a final part of the run that has left no trace in the world: reads that are done again.
// They may return other results, which cannot be noticed.
//
// The beginning of an idempotent effect is synced for the same reason: if it were lost together with a read
// before it, the effect could be repeated with other arguments, and that is not the same as making it once.
//
// # Limits
//
// A write-effect that was begun, and neither ended nor withdrawn, may have happened or not. It is in doubt:
// the resumed run ends with InDoubt when it reaches the effect, and the operator finds out whether it
// happened and settles it (Settlement). Any other effect that was begun and not ended is done again. An
// effect that was refused was not begun: one line has it and its outcome, see Skip.
//
// # Files
//
// A file is JSON lines, version 1; spec/journal.md describes it. Each line ends with a checksum of
// all lines up to it. A last line without its newline is the result of a crash, and is left out. A
// line that was changed, removed, added or moved makes the file unreadable, because any other line
// may be wrong too. A crash also loses whole lines at the end, so their absence can't be noticed.
//
// With [Options].Key each line has an authenticator too, HMAC-SHA256 over all lines up to
// it: only a holder of the key can write a file that is [Recording].Authentic. Reading a
// file, or replaying it, needs no key. A host that takes grants from the header of a file
// takes them only from an authentic one.
//
// One process writes a file at a time, which a lock of the system ensures. Arguments and outcomes arrive
// redacted: the journal does not know the secrets.
package journal

// Version is that of the format.
const Version = 1
