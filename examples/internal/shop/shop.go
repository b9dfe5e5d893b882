// Package shop is a small web service for trying tools: a catalogue that takes a moment
// to answer, a stock that fails now and then, mirrors of unequal speed, prices with a rate limit, and
// orders.
package shop

import (
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"
)

const (
	answerAfter = 100 * time.Millisecond // as long as a service takes that asks a database
	priceEvery  = 50 * time.Millisecond  // prices that come sooner are refused
)

var names = []string{"desk lamp", "floor lamp", "desk", "chair", "shelf", "carpet", "mirror", "clock"}

// mirrors are the answering times of the mirrors; the first one is out of order.
var mirrors = map[string]time.Duration{"north": 0, "south": 3 * time.Second, "west": 20 * time.Millisecond}

type product struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

// shop is the state that changes while the shop is open.
type shop struct {
	mu     sync.Mutex
	asked  map[int]int // how often the stock of a product was asked for
	priced time.Time   // when the last price was given
	orders []json.RawMessage
}

// New returns the service.
func New() http.Handler {
	s := &shop{asked: make(map[int]int)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /products", func(w http.ResponseWriter, _ *http.Request) {
		var ids []int
		for i := range names {
			ids = append(ids, i+1)
		}
		reply(w, http.StatusOK, ids)
	})
	mux.HandleFunc("GET /products/{id}", withID(func(w http.ResponseWriter, id int) {
		time.Sleep(answerAfter)
		reply(w, http.StatusOK, product{id, names[id-1]})
	}))
	mux.HandleFunc("GET /stock/{id}", withID(s.stock))
	mux.HandleFunc("GET /prices/{id}", withID(s.price))
	mux.HandleFunc("GET /mirrors/{name}", mirror)
	mux.HandleFunc("POST /orders", s.order)
	mux.HandleFunc("GET /orders", s.list)
	return mux
}

// withID hands the number of a product on, if there is such a product.
func withID(next func(http.ResponseWriter, int)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id, err := strconv.Atoi(r.PathValue("id"))
		if err != nil || id < 1 || id > len(names) {
			reply(w, http.StatusNotFound, map[string]string{"error": "no such product"})
			return
		}
		next(w, id)
	}
}

// stock fails for product 7 the first time.
func (s *shop) stock(w http.ResponseWriter, id int) {
	s.mu.Lock()
	s.asked[id]++
	first := s.asked[id] == 1
	s.mu.Unlock()
	if id == 7 && first {
		reply(w, http.StatusServiceUnavailable, map[string]string{"error": "try again"})
		return
	}
	reply(w, http.StatusOK, map[string]int{"id": id, "pieces": id * 3})
}

func (s *shop) price(w http.ResponseWriter, id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.Sub(s.priced) < priceEvery {
		reply(w, http.StatusTooManyRequests, map[string]string{"error": "too often"})
	} else {
		s.priced = now
		reply(w, http.StatusOK, map[string]int{"id": id, "cents": id * 1250})
	}
}

func mirror(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	after, known := mirrors[name]
	if !known || after == 0 {
		reply(w, http.StatusBadGateway, map[string]string{"error": name + " is out of order"})
		return
	}
	select {
	case <-time.After(after):
		reply(w, http.StatusOK, map[string]string{"mirror": name})
	case <-r.Context().Done():
	}
}

// maxOrder is far beyond any order of a person.
const maxOrder = 64 << 10

// order takes an order twice if it is sent twice, as services do.
func (s *shop) order(w http.ResponseWriter, r *http.Request) {
	var text json.RawMessage
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxOrder)).Decode(&text); err != nil {
		reply(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.orders = append(s.orders, text)
	reply(w, http.StatusCreated, map[string]int{"order": len(s.orders)})
}

func (s *shop) list(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	reply(w, http.StatusOK, append([]json.RawMessage{}, s.orders...))
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v) // who hangs up does not want it
}
