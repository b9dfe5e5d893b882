package sched

// TurnPolls is the length of a turn.
const TurnPolls = turnPolls

// OnRelease sets the function that a goroutine calls to leave its processor of the machine to other threads.
func (p *Processors) OnRelease(release func()) { p.release = release }
