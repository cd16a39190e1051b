package serve

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"toolevo/envs/suite"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/bench"
)

// cached starts a server of the invented functions whose answers are in a cache.
func cached(t testing.TB) (*httptest.Server, *Server) {
	t.Helper()

	p, err := toolbench.Import(filepath.Join("..", "testdata", "queries"), "")
	if err != nil {
		t.Fatal(err)
	}

	data := t.TempDir()
	if _, err := p.Save(data, "test", suite.Splits()); err != nil {
		t.Fatal(err)
	}

	benchmark := &bench.ToolBench{}
	section := benchmark.Sections()[0]
	settings := section.New()

	text := fmt.Sprintf("{simulator: scripted, mode: sft, tokens: 1, cache: %q}", t.TempDir()+"/cache.db")
	if err := yaml.Unmarshal([]byte(text), settings); err != nil {
		t.Fatal(err)
	}

	s, err := benchmark.Open(t.Context(), suite.Choice{
		Data: data, Split: "test", Prompt: "p_c", Settings: map[string]suite.Settings{section.Name: settings},
	})
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})

	d, err := bench.Deploy(s, "p_c", "", nil)
	if err != nil {
		t.Fatal(err)
	}

	server, handler := served(t, Options{Versions: map[string]Version{"p_c": d}})

	if status, text := post(t, server, forecast); status != 200 || !strings.HasPrefix(text, `{"error": "", `) {
		t.Fatalf("%d %s", status, text)
	}
	return server, handler
}

const forecast = `{"category": "Weather", "tool_name": "24h Weather", "api_name": "Forecast", "tool_input": ` +
	`"{\"city\": \"Bern\", \"days\": 3}", "strip": "", "toolbench_key": ""}`

// BenchmarkCached answers a call from the cache, without a connection.
func BenchmarkCached(b *testing.B) {
	_, s := cached(b)

	for b.Loop() {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/virtual", strings.NewReader(forecast)))

		if w.Code != http.StatusOK {
			b.Fatal(w.Body)
		}
	}
}
