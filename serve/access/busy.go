// This file bounds the concurrent requests of one identity.

package access

import (
	"sync"
	"time"
)

// maxRequests is the maximum number of concurrent requests of one identity. A request that waits or follows
// events takes some 50 KB, so one token takes at most some 100 MB by waiting.
const maxRequests = 2000

// requestsAgain is when a client tries again that has too many requests under way.
const requestsAgain = time.Second

// busy counts the requests under way by the name of their identity. Those without any are not in it.
type busy struct {
	mu sync.Mutex
	by map[string]int
}

// enter counts a request, and reports whether it may be made. The caller calls leave if so.
func (b *busy) enter(name string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.by == nil {
		b.by = make(map[string]int)
	}
	if b.by[name] >= maxRequests {
		return false
	}
	b.by[name]++
	return true
}

func (b *busy) leave(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.by[name]--; b.by[name] == 0 {
		delete(b.by, name)
	}
}
