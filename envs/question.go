package envs

import (
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// QuestionKey returns what equal questions have in common. Questions are equal after NFKC, case
// folding and collapsing white space: no more than that would keep a model from knowing the one for
// the other.
func QuestionKey(text string) string {
	folded := cases.Fold().String(norm.NFKC.String(text))
	return strings.Join(strings.Fields(norm.NFKC.String(folded)), " ")
}
