package configs

import (
	"strings"
	"testing"
)

// What was chosen is a file that chooses the same again, and nothing else.
func TestOwn(t *testing.T) {
	layers := []Layer{
		SettingLayer("flag", "policy", "openai:a"), SettingLayer("flag", "server.urls", "http://h/v1,http://i/v1"),
		SettingLayer("flag", "server.sampling.temperature", "0.5"), SettingLayer("flag", "limit", "3"),
		SettingLayer("flag", "server.slots", "4"),
		{Origin: "file", YAML: []byte("server:\n  headers:\n    api-key: ${KEY}\n")},
	}
	r := mustLoad(t, layers...)

	own := r.Own(func(key string) bool { return key == "policy" || strings.HasPrefix(key, "server.") })
	if strings.Contains(own, "limit") || strings.Contains(own, "form") || strings.Count(own, "server:") != 1 {
		t.Errorf("it is\n%s", own)
	}

	again := mustLoad(t, Layer{Origin: "own", YAML: []byte(own)}, SettingLayer("flag", "limit", "3"))
	if again.String() != r.String() {
		t.Errorf("it becomes\n%s\nwant\n%s\nfrom\n%s", again, r, own)
	}
}

// A configuration is kept with every run: no key may be in it.
func TestURLsWithoutKeys(t *testing.T) {
	if _, err := Load(SettingLayer("x", "server.urls", "file:servers.txt")); err != nil {
		t.Error(err)
	}

	// Whoever continued a run with it would run the command.
	if _, err := Load(SettingLayer("x", "server.urls", "command:id")); err == nil {
		t.Error("a command is taken")
	}

	model := SettingLayer("x", "retrieval.model", "m")

	for _, setting := range []string{"server.urls", "retrieval.server"} {
		for address, refused := range map[string]bool{
			"http://h/v1": false, "http://h/v1?api-version=2": false,
			"http://me:secret@h/v1": true, "http://h/v1?key=secret": true, "http://h?secret": true,
			"http://h?api-version=2&key=secret": true, "http://h?key=%zz": true,
		} {
			_, err := Load(model, SettingLayer("x", setting, address))
			if (err != nil) != refused || refused && (strings.Contains(err.Error(), "secret") ||
				!strings.Contains(err.Error(), setting+" (from x): holds credentials")) {
				t.Errorf("%s=%s: %v", setting, address, err)
			}
		}
	}
}
