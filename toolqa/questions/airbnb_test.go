package questions

import (
	"encoding/csv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"toolevo/toolqa/corpus/importer"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// airbnbColumns are the columns of the small table, in the order of its rows below.
var airbnbColumns = []string{
	"id", "NAME", "host name", "neighbourhood", "lat", "long", "cancellation_policy", "room type", "Construction year",
	"price", "service fee",
	"minimum nights", "number of reviews", "last review", "reviews per month", "review rate number",
	"calculated host listings count", "availability 365",
}

// smallAirbnbRows are listings for computing by hand, as the tools print them. Five miles are
// 0.0725 degrees of latitude and 0.0951 of longitude, five kilometres 0.045 and 0.059.
func smallAirbnbRows() [][]string {
	const entire, private, shared = "Entire home/apt", "Private room", "Shared room"
	return [][]string{
		{"1001", "Loft in Soho, NY in SoHo", "Ann & Bo", "SoHo", "40.7", "-74.0", "flexible", entire, "2003.0",
			"$1,083 ", "$217 ", "30.0", "4.0", "7/4/2019", "0.21", "4.0", "1.0", "286.0"},
		{"1002", "Cheap", "Cleo", "SoHo", "40.7", "-73.91", "strict", entire, "2004.0", "$90 ", "$18 ", "1.0", "0.0",
			"nan", "nan", "5.0", "2.0", "0.0"},
		{"1003", "Twin", "Dan", "SoHo", "40.77", "-74.0", "flexible", private, "2005.0", "$90 ", "$18 ", "nan", "9.0",
			"1/1/2022", "1.5", "3.0", "2.0", "-3.0"},
		{"1004", "Twin", "Eve", "SoHo", "40.773", "-74.0", "nan", private, "nan", "$100 ", "nan", "2.0", "nan", "nan",
			"2.5", "1.0", "1.0", "nan"},
		{"1005", "nan", "Fay", "SoHo", "40.74", "-74.0", "moderate", private, "2006.0", "nan", "$20 ", "2.0", "3.0",
			"1/2/2022", "0.5", "4.0", "3.0", "5.0"},
		{"1006", "Bunk (id: 7) in Harlem", "Gil", "Harlem", "40.82", "-73.95", "strict", shared, "2007.0", "$70 ",
			"$14 ", "1.0", "2.0", "1/3/2022", "0.1", "nan", "1.0", "365.0"},
		{"1007", "Sofa", "Hal", "Harlem", "40.59", "-74.06", "strict", shared, "2008.0", "$1,000 ", "$200 ", "1.0",
			"2.0", "1/3/2022", "0.1", "2.0", "1.0", "365.0"},
		{"1008", "Couch; brown", "Ida", "Harlem", "40.7", "-74.13", "flexible", shared, "2009.0", "$70 ", "$14 ",
			"-5.0", "2.0", "1/3/2022", "0.3", "5.0", "1.0", "365.0"},
		{"1009", "Cot", "Jon", "Harlem", "nan", "nan", "flexible", shared, "2009.0", "$50 ", "$10 ", "1.0", "2.0",
			"1/3/2022", "0.1", "5.0", "1.0", "365.0"},
	}
}

func smallAirbnb(t testing.TB) *Corpus {
	t.Helper()
	return mustLoad(t, smallAirbnbFile(t))
}

// smallAirbnbFile is the same as an imported corpus.
func smallAirbnbFile(t testing.TB) *corpus.Corpus {
	t.Helper()

	schema, err := corpus.SchemaOf(toolqa.Airbnb)
	if err != nil {
		t.Fatal(err)
	}

	var header []string
	for _, c := range schema.Columns {
		header = append(header, c.Name)
	}

	records := [][]string{header}
	for _, row := range smallAirbnbRows() {
		record := make([]string, len(header))

		for i, name := range airbnbColumns {
			if row[i] != noCell {
				record[slices.Index(header, name)] = row[i]
			}
		}

		record[slices.Index(header, "host id")] = row[0]
		records = append(records, record)
	}

	var text strings.Builder
	if err := csv.NewWriter(&text).WriteAll(records); err != nil {
		t.Fatal(err)
	}

	path := filepath.Join(t.TempDir(), "Airbnb_Open_Data.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return imported(t, toolqa.Airbnb, path, importer.Options{AllowShort: true})
}

// airbnbGold is a question about the small corpus. The official answer is given where it differs
// from the right one.
type airbnbGold struct{ template, question, want, official string }

func airbnbGolds() []airbnbGold {
	const loft = "Loft in Soho, NY in SoHo"
	return []airbnbGold{
		{"airbnb-easy/host-name", "What is the host's name for " + loft + " in SoHo?", "Ann & Bo", ""},
		{"airbnb-easy/available-days", "How many days are Twin (id: 1003) available during a year (365 days)?", "-3",
			""},
		{"airbnb-easy/room-type", "What is the room type of Bunk (id: 7) in Harlem (id: 1006) in Harlem?",
			"Shared room", ""},
		{"airbnb-easy/price", "What is the price of " + loft + " (id: 1001) in SoHo?", "$1,083", ""},
		{"airbnb-easy/minimum-nights", "What is the minimum number of nights of " + loft + " (id: 1001) in SoHo?", "30",
			""},
		{"airbnb-easy/construction-year", "When was of Cheap (id: 1002) in SoHo constructed?", "2004", ""},
		{"airbnb-easy/reviews", "How many reviews does Cheap (id: 1002) in SoHo have?", "0", ""},
		{"airbnb-easy/last-review", "What is the last review date of " + loft + " (id: 1001) in SoHo?", "7/4/2019", ""},
		{"airbnb-easy/last-review", "What is the last review date of Cheap (id: 1002) in SoHo?", "nan", ""},
		{"airbnb-easy/review-rate", "What is the review rate number of Cheap (id: 1002) in SoHo?", "5.0", ""},
		{"airbnb-easy/reviews-per-month", "What is the average number of reviews per month of " + loft +
			" (id: 1001) in SoHo?", "0.21", ""},

		// 30 nights at least
		{"airbnb-hard/total-price", "What is the total price at least if you want to stay at " + loft +
			" in SoHo for 3 nights?", "$39000.0", ""},
		// -5 at least
		{"airbnb-hard/total-price", "What is the total price at least if you want to stay at Couch; brown in " +
			"Harlem for 3 nights?", "$252.0", ""},
		{"airbnb-hard/count", "How many airbnbs are there in SoHo?", "5", ""},
		// (1083 + 90 + 90 + 100) / 4 = 340.75
		{"airbnb-hard/average-price", "What is the average price of airbnbs in SoHo?", "$340.8", ""},
		// Within 5 miles of the loft: the loft, those at 40.77 and 40.74, and the one 0.09 degrees
		// to the east, but not the one at 40.773. In the box: the loft and the one at 40.74.
		{"airbnb-hard/nearby-review-rate", "What is the average review rates within 5 miles from " + loft + " in SoHo?",
			"4.0", "4.0"},
		{"airbnb-hard/nearby-review-rate", "What is the average review rates within 5 miles from Cheap in SoHo?", "4.5",
			"5.0"},
		{"airbnb-hard/flexible-share", "How much proporion of airbnbs in SoHo have a flexible cancellation policy?",
			"0.4", ""},
		{"airbnb-hard/most-expensive-home", "How much does it cost per night to stay at the most expensive entire " +
			"home/apt in SoHo?", "$1083", "$90"},
		{"airbnb-hard/highly-rated", "How many airbnbs are there in SoHo that have a review rate higher than 4?", "1",
			"3"},
		{"airbnb-hard/cheapest-room", "Can you recommend me a hotel room with the lowest price in SoHo?", "Cheap; Twin",
			loft},
		{"airbnb-hard/cheapest-room", "Can you recommend me a hotel room with the lowest price in Harlem?", "Cot",
			"Sofa"},
		{"airbnb-hard/private-room", "Can you recommend me a private room with the highest review rate that can " +
			"host at least 2 people in SoHo?", "Twin", "Twin"},
		// 0.13 degrees to the west are 6.8 miles, 0.12 to the north 8.3.
		{"airbnb-hard/shared-room", "Can you recommend a shared room with the lowest price within 10 miles from " +
			"-74.0 longitude and 40.7 latitude?", "Bunk (id: 7) in Harlem; Couch; brown", "Sofa"},
		{"airbnb-hard/shared-room", "Can you recommend a shared room with the lowest price within 10 miles from " +
			"-74.1 longitude and 40.6 latitude?", "Couch; brown", "Sofa"},
	}
}

func TestAirbnbGold(t *testing.T) {
	a := smallAirbnb(t)
	covered := map[string]bool{}

	for _, tt := range airbnbGolds() {
		m, ok := recognise(tt.question)
		if !ok || m.template.Name != tt.template {
			t.Errorf("Recognise(%q) = %v, %v, want %s", tt.question, m, ok, tt.template)
			continue
		}

		covered[tt.template] = true
		if got, err := rightAnswer(m, a); err != nil || got != tt.want {
			t.Errorf("Gold(%q) = %q, %v, want %q", tt.question, got, err, tt.want)
		}

		if tt.official == "" {
			tt.official = tt.want
		}

		if got, err := officialAnswer(m, a); err != nil || got != tt.official {
			t.Errorf("OfficialGold(%q) = %q, %v, want %q", tt.question, got, err, tt.official)
		}
	}

	for _, tmpl := range templatesOf(toolqa.Airbnb) {
		if !covered[tmpl.Name] {
			t.Errorf("no gold answer of %s is tested", tmpl.Name)
		}

		if (tmpl.fault == "") != (tmpl.official == nil) {
			t.Errorf("%s: a fault without a published rule, or the reverse", tmpl.Name)
		}
	}
}

// What was computed by hand is what the plan comes to, missing cells and all.
func TestAirbnbGoldOtherwise(t *testing.T) {
	c := smallAirbnbFile(t)

	var qs []toolqa.Question

	for i, tt := range airbnbGolds() {
		m, _ := recognise(tt.question)
		qs = append(qs, toolqa.Question{
			ID:         strconv.Itoa(i),
			Dataset:    toolqa.Airbnb,
			Difficulty: m.template.difficulty,
			Template:   tt.template,
			Text:       tt.question,
			Answer:     tt.want,
		})
	}

	playAll(t, c, qs, ending.right, "p_s_ood")
}

func TestNoAnswerAboutAirbnb(t *testing.T) {
	a := smallAirbnb(t)

	for _, q := range []string{
		"What is the host's name for Twin in SoHo?", // two of them
		"What is the host's name for Twin in Harlem?",
		"What is the price of Twin (id: 1002) in SoHo?",
		"How many days are Twin (id: 1004) available during a year (365 days)?",
		"When was of Twin (id: 1004) in SoHo constructed?",
		"How many reviews does Twin (id: 1004) in SoHo have?",
		"What is the total price at least if you want to stay at Twin in SoHo for 3 nights?",
		"How many airbnbs are there in Soho?",
		"What is the average price of airbnbs in Soho?",
		"What is the average review rates within 5 miles from Cot in Harlem?", // nobody knows where it is
		"How much does it cost per night to stay at the most expensive entire home/apt in Harlem?",
		"Can you recommend me a private room with the highest review rate that can host at least 2 people in Harlem?",
		"Can you recommend a shared room with the lowest price within 10 miles from 0.0 longitude and 51.0 latitude?",
	} {
		m, ok := recognise(q)
		if !ok {
			t.Errorf("%q is not recognised", q)
			continue
		}

		if got, err := rightAnswer(m, a); !isNoAnswer(err) {
			t.Errorf("Gold(%q) = %q, %v, want no answer", q, got, err)
		}
	}
}

func TestListed(t *testing.T) {
	var known slotValues
	if err := distinctRowsOf("NAME ;")("NAME: The BLUE OWL:\nVEGETARIAN\nNAME: b", &known); err != nil ||
		known.get("NAME") != "The BLUE OWL:\nVEGETARIAN; b" {
		t.Errorf("%q, %v", known, err)
	}

	for _, result := range []string{"", "There is something wrong with the SQL command you send. Please modify it.",
		"id: 5"} {
		if err := distinctRowsOf("NAME ;")(result, &known); err == nil {
			t.Errorf("%q is read", result)
		}
	}
}

func TestAirbnbSecondOpinions(t *testing.T) {
	c := syntheticAirbnb(t, 3_000)
	qs := drawEach(t, mustLoad(t, c), 25)
	answersOf(t, c, qs)

	for _, q := range qs {
		if strings.ContainsAny(q.Text, "\r\n") || strings.Contains(q.Answer, noCell) {
			t.Errorf("question %q, answer %q", q.Text, q.Answer)
		}
	}
}

// There are as many questions as the paper has, of a corpus of the published size or of one for a
// look.
func TestGenerateAirbnb(t *testing.T) {
	view := mustLoad(t, syntheticAirbnb(t, 6_000))

	for _, d := range toolqa.Difficulties() {
		counts := PaperCounts(toolqa.Airbnb, d)

		qs, err := Generate(rand.New(rand.NewPCG(1, 2)), view, d, Options{Counts: counts})
		if err != nil {
			t.Fatal(err)
		}

		if len(qs) != counts.Train+counts.Dev+counts.Test {
			t.Errorf("%s: %d questions", d, len(qs))
		}

		for _, q := range qs {
			tmpl, _ := lookup(q.Template)
			if q.Split == toolqa.Train && !tmpl.trainable() {
				t.Fatalf("%s is in training", q.Template)
			}
		}
	}
}

func BenchmarkAirbnbRules(b *testing.B) {
	benchmarkRules(b, mustLoad(b, syntheticAirbnb(b, 102_599)))
}
