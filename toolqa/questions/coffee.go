package questions

import "strconv"

// readTrend adds whether the price rose, as "trend", to the prices that were read.
func readTrend(string) reader {
	return func(_ string, known *slotValues) error {
		// The step has made sure that both are numbers.
		opening, _ := strconv.ParseFloat(known.get("Open"), 64)
		closing, _ := strconv.ParseFloat(known.get("Close"), 64)

		trend := "bearish"
		if closing > opening {
			trend = "bullish"
		}

		*known = append(*known, slotValue{"trend", trend})
		return nil
	}
}

// sameDay checks that the first row read is of the day asked about, which may not be a trading day.
func sameDay(string) reader {
	return func(result string, known *slotValues) error {
		if date := known.get("date"); known.get("Date1") != date {
			return unexpected(result, "a result that begins with "+date)
		}
		return nil
	}
}
