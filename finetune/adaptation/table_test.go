package adaptation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/finetune/adaptation"
)

func TestWrite(t *testing.T) {
	rows := []adaptation.Row{
		{
			Policy: "p", API: "p_s_in", N: 4, Lost: 1,
			Met: 3, Adapted: 2, ToolsMet: 6, ToolsRecovered: 4, RecoveryTurns: 1.5,
			Recovery:      []adaptation.Recovery{{Turns: 1, Tools: 3}, {Turns: 3, Tools: 1}},
			RepeatedTurns: 7, RepeatedShare: 0.14, Hallucinated: 2,
			NewTools: []adaptation.NewTool{
				{API: "Filter", Calls: 4, Errors: 2}, {API: "Init", Calls: 8, Errors: 3}, {API: "Read", Calls: 3},
			},
			Updates: adaptation.Updates{Calls: 5, True: 3, UnknownTool: 1, UnknownParameter: 1},
			Turns:   9.25, Tokens: 312, Cost: &adaptation.Cost{N: 4, Turns: -0.5, Tokens: 12},
		},
		{Policy: "p", API: "p_c", N: 4, Turns: 3},
	}

	want := `p under p_s_in: 4 questions, 1 lost
  met a deprecation          3 of 4 (75.0 %)
    adapted to all           2 of 3 (66.7 %)
  tools recovered            4 of 6 (66.7 %)
    after turns, mean        1.5
    after 1                  3 of 4 (75.0 %)
    after 3                  1 of 4 (25.0 %)
  turns repeating a failure  7 (14.0 % of turns)
  calls of unknown names     2
  wrong calls of new tools   5 of 15 (33.3 %)
                             Init: 3 of 8 (37.5 %)
                             Filter: 2 of 4 (50.0 %)
  true descriptions          3 of 5 (60.0 %)
    of unknown tools         1
    of unknown parameters    1
  turns                      9.2; tokens 312
  cost of drift, in turns    -0.5; tokens 12
                             in 4 questions under both versions

p under p_c: 4 questions, 0 lost
  met a deprecation          0 of 4 (0.0 %)
    adapted to all           0 of 0
  tools recovered            0 of 0
  turns repeating a failure  0 (0.0 % of turns)
  calls of unknown names     0
  turns                      3.0
`

	var b strings.Builder
	if err := adaptation.Write(&b, rows); err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

// A family of versions has more new tools than anybody reads.
func TestWriteManyTools(t *testing.T) {
	row := adaptation.Row{Policy: "p", API: "made", N: 1}
	for i := range 40 {
		row.NewTools = append(row.NewTools, adaptation.NewTool{API: fmt.Sprint("tool", i), Calls: 50, Errors: i + 1})
	}

	var b strings.Builder
	if err := adaptation.Write(&b, []adaptation.Row{row}); err != nil {
		t.Fatal(err)
	}

	if text := b.String(); !strings.Contains(text, "tool39: 40 of 50") || !strings.Contains(text, "tool28: 29 of 50") ||
		strings.Contains(text, "tool27:") || !strings.Contains(text, "and of 28 others") {
		t.Error(text)
	}
}
