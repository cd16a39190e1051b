package questions

// What a template's file cannot say is a Go function that it names.
var (
	// goldHooks are rules that no query can say.
	goldHooks = map[string]rule{
		"free-slots":                   onBusyDay(freeSlots),
		"published-free-slots":         onBusyDay(publishedSlots),
		"nearby-reviews":               aroundBusiness("name", false, nearbyReviews),
		"nearest":                      aroundBusiness("name", false, nearestBusiness),
		"recommend":                    aroundBusiness("address", false, recommended),
		"published-nearby-reviews":     aroundBusiness("name", true, publishedNearbyReviews),
		"published-nearest":            aroundBusiness("name", true, publishedNearest),
		"published-recommend":          aroundBusiness("address", true, publishedRecommended),
		"nearby-review-rate":           ratedNear(place.circle, nearMiles),
		"published-nearby-review-rate": ratedNear(place.box, boxMetres),
		"shared-room":                  onPoint(cheapestSharedRoom),
		"published-shared-room":        onPoint(publishedSharedRoom),
	}

	// drawHooks are the ways to draw slots. What stands behind the name is the argument.
	drawHooks = map[string]func(t *Template, argument string) attempt{
		"business-by":     drawBusinessBy,
		"days":            drawDays,
		"graph":           drawGraph,
		"line":            drawLine,
		"listing":         drawListing,
		"point":           drawPoint,
		"nearest":         drawOnly("name", pickNearest),
		"recommend":       drawOnly("address", pickRecommended),
		"steady-business": drawOnly("name", pickSteady),
		"town":            drawTown,
		"word":            drawWord,
		"settled-listing": drawSettledListing,
		"stay":            drawStay,
		"row":             drawRow,

		"relation": drawRelation,
	}

	// readHooks take values from the results of calls. What stands behind the name are the arguments.
	readHooks = map[string]func(arguments string) reader{
		"only-row":        func(string) reader { return startsWith(filtered + "1 row") },
		"clock":           readClock,
		"flight-numbers":  readFlightNumbers,
		"datasets":        readPassages(readDatasets),
		"highest-dataset": readPassages(readHighestDataset),
		"highest-method":  readPassages(readHighestMethod),
		"metrics":         readPassages(readMetrics),
		"score":           readPassages(readScore),
		"by-appointment":  readAnswer("attributes", byAppointment),
		"distinct-cells":  distinctCellsOf,
		"distinct-rows":   distinctRowsOf,
		"opening-hours":   readAnswer("hours", openingHours),
		"present":         readAnswer("categories", anyObject),
		"still-open":      readAnswer("is_open", stillOpen),
		"appointment":     readAppointment,
		"described":       readDescribed,
		"events":          func(string) reader { return readEvents },
		"meetings":        func(string) reader { return readMeetings },
		"rows-left":       readRowsLeft,
		"circle":          readCircle,
		"citations":       func(string) reader { return readCitations },
		"common":          readCommon,
		"degree":          func(string) reader { return readDegree },
		"direct":          readKnown,
		"edge":            readEdge,
		"node":            readNode,
		"listed":          listed,
		"strip":           readStripped,
		"same-day":        sameDay,
		"trend":           readTrend,
		"whole":           readWhole,
		"size":            readSize,
		"yes-or-no":       readYesOrNo,
	}
)
