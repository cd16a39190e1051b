package bench

import (
	"strings"
	"testing"
)

func TestParseDefects(t *testing.T) {
	tests := []struct {
		names []string
		want  defects
	}{
		{nil, 0},
		{[]string{"published"}, published},
		{defectNames()[1:], published},
		{[]string{"published", "notices"}, published},
		{[]string{"notices"}, notices},
		{[]string{"failed-loads"}, failedLoads},
		{[]string{"partial-filter"}, partialFilter},
		{[]string{"split-conditions"}, splitConditions},
		{[]string{"regex-categories"}, regexCategories},
		{[]string{"cast-columns"}, castColumns},
		{[]string{"graph-weights"}, graphWeights},
		{[]string{"spoiled-edges"}, spoiledEdges},
		{[]string{"text-sql"}, textSQL},
		{[]string{"text-sql", "python-capture"}, textSQL | pythonCapture},
	}
	for _, tt := range tests {
		got, err := parseDefects(tt.names...)
		if err != nil || got != tt.want {
			t.Errorf("parseDefects(%v) = %b, %v, want %b", tt.names, got, err, tt.want)
		}

		if loads := got.loadNames(); (len(loads) == 6) != got.has(failedLoads) {
			t.Errorf("under %v loads are %v", tt.names, loads)
		}
	}

	_, err := parseDefects("notice")

	want := `unknown compat option "notice", did you mean notices? Valid are published, notices, `
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error = %v, want %s…", err, want)
	}
}
