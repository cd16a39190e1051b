package suite

import (
	"errors"
	"net/url"
	"strings"
)

// CheckAddress returns why an address of a server does not belong into a configuration, which is
// printed, and kept with every run.
func CheckAddress(address string) error {
	// Whoever continues the run of somebody else would run it.
	if strings.HasPrefix(address, "command:") {
		return errors.New("a command does not belong in a file: name it in ‹server›")
	}

	_, rest, _ := strings.Cut(address, "://")
	rest, query, _ := strings.Cut(rest, "?")
	authority, _, _ := strings.Cut(rest, "/")

	// Any parameter may be a key, except the version that Azure wants.
	values, err := url.ParseQuery(query)
	delete(values, "api-version")

	if strings.Contains(authority, "@") || err != nil || len(values) > 0 {
		return errors.New("holds credentials, which every run would show: put a key into " +
			"OPENAI_API_KEY, or the whole address into OPENAI_BASE_URL")
	}
	return nil
}
