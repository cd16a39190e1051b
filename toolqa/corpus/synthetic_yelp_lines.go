package corpus

import "strings"

// yelpKind is what a business is like: it decides on attributes and hours.
type yelpKind uint8

const (
	yelpDining yelpKind = iota
	yelpShop
	yelpCare // by appointment, often
	yelpService
	yelpVenue
)

// yelpLine is a line of business.
type yelpLine struct {
	weight     int
	kind       yelpKind
	parents    []string // categories that most businesses of the line have
	categories []string // of which each has some
	words      []string // ends of names
}

// yelpLines are the lines of business; shares are of the published file's categories.
var yelpLines = []yelpLine{
	{26, yelpDining, []string{"Restaurants"}, []string{
		"American (Traditional)", "American (New)", "Mexican", "Italian", "Chinese", "Japanese", "Sushi Bars", "Thai",
		"Vietnamese", "Indian", "Greek",
		"Mediterranean", "Cuban", "Cajun/Creole", "Southern", "Soul Food", "Barbeque", "Seafood", "Steakhouses",
		"Pizza", "Burgers", "Sandwiches", "Salad",
		"Breakfast & Brunch", "Diners", "Delis", "Fast Food", "Chicken Wings", "Asian Fusion", "Korean", "French",
		"Spanish", "Tapas Bars", "Caribbean",
		"Latin American", "Middle Eastern", "Vegetarian", "Vegan", "Gluten-Free", "Noodles", "Ramen", "Soup", "Tex-Mex",
		"Belgian", "Bangladeshi",
		"Himalayan/Nepalese", "Salvadoran", "Ethiopian", "Caterers", "Food Trucks",
	}, []string{"Grill", "Kitchen", "Bistro", "Restaurant", "Diner", "Pizzeria", "Cafe", "House", "Steakhouse",
		"Taqueria", "Noodle Bar", "Smokehouse", "Deli"}},
	{9, yelpDining, []string{"Food"}, []string{
		"Coffee & Tea", "Bakeries", "Desserts", "Ice Cream & Frozen Yogurt", "Juice Bars & Smoothies", "Bubble Tea",
		"Donuts", "Cupcakes", "Grocery",
		"Convenience Stores", "Specialty Food", "Imported Food", "Seafood Markets", "Farmers Market", "Butcher",
		"Breweries", "Brewpubs", "Wineries", "Cheese Shops",
	}, []string{"Bakery", "Coffee", "Market", "Creamery", "Donuts", "Brewing", "Tea House", "Provisions", "Sweets"}},
	{5, yelpDining, []string{"Nightlife"}, []string{
		"Bars", "Pubs", "Sports Bars", "Cocktail Bars", "Wine Bars", "Dive Bars", "Lounges", "Dance Clubs", "Karaoke",
		"Hookah Bars", "Gastropubs", "Irish Pub",
		"Beer Gardens", "Jazz & Blues",
	}, []string{"Tavern", "Pub", "Bar & Grill", "Lounge", "Saloon", "Ale House", "Taproom"}},
	{12, yelpShop, []string{"Shopping"}, []string{
		"Fashion", "Women's Clothing", "Men's Clothing", "Shoe Stores", "Jewelry", "Accessories", "Department Stores",
		"Discount Store", "Sporting Goods",
		"Bikes", "Books, Mags, Music & Video", "Bookstores", "Toy Stores", "Furniture Stores", "Home Decor",
		"Mattresses", "Antiques", "Art Galleries", "Art Supplies",
		"Florists", "Flowers & Gifts", "Gift Shops", "Thrift Stores", "Electronics", "Mobile Phones", "Computers",
		"Videos & Video Game Rental", "Eyewear & Opticians",
		"Drugstores", "Vape Shops", "Tobacco Shops", "Bridal", "Formal Wear", "Hardware Stores",
		"Nurseries & Gardening", "Wholesale Stores", "Office Equipment",
	}, []string{"Boutique", "Outfitters", "Gifts", "Furniture", "Books", "Jewelers", "Flowers", "Emporium", "Supply",
		"Trading Co.", "Antiques"}},
	{11, yelpCare, []string{"Beauty & Spas"}, []string{
		"Hair Salons", "Nail Salons", "Barbers", "Day Spas", "Massage", "Skin Care", "Waxing", "Eyelash Service",
		"Tanning", "Tattoo", "Medical Spas",
		"Hair Removal", "Blow Dry/Out Services", "Hair Extensions", "Makeup Artists", "Cosmetics & Beauty Supply",
	}, []string{"Salon", "Nails & Spa", "Barber Shop", "Hair Studio", "Day Spa", "Lash Bar", "Tattoo"}},
	{10, yelpCare, []string{"Health & Medical"}, []string{
		"Doctors", "Dentists", "General Dentistry", "Cosmetic Dentists", "Orthodontists", "Periodontists",
		"Oral Surgeons", "Optometrists", "Chiropractors", "Family Practice",
		"Pediatricians", "Dermatologists", "Orthopedists", "Physical Therapy", "Urgent Care", "Hospitals",
		"Diagnostic Imaging", "Weight Loss Centers",
		"Acupuncture", "Counseling & Mental Health", "Medical Centers", "Obstetricians & Gynecologists",
		"Laboratory Testing",
	}, []string{"Dental", "Family Medicine", "Chiropractic", "Eye Care", "Physical Therapy", "Orthodontics",
		"Medical Group"}},
	{12, yelpService, []string{"Home Services"}, []string{
		"Plumbing", "Electricians", "Heating & Air Conditioning/HVAC", "Roofing", "Contractors", "Handyman", "Painters",
		"Flooring", "Landscaping", "Tree Services",
		"Movers", "Home Cleaning", "Carpet Cleaning", "Window Washing", "Windows Installation", "Garage Door Services",
		"Locksmiths", "Masonry/Concrete", "Chimney Sweeps",
		"Fences & Gates", "Home Organization", "Real Estate", "Apartments", "Condominiums", "Real Estate Agents",
		"Property Management", "Pool Cleaners",
		"Television Service Providers", "Internet Service Providers", "Structural Engineers", "Pressure Washers",
	}, []string{"Plumbing", "Roofing", "Heating & Cooling", "Landscaping", "Electric", "Flooring", "Construction",
		"Movers", "Apartments", "Cleaning Service", "Realty"}},
	{8, yelpService, []string{"Automotive"}, []string{
		"Auto Repair", "Tires", "Oil Change Stations", "Body Shops", "Auto Glass Services",
		"Windshield Installation & Repair", "Auto Detailing", "Car Wash", "Car Dealers",
		"Used Car Dealers", "Car Buyers", "Towing", "Transmission Repair", "Gas Stations", "Auto Parts & Supplies",
		"Motorcycle Dealers", "Car Rental",
	}, []string{"Auto Repair", "Automotive", "Tire & Auto Service", "Collision", "Motors", "Auto Glass", "Car Wash",
		"Towing"}},
	{7, yelpService, []string{"Local Services"}, []string{
		"Dry Cleaning", "Laundry Services", "Dry Cleaning & Laundry", "Sewing & Alterations", "Shipping Centers",
		"Printing Services", "Notaries", "Self Storage",
		"Couriers & Delivery Services", "IT Services & Computer Repair", "Appliances & Repair", "Pest Control",
		"Junk Removal & Hauling", "Screen Printing",
		"Child Care & Day Care", "Community Service/Non-Profit", "Watch Repair", "Electronics Repair",
	}, []string{"Cleaners", "Print Shop", "Storage", "Repair", "Tailors", "Pest Control", "Laundromat", "Delivery"}},
	{5, yelpService, []string{"Professional Services"}, []string{
		"Lawyers", "Personal Injury Law", "Divorce & Family Law", "Immigration Law", "Criminal Defense Law",
		"Accountants", "Tax Services", "Financial Services",
		"Insurance", "Banks & Credit Unions", "Title Loans", "Employment Agencies", "Advertising", "Photographers",
		"Web Design",
	}, []string{"Law", "Legal Group", "Insurance", "Tax", "Credit Union", "Photography", "Financial"}},
	{4, yelpService, []string{"Pets"}, []string{
		"Veterinarians", "Pet Groomers", "Pet Services", "Pet Sitting", "Pet Boarding", "Pet Stores", "Dog Walkers",
		"Pet Training", "Pet Adoption", "Pet Waste Removal",
	}, []string{"Animal Hospital", "Pet Grooming", "Veterinary Clinic", "Kennels", "Dog Training"}},
	{4, yelpVenue, []string{"Active Life"}, []string{
		"Fitness & Instruction", "Gyms", "Trainers", "Yoga", "Pilates", "Martial Arts", "Boxing", "Dance Studios",
		"Golf", "Bowling", "Rock Climbing", "Parks",
		"Playgrounds", "Boating", "Swimming Pools", "ATV Rentals/Tours", "Skating Rinks", "Tennis",
	}, []string{"Fitness", "Yoga", "Gym", "Park", "Martial Arts", "Golf Club", "Dance Studio"}},
	{4, yelpVenue, []string{"Arts & Entertainment"}, []string{
		"Music Venues", "Performing Arts", "Museums", "Cinema", "Festivals", "General Festivals", "Casinos", "Arcades",
		"Stadiums & Arenas", "Cabaret", "Opera & Ballet",
	}, []string{"Theatre", "Museum", "Gallery", "Cinema", "Music Hall", "Arcade"}},
	{5, yelpVenue, []string{"Event Planning & Services"}, []string{
		"Venues & Event Spaces", "Hotels", "Hotels & Travel", "Bed & Breakfast", "Resorts", "Wedding Planning",
		"Party & Event Planning", "DJs", "Party Equipment Rentals",
		"Limos", "Taxis", "Airport Shuttles", "Tours", "Transportation",
	}, []string{"Hotel", "Inn & Suites", "Events", "Limousine", "Tours", "Catering & Events"}},
	{3, yelpVenue, []string{"Education"}, []string{
		"Elementary Schools", "Preschools", "Middle Schools & High Schools", "Colleges & Universities",
		"Tutoring Centers", "Driving Schools", "Cooking Classes",
		"Cosmetology Schools", "Language Schools", "Specialty Schools",
	}, []string{"Academy", "Preschool", "Learning Center", "Driving School", "Institute"}},
}

// yelpChainNames are chains with their categories, the most frequent first.
var yelpChainNames = []string{
	"Starbucks:Food, Coffee & Tea", "McDonald's:Restaurants, Fast Food, Burgers", "Dunkin':Food, Coffee & Tea, Donuts",
	"Subway:Restaurants, Sandwiches, Fast Food",
	"Taco Bell:Restaurants, Fast Food, Mexican", "CVS Pharmacy:Shopping, Drugstores, Convenience Stores",
	"Walgreens:Shopping, Drugstores, Convenience Stores",
	"Burger King:Restaurants, Fast Food, Burgers", "Wendy's:Restaurants, Fast Food, Burgers",
	"Wawa:Food, Convenience Stores, Gas Stations", "Domino's Pizza:Restaurants, Pizza, Chicken Wings",
	"The UPS Store:Local Services, Shipping Centers, Printing Services", "Pizza Hut:Restaurants, Pizza, Chicken Wings",
	"Enterprise Rent-A-Car:Automotive, Car Rental, Hotels & Travel",
	"Dairy Queen:Restaurants, Food, Ice Cream & Frozen Yogurt",
	"Chipotle Mexican Grill:Restaurants, Mexican, Fast Food",
	"Walmart Supercenter:Shopping, Department Stores, Grocery, Discount Store",
	"Papa John's Pizza:Restaurants, Pizza", "Great Clips:Beauty & Spas, Hair Salons",
	"Jimmy John's:Restaurants, Sandwiches, Delis", "Panera Bread:Restaurants, Sandwiches, Soup, Salad",
	"7-Eleven:Food, Convenience Stores, Gas Stations", "Arby's:Restaurants, Fast Food, Sandwiches",
	"Chick-fil-A:Restaurants, Fast Food, Sandwiches", "The Home Depot:Shopping, Home & Garden, Hardware Stores",
	"Jiffy Lube:Automotive, Oil Change Stations, Auto Repair", "Sonic Drive-In:Restaurants, Fast Food, Burgers",
	"KFC:Restaurants, Fast Food, Chicken Wings", "Target:Shopping, Department Stores, Grocery",
	"Popeyes Louisiana Kitchen:Restaurants, Fast Food, Chicken Wings",
	"Denny's:Restaurants, Diners, Breakfast & Brunch", "FedEx Office Print & Ship Center:Local Services, Shipping " +
		"Centers, Printing Services",
	"Smoothie King:Food, Juice Bars & Smoothies", "Bank of America:Professional Services, Financial Services, " +
		"Banks & Credit Unions", "GNC:Shopping, Vitamins & Supplements",
	"Firestone Complete Auto Care:Automotive, Tires, Auto Repair",
	"Kohl's:Shopping, Department Stores, Fashion", "PetSmart:Pets, Pet Stores, Pet Groomers",
	"Massage Envy:Beauty & Spas, Massage, Skin Care", "GameStop:Shopping, Videos & Video Game Rental, Electronics",
	"Hampton Inn & Suites:Event Planning & Services, Hotels, Hotels & Travel",
	"Holiday Inn Express:Event Planning & Services, Hotels, Hotels & Travel",
	"IHOP:Restaurants, Breakfast & Brunch, Diners",
	"Planet Fitness:Active Life, Gyms, Fitness & Instruction", "Tires Plus:Automotive, Tires, Oil Change Stations",
	"Red Mango:Food, Ice Cream & Frozen Yogurt", "Verizon:Shopping, Mobile Phones, Internet Service Providers",
	"Goodyear Auto Service:Automotive, Tires, Auto Repair",
	"Men's Wearhouse:Shopping, Fashion, Formal Wear, Men's Clothing",
	"Two Men and a Truck:Home Services, Movers, Packing Services",
}

// yelpBusiness is what a business is called and does.
type yelpBusiness struct {
	name   string
	line   *yelpLine
	listed []string // all categories; nil when they are still to be drawn
}

// chain makes a branch of a chain.
func (m *yelpMaker) chain() yelpBusiness {
	name, categories, _ := strings.Cut(yelpChainNames[m.share(m.chains)], ":")
	listed := strings.Split(categories, ", ")

	b := yelpBusiness{name: name, listed: listed, line: &yelpLines[len(yelpLines)-1]}
	for i, line := range yelpLines {
		if line.parents[0] == listed[0] {
			b.line = &yelpLines[i]
		}
	}

	return b
}

// categories lists what a business does, in any order.
func (m *yelpMaker) categories(b yelpBusiness) string {
	listed := b.listed
	if listed == nil {
		listed = m.some(1+m.rng.IntN(4), b.line.categories)
		if m.chance(0.9) {
			listed = append(listed, b.line.parents...)
		}

		if m.chance(0.15) {
			other := yelpLines[m.weighted(m.lines)]
			if other.parents[0] != b.line.parents[0] {
				listed = append(listed, other.parents[0], m.pick(other.categories...))
			}
		}
	}

	return strings.Join(m.some(len(listed), listed), ", ")
}

// independent makes a business with a name of its own, though others may have it, too.
func (m *yelpMaker) independent() yelpBusiness {
	line := &yelpLines[m.weighted(m.lines)]

	name := m.name(line)
	switch p := m.rng.Float64(); { // what separates the parts of a question or of a condition
	case p < 0.003:
		name += " in " + m.pick("the Park", "the Village", "Bloom", "Bombay", "the Alley", "Motion", "Town")
	case p < 0.004:
		name += " located in " + m.pick("the Galleria", "Walmart", "the Old Mill", "Market Square")
	case p < 0.010:
		name += m.pick(", Inc.", ", LLC", ", The", " - Uptown, Suite 2", ", Hair, Nails & More")
	case p < 0.011:
		name = m.pick("Eat = Love ", "Less < More ", "Fit > Fat ") + name
	case p < 0.014:
		name = m.pick("Café ", "Crème ", "El Niño ", "Phở ", "Nội ", "L'Été ") + name
	case p < 0.0145:
		name += m.pick(" 🍕", " ❤", " ☕")
	case p < 0.0150:
		name = `"` + name + `"`
	}

	return yelpBusiness{name: name, line: line}
}

// name makes a name for a business of a line.
func (m *yelpMaker) name(line *yelpLine) string {
	last, word := m.fake.LastName(), m.pick(line.words...)
	if line.kind == yelpCare && m.chance(0.18) {
		return m.fake.FirstName() + " " + last + m.pick(", MD", ", DDS", ", DMD", ", OD", ", LMT", "")
	}

	switch m.rng.IntN(9) {
	case 0:
		return last + "'s " + word
	case 1:
		return "The " + m.color() + " " + m.thing() + m.pick(" "+word, "")
	case 2:
		return last + " & " + m.pick("Sons", "Co.", m.fake.LastName()) + " " + word
	case 3:
		return m.pick(yelpStreets...) + " " + m.pick("Street ", "Avenue ", "", "") + word
	case 4:
		return m.color() + " " + m.thing() + " " + word
	case 5:
		return m.fake.FirstName() + "'s " + m.thing() + " " + word
	case 6:
		return string(rune('A'+m.rng.IntN(26))) + " & " + string(rune('A'+m.rng.IntN(26))) + " " + last + " " + word
	case 7:
		return m.pick(yelpTownRoots...) + m.pick("wood", "field", "view", "stone", "crest") + " " + m.thing() + " " +
			word
	default:
		return m.fake.FirstName() + " " + last + " " + word
	}
}

func (m *yelpMaker) color() string { return yelpCapitals(m.fake.Color()) }

// thing is an animal or a common thing, in capitals.
func (m *yelpMaker) thing() string {
	if m.chance(0.5) {
		return yelpCapitals(m.fake.Animal())
	}

	return yelpCapitals(m.fake.NounCommon())
}

// yelpCapitals writes the words of a name, which may be run together, each with a capital.
func yelpCapitals(s string) string {
	var b strings.Builder
	begin, low := true, false

	for _, r := range s {
		upper := r >= 'A' && r <= 'Z'
		switch {
		case begin && r >= 'a' && r <= 'z':
			r += 'A' - 'a'
		case upper && low:
			b.WriteByte(' ')
		}

		b.WriteRune(r)
		begin, low = r == ' ', r >= 'a' && r <= 'z'
	}

	return b.String()
}
