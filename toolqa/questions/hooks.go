package questions

// readHooks take values from the results of calls, where a template's file cannot say how. The text
// after the name is the arguments; the reader is nil if they make no sense.
var readHooks = map[string]func(arguments string) reader{
	"answer":         readAnswer,
	"appointment":    readAppointment,
	"as":             readAs,
	"circle":         readCircle,
	"degrees":        func(string) reader { return readDegrees },
	"described":      readDescribed,
	"distinct-cells": distinctCellsOf,
	"distinct-rows":  distinctRowsOf,
	"edge":           readEdge,
	"meetings":       func(string) reader { return readMeetings },
	"node":           readNode,
	"only-row":       func(string) reader { return startsWith(filtered + "1 row") },
	"rows-left":      readRowsLeft,
	"same-day":       sameDay,
	"shared":         readShared,
	"stated":         readStated,
	"trend":          readTrend,
}
