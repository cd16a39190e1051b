package questions

// The conditions of the second opinions.
const (
	checkBusiness = " FROM yelp_data WHERE name = :name AND postal_code = :pc AND city = :city AND state = :state"
	checkTown     = " FROM yelp_data WHERE city = :city AND state = :state"
	checkDoing    = " AND instr(', ' || categories || ', ', ', ' || :cat || ', ') > 0"
	checkNear     = " AND b.latitude BETWEEN a.latitude - 0.08 AND a.latitude + 0.08 " +
		"AND geodesic_miles(a.latitude, a.longitude, b.latitude, b.longitude) <= 5"
)

// yelpChecks are the second opinions on the yelp questions. Distances are those of Vincenty's inverse formula, which
// neither rules nor plans use, and objects are texts whose marks are removed.
var yelpChecks = map[string]string{
	"yelp-easy/address": "SELECT address FROM yelp_data WHERE name = :name AND postal_code = :pc GROUP BY " +
		"address ORDER BY MIN(rowid)",
	"yelp-easy/city": "SELECT city FROM yelp_data WHERE name = :name AND state = :state GROUP BY city " +
		"ORDER BY MIN(rowid)",
	"yelp-easy/state": "SELECT DISTINCT state FROM yelp_data WHERE name = :name",
	"yelp-easy/postal-code": "SELECT DISTINCT postal_code FROM yelp_data WHERE name = :name AND city = :city AND " +
		"state = :state",
	"yelp-easy/stars":   "SELECT py_str(stars)" + checkBusiness + " GROUP BY stars ORDER BY MIN(rowid)",
	"yelp-easy/reviews": "SELECT review_count" + checkBusiness + " GROUP BY review_count ORDER BY MIN(rowid)",
	"yelp-easy/open":    "SELECT CASE is_open WHEN 0 THEN 'No' ELSE 'Yes' END" + checkBusiness,
	"yelp-easy/appointment": "SELECT CASE WHEN instr(attributes, '''ByAppointmentOnly'': ''True''') > 0 THEN " +
		"'Yes' ELSE 'No' END" + checkBusiness,
	"yelp-easy/hours":       "SELECT replace(trim(hours, '{}'), '''', '')" + checkBusiness,
	"yelp-easy/categories":  "SELECT categories" + checkBusiness,
	"yelp-easy/coordinates": "SELECT py_str(latitude) || ', ' || py_str(longitude)" + checkBusiness,

	"yelp-hard/count": "SELECT COUNT(*)" + checkTown + checkDoing,
	"yelp-hard/area-count": "SELECT COUNT(*) FROM yelp_data WHERE postal_code = :pc AND :pc IN (SELECT postal_code" +
		checkTown + ")",
	"yelp-hard/highest-stars": "SELECT name" + checkTown + checkDoing + " AND stars = (SELECT MAX(stars)" + checkTown +
		checkDoing + ") " +
		"GROUP BY name",
	"yelp-hard/most-reviews": "SELECT name" + checkTown + checkDoing + " AND review_count = (SELECT MAX(review_count)" +
		checkTown + checkDoing + ") " +
		"GROUP BY name",
	"yelp-hard/nearby-reviews": "SELECT py_str(py_round(AVG(b.review_count), 2)) FROM yelp_data AS a, yelp_data " +
		"AS b WHERE a.name = :name" + checkNear,
	"yelp-hard/nearest": "SELECT b.name FROM yelp_data AS a, yelp_data AS b WHERE a.name = :name AND b.rowid <> " +
		"a.rowid " +
		"AND instr(', ' || b.categories || ', ', ', ' || :cat || ', ') > 0 " +
		"ORDER BY geodesic_miles(a.latitude, a.longitude, b.latitude, b.longitude) LIMIT 1",
	"yelp-hard/recommend": "SELECT DISTINCT name FROM (SELECT b.name, RANK() OVER (ORDER BY b.stars DESC) AS " +
		"place FROM yelp_data AS a, yelp_data AS b " +
		"WHERE a.address = :address AND instr(', ' || b.categories || ', ', ', ' || :cat || ', ') > 0" + checkNear +
		") WHERE place = 1",
	"yelp-hard/not-open": "SELECT COUNT(*) - SUM(is_open) FROM yelp_data WHERE city = :city",
	"yelp-hard/average-stars": "SELECT py_str(py_round(TOTAL(stars) / COUNT(*), 2)) FROM yelp_data WHERE city = :city" +
		checkDoing,
	"yelp-hard/busiest-area": "SELECT postal_code" + checkTown + " GROUP BY postal_code HAVING COUNT(*) = " +
		"(SELECT MAX(n) FROM (SELECT COUNT(*) AS n" + checkTown + " GROUP BY postal_code))",
}
