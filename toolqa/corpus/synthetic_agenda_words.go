package corpus

// agendaKind is a kind of things to do. Times are in half hours after midnight.
type agendaKind struct {
	events, prefixes, places []string
	first, last              int   // the earliest and the latest start
	lengths                  []int // as often as they occur
}

// agendaKinds are the kinds, each as frequent as the others.
var agendaKinds = []agendaKind{
	{
		events: []string{
			"Broadway show", "Opera performance", "Jazz concert", "Stand-up comedy show", "Piano recital",
			"Theatre play", "Ballet performance",
			"Symphony orchestra", "Movie premiere", "Indie film festival", "Poetry reading", "Magic show",
			"Choral performance", "Open mic night",
			"Live podcast", "Fashion show", "Puppet theatre", "Musical, opening night",
		},
		prefixes: []string{"Charity", "Live", "Annual", "Student", "Midsummer"},
		places: []string{"Theater", "Opera House", "Music Hall", "Playhouse", "Concert Hall", "Arena", "Jazz Club",
			"Cinema"},
		first:   34,
		last:    41,
		lengths: []int{4, 4, 4, 5, 5, 6, 3},
	},
	{
		events: []string{
			"Pottery class", "Creative writing workshop", "Photography workshop", "Wine and paint event",
			"Floral design session", "Cooking class",
			"Language exchange", "Spanish conversation class", "Dreamcatcher-making workshop", "Robotics seminar",
			"Public speaking class",
			"Calligraphy lesson", "Guitar lesson", "Take a candle making class", "Knitting circle", "Drawing lesson",
			"Candy making class",
		},
		prefixes: []string{"Beginner", "Intermediate", "Advanced", "Weekend", "Family"},
		places: []string{"Art Studio", "Community College", "Craft House", "Learning Center", "Library", "Workshop",
			"Camera Store"},
		first:   18,
		last:    36,
		lengths: []int{2, 3, 3, 4, 4, 6},
	},
	{
		events: []string{
			"Baseball game", "Tennis lesson", "Yoga class", "Spin class", "Boxing match", "Ice hockey game",
			"Volleyball tournament", "Morning swim",
			"Martial arts class", "Rock climbing", "Fun run", "Gym workout", "Pilates", "Parkour class", "Horse race",
			"Stand-up paddleboarding lesson",
			"Yoga + meditation", "Women's football match", "Batting cage practice",
		},
		prefixes: []string{"Outdoor", "Charity", "Junior", "Senior", "Regional"},
		places: []string{"Stadium", "Fitness Club", "Sports Center", "Yoga Studio", "Gymnasium", "Aquatic Center",
			"Tennis Courts", "Park"},
		first:   12,
		last:    38,
		lengths: []int{2, 2, 3, 4, 5, 6},
	},
	{
		events: []string{
			"Wine tasting", "Food festival", "Chili cook-off", "Coffee tasting", "Happy hour", "Brewery tour",
			"Farmers market visit",
			"Dinner with friends", "Cheese + wine festival", "Sushi rolling", "Brunch with the team", "Oktoberfest",
			"Barbecue, drinks and dancing",
			"Cooking competition", "Food truck festival", "Tea ceremony", "Chocolate tasting",
		},
		prefixes: []string{"Vegan", "Rooftop", "International", "Harvest", "Local"},
		places: []string{"Winery", "Cafe", "Restaurant", "Brewery", "Greenmarket", "Bistro", "Rooftop Bar",
			"Kitchen"},
		first:   20,
		last:    38,
		lengths: []int{2, 3, 4, 4, 6, 8},
	},
	{
		events: []string{
			"Business meeting", "Conference call", "Leadership training", "Industry conference", "Job interview",
			"Networking event",
			"Meeting with a client", "Budget review", "Product launch", "Public policy conference",
			"Employee team building event", "Board meeting",
			"Trade fair", "Sales presentation", "Corporate social responsibility conference", "Contract negotiation",
			"Town hall, questions and answers",
		},
		prefixes: []string{"Quarterly", "Annual", "Regional", "Emergency", "Virtual"},
		places: []string{"Convention Center", "Conference Room", "Headquarters", "Business Park", "Hotel",
			"Innovation Hub", "Office Tower"},
		first:   16,
		last:    30,
		lengths: []int{2, 2, 3, 4, 6, 16},
	},
	{
		events: []string{
			"Bird-watching tour", "Hiking trail", "Landscape photography walk", "Star-gazing", "Botanical garden tour",
			"Horseback riding", "Kayaking",
			"Historical tour", "Street art tour", "Aquarium visit", "Zoo visit", "Picnic", "Model airplane flying",
			"Fishing trip", "Visit to historic landmark",
			"Whale watching", "Beach cleanup",
		},
		prefixes: []string{"Guided", "Sunset", "Early", "Family", "Winter"},
		places: []string{"Nature Reserve", "Trail", "Observatory", "Botanical Garden", "Aquarium", "Lake",
			"State Park", "Harbor"},
		first:   12,
		last:    34,
		lengths: []int{3, 4, 4, 5, 6, 8, 10},
	},
	{
		events: []string{
			"Book club meeting", "Volunteer work", "Charity auction", "Graduation ceremony",
			"Parent-teacher conference", "Chess club meeting", "Book signing",
			"Art exhibit opening reception", "Historical lecture", "Garage sale", "Kids' concert", "Wedding rehearsal",
			"Birthday party", "Blood drive",
			"Neighborhood watch meeting", "Speed dating event", "Youth talent showcase", "Art walk", "Family reunion",
		},
		prefixes: []string{"Annual", "Spring", "Community", "Monthly", "Downtown"},
		places: []string{"Community Center", "Public Library", "Museum", "Gallery", "Town Hall", "Auditorium",
			"Bookstore", "Church Hall"},
		first:   18,
		last:    38,
		lengths: []int{2, 3, 4, 4, 5, 6},
	},
	{
		events: []string{
			"Dental appointment", "Car maintenance check", "Pet grooming session", "Doctor's appointment", "Haircut",
			"Massage", "Eye exam", "Move-in day",
			"House viewing", "Vaccination", "Passport renewal", "Therapy session", "Piano tuning", "Tax consultation",
			"Bank appointment", "Phone repair",
		},
		prefixes: []string{"Regular", "Urgent", "First", "Follow-up", "Early"},
		places: []string{"Clinic", "Garage", "Spa", "Medical Center", "Service Point", "Salon", "City Office",
			"Animal Hospital"},
		first:   16,
		last:    32,
		lengths: []int{2, 2, 2, 3, 4},
	},
	{
		events: []string{
			"Board game night", "Escape room", "Casino night", "Video game tournament", "Pub quiz", "Karaoke",
			"Bowling", "Mini golf", "Laser tag",
			"Arcade visit", "Poker night", "Murder mystery dinner", "Trivia & tacos", "Roller skating", "Movie night",
			"Dance class", "Salsa night",
		},
		prefixes: []string{"Retro", "Themed", "Weekly", "Charity", "Friday"},
		places: []string{"Game Lounge", "Bowling Alley", "Arcade", "Casino", "Pub", "Dance Studio", "Karaoke Bar",
			"Clubhouse"},
		first:   30,
		last:    41,
		lengths: []int{2, 3, 4, 4, 5, 6},
	},
}

// agendaNight is what ends after midnight.
var agendaNight = agendaKind{
	events:   []string{"Late night movie", "Night club", "Midnight comedy", "After-hours party", "DJ set"},
	prefixes: []string{"Halloween", "New", "Secret"},
	places:   []string{"Cinema", "Night Club", "Lounge", "Warehouse"},
}

var agendaPlaceWords = []string{
	"Golden", "Blue Note", "Riverside", "Grand", "Lakeside", "Old Town", "Harbor", "Union Square", "Madison",
	"Imperial", "Green Valley", "Sunset",
	"St. Mary's", "Royal", "Westend", "Maple Street", "Liberty", "Silver Oak", "Northern Lights", "Crown", "Victory",
	"Paradise", "Cornerstone", "Five Points",
}

// agendaWordings are the ways to describe an appointment.
var agendaWordings = []string{
	"On {date}, {person} {attends} {event} at {location} from {start} to {end}.",
	"{person} {attends} {event} on {date}. It takes place at {location}, starting at {start} and ending at {end}.",
	"{person} {attends} {event} on {date} at {location}. The event begins at {start} and runs until {end}.",
	"{event} was held at {location} on {date} between {start} and {end}, and {person} was there.",
	"From {start} to {end} on {date}, {person} was at {location} for {event}.",
	"{person}'s agenda for {date} shows {event} at {location}, from {start} until {end}.",
	"{person} has {event} planned for {date}. It begins at {start} and is over at {end}. The venue is {location}.",
	"Entry for {date}: {event}, from {start} to {end}, at {location}. Attending: {person}.",
	"{event} brought {person} to {location} on {date}, where it lasted from {start} to {end}.",
	"{location} hosted {event} on {date}. {person} arrived at {start} and stayed until it was over at {end}.",
	"Between {start} and {end} on {date}, {person} {attends} {event}, which is held at {location}.",
	"There is a reservation at {location} for {date} from {start} to {end}, because {person} {attends} {event}.",
	"Do not call {person} on {date} from {start} until {end}: {event} is on the schedule, and the place is {location}.",
	"A reminder that {event} with {person} starts at {start} and ends at {end} on {date}. Meet at {location}.",
}

var agendaVerbs = []string{
	"attended", "will attend", "is attending", "went to", "is going to", "joined", "will join", "took part in",
	"will be at", "enjoyed", "is looking forward to",
}

// agendaRemarks say nothing that is asked for.
var agendaRemarks = []string{
	"It promises to be a memorable day.", "Do not forget to bring a water bottle.",
	"Tickets were booked well in advance.",
	"Friends and family are welcome.", "Parking is available nearby.", "Everybody left in a good mood.",
	"The weather is expected to be pleasant.",
	"It is a great opportunity to meet new people.", "Light refreshments are served.", "Photographs are allowed.",
	"Those who come late have to wait outside.", "The dress code is casual.",
}
