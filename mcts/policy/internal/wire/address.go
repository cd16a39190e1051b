package wire

import (
	"encoding/base64"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"toolevo/mcts/policy/server"
)

// Address is where a server is, and who asks.
type Address struct {
	// URL is scheme, host, path without a slash at its end, and query. It has no credentials; the
	// host may be empty.
	URL  *url.URL
	User *url.Userinfo // the credentials that were in it, or nil
}

// ParseAddress reads an address that begins with http:// or https://. Its errors show nothing of
// the text, which may hold a key anywhere.
func ParseAddress(text string) (Address, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	switch {
	case err != nil && strings.Contains(text, "://"):
		return Address{}, errors.New("it is not a URL")
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Opaque != "":
		return Address{}, errors.New("it does not begin with http:// or https:// and a host")
	case u.Fragment != "":
		return Address{}, errors.New("it has a fragment")
	}

	if _, err := url.ParseQuery(u.RawQuery); err != nil {
		return Address{}, errors.New("its query cannot be read")
	}

	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return Address{}, errors.New("its port is not from 1 to 65535")
		}
	}

	base := &url.URL{Scheme: u.Scheme, Host: u.Host, RawQuery: u.RawQuery}

	base.Path, base.RawPath = strings.TrimRight(u.Path, "/"), strings.TrimRight(u.RawPath, "/")
	if u.User != nil && u.User.String() == "" {
		u.User = nil // an @ without anything before it
	}
	return Address{URL: base, User: u.User}, nil
}

// shown is the address as it is reported: its query may hold keys.
func (a Address) shown() string {
	u := *a.URL
	u.RawQuery = ""
	return u.String()
}

// secrets are the texts of the address that may be keys.
func (a Address) secrets() []string {
	var all []string

	for name, values := range a.URL.Query() {
		if !server.IsSecretParameter(name) {
			continue
		}

		if all = append(all, values...); slices.Contains(values, "") {
			all = append(all, name)
		}
	}
	return all
}

// cleanKey returns a key as it can be sent in a header.
func cleanKey(key string) (string, error) {
	key = strings.TrimSpace(key)
	if strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", errors.New("the API key contains a control character")
	}
	return key, nil
}

// authorization returns the header that opens the server, or "". A key takes precedence over
// credentials.
func authorization(key string, user *url.Userinfo) string {
	switch {
	case key != "":
		return "Bearer " + key
	case user != nil:
		password, _ := user.Password()
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password))
	default:
		return ""
	}
}
