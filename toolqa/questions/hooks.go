package questions

// What a template's file cannot say is a Go function that it names.
var (
	// goldHooks are rules that no query can say.
	goldHooks = map[string]rule{
		"distance":                     distance,
		"nearby-review-rate":           ratedNear(place.circle, nearMiles),
		"nearby-reviews":               aroundBusiness("name", false, nearbyReviews),
		"nearest":                      aroundBusiness("name", false, nearestBusiness),
		"published-nearby-review-rate": ratedNear(place.box, boxMetres),
		"published-nearby-reviews":     aroundBusiness("name", true, publishedNearbyReviews),
		"published-recommend":          aroundBusiness("address", true, publishedRecommended),
		"recommend":                    aroundBusiness("address", false, recommended),
		"shared-room":                  cheapestSharedRoom,
	}

	// drawHooks are the ways to draw slots. What stands behind the name is the argument.
	drawHooks = map[string]func(t *Template, argument string) (drawer, error){
		"business-by":     attempts(drawBusinessBy),
		"days":            attempts(drawDays),
		"graph":           drawGraph,
		"line":            attempts(drawLine),
		"listing":         attempts(drawListing),
		"nearest":         attempts(drawOnly("name", pickNearest)),
		"point":           attempts(drawPoint),
		"recommend":       attempts(drawOnly("address", pickRecommended)),
		"relation":        attempts(drawRelation),
		"row":             attempts(drawRow),
		"settled-listing": attempts(drawSettledListing),
		"stay":            attempts(drawStay),
		"steady-business": attempts(drawOnly("name", pickSteady)),
		"town":            attempts(drawTown),
		"word":            attempts(drawWord),
	}

	// readHooks take values from the results of calls. What stands behind the name are the arguments; there is
	// no reader where they make no sense.
	readHooks = map[string]func(arguments string) reader{
		"answer":         readAnswer,
		"appointment":    readAppointment,
		"as":             readAs,
		"circle":         readCircle,
		"degrees":        func(string) reader { return readDegrees },
		"described":      readDescribed,
		"distinct-cells": distinctCellsOf,
		"distinct-rows":  distinctRowsOf,
		"edge":           readEdge,
		"flight-numbers": readFlightNumbers,
		"listed":         listed,
		"meetings":       func(string) reader { return readMeetings },
		"node":           readNode,
		"only-row":       func(string) reader { return startsWith(filtered + "1 row") },
		"rows-left":      readRowsLeft,
		"same-day":       sameDay,
		"shared":         readShared,
		"stated":         readStated,
		"trend":          readTrend,
	}
)
