package questions

// What a template's file cannot say is a Go function that it names.
var (
	// goldHooks are rules that no query can say.
	goldHooks = map[string]rule{
		"distance":                     distance,
		"free-slots":                   onBusyDay(freeSlots),
		"nearby-review-rate":           ratedNear(place.circle, nearMiles),
		"nearby-reviews":               aroundBusiness("name", false, nearbyReviews),
		"nearest":                      aroundBusiness("name", false, nearestBusiness),
		"published-free-slots":         onBusyDay(publishedSlots),
		"published-nearby-review-rate": ratedNear(place.box, boxMetres),
		"published-nearby-reviews":     aroundBusiness("name", true, publishedNearbyReviews),
		"published-nearest":            aroundBusiness("name", true, publishedNearest),
		"published-recommend":          aroundBusiness("address", true, publishedRecommended),
		"published-shared-room":        onPoint(publishedSharedRoom),
		"recommend":                    aroundBusiness("address", false, recommended),
		"shared-room":                  onPoint(cheapestSharedRoom),
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

	// readHooks take values from the results of calls. What stands behind the name are the arguments.
	readHooks = map[string]func(arguments string) reader{
		"appointment":     readAppointment,
		"by-appointment":  readAnswer("attributes", byAppointment),
		"circle":          readCircle,
		"citations":       func(string) reader { return readCitations },
		"clock":           readClock,
		"common":          readCommon,
		"datasets":        readPassages(readDatasets),
		"degree":          func(string) reader { return readDegree },
		"described":       readDescribed,
		"direct":          readKnown,
		"distinct-cells":  distinctCellsOf,
		"distinct-rows":   distinctRowsOf,
		"edge":            readEdge,
		"events":          func(string) reader { return readEvents },
		"flight-numbers":  readFlightNumbers,
		"highest-dataset": readPassages(readHighestDataset),
		"highest-method":  readPassages(readHighestMethod),
		"listed":          listed,
		"meetings":        func(string) reader { return readMeetings },
		"metrics":         readPassages(readMetrics),
		"node":            readNode,
		"only-row":        func(string) reader { return startsWith(filtered + "1 row") },
		"opening-hours":   readAnswer("hours", openingHours),
		"present":         readAnswer("categories", anyObject),
		"rows-left":       readRowsLeft,
		"same-day":        sameDay,
		"score":           readPassages(readScore),
		"size":            readSize,
		"still-open":      readAnswer("is_open", stillOpen),
		"strip":           readStripped,
		"trend":           readTrend,
		"whole":           readWhole,
		"yes-or-no":       readYesOrNo,
	}
)
