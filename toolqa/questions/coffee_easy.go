package questions

import (
	"strconv"

	"toolevo/envs/pytext"
)

// coffeeEasy are the questions about one trading day.
func coffeeEasy() []Template {
	return []Template{
		coffeeCell("open", "opening price", "Open", func(d Day) string { return pytext.FormatFloat(d.Open) }),
		coffeeCell("low", "lowest price", "Low", func(d Day) string { return pytext.FormatFloat(d.Low) }),
		coffeeCell("high", "highest price", "High", func(d Day) string { return pytext.FormatFloat(d.High) }),
		coffeeCell("close", "closing price", "Close", func(d Day) string { return pytext.FormatFloat(d.Close) }),
		coffeeCell("volume", "volume", "Volume", func(d Day) string { return strconv.FormatInt(d.Volume, 10) }),
		{
			Name: "percentage-change",
			Text: "What was the percentage change in coffee price on {date:date}, based on the difference between " +
				"the opening and closing prices?",
			gold: onDay(func(d Day) string { return round2((d.Close-d.Open)/d.Open*100) + "%" }),
			steps: []step{
				loadDB("coffee", "I need the opening and the closing price of one day. Both are in the coffee "+
					"database, so I load it first."),
				filterRow("Date={date}", "Only {date} matters, so I filter the data down to that day."),
				getNumbers("Open, Close", "One row is left. I read its opening and closing prices."),
				runPython(`print(str(round(({Close} - {Open}) / {Open} * 100, 2)) + "%")`, "%",
					"Coffee opened at {Open} and closed at {Close}. The percentage change is the difference "+
						"divided by the opening price; I compute it in Python, rounded to two decimals."),
				finish("{answer}", "The price changed by {answer} on {date}, which is what was asked."),
			},
		},
		{
			Name: "bearish-or-bullish",
			Text: "Was {date:date} a bearish or bullish day for coffee price?",
			gold: onDay(func(d Day) string { return trend(d.Open, d.Close) }),
			steps: []step{
				loadDB("coffee", "A day is bullish when the price closes above where it opened, and bearish "+
					"otherwise. The prices are in the coffee database, so I load it."),
				filterRow("Date={date}", "I keep only the row of {date}."),
				withTrend(getNumbers("Open, Close", "Now I read the opening and closing prices of that day.")),
				finish("{trend}", "Coffee opened at {Open} and closed at {Close}, so {date} was a {trend} day."),
			},
		},
		{
			Name: "range",
			Text: "What was the range of coffee price on {date:date}, based on the difference between the high " +
				"and low prices??",
			gold: onDay(func(d Day) string { return round2(d.High - d.Low) }),
			steps: []step{
				loadDB("coffee", "The range of a day is its highest price minus its lowest. I load the coffee "+
					"database to look both up."),
				filterRow("Date={date}", "I filter the data down to {date}."),
				getNumbers("High, Low", "One row is left. I read its highest and lowest prices."),
				runPython(`print(round({High} - {Low}, 2))`, "",
					"The highest price was {High} and the lowest {Low}. I subtract them in Python and round to "+
						"two decimals."),
				finish("{answer}", "The range on {date} was {answer}."),
			},
		},
	}
}

// coffeeCell is a question whose answer is one cell.
func coffeeCell(name, what, column string, text func(Day) string) Template {
	return Template{
		Name: name,
		Text: "What was the " + what + " of coffee on {date:date}?",
		gold: onDay(text),
		steps: []step{
			loadDB("coffee", "The question asks for the "+what+" of coffee on {date}. I load the coffee "+
				"database first."),
			filterRow("Date={date}", "The database holds one row for each trading day. I keep only {date}."),
			getNumbers(column, "One row is left. Its column "+column+" holds the "+what+"."),
			finish("{"+column+"}", "The "+what+" of coffee on {date} was {"+column+"}."),
		},
	}
}

// trend calls a day bullish when its price rose.
func trend(open, closing float64) string {
	if closing > open {
		return "bullish"
	}

	return "bearish"
}

// withTrend adds the value "trend" to what a step reads.
func withTrend(s step) step {
	s.read = derive(s.read, "trend", "a row with numbers as Open and Close", func(known Slots) (string, bool) {
		open, err := strconv.ParseFloat(known.Get("Open"), 64)
		closing, err2 := strconv.ParseFloat(known.Get("Close"), 64)
		return trend(open, closing), err == nil && err2 == nil
	})

	return s
}
