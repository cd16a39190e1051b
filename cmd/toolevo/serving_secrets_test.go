package main

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"toolevo/mcts/policy/simserver"
	"toolevo/trajectories"
)

// tattler is a server, or what stands before one, that says what key it was shown in every way that
// errors have.
type tattler struct {
	http.Handler
	asked  atomic.Int64
	always int // answer everything but the list of models with this status; 0 is now and then
}

func (s *tattler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key := r.Header.Get("Authorization")
	_, bare, _ := strings.Cut(key, " ")
	told, _ := base64.StdEncoding.DecodeString(bare)
	said := fmt.Sprintf("not with %s, that is %s or %s, in a URL %s, in JSON %q", key, bare, told,
		url.QueryEscape(bare), bare)
	n := s.asked.Add(1)

	status := s.always
	if r.Method == http.MethodGet && s.always != http.StatusUnauthorized {
		s.Handler.ServeHTTP(w, r)
		return
	}

	if status == 0 && n%3 == 0 {
		status = []int{500, 429, 503, 502, 200}[n/3%5]
	}

	if status == 0 {
		s.Handler.ServeHTTP(w, r)
		return
	}

	w.Header().Set("X-Key", key)

	switch {
	case status == http.StatusFound:
		w.Header().Set("Location", "http://"+string(told)+"@elsewhere/"+bare)
		w.WriteHeader(status)
	case n%2 == 0:
		w.WriteHeader(status)
		io.WriteString(w, "<html>"+said)
	default:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":{"message":%q,"type":%q,"code":%q}}`, said, key, bare)
	}
}

// TestSecrets gives a key in the environment, and one in the server's address, to servers that
// repeat it in their errors: it is in no file of the run directory, in nothing the program says,
// and in no trajectory.
func TestSecrets(t *testing.T) {
	t.Parallel()
	const key, user, password = "sk-0123456789abcdef/+~secret", "someone", "pass word&0"
	data := smallData(t)
	login := url.UserPassword(user, password).String()
	secrets := []string{key, url.QueryEscape(key), "0123456789abcdef", password, "pass%20word", "pass+word",
		base64.StdEncoding.EncodeToString([]byte(user + ":" + password))}

	clean := func(t *testing.T, where, text string) {
		t.Helper()

		for _, s := range secrets {
			if strings.Contains(text, s) {
				t.Errorf("%s holds %q", where, s)
			}
		}
	}
	for _, kind := range []string{kindOpenAI, kindOllama} {
		sim := serve(t, simserver.Options{
			Kind:  map[string]simserver.Kind{kindOpenAI: simserver.VLLM, kindOllama: simserver.Ollama}[kind],
			Slots: 16,
		})

		for _, always := range []int{0, 302, 400, 401} {
			for _, place := range []string{"environment", "address"} {
				t.Run(fmt.Sprintf("%s %d %s", kind, always, place), func(t *testing.T) {
					t.Parallel()

					leaky := &tattler{Handler: sim, always: always}
					web := httptest.NewServer(leaky)
					t.Cleanup(web.Close)
					dir, address := filepath.Join(t.TempDir(), "run"), web.URL

					var environ []string
					if place == "environment" {
						environ = []string{map[string]string{
							kindOpenAI: "OPENAI_API_KEY=",
							kindOllama: "OLLAMA_API_KEY=",
						}[kind] + key}
					} else {
						address = strings.Replace(address, "http://", "http://"+login+"@", 1)
					}

					environ = append(environ, "OPENAI_BASE_URL="+address, "OLLAMA_HOST="+address)

					args := []string{"collect", "--data", data, "--trees", "1", "--preset", "paper", "--set",
						"search.simulations=2", "--set", "attempts=1",
						"--policy", kind + ":sim", "--limit", "1", "--set", "server.window=32768", "--progress",
						"plain", "--json", "--patience", "1s", "--out", dir}
					if always == 0 {
						args = append(args, "--server", address)
					}

					r := cliWith(t, "", environ, args...)
					if always == 0 && r.code != exitDone || always > 0 && r.code != exitGaveUp ||
						leaky.asked.Load() < 2 && always != 401 {
						t.Errorf("exit %d after %d requests\n%s%s", r.code, leaky.asked.Load(), r.out, r.err)
					}

					onCommandLine := place == "address" && always == 0
					if strings.Contains(r.err, "in the list of processes") != onCommandLine {
						t.Errorf("credentials on the command line: %t, it says\n%s", onCommandLine, r.err)
					}

					clean(t, "stdout", r.out)
					clean(t, "stderr", r.err)

					for _, path := range files(t, dir) {
						clean(t, path, string(read(t, path)))
					}

					if always > 0 {
						return
					}

					if client := counted(t, dir, kind+":sim"); client.Transient == 0 {
						t.Error("no error was repeated to it: the test shows nothing")
					}

					for row, err := range trajectories.ReadFile(filepath.Join(dir, rowsFile)) {
						if err != nil {
							t.Fatal(err)
						}

						clean(t, "a trajectory", fmt.Sprintf("%+v", row))
					}

					clean(t, "inspect", must(t, "inspect", dir, "--json"))
				})
			}
		}
	}
}

// The command that goes on with a run names its servers, but no credentials.
func TestResumeCommandNamesServers(t *testing.T) {
	t.Parallel()
	s := serve(t, simserver.Options{Faults: simserver.Faults{Script: append(make([]simserver.Fault, 5),
		simserver.Die)}})
	dir := filepath.Join(t.TempDir(), "run")
	r := cli(t, "collect", "--data", smallData(t), "--policy", "openai:sim", "--limit", "1", "--trees", "1", "--set",
		"server.window=32768", "--set", "attempts=1",
		"--server", strings.Replace(s.URL(), "://", "://me:password@", 1), "--parallel", "3", "--patience", "0s",
		"--timeout", "20s", "--workers", "2", "--out", dir)
	says(t, "collect", r.err, "--workers 2 --server "+strings.Replace(s.URL(), "://", "://USER:PASSWORD@", 1)+
		" --parallel 3 --patience 0s --timeout 20s")

	if r.code != exitGaveUp || strings.Contains(r.err, "me:password") {
		t.Errorf("exit %d\n%s", r.code, r.err)
	}
}
