package toolbench

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"toolevo/envs/toolapi"
)

func TestNames(t *testing.T) {
	t.Parallel()

	for published, want := range map[string]string{
		"List Languages":           "list_languages",
		"properties/get-broadband": "properties_get_broadband",
		"24h Weather":              "get_24h_weather",
		"ID":                       "is_id",
		"True":                     "is_true",
		"v2.0/users/{id}":          "v2_0_users_id",
		"__a--b__":                 "a_b",
		"日本 API":                   "日本_api",
		"a^b":                      "a^b",
		"/":                        "",
		"":                         "",
		"_1_":                      "get_1",
		"0":                        "get_0",
		"9z":                       "get_9z",
		":a;":                      "a",
		"aAzZ09_^":                 "aazz09_^",
		"@[`{/:":                   "",
		"\u4e00\u9fa5":             "\u4e00\u9fa5",
		"\u4dff\u9fa6":             "",
		"\xffа":                    "", // no UTF-8, and a Cyrillic letter
	} {
		if got := Name(published); got != want {
			t.Errorf("%q is called %q, want %q", published, got, want)
		}
	}

	for published, want := range map[string]string{
		"News, Media": "News_Media",
		"Artificial Intelligence/Machine Learning": "Artificial_Intelligence_Machine_Learning",
		"a,  b": "a__b",
	} {
		if got := CategoryName(published); got != want {
			t.Errorf("the category %q is called %q, want %q", published, got, want)
		}
	}
}

// A name is its own name, unless it becomes a word that is reserved, and has no character that an
// action could not.
func FuzzName(f *testing.F) {
	for _, seed := range []string{"List Languages", "24h", "__id__", "日本 API", "^", "İ"} {
		f.Add(seed)
	}

	f.Fuzz(func(t *testing.T, published string) {
		name := Name(published)
		if again := Name(name); again != name {
			t.Errorf("%q is called %q, which is called %q", published, name, again)
		}

		if strings.Contains(name, "__") || strings.Trim(name, "_") != name || slices.Contains(reserved, name) ||
			notInNames.MatchString(strings.ReplaceAll(name, "_", "")) {
			t.Errorf("%q is called %q", published, name)
		}
	})
}

// Names that are too long or shared stay apart, and are those of the document whatever the others
// are.
func TestFunctions(t *testing.T) {
	t.Parallel()

	long := strings.Repeat("very ", 20)
	keys := []Key{
		{"Media", "Demo", "Me"}, {"Sports", "Demo", "Me"},
		{"Media", "Demo", long + "a"}, {"Media", "Demo", long + "b"},
		{"Media", "Demo", "You"},
	}

	c := &Collection{}
	for _, k := range keys {
		c.Documents = append(c.Documents, Document{Key: k})
	}

	names, err := c.Functions()
	if err != nil {
		t.Fatal(err)
	}

	taken := map[string]bool{}

	for _, k := range keys {
		name := names[k]
		if taken[name] || utf8.RuneCountInString(name) > toolapi.MostName {
			t.Errorf("%s is called %s", k, name)
		}

		taken[name] = true
	}

	if names[keys[4]] != "you_for_demo" {
		t.Errorf("a name that nobody shares is %s", names[keys[4]])
	}

	slices.Reverse(c.Documents)

	if again, err := c.Functions(); err != nil || again[keys[0]] != names[keys[0]] || again[keys[2]] != names[keys[2]] {
		t.Errorf("in another order the names are %v (%v)", again, err)
	}
}

// In the published files no name is taken twice, and the published rules would take other functions
// for these.
func TestPublishedNames(t *testing.T) {
	t.Parallel()

	c := published(t)

	names, err := c.Functions()
	if err != nil {
		t.Fatal(err)
	}

	if len(names) != len(c.Documents) {
		t.Errorf("%d names of %d documents", len(names), len(c.Documents))
	}

	suffix, prefix := 0, 0

	for _, q := range c.Queries {
		for i, k := range q.APIs {
			called := FunctionName(k)
			last, first := called[max(0, len(called)-toolapi.MostName):], called[:min(len(called), toolapi.MostName)]

			if slices.IndexFunc(q.APIs, func(k Key) bool { return strings.HasSuffix(FunctionName(k), last) }) != i {
				suffix++
			}

			if slices.IndexFunc(q.APIs, func(k Key) bool { return strings.HasPrefix(FunctionName(k), first) }) != i {
				prefix++
			}
		}
	}

	if suffix == 0 {
		t.Error("the published rule reaches every function: this test looks at nothing")
	}

	t.Logf("by the published rules %d (last %d) and %d (first %d) calls reach another function", suffix,
		toolapi.MostName, prefix, toolapi.MostName)
}
