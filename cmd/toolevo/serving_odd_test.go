package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a server says that nobody asked for does not reach the terminal: net/http would log it
// there.
func TestServerOutOfTurn(t *testing.T) {
	t.Parallel()

	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()

		body := `{"object":"list","data":[{"id":"sim"}]}`
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%sHTTP/1.1 200 OK\x1b]0;title\a\r\n", len(body),
			body)
		io.Copy(io.Discard, conn) // until the client goes away
	}))
	defer s.Close()

	p := start(t, "doctor", "--data", smallData(t), "--policy", "openai:sim", "--server", s.URL+"/v1")
	<-p.ended

	if words := p.err.String(); strings.Contains(words, "Unsolicited") || strings.Contains(words, "title") {
		t.Errorf("stderr:\n%s", words)
	}

	if out := p.out.String() + p.err.String(); !strings.Contains(out, s.URL) {
		t.Errorf("the server was not looked at:\n%s", out)
	}
}

// An Ollama server whose every reply says that the prompt filled the window answers no question: it
// is refused with that, and nothing is wrong.
func TestWindowAlwaysFull(t *testing.T) {
	t.Parallel()
	const window = 2048 // less than the bytes of a prompt, so that the count could be true

	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/version":
			io.WriteString(w, `{"version":"0.17.4"}`)
		case "/api/tags":
			io.WriteString(w, `{"models":[{"name":"sim:latest"}]}`)
		default:
			fmt.Fprintf(w, `{"model":"sim","response":"Thought: x","done":true,"done_reason":"stop","eval_count":3,"prompt_eval_count":%d,
				"logprobs":[{"token":"a","logprob":-1},{"token":"b","logprob":-1},{"token":"c","logprob":-1}]}`, window)
		}
	}))
	defer s.Close()

	r := cli(t, "eval", "--data", smallData(t), "--split", "train", "--api", "p_c", "--policy", "ollama:sim",
		"--server", s.URL,
		"--set", fmt.Sprint("server.window=", window), "--limit", "2", "--json", "--progress", "none", "--out",
		filepath.Join(t.TempDir(), "eval"))
	if r.code != exitGaveUp || r.out != "" {
		t.Errorf("exit %d: %s", r.code, r.out)
	}

	says(t, "eval", r.err, "all are spoiled alike: the server counts 2048 tokens in a prompt")
}

// Two interrupts end a run in the middle of replies that go on forever.
func TestInterruptedWhileRepliesComeIn(t *testing.T) {
	t.Parallel()
	begun, left := make(chan struct{}, 64), make(chan struct{}, 64)

	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/completions") {
			io.WriteString(w, `{"object":"list","data":[{"id":"sim"}]}`)
			return
		}

		io.Copy(io.Discard, r.Body) // to the end, so that the server notices a client that goes away
		io.WriteString(w, `{"model":"sim","choices":[{"index":0,"finish_reason":"stop","text":"Thought: `)
		w.(http.Flusher).Flush()

		begun <- struct{}{}

		<-r.Context().Done()

		left <- struct{}{}
	}))
	defer s.Close()

	p := start(t, "collect", "--data", smallData(t), "--policy", "openai:sim", "--server", s.URL+"/v1", "--limit", "2",
		"--set", "server.window=32768", "--progress", "none", "--engine", "unsafe", "--out",
		filepath.Join(t.TempDir(), "run"))

	<-begun

	p.interrupt(t)
	_ = p.Process.Signal(os.Interrupt) // the first may have been enough

	if code := p.wait(); code != exitInterrupted {
		t.Errorf("exit %d\n%s", code, p.err)
	}

	<-left
}

// A server of a thousand models that lacks the one asked for is named in a line or two.
func TestManyModels(t *testing.T) {
	t.Parallel()

	name := strings.Repeat("x", 100)
	for kind, reply := range map[string]string{
		kindOpenAI: `{"data":[` + strings.Repeat(`{"id":"`+name+`"},`, 1_000) + `{"id":"` + name + `"}]}`,
		kindOllama: `{"models":[` + strings.Repeat(`{"name":"`+name+`"},`, 1_000) + `{"name":"` + name + `"}]}`,
	} {
		s := httptest.NewServer(http.HandlerFunc(
			func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, reply) }))
		defer s.Close()

		for _, args := range [][]string{{"collect", "--data", smallData(t), "--out", filepath.Join(t.TempDir(), "run")},
			{"doctor", "--data", smallData(t)}} {
			r := cli(t, append(args, "--policy", kind+":sim", "--server", s.URL)...)
			if r.code == exitDone || len(r.out)+len(r.err) > 4000 || !strings.Contains(r.out+r.err, "xxx") {
				t.Errorf("%s %s: exit %d\n%.5000s", kind, args[0], r.code, r.out+r.err)
			}
		}
	}
}

// A server that never says that a completion ended is told so before a tree is grown, whether it
// lists its models or not; with its word in server.ends the run goes on.
func TestNoEndOnAnyReply(t *testing.T) {
	t.Parallel()

	for _, lists := range []bool{true, false} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var q struct{ N int }

			switch {
			case strings.HasSuffix(r.URL.Path, "/completions"):
				if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
					t.Error(err)
				}

				var choices []string
				for i := range q.N {
					choices = append(choices, fmt.Sprintf(`{"index":%d,"text":"Thought: I am done.\nAction: Finish\nAction Input: {\"answer\": \"%d\"}",
						"finish_reason":"done","logprobs":{"tokens":["x"],"token_logprobs":[-1]}}`, i, i))
				}

				fmt.Fprintf(w, `{"model":"sim","choices":[%s]}`, strings.Join(choices, ","))
			case lists:
				io.WriteString(w, `{"object":"list","data":[{"id":"sim"}]}`)
			default:
				http.NotFound(w, r)
			}
		}))
		defer s.Close()

		args := []string{"collect", "--data", smallData(t), "--policy", "openai:sim", "--server", s.URL, "--limit", "1",
			"--trees", "1",
			"--progress", "none"}

		r := cli(t, append(args, "--out", filepath.Join(t.TempDir(), "run"))...)
		if r.code != exitGaveUp {
			t.Errorf("lists %v: exit %d", lists, r.code)
		}

		says(t, "collect", r.err, "server.ends", `"done"`)
		must(t, append(args, "--out", filepath.Join(t.TempDir(), "run"), "--set", "server.ends=done")...)
	}
}
