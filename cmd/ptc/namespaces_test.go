// This file tests programs of several files: --path and ptc test.

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// newFiles writes files into a new folder, and returns it.
func newFiles(t *testing.T, files map[string]string) string {
	dir := t.TempDir()
	writeFiles(t, dir, files)
	return dir
}

// shop is a program of three namespaces, one of which has a wrong call that is never made.
func shop(t *testing.T) string {
	return newFiles(t, map[string]string{
		"src/shop/tax_rates.clj": "(ns shop.tax-rates (:require [clojure.string :as str]))\n" +
			"(defn rate [c]\n  (if (str/blank? c) (throw (ex-info \"no country\" {})) 1/5))\n(defn wrong [] (rate))\n",
		"src/shop/total.cljc": "(ns shop.total (:require [shop.tax-rates :refer [rate]]))\n" +
			"(defn total [c n] (* n (+ 1 (rate c))))\n",
		"test/shop/total_test.clj": "(ns shop.total-test\n  (:require [clojure.test :refer :all] [shop.total :refer :all]))\n" +
			"(use-fixtures :once (fn [f] (println \"begin\") (f)))\n" +
			"(deftest adds (is (= 12 (total \"x\" 10))) (is (thrown-with-msg? Exception #\"no c\" (total \"\" 1))))\n",
		"main.ptc": "(require '[shop.total :as t])\n(t/total \"x\" 5)\n",
	})
}

func TestPath(t *testing.T) {
	dir := shop(t)
	src := filepath.Join(dir, "src")
	rates := filepath.Join(src, "shop", "tax_rates.clj")
	for _, c := range []struct {
		name string
		args []string
		want wants
	}{
		{"file", []string{"run", "--path", src, filepath.Join(dir, "main.ptc")}, wants{0, "6N\n", ""}},
		{"expression", []string{"run", "--path", src, "-e", "(use 'shop.total) (total \"x\" 10)"}, wants{0, "12N\n", ""}},
		{"prefix list", []string{"run", "--path", src, "-e", "(ns m (:require (shop [total :as t]))) (t/total \"x\" 10)"},
			wants{0, "12N\n", ""}},
		{"the place of an error", []string{"run", "--path", src, "-e", "(use 'shop.total) (total \"\" 10)"},
			wants{1, "", rates + ":3:22"}},
		{"a call that fails when it is evaluated", []string{"run", "--path", src, "-e", "(use 'shop.tax-rates) (wrong)"},
			wants{1, "", "Wrong number of args (0) passed to: shop.tax-rates/rate"}},
		{"check", []string{"check", "--path", src, "-e", "(use 'shop.tax-rates)"}, wants{0, "", "warning[wrong-arity]"}},
		{"without a path", []string{"run", "-e", "(require 'shop.total)"},
			wants{3, "", "ptc run --path DIR takes namespaces from files"}},
		{"no file", []string{"run", "--path", src, "-e", "(require 'shop.none)"}, wants{3, "", "Could not locate namespace"}},
		{"no folder", []string{"run", "--path", rates, "-e", "1"}, wants{2, "", "want a directory that exists"}},
	} {
		t.Run(c.name, func(t *testing.T) { c.want.check(t, ptcWith("", c.args...)) })
	}
}

// TestDataReaders requires the tags of data_readers.clj to be read by the functions of the program.
func TestDataReaders(t *testing.T) {
	dir := newFiles(t, map[string]string{
		"data_readers.cljc": "{shop/price #?(:clj shop.price/read-price :cljs shop.none/read-price)\n shop/lost shop.lost/read-it}\n",
		"shop/price.clj":    "(ns shop.price)\n(defn read-price [[n unit]] {:n n :unit unit})\n",
	})
	run := func(source string) outcome {
		return ptcWith("", "run", "--path", dir, "-e", "(require 'shop.price) "+source)
	}
	wants{0, "{:n 5, :unit :eur}\n", ""}.check(t, run(`(read-string "#shop/price [5 :eur]")`))
	wants{1, "", "Attempting to call unbound fn: shop.lost/read-it"}.check(t, run(`(read-string "#shop/lost 1")`))
	wants{1, "", "No reader function for tag shop/none"}.check(t, run(`(read-string "#shop/none 1")`))
	wants{0, "[{:n 1, :unit :usd} (quote x)]\n", ""}.check(t, run(`[#shop/price [1 :usd] ''x]`))
	wants{0, "{:n 3, :unit :usd}\n", ""}.check(t, run(`((fn [] #shop/price [(+ 1 2) :usd]))`))
	wants{3, "", "the reader of #shop/lost: Attempting to call unbound fn: shop.lost/read-it"}.check(t, run(`#shop/lost 1`))
	wants{0, "#user.R{:x [1 {:n 1, :unit :eur}]}\n", ""}.check(t,
		run(`(defrecord R [x]) (update #user.R[1] :x vector #shop/price [1 :eur])`))
	wants{3, "", "unknown tag #shop/none"}.check(t, run(`#shop/none 1`))
	for text, want := range map[string]string{
		"[1 2]": "got the data readers [1 2], want one map", "": "got the data readers nil", "{a/b": "EOF while reading",
		"{a \"c\"}": `{a "c"}`, "\\\") (println 1": "want one map",
	} {
		dir := newFiles(t, map[string]string{"data_readers.clj": text})
		wants{1, "", want}.check(t, ptcWith("", "run", "--path", dir, "-e", "1"))
	}
	dir = newFiles(t, map[string]string{"data_readers.clj": "{a/b c/d} (println 1) ; the first form counts"})
	wants{0, "1\n", ""}.check(t, ptcWith("", "run", "--path", dir, "-e", "(count *data-readers*)"))
}

// TestPathNames requires a namespace to name no file outside of the folder.
func TestPathNames(t *testing.T) {
	dir := newFiles(t, map[string]string{"secret.clj": "(ns secret)", "in/a.clj": "(ns a)"})
	got := ptcWith("", "run", "--path", filepath.Join(dir, "in"), "-e", "(require '...secret)")
	require.Equal(t, 3, got.code)
	require.NotContains(t, got.err, "secret.clj")
}

func TestPathCycle(t *testing.T) {
	dir := newFiles(t, map[string]string{"a.clj": "(ns a (:require b))", "b.clj": "(ns b (:use a))"})
	wants{2, "", "namespaces require each other: a → b → a"}.check(t, ptcWith("", "run", "--path", dir, "-e", "(require 'a)"))
}

// TestPathCycleOfOtherNames checks that reading ends for files that require each other, whatever namespaces
// they define.
func TestPathCycleOfOtherNames(t *testing.T) {
	dir := newFiles(t, map[string]string{"a.clj": "(require 'b)", "b.clj": "(ns c (:require a))"})
	wants{2, "", "namespaces require each other: a → b → a"}.check(t, ptcWith("", "run", "--path", dir, "-e", "(require 'a)"))
}

// TestPathOddFiles requires only regular files to be read: a file may have the name of a folder, or the reverse.
func TestPathOddFiles(t *testing.T) {
	dir := newFiles(t, map[string]string{"one/x": "", "one/y.ptc/z": "", "two/x/y.clj": "(ns x.y) (def v 1)",
		"two/y.clj": "(ns y) (def v 2)"})
	require.NoError(t, os.Symlink("nothing", filepath.Join(dir, "two", "lock.clj")))
	args := []string{"run", "--path", filepath.Join(dir, "one"), "--path", filepath.Join(dir, "two"), "-e"}
	wants{0, "3\n", ""}.check(t, ptcWith("", append(args, "(require 'x.y 'y) (+ x.y/v y/v)")...))
	wants{3, "", "Could not locate namespace"}.check(t, ptcWith("", append(args, "(require 'lock)")...))
}

// TestPathMark requires a line in a file that looks as if it named another file to remain a part of the file.
func TestPathMark(t *testing.T) {
	dir := newFiles(t, map[string]string{"a.clj": "(ns a)\n(def s \"1\n;#file x\n2\")\n;#file# y\n(defn boom [] (/ 1 0))\n",
		"test/a_test.clj": "(ns a-test (:require [clojure.test :refer :all] a))\n(deftest d (is (= 12 (count a/s))))\n"})
	wants{0, "12\n", ""}.check(t, ptcWith("", "run", "--path", dir, "-e", "(require 'a) (count a/s)"))
	wants{1, "", filepath.Join(dir, "a.clj") + ":6:15"}.check(t, ptcWith("", "run", "--path", dir, "-e", "(require 'a) (a/boom)"))
	require.NoError(t, os.Symlink("nothing", filepath.Join(dir, "test", ".#a_test.clj")))
	require.Equal(t, 0, ptcWith("", "test", "--path", dir, filepath.Join(dir, "test")).code)
}

// TestPathJournal requires a run of several files to be replayed without them.
func TestPathJournal(t *testing.T) {
	dir := shop(t)
	journal := filepath.Join(t.TempDir(), "run.journal")
	wants{0, "6N\n", ""}.check(t, ptcWith("", "run", "--path", filepath.Join(dir, "src"), "--journal", journal,
		filepath.Join(dir, "main.ptc")))
	require.NoError(t, os.RemoveAll(dir))
	wants{0, "6N\n", ""}.check(t, ptcWith("", "replay", journal))
}

func TestTestCommand(t *testing.T) {
	dir := shop(t)
	t.Chdir(dir)
	got := ptcWith("", "test")
	wants{0, "Ran 1 tests containing 2 assertions.\n0 failures, 0 errors.\n", ""}.check(t, got)
	require.Contains(t, got.out, "begin")

	require.NoError(t, os.WriteFile("test/a_test.clj", []byte("(ns a-test (:require clojure.test none))"), 0o600))
	require.NoError(t, os.WriteFile("test/b_test.clj",
		[]byte("(ns b-test (:use clojure.test))\n(deftest b (is (= 1 2)))"), 0o600))
	got = ptcWith("", "test")
	wants{3, "FAIL in (b) (" + filepath.Join("test", "b_test.clj") + ":2)", "Could not locate namespace none"}.check(t, got)
	require.Contains(t, got.out, "Ran 1 tests containing 2 assertions.")
	wants{1, "FAIL in (b)", "error[failed]: b-test: 1 failures, 0 errors"}.check(t, ptcWith("", "test", "test/b_test.clj"))
}

// TestTestCommandWithout requires a plain message if there is nothing to test, and takes a file without a namespace.
func TestTestCommandWithout(t *testing.T) {
	t.Chdir(t.TempDir())
	wants{2, "", "the default is the directory test, which does not exist"}.check(t, ptcWith("", "test"))
	require.NoError(t, os.Mkdir("test", 0o700))
	wants{2, "", "test has no file that mentions clojure.test"}.check(t, ptcWith("", "test"))
	require.NoError(t, os.WriteFile("x.clj", []byte("(use 'clojure.test) (deftest a (is true))"), 0o600))
	got := ptcWith("", "test", "x.clj")
	wants{0, "Ran 1 tests containing 1 assertions.", ""}.check(t, got)
	require.Equal(t, 1, strings.Count(got.out, "Ran"))
}

// TestResources requires resources to be files below the folder resources, for a program that may read it.
func TestResources(t *testing.T) {
	t.Chdir(newFiles(t, map[string]string{"resources/day/1.txt": "12\n"}))
	const source = `(require '[clojure.java.io :as io]) [(some-> (io/resource "day/1.txt") slurp) (io/resource "none")]`
	wants{0, `["12\n" nil]`, ""}.check(t, ptcWith("", "run", "--allow-fs", "resources:ro", "-e", source))
	wants{0, "[nil nil]\n", ""}.check(t, ptcWith("", "run", "-e", source))
	require.NoError(t, os.Mkdir("src", 0o700))
	wants{1, "", "resource: resources/day/1.txt is in none of the granted directories"}.check(t,
		ptcWith("", "run", "--allow-fs", "src:ro", "-e", source))
}

func TestLoad(t *testing.T) {
	dir := newFiles(t, map[string]string{
		"shop/main.clj":      "(ns shop.main)\n(def a 1)\n(load \"parts/one\")\n(defn total [] (+ a one two))\n(throw (Exception. \"x\"))\n",
		"shop/parts/one.clj": "(in-ns 'shop.main)\n(require '[other.lib :as lib])\n(def one (lib/up a))\n(load \"/shop/two\")\n",
		"shop/two.clj":       "(def two 20)\n",
		"shop/cycle.clj":     "(ns shop.cycle)\n(load \"cycle\")\n",
		"other/lib.clj":      "(ns other.lib)\n(defn up [n] (* 10 n))\n",
	})
	for _, c := range []struct {
		name, program string
		want          wants
	}{
		{"parts", "(require 'shop.main)", wants{1, "", "main.clj:5:1"}},
		{"cycle", "(require 'shop.cycle)", wants{2, "", "files load each other"}},
		{"no file", "(load \"nope\")", wants{3, "", "load is not available"}},
	} {
		t.Run(c.name, func(t *testing.T) { c.want.check(t, ptcWith("", "run", "--path", dir, "-e", c.program)) })
	}
	writeFiles(t, dir, map[string]string{"shop/main.clj": "(ns shop.main)\n(def a 1)\n(load \"parts/one\")\n" +
		"(defn total [] (+ a one two))\n"})
	wants{0, "31\n", ""}.check(t, ptcWith("", "run", "--path", dir, "-e", "(require 'shop.main) (shop.main/total)"))
}
