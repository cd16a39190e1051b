package toolbench

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// renamed are the parameters that DynamicToolBench gives other names.
var renamed = strings.Fields(`
	city country user user_id username email password address postal_code zipcode id record_id date created_at
	updated_at time amount value price unit_price currency loanAmount interestRate duration accountNumber
	transactionId flightNumber departureCity arrivalCity adId impressions clicks conversionRate invoiceId productId
	quantity rating status language apikey threadId promptId category type name phone image_url url`)

// touched says what DynamicToolBench's rules change of a parameter.
func touched(p Parameter) (isRenamed, isTyped, isFlipped bool) {
	var usual any
	_ = json.Unmarshal(p.Default, &usual) // it was parsed before

	kind := strings.ToLower(p.Type)
	word := strings.ToLower(fmt.Sprint(usual))

	return slices.Contains(renamed, p.Name), slices.Contains([]string{"int", "integer", "boolean"}, kind),
		slices.Contains([]string{"asc", "desc", "true", "false"}, word)
}

// counts are what the rules change in a set of documents.
type counts struct{ renamed, apis, typed, flipped, nested int }

func (c *counts) add(d *Document) (exposed bool) {
	before := *c

	for _, p := range slices.Concat(d.Required, d.Optional) {
		isRenamed, isTyped, isFlipped := touched(p)
		c.renamed += count(isRenamed)
		c.typed += count(isTyped)
		c.flipped += count(isFlipped)
	}

	exposed = *c != before

	c.apis += count(c.renamed > before.renamed)
	c.nested += count(slices.ContainsFunc(d.Required, isNested))

	return exposed
}

// isNested reports whether the rule of nesting wraps a required parameter, of which it sees the new name: email_address
// and street_address.
func isNested(p Parameter) bool {
	return p.Name == "email" || slices.ContainsFunc([]string{"address", "geo", "coord"},
		func(part string) bool { return strings.Contains(p.Name, part) })
}

func count(is bool) int {
	if is {
		return 1
	}

	return 0
}

// The rules of DynamicToolBench, applied by hand, change what was counted without this program: so the documents are
// those that were published.
func TestExposure(t *testing.T) {
	t.Parallel()

	c := published(t)

	var all counts
	for i := range c.Documents {
		all.add(&c.Documents[i])
	}

	want := counts{renamed: 423, apis: 393, typed: 83, flipped: 34, nested: 18}
	if isWhole(c) {
		want = counts{renamed: 764, apis: 703, typed: 170, flipped: 57, nested: 42}
	}

	if all != want {
		t.Errorf("in the documents the rules change %+v, want %+v", all, want)
	}

	// Of each group: parameters of the entries that each rule changes, and queries with a relevant API that is changed.
	type group struct{ renamed, typed, flipped, exposed int }

	groups := map[string]group{}

	for _, q := range c.Queries {
		g, exposed := groups[q.Group], false

		for _, k := range q.APIs {
			var one counts

			d, _ := c.Document(k)
			changed := one.add(d)
			g.renamed += one.renamed
			g.typed += one.typed
			g.flipped += one.flipped
			exposed = exposed || changed && slices.Contains(q.Relevant, k)
		}

		g.exposed += count(exposed)
		groups[q.Group] = g
	}

	counted := map[string]group{
		"G1_instruction": {251, 55, 10, 73},
		"G1_category":    {159, 10, 13, 60},
		"G1_tool":        {257, 56, 18, 63},
		"G2_category":    {207, 52, 44, 75},
		"G2_instruction": {195, 59, 10, 57},
		"G3_instruction": {171, 56, 44, 54},
	}
	for name, got := range groups {
		if got != counted[name] {
			t.Errorf("in %s the rules change %+v, want %+v", name, got, counted[name])
		}
	}
}
