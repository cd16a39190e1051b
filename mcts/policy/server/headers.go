package server

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"toolevo/envs"
)

// Headers are sent beside the headers of the protocol, by name. Their values name variables of the
// environment, as in "Bearer ${GATEWAY_KEY}", so that settings hold no key.
type Headers map[string]string

// Header is one of [Headers] as it is sent.
type Header struct {
	Name    string
	Value   string   `json:"-"`
	Secrets []string `json:"-"` // what of the value came from the environment
}

// String is the name, so that no print of a header shows its value.
func (h Header) String() string { return h.Name }

// GoString is String.
func (h Header) GoString() string { return h.Name }

// SessionKeys say where requests have the id of their tree, for routers that send those of one id
// to one server. "" is nowhere.
type SessionKeys struct {
	Header string `yaml:"header"`
	Field  string `yaml:"field"` // of the request's body
}

// Validate returns the setting that makes no sense, and why.
func (k SessionKeys) Validate() (setting string, err error) {
	if k.Header == "" {
		return "", nil
	}
	return "header", checkName(k.Header)
}

// sessionOf returns the id of a tree of a question, or of what else is asked about. It reveals
// nothing about the question.
func sessionOf(question string, tree int) string {
	return fmt.Sprintf("%016x", mix(envs.Hash(question)^mix(uint64(tree))))
}

// IsSecretParameter reports whether a parameter of a URL's query may be a key: all may, except the
// version that Azure wants.
func IsSecretParameter(name string) bool { return name != "api-version" }

// ownHeaders are those that every request has anyway.
var ownHeaders = []string{
	"Accept-Encoding", "Connection", "Content-Length", "Content-Type", "Host", "Transfer-Encoding",
}

// variable matches how a value names a variable of the environment.
var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// Validate returns the first name whose header cannot be sent, or whose value does not come from
// the environment, and why. The error does not show the value.
func (h Headers) Validate() (name string, err error) {
	for _, name := range slices.Sorted(maps.Keys(h)) {
		if err := checkName(name); err != nil {
			return name, err
		}

		if !variable.MatchString(h[name]) {
			return name, errors.New("would be kept in plain text with every run: " +
				"take it from a variable of the environment, as in ${NAME}")
		}
	}

	return "", nil
}

// checkName rejects names that no header may have, and those of ownHeaders.
func checkName(name string) error {
	switch {
	case !httpguts.ValidHeaderFieldName(name):
		return errors.New("is not a valid header name")
	case slices.Contains(ownHeaders, http.CanonicalHeaderKey(name)):
		return errors.New("is set by toolevo itself")
	}

	return nil
}

// Expand returns the headers with the values of the variables that they name, in the order of their
// names. No error shows a value.
func (h Headers) Expand(lookup func(variable string) string) ([]Header, error) {
	var all []Header

	for _, name := range slices.Sorted(maps.Keys(h)) {
		header := Header{Name: name}

		var missing string

		header.Value = variable.ReplaceAllStringFunc(h[name], func(found string) string {
			// A key that was read from a file often ends with a line break, which no header may.
			value := strings.TrimSpace(lookup(found[2 : len(found)-1]))
			if value == "" {
				missing = found
			}

			// Not the whole header: "Bearer" and the like need not be hidden from logs.
			header.Secrets = append(header.Secrets, value)
			return value
		})

		switch {
		case missing != "":
			return nil, fmt.Errorf("server.headers.%s: the environment has no %s, or it is empty",
				name, missing)
		case !httpguts.ValidHeaderFieldValue(header.Value):
			return nil, fmt.Errorf("server.headers.%s: the value has a control character", name)
		}

		all = append(all, header)
	}
	return all, nil
}
