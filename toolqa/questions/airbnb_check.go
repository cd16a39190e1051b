package questions

// Parts of the queries below.
const (
	checkListing = " FROM airbnb_data WHERE NAME = :name AND id = CAST(:id AS INTEGER) AND neighbourhood = :nb"
	checkHood    = " FROM airbnb_data WHERE neighbourhood = :nb"
	checkPrice   = "(REPLACE(REPLACE(TRIM(price), '$', ''), ',', '') + 0)"
	checkFee     = "(REPLACE(REPLACE(TRIM(service_fee), '$', ''), ',', '') + 0)"
)

// airbnbChecks are the second opinions on the airbnb questions. Distances are those of Vincenty's inverse
// formula, which neither rules nor plans use; the best listings are found by their rank.
var airbnbChecks = map[string]string{
	"airbnb-easy/host-name": "SELECT host_name FROM airbnb_data WHERE NAME = :name AND neighbourhood = :nb",
	"airbnb-easy/available-days": "SELECT CAST(availability_365 AS INTEGER) FROM airbnb_data WHERE NAME = " +
		":name AND id = CAST(:id AS INTEGER)",
	"airbnb-easy/room-type":         "SELECT room_type" + checkListing,
	"airbnb-easy/price":             "SELECT TRIM(price)" + checkListing,
	"airbnb-easy/minimum-nights":    "SELECT CAST(minimum_nights AS INTEGER)" + checkListing,
	"airbnb-easy/construction-year": "SELECT CAST(Construction_year AS INTEGER)" + checkListing,
	"airbnb-easy/reviews":           "SELECT CAST(number_of_reviews AS INTEGER)" + checkListing,
	"airbnb-easy/last-review":       "SELECT last_review" + checkListing,
	"airbnb-easy/review-rate":       "SELECT py_str(review_rate_number)" + checkListing,
	"airbnb-easy/reviews-per-month": "SELECT py_str(reviews_per_month)" + checkListing,

	"airbnb-hard/total-price": "SELECT '$' || py_fixed((" + checkPrice + " + " + checkFee +
		") * MAX(minimum_nights, CAST(:nights AS REAL)), 1) " +
		"FROM airbnb_data WHERE NAME = :name AND neighbourhood = :nb",
	"airbnb-hard/count":         "SELECT COUNT(*)" + checkHood,
	"airbnb-hard/average-price": "SELECT '$' || py_fixed(TOTAL(" + checkPrice + ") / COUNT(price), 1)" + checkHood,
	"airbnb-hard/nearby-review-rate": "SELECT py_str(py_round(AVG(b.review_rate_number), 2)) FROM airbnb_data AS " +
		"a, airbnb_data AS b " +
		"WHERE a.NAME = :name AND a.neighbourhood = :nb AND b.lat BETWEEN a.lat - 0.08 AND a.lat + 0.08 " +
		"AND geodesic_miles(a.lat, a.long, b.lat, IFNULL(b.long, 0.0)) <= 5",
	"airbnb-hard/flexible-share": "SELECT py_str(py_round(AVG(cancellation_policy IS 'flexible'), 2))" + checkHood,
	"airbnb-hard/most-expensive-home": "SELECT '$' || " + checkPrice + checkHood +
		" AND room_type = 'Entire home/apt' AND price IS NOT NULL ORDER BY " + checkPrice + " DESC LIMIT 1",
	"airbnb-hard/highly-rated": "SELECT CAST(TOTAL(review_rate_number > 4) AS INTEGER)" + checkHood,
	"airbnb-hard/cheapest-room": "SELECT DISTINCT NAME FROM (SELECT NAME, id, RANK() OVER (ORDER BY " + checkPrice +
		") AS place" + checkHood +
		" AND price IS NOT NULL) WHERE place = 1 ORDER BY id",
	"airbnb-hard/private-room": "SELECT DISTINCT NAME FROM (SELECT NAME, id, RANK() OVER (ORDER BY " +
		"reviews_per_month DESC) AS place" + checkHood +
		" AND room_type = 'Private room' AND calculated_host_listings_count > 1 AND reviews_per_month IS NOT " +
		"NULL) WHERE place = 1 ORDER BY id",
	"airbnb-hard/shared-room": "SELECT DISTINCT NAME FROM (SELECT NAME, id, RANK() OVER (ORDER BY " + checkPrice +
		") AS place FROM airbnb_data " +
		"WHERE room_type = 'Shared room' AND price IS NOT NULL AND " +
		"geodesic_miles(CAST(:lat AS REAL), CAST(:long AS REAL), IFNULL(lat, 0.0), IFNULL(long, 0.0)) <= 10) " +
		"WHERE place = 1 ORDER BY id",
}
