package questions

// coffeeChecks are the second opinions on the coffee questions. Where a plan asks SQL for a row and lets
// Python compute, here SQL computes; where a plan computes in SQL, here it is done in another way.
var coffeeChecks = map[string]string{
	"coffee-easy/open":   "SELECT py_str(Open) FROM coffee_data WHERE Date = :date",
	"coffee-easy/low":    "SELECT py_str(Low) FROM coffee_data WHERE Date = :date",
	"coffee-easy/high":   "SELECT py_str(High) FROM coffee_data WHERE Date = :date",
	"coffee-easy/close":  "SELECT py_str(Close) FROM coffee_data WHERE Date = :date",
	"coffee-easy/volume": "SELECT Volume FROM coffee_data WHERE Date = :date",
	"coffee-easy/percentage-change": "SELECT py_str(py_round((Close - Open) / Open * 100, 2)) || '%' FROM " +
		"coffee_data WHERE Date = :date",
	"coffee-easy/bearish-or-bullish": "SELECT CASE WHEN Close > Open THEN 'bullish' ELSE 'bearish' END FROM " +
		"coffee_data " +
		"WHERE Date = :date",
	"coffee-easy/range": "SELECT py_str(py_round(High - Low, 2)) FROM coffee_data WHERE Date = :date",

	"coffee-hard/highest": "SELECT py_str(High) || ' USD' FROM coffee_data WHERE Date >= :start AND Date <= :end " +
		"ORDER BY High DESC LIMIT 1",
	"coffee-hard/lowest": "SELECT py_str(Low) || ' USD' FROM coffee_data WHERE Date >= :start AND Date <= :end " +
		"ORDER BY Low LIMIT 1",
	"coffee-hard/average": "SELECT py_fixed(TOTAL(Close) / COUNT(*), 1) || ' USD' FROM coffee_data WHERE Date >= " +
		":start AND Date <= :end",
	"coffee-hard/change": "SELECT py_fixed(b.Close - a.Open, 1) || ' USD' FROM coffee_data AS a, coffee_data AS b " +
		"WHERE a.Date = (SELECT MIN(Date) FROM coffee_data WHERE Date >= :start) AND b.Date = (SELECT MAX(Date) " +
		"FROM coffee_data WHERE Date <= :end)",
	"coffee-hard/percentage-change": "SELECT py_fixed((b.Close - a.Close) / a.Close * 100, 1) || '%' FROM " +
		"coffee_data AS a, coffee_data AS b " +
		"WHERE b.Date = :date AND a.rowid = b.rowid - 1",
	"coffee-hard/greatest-difference": "SELECT MIN(Date) FROM coffee_data WHERE Date >= :start AND Date <= :end AND " +
		"High - Low = (SELECT MAX(High - Low) FROM coffee_data WHERE Date >= :start AND Date <= :end)",
	"coffee-hard/average-volume": "SELECT py_fixed(TOTAL(Volume) / COUNT(*), 1) FROM coffee_data WHERE Date >= " +
		":start AND Date <= :end",
	"coffee-hard/highest-increase": "SELECT b.Date FROM coffee_data AS a, coffee_data AS b ON b.rowid = a.rowid + 1 " +
		"WHERE a.Date >= :start AND b.Date <= :end ORDER BY b.Close - a.Close DESC, b.Date LIMIT 1",
	"coffee-hard/times-increased": "SELECT COUNT(*) FROM coffee_data AS a, coffee_data AS b ON b.rowid = a.rowid + 1 " +
		"WHERE a.Date >= :start AND b.Date <= :end AND b.Close > a.Close",
	"coffee-hard/percentage-increase": "SELECT py_fixed((b.Close - a.Open) / a.Open * 100, 1) || '%' FROM " +
		"coffee_data AS a, coffee_data AS b " +
		"WHERE a.Date = (SELECT MIN(Date) FROM coffee_data WHERE Date >= :start) AND b.Date = (SELECT MAX(Date) " +
		"FROM coffee_data WHERE Date <= :end)",
	"coffee-hard/range": "SELECT py_fixed(MAX(High) - MIN(Low), 1) || ' USD' FROM coffee_data WHERE " +
		"Date <= :end",
	"coffee-hard/days-closing-higher": "SELECT COUNT(*) FROM coffee_data WHERE Date <= :end AND Close > Open",
	"coffee-hard/average-percentage-change": "SELECT py_fixed(TOTAL((Close - Open) / Open * 100) / COUNT(*), " +
		"1) || '%' " +
		"FROM coffee_data WHERE Date >= :start AND Date <= :end",
}
