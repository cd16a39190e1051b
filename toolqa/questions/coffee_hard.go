package questions

import (
	"slices"

	"toolevo/envs/pytext"
)

// inRange is the condition of the queries: the days of the question.
const inRange = "FROM coffee.coffee_data WHERE Date BETWEEN '{start}' AND '{end}'"

// sinceFirst is inRange for the templates that spell out their start.
const sinceFirst = "FROM coffee.coffee_data WHERE Date BETWEEN '" + coffeeFirstDay + "' AND '{end}'"

// The prices at both ends of a range: the first day's opening and the last day's closing price.
const endsQuery = "SELECT (SELECT Open FROM coffee.coffee_data WHERE Date >= '{start}' ORDER BY Date LIMIT 1) AS " +
	"first_open, " +
	"(SELECT Close FROM coffee.coffee_data WHERE Date <= '{end}' ORDER BY Date DESC LIMIT 1) AS last_close"

// The days of a range with the change of the closing price since the trading day before, itself in the range.
const changes = "(SELECT Date, Close - LAG(Close) OVER (ORDER BY Date) AS increase " + inRange + ") AS changes"

// coffeeHard are the questions about many trading days. Rows are those with start <= Date <= end.
func coffeeHard() []Template {
	return slices.Concat(coffeeLevels(), coffeeDaily(), coffeeSpans())
}

// coffeeLevels are the hard questions about the level of prices and their change over a range.
func coffeeLevels() []Template {
	return []Template{
		{
			Name: "highest",
			Text: "What was the highest coffee price from {start:date} to {end:date}?",
			gold: onRange(1, func(days []Day) string { return pytext.FormatFloat(maxHigh(days)) + " USD" }),
			steps: []step{
				querySQL("SELECT MAX(High) AS highest "+inRange,
					"I only need the largest value of the High column over the range. SQL can return it directly, "+
						"however many days there are.",
					row(number("highest"))),
				finish("{highest} USD", "The highest price from {start} to {end} was {highest} USD."),
			},
		},
		{
			Name: "lowest",
			Text: "What was the lowest coffee price from {start:date} to {end:date}?",
			gold: onRange(1, func(days []Day) string { return pytext.FormatFloat(minLow(days)) + " USD" }),
			steps: []step{
				querySQL("SELECT MIN(Low) AS lowest "+inRange,
					"I need the smallest value of the Low column between the two dates, which SQL can return directly.",
					row(number("lowest"))),
				finish("{lowest} USD", "The lowest price from {start} to {end} was {lowest} USD."),
			},
		},
		{
			Name: "average",
			Text: "What was the average coffee price from {start:date} to {end:date}?",
			gold: onRange(1, func(days []Day) string {
				return fixed1(mean(days, func(d Day) float64 { return d.Close })) + " USD"
			}),
			steps: []step{
				querySQL("SELECT AVG(Close) AS average "+inRange,
					"The average price of a period is the mean of its closing prices. I compute it over the range "+
						"with SQL.",
					row(number("average"))),
				runPython(`print("%.1f USD" % {average})`, " USD", "The mean is {average}. I round it to one "+
					"decimal with Python."),
				finish("{answer}", "The average price from {start} to {end} was {answer}."),
			},
		},
		{
			Name: "change",
			Text: "How much did the coffee price change from {start:date} to {end:date}?",
			gold: onRange(1, func(days []Day) string { return fixed1(days[len(days)-1].Close-days[0].Open) + " USD" }),
			steps: []step{
				querySQL(endsQuery,
					"The change over a period is the closing price of its last day minus the opening price of its "+
						"first. One query can fetch both.",
					row(number("first_open"), number("last_close"))),
				runPython(`print("%.1f USD" % ({last_close} - {first_open}))`, " USD",
					"Coffee opened at {first_open} on the first day and closed at {last_close} on the last. I "+
						"subtract them in Python."),
				finish("{answer}", "From {start} to {end} the price changed by {answer}."),
			},
		},
	}
}

// coffeeDaily are the hard questions that compare the days of a range, or a day with the one before.
func coffeeDaily() []Template {
	return []Template{
		coffeeChangeOnDay(),
		{
			Name: "greatest-difference",
			Text: "On which date from {start:date} to {end:date} was the difference between the highest and " +
				"lowest coffee prices the greatest?",
			gold: onRange(1, func(days []Day) string {
				return firstMax(days, func(i int) float64 { return days[i].High - days[i].Low })
			}),
			steps: []step{
				querySQL("SELECT Date "+inRange+" ORDER BY High - Low DESC, Date LIMIT 1",
					"I sort the days of the range by the difference of High and Low, largest first, and take the "+
						"top one.",
					row(day("Date"))),
				finish("{Date}", "The difference was the greatest on {Date}."),
			},
		},
		{
			Name: "average-volume",
			Text: "What was the average daily volume of coffee traded from {start:date} to {end:date}?",
			gold: onRange(1, func(days []Day) string {
				return fixed1(mean(days, func(d Day) float64 { return float64(d.Volume) }))
			}),
			steps: []step{
				querySQL("SELECT AVG(Volume) AS average "+inRange,
					"The average daily volume is the mean of the Volume column over the range. I compute it with SQL.",
					row(number("average"))),
				runPython(`print("%.1f" % {average})`, "", "The mean is {average}. I round it to one decimal "+
					"with Python."),
				finish("{answer}", "The average daily volume from {start} to {end} was {answer}."),
			},
		},
		{
			Name: "highest-increase",
			Text: "On which date from {start:date} to {end:date} did the coffee price have the highest increase " +
				"compared to the previous day?",
			gold: onRange(2, func(days []Day) string {
				later := days[1:]
				return firstMax(later, func(i int) float64 { return later[i].Close - days[i].Close })
			}),
			steps: []step{
				querySQL("SELECT Date FROM "+changes+" WHERE increase IS NOT NULL ORDER BY increase DESC, Date LIMIT 1",
					"For each day of the range I need its closing price minus that of the trading day before, "+
						"which LAG gives. The day with the largest value is the answer.",
					row(day("Date"))),
				finish("{Date}", "The price had its highest increase on {Date}."),
			},
		},
		{
			Name: "times-increased",
			Text: "How many times from {start:date} to {end:date} did the coffee price increase compared to the " +
				"previous day?",
			gold: onRange(1, func(days []Day) string {
				return count(days, func(i int) bool { return i > 0 && days[i].Close > days[i-1].Close })
			}),
			steps: []step{
				querySQL("SELECT COUNT(*) AS times FROM "+changes+" WHERE increase > 0",
					"I compare each closing price of the range with that of the trading day before and count how "+
						"often it is higher.",
					row(number("times"))),
				finish("{times}", "From {start} to {end} the price increased {times} times."),
			},
		},
	}
}

// coffeeChangeOnDay asks for the change since the trading day before, whose date the question does not give.
func coffeeChangeOnDay() Template {
	return Template{
		Name: "percentage-change",
		Text: "What was the percentage change in coffee price on {date:date} compared to the previous day?",
		gold: on(func(c *Coffee, s Slots) (string, error) {
			i, ok := c.find(s.Get("date"))
			if !ok || i == 0 {
				return "", errNoAnswer
			}

			before := c.days[i-1].Close

			return fixed1((c.days[i].Close-before)/before*100) + "%", nil
		}),
		draw: drawDay(1),
		steps: []step{
			querySQL("SELECT Date, Close FROM coffee.coffee_data WHERE Date <= '{date}' ORDER BY Date DESC LIMIT 2",
				"I need the closing prices of {date} and of the trading day before it. They are the last two rows "+
					"up to that date.",
				sameDay(rows([]field{day("Date1"), number("Close1")}, []field{day("Date2"), number("Close2")}))),
			runPython(`print("%.1f%%" % (({Close1} - {Close2}) / {Close2} * 100))`, "%",
				"Coffee closed at {Close1} on {Date1} and at {Close2} on {Date2}, the trading day before. I "+
					"compute the change in per cent with Python."),
			finish("{answer}", "Compared to the previous day the price changed by {answer} on {date}."),
		},
	}
}

// sameDay checks that the first row read is of the day asked about, which might be no trading day.
func sameDay(read reader) reader {
	return then(read, func(result string, known *Slots) error {
		if date := known.Get("date"); known.Get("Date1") != date {
			return unexpected(result, "a result that begins with "+date)
		}

		return nil
	})
}

// coffeeSpans are the hard questions about a whole range, two of them from the first day of the corpus on.
func coffeeSpans() []Template {
	return []Template{
		{
			Name: "percentage-increase",
			Text: "What was the percentage increase in coffee price from {start:date} to {end:date}?",
			gold: onRange(1, func(days []Day) string {
				open := days[0].Open
				return fixed1((days[len(days)-1].Close-open)/open*100) + "%"
			}),
			steps: []step{
				querySQL(endsQuery,
					"The increase is measured from the opening price of the first day to the closing price of the "+
						"last. I fetch both with one query.",
					row(number("first_open"), number("last_close"))),
				runPython(`print("%.1f%%" % (({last_close} - {first_open}) / {first_open} * 100))`, "%",
					"The price went from {first_open} to {last_close}. I compute the increase as a percentage of "+
						"the former in Python."),
				finish("{answer}", "The percentage increase from {start} to {end} was {answer}."),
			},
		},
		coffeeRange(),
		{
			Name: "days-closing-higher",
			Text: "On how many days from " + coffeeFirstDay + " to {end:date} did the coffee price close higher " +
				"than the opening price?",
			gold: onRange(1, func(days []Day) string {
				return count(days, func(i int) bool { return days[i].Close > days[i].Open })
			}),
			draw: drawDay(1),
			steps: []step{
				querySQL("SELECT COUNT(*) AS days "+sinceFirst+" AND Close > Open",
					"I count the days up to {end} on which the Close column is above the Open column. SQL does "+
						"that in one query.",
					row(number("days"))),
				finish("{days}", "The price closed higher than it opened on {days} days."),
			},
		},
		{
			Name: "average-percentage-change",
			Text: "What was the average percentage change in coffee price from {start:date} to {end:date}?",
			gold: onRange(1, func(days []Day) string {
				return fixed1(mean(days, func(d Day) float64 { return (d.Close - d.Open) / d.Open * 100 })) + "%"
			}),
			steps: []step{
				querySQL("SELECT AVG((Close - Open) / Open * 100) AS average "+inRange,
					"The percentage change of a day is the difference of its closing and opening prices, divided "+
						"by the opening price. SQL can average it over the range.",
					row(number("average"))),
				runPython(`print("%.1f%%" % {average})`, "%", "The mean is {average} per cent. I round it to one "+
					"decimal with Python."),
				finish("{answer}", "The average percentage change from {start} to {end} was {answer}."),
			},
		},
	}
}

// coffeeRange asks for the range of prices since the first day. Its published rule is faulty.
func coffeeRange() Template {
	return Template{
		Name: "range",
		Text: "What was the coffee price range from " + coffeeFirstDay + " to {end:date}?",
		Fault: "the published rule takes the lowest price to be 0, so its answer is the highest price; " +
			"ToolQA-D corrects it",
		Corrected: true,
		gold:      onRange(1, func(days []Day) string { return fixed1(maxHigh(days)-minLow(days)) + " USD" }),
		official: onRange(1, func(days []Day) string {
			return fixed1(maxHigh(days)-0) + " USD"
		}),
		draw: drawDay(1),
		steps: []step{
			querySQL("SELECT MAX(High) AS highest, MIN(Low) AS lowest "+sinceFirst,
				"The range of a period is its highest price minus its lowest. I ask for both with one query.",
				row(number("highest"), number("lowest"))),
			runPython(`print("%.1f USD" % ({highest} - {lowest}))`, " USD",
				"The highest price was {highest} and the lowest {lowest}. I subtract them in Python and keep one "+
					"decimal."),
			finish("{answer}", "The price range from "+coffeeFirstDay+" to {end} was {answer}."),
		},
	}
}
