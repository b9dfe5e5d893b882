// Package process has what the tools that start programs share: the program gets a process group of its own, so that
// all that it has started can be killed, and no open files of this process.
package process
