package explore

import (
	"strings"
	"testing"

	"toolevo/envs/toolapi"
)

// A tool is named by the first sentence of its description, or by the words of its name.
func TestSentence(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct{ name, description, want string }{
		{"list_orders", "Lists the orders. Newest first.", "Lists the orders"},
		{"list_orders", "", "List order"},
		{"list_orders", strings.Repeat("word ", 40), "List order"},
		{"--", "", "--"},
		{"éclair", "", "Éclair"},
	} {
		if got := sentence(&toolapi.API{Tool: tt.name, Description: tt.description}); got != tt.want {
			t.Errorf("%s, %q: %q, want %q", tt.name, tt.description, got, tt.want)
		}
	}
}
