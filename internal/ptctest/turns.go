package ptctest

import "sync"

// InTurn calls f for 0 to n-1 in order, on so many goroutines, which take turns. It returns when all have ended.
func InTurn(goroutines, n int, f func(k int)) {
	turns := make([]chan int, goroutines)
	for i := range turns {
		turns[i] = make(chan int, 1)
	}
	var wg sync.WaitGroup
	for i, turn := range turns {
		wg.Go(func() {
			for k := range turn {
				if k < n {
					f(k)
					turns[(i+1)%goroutines] <- k + 1
					continue
				}
				for _, other := range turns {
					close(other)
				}
			}
		})
	}
	turns[0] <- 0
	wg.Wait()
}
