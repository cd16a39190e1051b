package measure

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/engines"
)

// sharedEngine is the engine of all tests, which TestMain closes.
var sharedEngine = sync.OnceValues(func() (sandbox.Engine, error) {
	return engines.Open(context.Background(), engines.Options{Servers: 1})
})

func TestMain(m *testing.M) {
	engines.Main()

	code := m.Run()

	if e, err := sharedEngine(); err == nil {
		if err = e.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)

			code = 1
		}
	}

	os.Exit(code)
}

func read(t *testing.T, tools []string, program string) (Flow, error) {
	t.Helper()

	engine, err := sharedEngine()
	if err != nil {
		t.Fatal(err)
	}
	return Read(t.Context(), engine, tools, program)
}

var (
	tensorTools  = []string{"cat", "conv2d", "linear", "permute", "split", "transpose"}
	sessionTools = []string{"add_session", "delete_session", "list_sessions", "query_sessions", "update_session"}
	voiceTools   = []string{"isolate_audio", "make_outbound_call", "search_voice_library", "text_to_speech"}
)

// called are the tools that a flow calls, in order, with branches in brackets.
func called(f Flow) string {
	var words []string

	for _, s := range f {
		if s.Tool != "" {
			words = append(words, s.Tool)
		}

		for _, branch := range s.Branches {
			words = append(words, "["+called(branch)+"]")
		}
	}
	return strings.Join(words, " ")
}

func TestReadPython(t *testing.T) {
	for _, c := range []struct {
		name    string
		tools   []string
		program string
		calls   string
		want    Complexity
	}{
		{
			"functions and methods", tensorTools, `
import torch
import torch.nn.functional as F
x = user_tensor_0.permute(1, 0, 2, 3)
a, b = torch.split(x, 2, dim=0)
if a.shape[0] == user_constant_0:
    RESULT = F.conv2d(torch.cat([a, b], dim=1), weight=user_tensor_1)
else:
    RESULT = torch.transpose(b, 0, 1)
`, "permute split [cat conv2d] [transpose]", Complexity{Calls: 5, Depth: 3, Bindings: 4},
		},
		{
			"routes", sessionTools, `
import requests
sessions = requests.get(f"{base_url}/api/sessions/{source}/{kind}").json()
url = base_url + "/api/sessions/" + source + "/main_session"
made = requests.post(url, json=sessions[0]["data"])
found = requests.get(url + "/query?field=data.title&value=x").json()
one = requests.get("{}/api/sessions/{}/{}/{}".format(base_url, source, kind, made.json()["id"]))
for s in found:
    if s["data"]["title"] == "x":
        requests.delete(f"{url}/{s['id']}")
user_variable_0.get("data")["title"] = found[0].get("title")
requests.put(f"{url}/{found[0]['id']}", json=user_variable_0)
`, "list_sessions add_session query_sessions get_session [delete_session] [] update_session",
			Complexity{Calls: 6, Depth: 2, Bindings: 2}, // the sessions to made, made to one
		},
		{
			"the address of the sessions in a variable", sessionTools, `
requests.get(f"{base}/{source}/{kind}")
requests.get(base + f"/{source}/{kind}/query", params={"field": "data.title", "value": "x"})
settings.get("sessions")
`, "list_sessions query_sessions", Complexity{Calls: 2},
		},
		{
			"loops, comprehensions and errors", voiceTools, `
voices = [v["voice_name"] for v in search_voice_library("a", "b")]
try:
    speech = text_to_speech("Hello.", voice_name=voices[0])
except ValueError:
    speech = isolate_audio(other)
while speech:
    make_outbound_call(speech, voices[0])
`, "search_voice_library text_to_speech [] [isolate_audio] make_outbound_call",
			Complexity{Calls: 4, Depth: 1, Bindings: 1},
		},
		{"other calls", voiceTools, "print(len(str(1)))\nx = isolate", "", Complexity{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			flow, err := read(t, c.tools, c.program)
			if err != nil {
				t.Fatal(err)
			}

			if got := called(flow); got != c.calls {
				t.Errorf("calls %q, want %q", got, c.calls)
			}

			if d := cmp.Diff(c.want, flow.Complexity()); d != "" {
				t.Errorf("complexity, -want +got:\n%s", d)
			}
		})
	}
}

func TestReadWhatIsNoPython(t *testing.T) {
	for _, program := range []string{"def f(:", "x = '\x00'", strings.Repeat("(", 100_000)} {
		_, err := read(t, tensorTools, program)

		var none *NoProgramError
		if !errors.As(err, &none) {
			t.Errorf("%.10q: error %v, want a NoProgramError", program, err)
		}
	}
}

// A failure of the engine is no property of the program.
func TestReadWithoutEngine(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	engine, err := sharedEngine()
	if err != nil {
		t.Fatal(err)
	}

	if _, err := Read(ctx, engine, nil, "x = 1"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}
