package main

import (
	"encoding/json"
	"net"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	stategensuite "toolevo/cmd/internal/suites/stategen"
)

// speak speaks a text, and asks for a speech that is not there.
func speak(t *testing.T, over mcp.Transport) {
	t.Helper()

	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), over, nil)
	if err != nil {
		t.Fatal(err)
	}

	for tool, refused := range map[string]bool{"text_to_speech": false, "speech_to_text": true} {
		args := map[string]any{"text": "Hello."}
		if refused {
			args = map[string]any{"input_speech": "speech_9"}
		}

		r, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil || r.IsError != refused {
			t.Errorf("%s is answered %+v (%v)", tool, r, err)
		}
	}

	if err := client.Close(); err != nil {
		t.Error(err)
	}
}

// Ctrl-C ends it although a client is there, and it tells how it was used.
func TestServeVoice(t *testing.T) {
	t.Parallel()

	s := startServing(t, nil, "serve", "voice", "--json")
	speak(t, &mcp.StreamableClientTransport{Endpoint: s.url + "/mcp"})

	out, said := s.interrupt()

	var report stategensuite.ServedVoice
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("%v: %s\n%s", err, out, said)
	}

	if report.Calls != 1 || report.Refused != 1 || report.Address != s.url {
		t.Errorf("it reports %+v", report)
	}
}

func TestServeVoiceOverStdio(t *testing.T) {
	t.Parallel()

	speak(t, &mcp.CommandTransport{Command: program(t, "serve", "voice", "--stdio", "--seed", "7")})
}

func TestServeVoiceRefuses(t *testing.T) {
	t.Parallel()

	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()

	fails(t, exitGaveUp, []string{"in use", "--listen"}, "serve", "voice", "--listen", taken.Addr().String())
}
