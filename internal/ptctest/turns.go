package ptctest

import "sync"

// InTurn calls f for 0 to n-1 in order, on so many goroutines, which take turns. It returns when all have ended. A call
// that ends its goroutine, as a failed test does, is the last one.
func InTurn(goroutines, n int, f func(k int)) {
	turns := make([]chan int, goroutines)
	for i := range turns {
		turns[i] = make(chan int, 1)
	}
	end := func() {
		for _, turn := range turns {
			close(turn)
		}
	}
	call := func(k int) {
		returned := false
		defer func() {
			if !returned {
				end()
			}
		}()
		f(k)
		returned = true
	}
	var wg sync.WaitGroup
	for i, turn := range turns {
		wg.Go(func() {
			for k := range turn {
				if k == n {
					end()
					return
				}
				call(k)
				turns[(i+1)%goroutines] <- k + 1
			}
		})
	}
	turns[0] <- 0
	wg.Wait()
}
