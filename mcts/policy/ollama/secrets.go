package ollama

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// hidden stands where a secret stood.
const hidden = "[hidden]"

// shortestSecret is the length from which a key is one. Placeholders such as "x" or "-", which servers without
// authentication are given, are not: hiding them would garble every message.
const shortestSecret = 4

// secrets are the texts that no error may contain, in every spelling they are sent in, longest first.
type secrets []string

func newSecrets(key string, user *url.Userinfo) secrets {
	plain := []string{key}
	if user != nil {
		password, ok := user.Password()
		if !ok || password == "" {
			plain = append(plain, user.Username())
		}
		plain = append(plain, password,
			base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password)))
	}
	var s secrets
	for _, p := range plain {
		if len(p) < shortestSecret {
			continue
		}
		quoted, _ := json.Marshal(p)
		s = append(s, p, url.QueryEscape(p), url.PathEscape(p), strings.Trim(string(quoted), `"`), strings.ReplaceAll(p, "/", `\/`),
			url.User(p).String(), (&url.URL{Path: "/" + p}).EscapedPath()[1:])
	}
	slices.SortFunc(s, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	return slices.Compact(s)
}

// hide returns the text with every secret replaced.
func (s secrets) hide(text string) string {
	for _, secret := range s {
		text = strings.ReplaceAll(text, secret, hidden)
	}
	return text
}
