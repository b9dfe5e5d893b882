package main

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPages signs in as a browser does, and reads the pages of a real process.
func TestPages(t *testing.T) {
	s := startService(t, t.TempDir())
	run := s.submit(`(println "hello") 7`)
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	browser := &http.Client{Jar: jar}
	get := func(path string) (status int, at, text string) {
		r, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+path, nil)
		require.NoError(t, err)
		r.Header.Set("Accept", "text/html")
		resp, err := browser.Do(r)
		require.NoError(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp.StatusCode, resp.Request.URL.Path, string(body)
	}
	_, at, text := get("/runs")
	assert.Equal(t, "/login", at)
	assert.Contains(t, text, "Sign in")
	status, _, _ := get("/static/pages.css")
	assert.Equal(t, http.StatusOK, status, "the page of the sign-in needs it")

	resp, err := browser.PostForm(s.URL+"/login", url.Values{"token": {s.Token}, "next": {"/"}})
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Equal(t, "/runs", resp.Request.URL.Path)
	_, _, text = get("/runs/" + run.ID)
	assert.Contains(t, text, "program.ptc")
	for _, path := range []string{"/pending", "/queues", "/policies", "/programs", "/schedules", "/submit"} {
		status, _, _ := get(path)
		assert.Equal(t, http.StatusOK, status, path)
	}
	status, _, text = get("/none")
	assert.Equal(t, http.StatusNotFound, status)
	assert.Contains(t, text, "there is no page /none")
}
