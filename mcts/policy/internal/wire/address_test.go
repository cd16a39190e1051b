package wire

import (
	"net/url"
	"strings"
	"testing"
)

func TestParseAddress(t *testing.T) {
	tests := []struct{ text, want, user, err string }{
		{text: "http://h", want: "http://h"},
		{text: " HTTPS://h:8000/a/v1// \n", want: "https://h:8000/a/v1"},
		{text: "http://h/a%2Fb/", want: "http://h/a%2Fb"},
		{text: "http://[::1]:8000/v1", want: "http://[::1]:8000/v1"},
		{text: "http://[fe80::1%25eth0]:8000", want: "http://[fe80::1%25eth0]:8000"},
		{text: "http://:8000", want: "http://:8000"},
		{text: "http://someone:secret%40word@h", want: "http://h", user: "someone:secret%40word"},
		{text: "http://secretword@h", want: "http://h", user: "secretword"},
		{text: "http://@h", want: "http://h"},
		{text: "http://h:65535", want: "http://h:65535"},
		{text: "http://h:65536", err: "port"},
		{text: "http://h:0", err: "port"},
		{text: "http://secretword:no port", err: "not a URL"},
		{text: "http://::1:8000", err: "not a URL"},
		{text: "h:8000", err: "http://"},
		{text: "h", err: "http://"},
		{text: "", err: "http://"},
		{text: "http:h", err: "http://"},
		{text: "unix:///run/secretword.sock", err: "http://"},
		{text: "http+unix://%2Frun%2Fsecretword.sock", err: "URL"},
		{text: "https://h/a/?api-version=1&key=word", want: "https://h/a?api-version=1&key=word"},
		{text: "http://h?", want: "http://h"},
		{text: "http://h?secretword=%zz", err: "query"},
		{text: "http://h#secretword", err: "fragment"},
	}
	for _, tt := range tests {
		got, err := ParseAddress(tt.text)
		switch {
		case tt.err != "":
			if err == nil || !strings.Contains(err.Error(), tt.err) || strings.Contains(err.Error(), "secretword") {
				t.Errorf("%q: error %v, want %q and no secret", tt.text, err, tt.err)
			}
		case err != nil:
			t.Errorf("%q: %v", tt.text, err)
		case got.URL.String() != tt.want || got.User.String() != tt.user:
			t.Errorf("%q is %s of %q, want %s of %q", tt.text, got.URL, got.User, tt.want, tt.user)
		}
	}
}

func TestAuthorization(t *testing.T) {
	tests := []struct {
		key  string
		user *url.Userinfo
		want string
	}{
		{"", nil, ""},
		{"key", nil, "Bearer key"},
		{"", url.UserPassword("a", "b"), "Basic YTpi"},
		{"", url.User("a"), "Basic YTo="},
		{"key", url.UserPassword("a", "b"), "Bearer key"},
	}
	for _, tt := range tests {
		if got := authorization(tt.key, tt.user); got != tt.want {
			t.Errorf("key %q and credentials %v: %q, want %q", tt.key, tt.user, got, tt.want)
		}
	}
}

func FuzzParseAddress(f *testing.F) {
	for _, text := range []string{"http://a:b@h:1/v1/", "https://[::1%25z]", "http://h/%2F/", "unix:///x", "http:///"} {
		f.Add(text)
	}

	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseAddress(text)
		if err != nil {
			return
		}

		if a.URL.User != nil || strings.HasSuffix(a.URL.Path, "/") {
			t.Fatalf("%q is %#v", text, a.URL)
		}

		again, err := ParseAddress(a.URL.String())
		if err != nil || again.URL.String() != a.URL.String() || again.User != nil {
			t.Fatalf("%q is %s, which is %v, %v", text, a.URL, again.URL, err)
		}
	})
}
