package wire

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// hidden replaces a secret.
const hidden = "[hidden]"

// shortestSecret is the length from which a key is a secret. Dummies such as "x" or "-", for
// servers without authentication, are not: hiding them would garble every message.
const shortestSecret = 4

// Secrets are texts that nothing may show, in every spelling in which they are sent, longest first.
type Secrets []string

// NewSecrets returns the secrets of some texts and of credentials. user may be nil.
func NewSecrets(plain []string, user *url.Userinfo) Secrets {
	if user != nil {
		password, ok := user.Password()
		if !ok || password == "" {
			plain = append(plain, user.Username())
		}

		pair := base64.StdEncoding.EncodeToString([]byte(user.Username() + ":" + password))
		plain = append(plain, password, pair, strings.TrimRight(pair, "="))
	}
	var s Secrets

	for _, p := range plain {
		if len(p) >= shortestSecret {
			s = append(s, spellings(p)...)
		}
	}

	slices.SortFunc(s, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	return slices.Compact(s)
}

// spellings returns a text as it is, as URLs spell it, and as it is between quotes in JSON and in
// Go.
func spellings(p string) []string {
	inJSON, _ := json.Marshal(p)

	all := []string{
		p, url.QueryEscape(p), url.PathEscape(p), url.User(p).String(), (&url.URL{Path: "/" + p}).EscapedPath()[1:],
		strings.ReplaceAll(p, "/", `\/`), strings.ReplaceAll(url.QueryEscape(p), "+", "%20"),
	}
	for _, quoted := range []string{string(inJSON), strconv.Quote(p), strconv.QuoteToASCII(p)} {
		all = append(all, quoted[1:len(quoted)-1])
	}

	return all
}

// Hide returns the text with every secret replaced.
func (s Secrets) Hide(text string) string {
	for _, secret := range s {
		text = strings.ReplaceAll(text, secret, hidden)
	}
	return text
}
