package questions

// yelpAnswers are the easy questions whose answer has to be made of a cell.
func yelpAnswers() []Template {
	return []Template{
		yelpAnswer("open", "Is {name:text+} still open "+yelpWhere, "is_open",
			"Whether a business is still open is in the column is_open of the yelp database, which I load.",
			finish("{answer}", "In the column is_open there is {is_open}, so the answer is {answer}."),
			func(cell string) (string, bool) {
				if cell == "0" {
					return "No", true
				}

				return "Yes", true
			}),
		yelpAnswer("appointment", "Does {name:text+} require appointment "+yelpWhere, "attributes",
			"Businesses that require an appointment say so in their attributes, as ByAppointmentOnly. I load the "+
				"yelp database to read them.",
			finish("{answer}", "An appointment is required only where the attributes say True for "+
				"ByAppointmentOnly, so the answer is {answer}."),
			func(cell string) (string, bool) {
				if value, ok := attribute(cell, "ByAppointmentOnly"); ok && value == "True" {
					return "Yes", true
				}

				return "No", true
			}),
		yelpAnswer("hours", "What are the hours of operation for {name:text+} "+yelpWhere, "hours",
			"The hours of operation are in the yelp database, so I load it.",
			finish("{answer}", "I write each day with its hours, in the order of the column."),
			openingHours),
		yelpAnswer("categories", "What categories does {name:text+} belong to, "+yelpWhere, "categories",
			"The categories of a business are a column of the yelp database. I load it.",
			finish("{answer}", "The column categories lists them."),
			func(cell string) (string, bool) { return cell, cell != noObject }),
		yelpCoordinates(),
	}
}

// yelpAnswer is a question whose answer is made of the cell of one business. The published rule takes the
// first of more.
func yelpAnswer(name, text, column, load string, last step, answer func(cell string) (string, bool)) Template {
	return Template{
		Name: name,
		Text: text,
		gold: onBusiness(answer, column),
		draw: drawYelpCells(yelpByAll, oneBusiness),
		choose: yelpLookup(yelpByAll, []string{column}, load, func(sql bool) reader {
			read := textCells([]string{column})
			if sql {
				read = textCell(column)
			}

			return derive(read, "answer", "a row with "+column,
				func(known Slots) (string, bool) { return answer(known.Get(column)) })
		}, last),
	}
}

// onBusiness makes a rule of a function of a cell of the first business that the slots find.
func onBusiness(answer func(cell string) (string, bool), column string) rule {
	return ofBusiness((*Yelp).first, func(y *Yelp, row int, _ Slots) (string, error) {
		v, err := y.column(column)
		if err != nil {
			return "", err
		}

		text, ok := answer(v.Text(row))
		if !ok {
			return "", errNoAnswer
		}

		return text, nil
	}, yelpByAll...)
}

// yelpCoordinates asks for two cells of one business.
func yelpCoordinates() Template {
	return Template{
		Name: "coordinates",
		Text: "What are the coordinates of {name:text+} " + yelpWhere,
		gold: ofBusiness((*Yelp).first, func(y *Yelp, row int, _ Slots) (string, error) {
			return y.latitude.Text(row) + ", " + y.longitude.Text(row), nil
		}, yelpByAll...),
		draw: drawYelpCells(yelpByAll, oneBusiness),
		choose: yelpLookup(yelpByAll, []string{"latitude", "longitude"},
			"The coordinates of a business are its latitude and longitude, which are in the yelp database. I load it.",
			func(sql bool) reader {
				if sql {
					return row(number("latitude"), number("longitude"))
				}

				return cells(parseFields("latitude, longitude")[0])
			},
			finish("{latitude}, {longitude}", "The business is at {latitude}, {longitude}.")),
	}
}

// oneBusiness reports whether the slots find one business.
func oneBusiness(y *Yelp, s Slots) bool {
	rows, err := y.find(s, yelpByAll...)
	return err == nil && len(rows) == 1
}
