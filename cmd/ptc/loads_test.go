package main

import (
	"fmt"
	"testing"
)

// TestLoadPlaces loads a file at the first line of a loaded one, and none inside another form.
func TestLoadPlaces(t *testing.T) {
	dir := newFiles(t, map[string]string{
		"one.clj": "(load \"two\")\n(def one (inc two))\n",
		"two.clj": "(def two 2)\n",
		"bad.clj": "(((\n",
	})
	wants{0, "3\n", ""}.check(t, ptcWith("", "run", "--path", dir, "-e", "(load \"one\")\none"))
	for _, around := range []string{"(comment\n(load \"bad\")\n)", "#_\n(load \"bad\")", "'(\n(load \"bad\")\n)"} {
		wants{0, "1\n", ""}.check(t, ptcWith("", "run", "--path", dir, "-e", "(load \"two\")\n"+around+"\n(dec two)"))
	}
}

// TestLoadBound ends the reading of files that load others twice, down to a file that is read a million times.
func TestLoadBound(t *testing.T) {
	texts := map[string]string{"f20.clj": "1"}
	for i := range 20 {
		texts[fmt.Sprintf("f%d.clj", i)] = fmt.Sprintf("(load \"f%d\")\n(load \"f%[1]d\")\n", i+1)
	}
	dir := newFiles(t, texts)
	got := ptcWith("", "run", "--path", dir, "-e", "(load \"f0\")")
	wants{got.code, "", "the program loads more than"}.check(t, got)
}

// TestLoadedAreProtected requires that no tool changes a file that the script loads.
func TestLoadedAreProtected(t *testing.T) {
	t.Chdir(newFiles(t, map[string]string{"lib/part.clj": "(def x 1)\n"}))
	wants{1, "", "a namespace of this run"}.check(t, ptcWith("", "run", "--path", "lib", "--allow-fs", "lib", "-e",
		"(load \"part\")\n(tool/fs.write {:path \"lib/part.clj\" :text \"x\"})"))
}

// TestTagsOfOneFile requires *data-readers* to hold for the forms after its set!, beside #= and records.
func TestTagsOfOneFile(t *testing.T) {
	wants{0, "[3 [1] 3]\n", ""}.check(t, ptcWith("", "run", "-e",
		"(set! *data-readers* {'a/b (fn [n] (list 'inc n))})\n(defrecord R [x]) [#a/b 2 [(:x #user.R[1])] #=(+ 1 2)]"))
}
