package server_test

import (
	"fmt"
	"strings"
	"testing"

	"toolevo/mcts/policy/server"
)

func TestHeaders(t *testing.T) {
	t.Parallel()

	environment := map[string]string{"KEY": " secretword\n", "USER_1": "me", "BROKEN": "a\nb"}
	lookup := func(name string) string { return environment[name] }

	for _, test := range []struct{ name, value, want, invalid, err string }{
		{name: "api-key", value: "${KEY}", want: "secretword"},
		{name: "Authorization", value: "Bearer ${KEY}", want: "Bearer secretword"},
		{name: "X-Who", value: "${USER_1}:${KEY}", want: "me:secretword"},
		{name: "api-key", value: "secretword", invalid: "environment"},
		{name: "api-key", value: "$KEY", invalid: "environment"},
		{name: "api key", value: "${KEY}", invalid: "name"},
		{name: "content-type", value: "${KEY}", invalid: "itself"},
		{name: "api-key", value: "${NONE}", err: "${NONE}"},
		{name: "api-key", value: "${KEY} ${BROKEN}", err: "control"},
	} {
		h := server.Headers{test.name: test.value}

		_, invalid := h.Validate()
		if !says(invalid, test.invalid) {
			t.Errorf("%s: %s: error %v, want %q", test.name, test.value, invalid, test.invalid)
		}

		if invalid != nil {
			continue
		}

		all, err := h.Expand(lookup)
		if !says(err, test.err) {
			t.Errorf("%s: %s: error %v, want %q", test.name, test.value, err, test.err)
		}

		if err == nil && all[0].Value != test.want {
			t.Errorf("%s: %s is sent as %q", test.name, test.value, all[0].Value)
		}

		if text := fmt.Sprintf("%v %+v %#v", all, all, all); strings.Contains(text, "secret") {
			t.Errorf("it prints as %s", text)
		}
	}
}

// says reports whether an error says something, and no secret; "" is no error.
func says(err error, words string) bool {
	if err == nil || words == "" {
		return err == nil && words == ""
	}
	return strings.Contains(err.Error(), words) && !strings.Contains(err.Error(), "secretword")
}
