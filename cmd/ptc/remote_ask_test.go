//go:build linux || darwin

package main

import "testing"

// TestRemoteAsk answers the question of a run of a service on a terminal, as one of ptc run.
func TestRemoteAsk(t *testing.T) {
	s := startService(t)
	env := []string{"PTC_SERVER=" + s.URL, "PTC_TOKEN_FILE=" + s.Dir + "/operator.token"}
	const program = `(println "begin") (println (ask {:question "Which?" :options ["red" "blue"]})) (ask {:question "Sure?"})`
	c := open(t, self(t), env, "remote", "run", "-e", program)
	c.wants("begin\r\nthe run waits for 1 settlement: 1 × question\r\n")
	c.wants("1) red\r\n  2) blue\r\nanswer? ")
	c.keys("2\r")
	c.wants("\r\nblue\r\nthe run waits for 1 settlement")
	c.wants("answer? ")
	c.keys("yes\r")
	c.wants("\r\n\"yes\"\r\n")
	c.ends(exitOK)

	c = open(t, self(t), env, "remote", "run", "-e", program)
	c.wants("answer? ")
	c.keys(ctrlC)
	c.wants("error[parked]")
	c.wants("ptc remote settle")
	c.ends(exitWaiting)
}
