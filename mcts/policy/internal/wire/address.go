package wire

import (
	"encoding/base64"
	"errors"
	"net/url"
	"strconv"
	"strings"
)

// Address is where a server is, and who asks.
type Address struct {
	URL  *url.URL      // scheme, host and path without a slash at its end; no credentials. The host may be empty
	User *url.Userinfo // the credentials that stood in it, nil without any
}

// ParseAddress reads an address that begins with http:// or https://. Its errors say nothing of the text, which may
// hold a key anywhere.
func ParseAddress(text string) (Address, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	switch {
	case err != nil:
		return Address{}, errors.New("it is not a URL")
	case u.Scheme != "http" && u.Scheme != "https" || u.Opaque != "":
		return Address{}, errors.New("it does not begin with http:// or https:// and a host")
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return Address{}, errors.New("it has a query or a fragment")
	}

	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return Address{}, errors.New("its port is not from 1 to 65535")
		}
	}

	base := &url.URL{Scheme: u.Scheme, Host: u.Host}

	base.Path, base.RawPath = strings.TrimRight(u.Path, "/"), strings.TrimRight(u.RawPath, "/")
	if u.User != nil && u.User.String() == "" {
		u.User = nil // an @ without anything before it
	}

	return Address{URL: base, User: u.User}, nil
}

// cleanKey is a key as it can stand in a header.
func cleanKey(key string) (string, error) {
	key = strings.TrimSpace(key)
	if strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", errors.New("the API key contains a control character")
	}

	return key, nil
}

// authorization is the header that opens the server, empty when it is open. A key goes before credentials.
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
