package budget_test

import (
	"fmt"

	"github.com/ptc-lang/ptc/runtime/budget"
)

func Example() {
	slots := budget.New(2)
	fmt.Println(slots.TryAcquire(), slots.TryAcquire(), slots.TryAcquire())
	slots.Release()
	fmt.Println(slots.Held(), "held,", slots.Available(), "free of", slots.Capacity())
	// Output:
	// true true false
	// 1 held, 1 free of 2
}
