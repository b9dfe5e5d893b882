// Package service is the web service of the polling example: it lists items page by page and describes each,
// limits the rate of requests, and fails now and then.
package service

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Service is the handler of requests. It counts them.
type Service struct {
	items     int
	perSecond float64

	mu     sync.Mutex
	tokens float64
	filled time.Time // when tokens were added last
	rng    *rand.Rand
	counts Counts
}

// Counts are the requests that a service has received.
type Counts struct {
	Answered int
	Limited  int // refused with 429, since there were too many
	Failed   int // refused with 503, by chance
}

const (
	pageSize = 100
	// failing is the part of the requests that fail.
	failing = 0.1
	burst   = 20
)

// New makes a service of so many items, which answers so many requests a second. A seed
// has the same requests fail.
func New(items int, perSecond float64, seed uint64) *Service {
	return &Service{items: items, perSecond: perSecond, tokens: burst, filled: time.Now(),
		rng: rand.New(rand.NewPCG(seed, 0))}
}

// Counts returns the counts so far.
func (s *Service) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts
}

// ServeHTTP answers /items?page=N and /items/ID.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if status := s.refuse(); status != 0 {
		if status == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", "1")
		}
		w.WriteHeader(status)
		return
	}
	id, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/items/"))
	switch {
	case r.URL.Path == "/items":
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		answer(w, s.page(page))
	case err == nil && id >= 0 && id < s.items:
		answer(w, map[string]any{"id": id, "name": "item, " + strconv.Itoa(id), "price": float64(id%977) / 4})
	default:
		http.NotFound(w, r)
	}
}

// refuse returns the status of a request that is not answered, 0 if it is.
func (s *Service) refuse() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.tokens = min(burst, s.tokens+now.Sub(s.filled).Seconds()*s.perSecond)
	s.filled = now
	if s.tokens < 1 {
		s.counts.Limited++
		return http.StatusTooManyRequests
	}
	s.tokens--
	if s.rng.Float64() < failing {
		s.counts.Failed++
		return http.StatusServiceUnavailable
	}
	s.counts.Answered++
	return 0
}

func (s *Service) page(page int) map[string]any {
	ids := []int{}
	for id := max(page, 0) * pageSize; id < min((page+1)*pageSize, s.items); id++ {
		ids = append(ids, id)
	}
	answer := map[string]any{"ids": ids}
	if (page+1)*pageSize < s.items {
		answer["next"] = page + 1
	}
	return answer
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v) // who has gone away hears nothing
}
