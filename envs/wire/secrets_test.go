package wire

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestSpellings: however a secret is respelled on its way, it is found.
func TestSpellings(t *testing.T) {
	spell := map[string]func(string) string{
		"as it is":        func(s string) string { return s },
		"in a query":      url.QueryEscape,
		"in a path":       url.PathEscape,
		"escaped":         func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") },
		"in credentials":  func(s string) string { return url.User(s).String() },
		"quoted":          func(s string) string { return fmt.Sprintf("%q", s) },
		"quoted in ASCII": func(s string) string { return fmt.Sprintf("%+q", s) },
		"in JSON":         func(s string) string { b, _ := json.Marshal(s); return string(b) },
	}

	rapid.Check(t, func(t *rapid.T) {
		// Letters that neither the text around it nor the word for it has.
		key := rapid.StringMatching(`[A-Z0-9+/="<>&\\ öÖ%\.~_]{4,24}`).Draw(t, "key")
		s := NewSecrets([]string{key}, nil)

		around := rapid.StringMatching(`[a-z ]{0,9}`)
		for name, f := range spell {
			before, after := around.Draw(t, "before"), around.Draw(t, "after")

			want := strings.Replace(before+f(key)+after, f(key), hidden, 1)
			if strings.HasPrefix(f(key), `"`) && strings.HasPrefix(name, "quoted") || name == "in JSON" {
				want = before + `"` + hidden + `"` + after
			}

			if got := s.Hide(before + f(key) + after); got != want {
				t.Fatalf("%s: %q is %q, want %q", name, before+f(key)+after, got, want)
			}
		}
	})
}

// TestCredentials: the pair of basic authentication is a secret as well as its password, padded or
// not.
func TestCredentials(t *testing.T) {
	tests := []struct {
		user *url.Userinfo
		text string
		want string
	}{
		{url.UserPassword("someone", "password"), "someone password c29tZW9uZTpwYXNzd29yZA== c29tZW9uZTpwYXNzd29yZA",
			"someone [hidden] [hidden] [hidden]"},
		{url.User("token"), "token dG9rZW46", "[hidden] [hidden]"},
		{nil, "anything", "anything"},
		{url.UserPassword("u", "x"), "extra", "extra"}, // too short to be a secret
	}
	for _, tt := range tests {
		if got := NewSecrets(nil, tt.user).Hide(tt.text); got != tt.want {
			t.Errorf("%q is %q, want %q", tt.text, got, tt.want)
		}
	}
}
