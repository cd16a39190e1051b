package host_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"toolevo/configs"
	"toolevo/finetune/host"
	"toolevo/finetune/training/trainingtest"
	"toolevo/mcts"
	"toolevo/mcts/policy/ollama"
	"toolevo/mcts/policy/openai"
	"toolevo/mcts/policy/server"
)

// TestMain is also the server that the tests start: it lists one model, on a port, until it is
// ended.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "serve" {
		fmt.Println("serving", os.Args[2])

		if os.Args[2] == "nothing" {
			os.Exit(7)
		}

		list := func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/die" {
				os.Exit(9)
			}

			fmt.Fprintf(w, `{"object":"list","data":[{"id":%q,"object":"model"}]}`, os.Args[2])
		}
		fmt.Fprintln(os.Stderr, http.ListenAndServe(os.Args[3], http.HandlerFunc(list)))
		os.Exit(1)
	}

	server.Register(openai.Kind)
	server.Register(ollama.Kind)
	os.Exit(m.Run())
}

// started is a server that the tests start.
func started(t *testing.T, name string) host.Server {
	t.Helper()

	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return host.Server{
		Kind:        openai.Kind.Name,
		Command:     []string{program, "serve", name, "127.0.0.1:{port}"},
		Environment: map[string]string{"WEIGHTS": "{model}"},
		Wait:        60,
	}
}

func TestServe(t *testing.T) {
	log := filepath.Join(t.TempDir(), "server.log")
	c := host.Checkpoint{Folder: t.TempDir(), Name: "mine"}
	trainingtest.Weights(t, c.Folder)

	s, err := started(t, "{name}").Serve(t.Context(), c, "", log)
	if err != nil {
		t.Fatal(err)
	}

	if s.Policy != "openai:mine" || !strings.HasPrefix(s.Address, "http://127.0.0.1:") {
		t.Errorf("policy %s at %s", s.Policy, s.Address)
	}

	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}

	if _, err := http.Get(s.Address); err == nil {
		t.Error("the server is still there")
	}

	if text, err := os.ReadFile(log); err != nil || !strings.Contains(string(text), "serving mine") {
		t.Errorf("log %q, %v", text, err)
	}
}

// A server is told to find native calls where the model was trained on them.
func TestServerOfNativeCalls(t *testing.T) {
	s, err := host.Load(configs.Servers(), "vllm")
	if err != nil {
		t.Fatal(err)
	}

	c := host.Checkpoint{Folder: "weights", Name: "mine"}
	plain := s.CommandLine(c, "8000")

	c.NativeCalls = true
	if got := s.CommandLine(c, "8000"); !slices.Equal(got,
		append(plain, "--enable-auto-tool-choice", "--tool-call-parser", "hermes")) {
		t.Errorf("%v, and for other models %v", got, plain)
	}
}

// What asks a server that dies is told so at once, and how it died.
func TestServerDiesWhileItIsAsked(t *testing.T) {
	s, err := started(t, "{name}").Serve(t.Context(), host.Checkpoint{Name: "mine"}, "",
		filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}

	err = s.While(t.Context(), func(ctx context.Context) error {
		if _, err := http.Get(strings.TrimSuffix(s.Address, "/v1") + "/die"); err == nil {
			t.Error("it answered")
		}

		<-ctx.Done()
		return ctx.Err()
	})
	if err == nil || !strings.Contains(err.Error(), "the server ended") ||
		!strings.Contains(err.Error(), "serving mine") {
		t.Errorf("error %v", err)
	}

	_ = s.Stop() // it is gone
}

// The first Ctrl-C leaves the server to those whose calls it is answering; what ends the calls ends
// it.
func TestServerOutlivesAnInterruption(t *testing.T) {
	outer, cancel := context.WithCancel(t.Context())
	ctx, interrupt := mcts.Interruptible(outer)

	s, err := started(t, "{name}").Serve(ctx, host.Checkpoint{Name: "mine"}, "", filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}

	interrupt()

	if reply, err := http.Get(s.Address + "/models"); err != nil || reply.StatusCode != http.StatusOK {
		t.Errorf("it was taken away: %v", err)
	}

	cancel()

	if err := s.Stop(); !errors.Is(err, context.Canceled) {
		t.Errorf("it was not ended by what ends all: %v", err)
	}
}

func TestServeFails(t *testing.T) {
	for name, c := range map[string]struct{ serves, want string }{
		"the server ends":             {"nothing", "serving nothing"},
		"the server has another name": {"other", "lists no model mine, but other"},
	} {
		t.Run(name, func(t *testing.T) {
			log := filepath.Join(t.TempDir(), "server.log")

			_, err := started(t, c.serves).Serve(t.Context(), host.Checkpoint{Folder: "w", Name: "mine"}, "", log)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}

	s := started(t, "mine")
	s.Command[0] = filepath.Join(t.TempDir(), "vllm")

	_, err := s.Serve(t.Context(), host.Checkpoint{Name: "mine"}, "", filepath.Join(t.TempDir(), "log"))
	if err == nil || !strings.Contains(err.Error(), s.Command[0]) {
		t.Errorf("error %v, want one that names the program", err)
	}
}

// fakeOllama keeps what it is sent.
type fakeOllama struct {
	mu    sync.Mutex
	blobs map[string]string // by digest
	made  map[string]any    // the last request to make a model
}

func (f *fakeOllama) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()

	body, _ := io.ReadAll(r.Body)

	switch path := r.URL.Path; {
	case path == "/api/tags" && f.made == nil:
		fmt.Fprint(w, `{"models":[]}`)
	case path == "/api/tags":
		fmt.Fprintf(w, `{"models":[{"name":"%v:latest"}]}`, f.made["model"])
	case strings.HasPrefix(path, "/api/blobs/"):
		f.blobs[strings.TrimPrefix(path, "/api/blobs/")] = string(body)
		w.WriteHeader(http.StatusCreated)
	case path == "/api/create":
		if err := json.Unmarshal(body, &f.made); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
		}

		fmt.Fprintln(w, `{"status":"success"}`)
	default:
		http.NotFound(w, r)
	}
}

func TestRegister(t *testing.T) {
	f := &fakeOllama{blobs: map[string]string{}}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)

	folder := t.TempDir()
	trainingtest.Weights(t, folder)

	for _, name := range []string{"tokenizer.json", "trainer_state.json", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("the "+name), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	s, err := host.Server{Kind: ollama.Kind.Name, Wait: 60}.Serve(t.Context(),
		host.Checkpoint{Folder: folder, Name: "mine", Template: "llama3"}, server.URL, "")
	if err != nil {
		t.Fatal(err)
	}

	if s.Policy != "ollama:mine" || s.Address != server.URL {
		t.Errorf("policy %s at %s", s.Policy, s.Address)
	}

	sent := f.made["files"].(map[string]any)
	if len(sent) != 3 {
		t.Errorf("sent %v", sent)
	}

	for name, digest := range sent {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}

		sum := sha256.Sum256(text)
		if digest != "sha256:"+hex.EncodeToString(sum[:]) || f.blobs[digest.(string)] != string(text) {
			t.Errorf("%s was sent as %v: %q", name, digest, f.blobs[digest.(string)])
		}
	}

	// An observation is what the model was trained to read: a message of the role ipython.
	const want = `{{ else if eq .Role "tool" }}<|start_header_id|>ipython<|end_header_id|>` +
		"\n\n{{ .Content }}<|eot_id|>"
	if template := f.made["template"].(string); !strings.Contains(template, want) {
		t.Errorf("template %q", template)
	}
}

func TestRegisterRefusesWhatIsNoModel(t *testing.T) {
	server := httptest.NewServer(&fakeOllama{blobs: map[string]string{}})
	t.Cleanup(server.Close)

	_, err := host.Server{Kind: ollama.Kind.Name, Wait: 60}.Serve(t.Context(),
		host.Checkpoint{Folder: t.TempDir(), Name: "mine"}, server.URL, "")
	if err == nil || !strings.Contains(err.Error(), "neither safetensors nor GGUF") {
		t.Errorf("error %v", err)
	}
}

// A vLLM that runs already is told where an adapter is, and refuses what it cannot load.
func TestAdapters(t *testing.T) {
	folder, loaded := t.TempDir(), ""
	trainingtest.Weights(t, folder)

	var told map[string]any

	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/models":
			fmt.Fprintf(w, `{"object":"list","data":[{"id":"base"},{"id":%q}]}`, loaded)
		case "/v1/load_lora_adapter":
			if err := json.NewDecoder(r.Body).Decode(&told); err != nil || told["lora_name"] == "bad" {
				http.Error(w, "rank 64 is greater than max_lora_rank 16", http.StatusBadRequest)
				return
			}

			loaded = told["lora_name"].(string)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)

	s := host.Server{Kind: openai.Kind.Name, Adapters: true, Wait: 60}

	served, err := s.Serve(t.Context(), host.Checkpoint{Folder: folder, Name: "mine"}, server.URL+"/v1", "")
	if err != nil {
		t.Fatal(err)
	}

	if served.Policy != "openai:mine" || told["lora_path"] != folder || told["load_inplace"] != true {
		t.Errorf("%+v, told %v", served, told)
	}

	_, err = s.Serve(t.Context(), host.Checkpoint{Folder: folder, Name: "bad"}, server.URL+"/v1", "")
	if err == nil || !strings.Contains(err.Error(), "max_lora_rank") ||
		!strings.Contains(err.Error(), "--enable-lora") {
		t.Errorf("error %v", err)
	}
}

// Whatever a running server is asked has its key; one that refuses it is not waited for.
func TestKey(t *testing.T) {
	folder := t.TempDir()
	trainingtest.Weights(t, folder)

	ollamas := &fakeOllama{blobs: map[string]string{}}
	vllms := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"object":"list","data":[{"id":"mine"}]}`)
	})

	for kind, behind := range map[*server.Kind]http.Handler{
		openai.Kind: vllms, ollama.Kind: ollamas,
	} {
		locked := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer sesame" {
				http.Error(w, "no key", http.StatusUnauthorized)
				return
			}

			behind.ServeHTTP(w, r)
		}))
		t.Cleanup(locked.Close)

		s := host.Server{Kind: kind.Name, Adapters: kind == openai.Kind, Wait: 60}
		c := host.Checkpoint{Folder: folder, Name: "mine"}

		t.Setenv(kind.KeyVariable, "sesame\n")
		if _, err := s.Serve(t.Context(), c, locked.URL, ""); err != nil {
			t.Errorf("%s: %v", kind.Name, err)
		}

		t.Setenv(kind.KeyVariable, "wrong")
		_, err := s.Serve(t.Context(), c, locked.URL, "")
		if err == nil || !strings.Contains(err.Error(), kind.KeyVariable) ||
			strings.Contains(err.Error(), "no answer") {
			t.Errorf("%s: error %v, want one that names the variable", kind.Name, err)
		}
	}
}

func TestLoad(t *testing.T) {
	for text, want := range map[string]string{
		"kind: openai\nwait: 5\nadapters: true":                                        "",
		"kind: ollama\nwait: 5\nadapters: true":                                        "only a running server",
		"kind: openai\nwait: 5\ncommand: [vllm, serve, '{model}', '{name}', '{port}']": "",
		"kind: ollama\nwait: 5":                                                        "",
		"kind: openai\nwait: 5\ncommand: [vllm, '{model}', '{port}']":                  "holds no {name}",
		"kind: openai\nwait: 5":                                                        "holds no {model}",
		"kind: ollama\nwait: 5\ncommand: [ollama, serve]":                              "holds no {port}",
		"kind: openai":            "wait: 0",
		"kind: vllm\nwait: 5":     "vllm",
		"kind: ollama\nwaits: 5":  "waits",
		"kind: ollama\nwait: [5]": "server mine",
		"kind: ollama\nwait: 5\nenvironment: {OLLAMA_HOST: '127.0.0.1:{port}'}\ncommand: [ollama, serve]": "",
	} {
		_, err := host.Load(fstest.MapFS{"mine.yaml": {Data: []byte(text)}}, "mine")
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}
