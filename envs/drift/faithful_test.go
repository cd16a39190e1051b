package drift_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"toolevo/envs"
	"toolevo/envs/drift"
)

// certain is a script in which everything happens that can, but for the swap.
func certain() drift.Faithful {
	f := drift.FaithfulCombined
	f.URL = []drift.URLMove{{Chance: 1, Parts: f.URL[0].Parts}}
	f.Nest, f.Swap = 1, 0

	return f
}

// The published rules, case by case, with their defects.
func TestFaithfulRules(t *testing.T) {
	t.Parallel()

	parameter := func(name, kind string, value any) drift.DocumentParameter {
		return drift.DocumentParameter{Name: name, Type: kind, Description: "It.", Default: value}
	}

	for name, test := range map[string]struct {
		document, want drift.Document
		change         drift.DocumentChange
	}{
		"names are looked up once, exactly": {
			drift.Document{Required: []drift.DocumentParameter{
				parameter("city", "STRING", "x"), parameter("City", "STRING", "x"), parameter("url", "STRING", ""),
				parameter("location", "STRING", "x"),
			}},
			drift.Document{Required: []drift.DocumentParameter{
				parameter("location", "STRING", "x"), parameter("City", "STRING", "x"),
				parameter("endpoint_url", "STRING", ""), parameter("location", "STRING", "x"),
			}},
			drift.DocumentChange{Renamed: []string{"location", "endpoint_url"}, Duplicates: []string{"location"}},
		},
		"numbers keep their type": {
			drift.Document{Optional: []drift.DocumentParameter{
				parameter("a", "NUMBER", envs.Number("1")), parameter("b", "BOOLEAN", true),
				parameter("c", "int", "ASC"),
			}},
			drift.Document{Optional: []drift.DocumentParameter{
				parameter("a", "NUMBER", envs.Number("1")), parameter("b", "string", "false"),
				parameter("c", "string", "desc"),
			}},
			drift.DocumentChange{Types: []string{"b", "c"}, Defaults: []string{"b", "c"}},
		},
		"an e-mail address is a place": {
			drift.Document{Required: []drift.DocumentParameter{
				parameter("email", "STRING", "x"), parameter("q", "STRING", "x"),
			}, Optional: []drift.DocumentParameter{parameter("coordinates", "STRING", "")}},
			drift.Document{Required: []drift.DocumentParameter{
				parameter("q", "STRING", "x"),
				{Name: "address", Type: "OBJECT", Fields: []string{"email_address"}},
			}, Optional: []drift.DocumentParameter{parameter("coordinates", "STRING", "")}},
			drift.DocumentChange{Renamed: []string{"email_address"}, Nested: []string{"email_address"}},
		},
		"URLs": {
			drift.Document{URL: "https://a.rapidapi.com/v1/getAll/post"},
			drift.Document{URL: "https://a.rapidapi.com/v1/fetchAll/submit"},
			drift.DocumentChange{URL: true},
		},
	} {
		was := []drift.Document{{
			URL: test.document.URL, Required: slices.Clone(test.document.Required),
			Optional: slices.Clone(test.document.Optional),
		}}

		got, changes := certain().Apply(was)
		empty := cmpopts.EquateEmpty()
		stock := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Description" }, cmp.Ignore())

		if diff := cmp.Diff(test.want, got[0], empty, stock); diff != "" {
			t.Errorf("%s: the document\n%s", name, diff)
		}

		if diff := cmp.Diff(test.change, changes[0], empty); diff != "" {
			t.Errorf("%s: the change\n%s", name, diff)
		}

		if diff := cmp.Diff(test.document, was[0], empty); diff != "" {
			t.Errorf("%s: the input changed\n%s", name, diff)
		}
	}
}

// The graded scripts: the second is applied to what the first made.
func TestFaithfulGrades(t *testing.T) {
	t.Parallel()

	was := []drift.Document{{
		URL:      "https://a.rapidapi.com/v1/get",
		Required: []drift.DocumentParameter{{Name: "city", Type: "BOOLEAN", Default: "true"}},
	}}

	v2, _ := drift.FaithfulV2.Apply(was)
	if p := v2[0].Required[0]; v2[0].URL != "https://a.api-service.io/v2/fetch" || p.Name != "location" ||
		p.Type != "BOOLEAN" {
		t.Errorf("v2 is %+v", v2)
	}

	v3, _ := drift.FaithfulV3.Apply(v2)
	if p := slices.Concat(v3[0].Required, v3[0].Optional)[0]; v3[0].URL != "https://a.api-service.io/v3/fetch" ||
		p.Type != "string" || p.Default != "false" {
		t.Errorf("v3 is %+v", v3)
	}
}

// With the published chances a lone required parameter nearly always moves and comes back, one of two moves half of the
// time for good, and every run gives the same.
func TestFaithfulSwap(t *testing.T) {
	t.Parallel()

	const n = 4000

	var documents []drift.Document
	for range n {
		documents = append(documents,
			drift.Document{Required: []drift.DocumentParameter{{Name: "a"}}},
			drift.Document{
				Required: []drift.DocumentParameter{{Name: "a"}}, Optional: []drift.DocumentParameter{{Name: "b"}},
			})
	}

	got, _ := drift.FaithfulCombined.Apply(documents)
	if again, _ := drift.FaithfulCombined.Apply(documents); !cmp.Equal(got, again) {
		t.Error("two runs differ")
	}

	alone, exchanged := 0, 0

	for i := 0; i < len(got); i += 2 {
		if len(got[i].Optional) == 1 {
			alone++
		}

		if len(got[i+1].Required) == 1 && got[i+1].Required[0].Name == "b" {
			exchanged++
		}
	}

	// 0.99 · 0.01 of n, and 0.99 · 0.99 / 2 of n
	if alone < 20 || alone > 60 || exchanged < 1850 || exchanged > 2070 {
		t.Errorf("%d of %d lone parameters became optional, %d of %d changed places", alone, n, exchanged, n)
	}
}
