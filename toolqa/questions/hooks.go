package questions

// What a template's file cannot say is a Go function that it names.
var (
	// goldHooks are rules that no query can say.
	goldHooks = map[string]rule{
		"nearby-review-rate":           ratedNear(place.circle, nearMiles),
		"published-nearby-review-rate": ratedNear(place.box, boxMetres),
		"shared-room":                  onPoint(cheapestSharedRoom),
		"published-shared-room":        onPoint(publishedSharedRoom),
	}

	// drawHooks are the ways to draw slots. What stands behind the name is the argument.
	drawHooks = map[string]func(t *Template, argument string) attempt{
		"days":            drawDays,
		"line":            drawLine,
		"listing":         drawListing,
		"neighbourhood":   drawNeighbourhood,
		"point":           drawPoint,
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
		"listed":          listed,
		"strip":           readStripped,
		"same-day":        sameDay,
		"trend":           readTrend,
		"whole":           readWhole,
		"size":            readSize,
		"yes-or-no":       readYesOrNo,
	}
)
