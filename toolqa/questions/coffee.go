package questions

import (
	"fmt"
	"math/rand/v2"
	"strconv"
)

// rangeShare is the mean length of a drawn range as a share of the corpus. With exponential lengths the median is then
// about 1,100 of 5,741 days, and with the templates that start on the first day about 1,300, as in the published test
// questions: long ranges that no observation can list, and now and then a few days only.
const rangeShare = 0.27

// drawDays draws the first and the last day of a range of at least two days where the template has both; else one day,
// but none of so many first days of the corpus as the argument says.
func drawDays(t *Template, argument string) attempt {
	skip, _ := strconv.Atoi(argument)

	return func(r *rand.Rand, s *Corpus) ([]string, bool, error) {
		dates, err := s.column("Date")
		if err != nil {
			return nil, false, err
		}

		n := s.table.Rows()
		if n < len(t.slots) || n <= skip {
			return nil, false, fmt.Errorf("a corpus of %d days is too small", n)
		}

		if len(t.slots) == 1 {
			return []string{dates.Text(skip + r.IntN(n-skip))}, true, nil
		}

		length := 2 + int(r.ExpFloat64()*rangeShare*float64(n))
		for length > n {
			length = 2 + int(r.ExpFloat64()*rangeShare*float64(n))
		}

		first := r.IntN(n - length + 1)

		return []string{dates.Text(first), dates.Text(first + length - 1)}, true, nil
	}
}

// readTrend adds whether the price rose, as "trend", to the prices that were read.
func readTrend(string) reader {
	return func(_ string, known *slotValues) error {
		opening, _ := strconv.ParseFloat(known.get("Open"), 64) // numbers, as the step has seen to
		closing, _ := strconv.ParseFloat(known.get("Close"), 64)

		trend := "bearish"
		if closing > opening {
			trend = "bullish"
		}

		*known = append(*known, slotValue{"trend", trend})

		return nil
	}
}

// sameDay checks that the first row read is of the day asked about, which might be no trading day.
func sameDay(string) reader {
	return func(result string, known *slotValues) error {
		if date := known.get("date"); known.get("Date1") != date {
			return unexpected(result, "a result that begins with "+date)
		}

		return nil
	}
}
