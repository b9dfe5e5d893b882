package sched

// TurnPolls is the length of a turn.
const TurnPolls = turnPolls

// OnRelease sets what a goroutine calls that leaves its processor of the machine to other threads.
func (p *Processors) OnRelease(release func()) { p.release = release }
