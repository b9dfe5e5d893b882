package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// service is a process of ptcd, used through its API.
type service struct {
	cmd        *exec.Cmd
	url, token string
	client     *http.Client
}

func startPTC(program, dir string) (*service, error) {
	s := &service{client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
	s.cmd = exec.Command(program, "--dir", dir, "--listen", "127.0.0.1:0", "--log", "warn", "--max-queued", "1000000",
		"--memory", "4MB", "--workers", "1", "--worker-memory", "1MB")
	errs, err := s.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(errs).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "listening on ") {
		return nil, fmt.Errorf("ptcd: %s %w", line, err)
	}
	go io.Copy(os.Stderr, errs)
	s.url = strings.TrimSpace(strings.TrimPrefix(line, "listening on "))
	token, err := os.ReadFile(filepath.Join(dir, "operator.token"))
	s.token = strings.TrimSpace(string(token))
	return s, err
}

func (s *service) name() string { return "ptcd" }

func (s *service) request(ctx context.Context, method, path, body string, want int, out any) error {
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := s.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != want {
		err = fmt.Errorf("%s: %s", resp.Status, text)
	}
	if err == nil && out != nil {
		err = json.Unmarshal(text, out)
	}
	return err
}

func (s *service) submit(ctx context.Context, n int) error {
	body := fmt.Sprintf(`{"source": "(+ data/n 1)", "data": {"n": %d}}`, n)
	return s.request(ctx, http.MethodPost, "/v1/runs", body, http.StatusCreated, nil)
}

func (s *service) ended(ctx context.Context) error {
	for {
		var page struct{ Runs []json.RawMessage }
		err := s.request(ctx, http.MethodGet, "/v1/runs?state=queued,running&limit=1", "", http.StatusOK, &page)
		if err != nil || len(page.Runs) == 0 {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (s *service) close(context.Context) {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_ = s.cmd.Wait()
}
