// This file defines the maintenance that keeps the files and the database of a node small.

package cluster

import (
	"os"
	"path/filepath"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine/room"
)

// DutyStorage is the duty of the node that makes the engine forget old revisions, and sweeps the store.
const DutyStorage = "storage"

// maintainEvery is the interval at which a node checks its files.
const maintainEvery = 5 * time.Minute

// learnTime lets a node that has started learn which other nodes live, and have files.
const learnTime = 10 * time.Second

// verifyEvery is the time after which the contents of all files are read again.
const verifyEvery = 24 * time.Hour

// maintain keeps the files and the database of the node small, until the node ends.
func (n *Node) maintain() {
	k := room.New(room.Options{Engine: n.engine, Files: n.engine.Admin(), Every: n.opts.Config.Storage.Compaction,
		Sweep: n.store.Sweep, Log: n.log})
	n.work.Go(func() { k.Tend(n.life) })
	n.ends = append(n.ends, n.Elect(DutyStorage, k.Compact))
	n.work.Go(n.maintainFiles)
}

// maintainFiles copies, repairs and deletes files. When it has done so last is the time of a file, so it does not
// matter how long a process lives.
func (n *Node) maintainFiles() {
	done := n.dir("maintained")
	for {
		wait := learnTime
		if info, err := os.Stat(done); err == nil && time.Since(info.ModTime()) >= 0 { // else the clock was wrong
			wait = max(wait, maintainEvery-time.Since(info.ModTime()))
		}
		select {
		case <-n.life.Done():
			return
		case <-time.After(wait):
		}
		_, err := n.blobs.Maintain(n.life)
		if n.life.Err() != nil {
			return
		}
		if err != nil {
			n.log.Warn("not all files of the node could be verified", "error", err)
		}
		if err := os.WriteFile(done, nil, 0o600); err != nil {
			n.log.Warn("the time of the last check of the files can't be kept", "file", filepath.Base(done), "error", err)
		}
	}
}
