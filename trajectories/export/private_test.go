package export

import (
	"strings"
	"testing"
)

// What looks like a key or a home folder is found wherever it begins in a line of JSON, and what
// only resembles one is not.
func TestPrivateTexts(t *testing.T) {
	t.Parallel()

	digits := strings.Repeat("aB3", 14)

	for text, want := range map[string]string{
		`{"content":"OPENAI_API_KEY=sk-proj-` + digits + `"}`:               "an API key (OpenAI, Anthropic, OpenRouter)",
		`{"content":"a line\nsk-` + digits + `"}`:                           "an API key (OpenAI, Anthropic, OpenRouter)",
		`{"content":"hf_` + digits + `"}`:                                   "a token of Hugging Face",
		`{"content":"ghp_` + digits[:36] + `"}`:                             "a token of GitHub",
		`{"content":"AKIAIOSFODNN7EXAMPLE"}`:                                "a key of Amazon Web Services",
		`{"content":"Authorization: Bearer ` + digits + `"}`:                "a bearer token",
		`{"content":"-----BEGIN RSA PRIVATE KEY-----\n"}`:                   "a private key",
		`{"content":"File \"/home/ada/run.py\", line 3"}`:                   "a home folder",
		`{"content":"file:///home/ada/run.py"}`:                             "a home folder",
		`{"content":"in\n/Users/ada/data"}`:                                 "a home folder",
		`{"content":"C:\\Users\\ada\\data, /root/x"}`:                       "a home folder",
		`{"content":"risk-` + digits + `, sk-short, hf_model"}`:             "",
		`{"content":"https://example.org/home/news, ./home/x and /homely"}`: "",
		`{"content":"a bearer of bad news, Users"}`:                         "",
	} {
		var m Manifest
		m.notePrivate("f", 7, []byte(text))

		switch {
		case want == "" && m.Private != nil:
			t.Errorf("%s: %+v", text, m.Private)
		case want != "" && (len(m.Private) != 1 || m.Private[0] != Private{want, "f", 7, 1}):
			t.Errorf("%s: %+v, want %s", text, m.Private, want)
		}
	}
}
