// Package process has the common parts of the tools that start programs: the program gets its own process
// group, so that all its child processes can be killed, and no open files of this process.
package process
