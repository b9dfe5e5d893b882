// Command hello is the baseline of a process start.
package main

import "fmt"

func main() {
	fmt.Println("hello")
}
