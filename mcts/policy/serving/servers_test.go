package serving

import (
	"testing"

	"toolevo/configs"
	"toolevo/envs/console"
)

// Without an address of its own, the model is where those of the policies are, unless these are another program's.
func TestEmbeddingServer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		policies []string
		serving  Servers
		want     string
	}{
		{[]string{"scripted:reader"}, Servers{}, DefaultServer},
		{[]string{"scripted:reader"}, Servers{
			Addresses: "http://a/v1, http://b/v1",
			openAIURL: "http://c/v1",
		}, "http://a/v1"},
		{[]string{"openai:m"}, Servers{openAIURL: "http://c/v1", ollamaHost: "d"}, "http://c/v1"},
		{[]string{"ollama:m"}, Servers{Addresses: "http://a", openAIURL: "http://c/v1"}, "http://c/v1"},
		{[]string{"openai:m", "ollama:m"}, Servers{Addresses: "http://a"}, DefaultServer},
	} {
		m := New(&configs.Resolved{Config: configs.Config{Policy: test.policies}}, nil, nil, &test.serving)
		if got := m.embeddingServer(); got != test.want {
			t.Errorf("%v with %+v: %s, want %s", test.policies, test.serving, got, test.want)
		}
	}
}

// A key for one kind of server is no business of the other's.
func TestKeysStayWithTheirKind(t *testing.T) {
	t.Parallel()
	s := FromEnvironment(&console.Program{Environ: []string{"OPENAI_API_KEY=openai's", "OLLAMA_API_KEY=ollama's"}}, 0)
	if got := s.key(OpenAI); got != "openai's" {
		t.Errorf("OpenAI-compatible servers are shown %q", got)
	}

	if got := s.key(Ollama); got != "ollama's" {
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
