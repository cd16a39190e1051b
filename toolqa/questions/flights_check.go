package questions

// The conditions of the second opinions.
const (
	checkFlight = "FROM flights_data WHERE IATA_Code_Marketing_Airline = substr(:flight, 1, 2) " +
		"AND Flight_Number_Marketing_Airline = CAST(substr(:flight, 3) AS INTEGER) "
	checkRoute = "Origin = :origin AND Dest = :dest "
	checkLeg   = checkFlight + "AND " + checkRoute + "AND FlightDate = :date "
	checkDay   = "FROM flights_data WHERE FlightDate = :date "
	checkFrom  = "FROM flights_data WHERE Origin = :origin AND FlightDate = :date "
	checkHost  = "FROM flights_data WHERE " + checkRoute + "AND Airline = :airline "
)

// flightsChecks are the second opinions on the flights questions: SQL computes what the plans read or let Python
// compute, and where a plan computes in SQL, here it is done in another way.
var flightsChecks = map[string]string{
	"flights-easy/departure-time": "SELECT printf('%d:%02d', DepTime / 100, DepTime % 100) " + checkLeg +
		"AND DepTime IS NOT NULL",
	"flights-easy/arrival-time": "SELECT printf('%d:%02d', ArrTime / 100, ArrTime % 100) " + checkLeg +
		"AND ArrTime IS NOT NULL",
	"flights-easy/crs-arrival-time": "SELECT printf('%d:%02d', CRSArrTime / 100, CRSArrTime % 100) " + checkLeg,
	"flights-easy/cancelled":        "SELECT CASE Cancelled WHEN 1 THEN 'Yes' ELSE 'No' END " + checkLeg,
	"flights-easy/flight-number": "SELECT Flight_Number_Marketing_Airline " + checkHost + "AND FlightDate = :date " +
		"GROUP BY Flight_Number_Marketing_Airline ORDER BY MIN(rowid)",
	"flights-easy/crs-difference": "SELECT CAST(MAX(DepDelayMinutes, -DepDelay) AS INTEGER) " + checkLeg,
	"flights-easy/arrival-delay": "SELECT py_str(MAX(ArrDelay, 0.0)) " + checkFlight +
		"AND FlightDate = :date AND ArrDelay IS NOT NULL",
	"flights-easy/extra-minutes": "SELECT CASE ArrDelay WHEN DepDelay THEN '0' ELSE py_str(ArrDelay - DepDelay) END " +
		checkLeg + "AND ArrDelay IS NOT NULL",
	"flights-easy/flight-length": "SELECT CAST(AirTime AS INTEGER) " + checkLeg,
	"flights-easy/taxi-in":       "SELECT CAST(TaxiIn AS INTEGER) " + checkFlight + "AND FlightDate = :date",

	"flights-hard/percentage-delayed": "SELECT py_fixed(CAST(SUM(IFNULL(DepDelayMinutes, 0) > 0) AS REAL) / " +
		"COUNT(*) * 100, 1) || '%' " + checkFrom,
	"flights-hard/average-delay": "SELECT py_fixed(TOTAL(DepDelayMinutes) / COUNT(*), 1) " + checkFrom +
		"AND DepDelayMinutes IS NOT NULL",
	"flights-hard/diverted":        "SELECT SUM(Diverted) " + checkDay,
	"flights-hard/distance":        "SELECT COUNT(*) - SUM(Distance <= 500) " + checkDay,
	"flights-hard/average-airtime": "SELECT py_fixed(TOTAL(AirTime) / COUNT(AirTime), 1) || ' minutes' " + checkHost,
	"flights-hard/number-of-flights": "SELECT COUNT(*) FROM (SELECT Flight_Number_Marketing_Airline " + checkHost +
		"GROUP BY Flight_Number_Marketing_Airline)",
	"flights-hard/average-flight-time": "SELECT py_fixed(TOTAL(AirTime) / COUNT(AirTime), 1) || ' minutes' " +
		checkFlight,
	"flights-hard/fastest": "SELECT IATA_Code_Marketing_Airline || Flight_Number_Marketing_Airline FROM " +
		"flights_data WHERE " + checkRoute +
		"AND DayOfWeek = CAST(:weekday AS INTEGER) AND AirTime = (SELECT MIN(AirTime) FROM flights_data WHERE " +
		checkRoute +
		"AND DayOfWeek = CAST(:weekday AS INTEGER)) ORDER BY rowid LIMIT 1",
	"flights-hard/average-speed": "SELECT py_fixed(TOTAL(Distance / AirTime) / COUNT(AirTime), 1) || CASE :unit " +
		"WHEN '' THEN ' miles per minute' ELSE '' END " +
		checkFlight + "AND " + checkRoute,
	"flights-hard/flights-on-date": "SELECT SUM(Airline = :airline) " + checkDay,
}
