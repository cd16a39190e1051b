package serving

import (
	"os"
	"testing"

	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/envs/envtest/suitetest"
	"toolevo/envs/suite"
	"toolevo/mcts/policy/ollama"
	"toolevo/mcts/policy/openai"
)

func TestMain(m *testing.M) {
	Register(openai.Kind)
	Register(ollama.Kind)
	Register(toy)
	suite.Register(suitetest.Shop{})
	os.Exit(m.Run())
}

// Without an address of its own, the model is where those of the policies are, unless these are
// another program's.
func TestEmbeddingServer(t *testing.T) {
	t.Parallel()

	const url = "OPENAI_BASE_URL=http://c/v1"

	for _, test := range []struct {
		policies  []string
		addresses string
		environ   []string
		want      string
	}{
		{[]string{"scripted:reader"}, "", nil, openai.Kind.DefaultAddress},
		{[]string{"scripted:reader"}, "http://a/v1, http://b/v1", []string{url}, "http://a/v1"},
		{[]string{"openai:m"}, "", []string{url, "OLLAMA_HOST=d"}, "http://c/v1"},
		{[]string{"ollama:m"}, "http://a", []string{url}, "http://c/v1"},
		{[]string{"openai:m", "ollama:m"}, "http://a", nil, openai.Kind.DefaultAddress},
	} {
		s := FromEnvironment(&console.Program{Environ: test.environ}, 0)
		s.Addresses = test.addresses

		m := New(&configs.Resolved{Config: configs.Config{Policy: test.policies}}, nil, nil, s)
		if got, err := m.embeddingServer(openai.Kind); got != test.want || err != nil {
			t.Errorf("%+v: %s (%v), want %s", test, got, err, test.want)
		}
	}
}

// A key for one kind of server is no business of the other's.
func TestKeysStayWithTheirKind(t *testing.T) {
	t.Parallel()
	s := FromEnvironment(&console.Program{Environ: []string{"OPENAI_API_KEY=openai's", "OLLAMA_API_KEY=ollama's"}}, 0)
	if got := s.key(openai.Kind); got != "openai's" {
		t.Errorf("OpenAI-compatible servers are shown %q", got)
	}

	if got := s.key(ollama.Kind); got != "ollama's" {
		t.Errorf("Ollama is shown %q", got)
	}
}

// No command that is printed has credentials.
func TestWithoutCredentials(t *testing.T) {
	t.Parallel()

	for _, test := range [][2]string{
		{"http://user:pass@host:8000/v1", "http://USER:PASSWORD@host:8000/v1"},
		{"https://key@host", "https://USER:PASSWORD@host"},
		{"user:p@ss@host:1", "USER:PASSWORD@host:1"}, {"http://host/v1/@x", "http://host/v1/@x"},
		{"host:11434", "host:11434"}, {"http://a:b/c@host", "ADDRESS"},
		{"https://h/v1?api-version=2024-06-01", "https://h/v1?api-version=2024-06-01"},
		{"https://h/v1?key=abcd&api-version=1", "https://h/v1?api-version=1&key=SECRET"},
		{"https://u:p@h/v1?abcd", "https://USER:PASSWORD@h/v1?abcd=SECRET"},
	} {
		if got := withoutCredentials(test[0]); got != test[1] {
			t.Errorf("%s becomes %s, want %s", test[0], got, test[1])
		}
	}
}
