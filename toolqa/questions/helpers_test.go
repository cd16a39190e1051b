package questions

import (
	"encoding/csv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// sharedData returns a path below the published data, or skips the test where there is none.
func sharedData(t testing.TB, parts ...string) string {
	t.Helper()
	root := os.Getenv("TOOLEVO_SHARED_DATA")
	if root == "" {
		dir, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		for {
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
				break
			}
			parent := filepath.Dir(dir)
			if parent == dir {
				t.Fatal("no go.mod above the working directory")
			}
			dir = parent
		}
		root = filepath.Join(dir, "..", "shared", "data")
	}
	path := filepath.Join(append([]string{root}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the published data is not here: %v (set TOOLEVO_SHARED_DATA)", err)
	}
	return path
}

// realCoffee reads the published coffee file.
func realCoffee(t testing.TB) *Coffee {
	t.Helper()
	f, err := os.Open(sharedData(t, "toolqa", "corpus", "coffee", "coffee_price.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var days []Day
	for _, r := range records[1:] {
		d := Day{Date: r[0]}
		for i, p := range []*float64{&d.Open, &d.High, &d.Low, &d.Close} {
			if *p, err = strconv.ParseFloat(r[i+1], 64); err != nil {
				t.Fatal(err)
			}
		}
		if d.Volume, err = strconv.ParseInt(r[5], 10, 64); err != nil {
			t.Fatal(err)
		}
		days = append(days, d)
	}
	return mustCoffee(t, days)
}

func mustCoffee(t testing.TB, days []Day) *Coffee {
	t.Helper()
	c, err := NewCoffee(days)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// syntheticCoffee makes n days of prices to the cent, from the published first day on.
func syntheticCoffee(t testing.TB, n int) *Coffee {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 7))
	cents := func(x float64) float64 { return math.Round(max(x, 20)*100) / 100 }
	days := make([]Day, n)
	date := time.Date(2000, 1, 3, 0, 0, 0, 0, time.UTC)
	price := 120.0
	for i := range days {
		open := cents(price + r.NormFloat64())
		closing := cents(open + 2*r.NormFloat64())
		if r.IntN(20) == 0 {
			closing = open
		}
		days[i] = Day{
			Date: date.Format(time.DateOnly), Open: open, Close: closing,
			High: cents(max(open, closing) + r.ExpFloat64()), Low: cents(min(open, closing) - r.ExpFloat64()),
			Volume: r.Int64N(60000),
		}
		price = closing
		date = date.AddDate(0, 0, 1+r.IntN(3))
	}
	return mustCoffee(t, days)
}

// anyCoffee is the published corpus, or a synthetic one of its size where it is absent.
func anyCoffee(t testing.TB) *Coffee {
	t.Helper()
	var c *Coffee
	if t, ok := t.(*testing.T); ok {
		t.Run("published corpus", func(t *testing.T) { c = realCoffee(t) })
	}
	if c == nil {
		c = syntheticCoffee(t, 5741)
	}
	return c
}

// smallCoffee is a corpus for computing by hand.
func smallCoffee(t testing.TB) *Coffee {
	t.Helper()
	return mustCoffee(t, []Day{
		{"2000-01-03", 122.25, 124.0, 116.1, 116.5, 6640},
		{"2000-01-04", 116.25, 120.5, 115.75, 116.25, 5492},
		{"2000-01-05", 115.0, 121.0, 115.0, 118.6, 6165},
		{"2000-01-06", 119.0, 121.4, 116.5, 116.85, 5094},
		{"2000-01-10", 123.5, 126.0, 116.0, 116.8, 6000},
	})
}
