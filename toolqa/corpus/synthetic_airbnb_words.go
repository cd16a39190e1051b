package corpus

import (
	"fmt"
	"strconv"
	"strings"
)

// airbnbHood is a neighbourhood of New York.
type airbnbHood struct {
	group, name string
	lat, long   float64
	weight      int // how many of some 4,000 published listings it has, about
}

// airbnbLeast is the weight of a neighbourhood with hardly a listing. It is a little more than the published
// one, so that a small corpus has nearly all of them.
const airbnbLeast = 4

// airbnbHoods returns the neighbourhoods of the published file.
func airbnbHoods() []airbnbHood {
	var hoods []airbnbHood
	for _, group := range airbnbGroups {
		for entry := range strings.SplitSeq(group.hoods, "|") {
			fields := strings.Split(strings.TrimLeft(entry, "\n\t"), ":")
			h := airbnbHood{group: group.name, name: fields[0]}
			var err [3]error
			h.lat, err[0] = strconv.ParseFloat(fields[1], 64)
			h.long, err[1] = strconv.ParseFloat(fields[2], 64)

			h.weight, err[2] = strconv.Atoi(fields[3])
			if err != [3]error{} {
				panic(fmt.Sprintf("corpus: %q: %v", entry, err)) // a mistake in the list below
			}

			h.weight = max(h.weight, airbnbLeast)
			hoods = append(hoods, h)
		}
	}

	return hoods
}

// airbnbGroups holds the neighbourhoods: name, latitude, longitude, weight. Two names have a comma.
var airbnbGroups = []struct{ name, hoods string }{
	{"Brooklyn", `Williamsburg:40.713:-73.953:327|Bedford-Stuyvesant:40.687:-73.940:295|Bushwick:40.696:-73.919:147|
		Crown Heights:40.673:-73.946:133|Greenpoint:40.729:-73.951:107|Fort Greene:40.691:-73.974:59|Clinton Hill:40.688:-73.964:53|
		Prospect-Lefferts Gardens:40.660:-73.956:53|Park Slope:40.675:-73.980:49|East Flatbush:40.647:-73.940:44|
		Prospect Heights:40.677:-73.968:37|Flatbush:40.644:-73.961:34|Sunset Park:40.655:-74.001:33|South Slope:40.665:-73.985:31|
		East New York:40.669:-73.882:27|Gowanus:40.674:-73.990:20|Carroll Gardens:40.681:-73.995:17|Windsor Terrace:40.656:-73.979:16|
		Canarsie:40.638:-73.903:16|Cypress Hills:40.682:-73.878:14|Kensington:40.643:-73.975:13|Brooklyn Heights:40.696:-73.994:13|
		Flatlands:40.628:-73.929:12|Boerum Hill:40.686:-73.985:12|Sheepshead Bay:40.594:-73.951:10|Bensonhurst:40.612:-73.998:10|
		Brighton Beach:40.580:-73.962:7|Midwood:40.624:-73.962:7|Cobble Hill:40.687:-73.996:6|Bay Ridge:40.629:-74.023:6|
		Brownsville:40.663:-73.911:6|Borough Park:40.640:-73.994:6|Gravesend:40.602:-73.978:5|Fort Hamilton:40.618:-74.032:3|
		Red Hook:40.677:-74.009:3|Downtown Brooklyn:40.692:-73.983:3|DUMBO:40.702:-73.985:2|Columbia St:40.687:-74.002:2|
		Vinegar Hill:40.703:-73.982:2|Coney Island:40.574:-73.989:2|Sea Gate:40.579:-74.010:1|Bergen Beach:40.627:-73.913:1|
		Navy Yard:40.699:-73.970:1|Manhattan Beach:40.581:-73.939:1|Bath Beach:40.610:-74.011:1|Dyker Heights:40.616:-74.011:1|
		Mill Basin:40.614:-73.912:1|Gerritsen Beach:40.594:-73.927:1`},
	{"Manhattan", `Harlem:40.815:-73.948:235|East Village:40.727:-73.983:160|Upper West Side:40.788:-73.974:149|
		Hell's Kitchen:40.762:-73.991:131|Upper East Side:40.773:-73.955:128|Midtown:40.755:-73.977:108|Chelsea:40.745:-73.999:96|
		Lower East Side:40.719:-73.988:95|East Harlem:40.797:-73.942:79|West Village:40.734:-74.004:72|Washington Heights:40.844:-73.938:52|
		Murray Hill:40.748:-73.976:42|Chinatown:40.716:-73.994:40|Financial District:40.707:-74.009:36|Kips Bay:40.741:-73.979:35|
		SoHo:40.724:-74.001:29|Nolita:40.722:-73.995:26|Gramercy:40.736:-73.985:26|Greenwich Village:40.732:-73.997:25|
		Morningside Heights:40.809:-73.961:22|Inwood:40.866:-73.924:18|Theater District:40.760:-73.986:16|Little Italy:40.719:-73.997:15|
		NoHo:40.727:-73.993:8|Roosevelt Island:40.762:-73.950:7|Flatiron District:40.741:-73.988:6|Tribeca:40.717:-74.009:6|
		Two Bridges:40.711:-73.995:5|Stuyvesant Town:40.733:-73.978:5|Battery Park City:40.712:-74.015:4|Civic Center:40.714:-74.004:3|
		Marble Hill:40.876:-73.910:1`},
	{"Queens", `Astoria:40.765:-73.921:77|Long Island City:40.751:-73.940:43|Flushing:40.754:-73.821:37|Ridgewood:40.704:-73.906:34|
		Sunnyside:40.742:-73.919:31|Jamaica:40.685:-73.786:19|Jackson Heights:40.751:-73.880:19|Elmhurst:40.741:-73.880:17|
		Woodside:40.745:-73.901:17|Ditmars Steinway:40.776:-73.910:15|Springfield Gardens:40.669:-73.759:15|Forest Hills:40.717:-73.849:13|
		Maspeth:40.732:-73.900:12|St. Albans:40.695:-73.767:11|East Elmhurst:40.761:-73.878:11|Richmond Hill:40.690:-73.825:10|
		Rego Park:40.728:-73.862:9|Woodhaven:40.689:-73.861:8|Corona:40.743:-73.858:8|Arverne:40.590:-73.795:7|Glendale:40.701:-73.880:7|
		Middle Village:40.715:-73.882:5|Rockaway Beach:40.586:-73.815:5|Ozone Park:40.682:-73.847:5|Rosedale:40.658:-73.733:5|
		Briarwood:40.713:-73.818:4|Bayside:40.762:-73.768:4|Kew Gardens Hills:40.722:-73.816:4|Queens Village:40.716:-73.746:3|
		Kew Gardens:40.707:-73.830:3|Cambria Heights:40.695:-73.735:3|Laurelton:40.678:-73.745:3|Far Rockaway:40.596:-73.748:2|
		Jamaica Estates:40.723:-73.793:2|South Ozone Park:40.669:-73.805:2|Bellerose:40.732:-73.735:2|Whitestone:40.784:-73.816:2|
		Jamaica Hills:40.710:-73.802:1|Howard Beach:40.654:-73.836:1|Hollis:40.712:-73.778:1|Belle Harbor:40.578:-73.843:1|
		Fresh Meadows:40.742:-73.787:1|Bayswater:40.606:-73.759:1|College Point:40.785:-73.843:1|Douglaston:40.762:-73.746:1|
		Little Neck:40.766:-73.736:1|Glen Oaks:40.746:-73.713:1|Holliswood:40.722:-73.766:1|Edgemere:40.595:-73.773:1|
		Neponsit:40.572:-73.859:1|Breezy Point:40.556:-73.926:1|Bay Terrace:40.780:-73.783:1`},
	{"Bronx", `Mott Haven:40.811:-73.919:10|Wakefield:40.895:-73.851:9|Port Morris:40.808:-73.928:7|Kingsbridge:40.874:-73.900:5|
		Concourse:40.827:-73.925:5|Williamsbridge:40.880:-73.862:5|Hunts Point:40.815:-73.889:4|Belmont:40.854:-73.890:4|
		Highbridge:40.832:-73.931:3|Clason Point:40.813:-73.858:3|Woodlawn:40.893:-73.866:3|Allerton:40.867:-73.855:3|
		Concourse Village:40.832:-73.916:3|Claremont Village:40.840:-73.910:3|Parkchester:40.836:-73.866:3|Bronxdale:40.855:-73.866:3|
		Longwood:40.815:-73.901:2|Morris Heights:40.848:-73.914:2|Norwood:40.872:-73.881:2|North Riverdale:40.907:-73.896:2|
		Fordham:40.855:-73.902:2|Soundview:40.823:-73.868:2|Mount Eden:40.841:-73.917:2|Pelham Gardens:40.864:-73.850:2|
		University Heights:40.858:-73.907:1|Spuyten Duyvil:40.880:-73.917:1|Throgs Neck:40.815:-73.827:1|Van Nest:40.840:-73.871:1|
		Morrisania:40.829:-73.909:1|Unionport:40.829:-73.855:1|Olinville:40.880:-73.867:1|Pelham Bay:40.846:-73.840:1|
		Mount Hope:40.845:-73.904:1|Eastchester:40.890:-73.822:1|Co-op City:40.863:-73.825:1|Tremont:40.845:-73.890:1|
		Edenwald:40.885:-73.834:1|Baychester:40.869:-73.836:1|Castle Hill:40.818:-73.848:1|City Island:40.852:-73.789:1|
		East Morrisania:40.831:-73.893:1|Fieldston:40.894:-73.904:1|Melrose:40.822:-73.916:1|Morris Park:40.852:-73.852:1|
		Riverdale:40.886:-73.914:1|Schuylerville:40.834:-73.831:1|West Farms:40.841:-73.880:1|Westchester Square:40.842:-73.844:1`},
	{"Staten Island", `St. George:40.644:-74.081:9|Tompkinsville:40.634:-74.084:7|Arrochar:40.591:-74.069:4|Clifton:40.621:-74.079:3|
		Shore Acres:40.611:-74.066:2|Stapleton:40.628:-74.080:2|West Brighton:40.628:-74.116:2|Emerson Hill:40.607:-74.144:1|
		Graniteville:40.621:-74.165:1|New Springville:40.593:-74.162:1|New Brighton:40.645:-74.093:1|Richmondtown:40.571:-74.123:1|
		Midland Beach:40.572:-74.092:1|Concord:40.605:-74.073:1|Great Kills:40.556:-74.158:1|Port Richmond:40.629:-74.134:1|
		Woodrow:40.539:-74.198:1|Randall Manor:40.640:-74.097:1|Lighthouse Hill:40.576:-74.129:1|Arden Heights:40.555:-74.184:1|
		Bay Terrace, Staten Island:40.552:-74.138:1|Bull's Head:40.604:-74.162:1|Castleton Corners:40.614:-74.120:1|
		Chelsea, Staten Island:40.599:-74.192:1|Dongan Hills:40.583:-74.096:1|Eltingville:40.545:-74.163:1|Fort Wadsworth:40.596:-74.058:1|
		Grant City:40.580:-74.106:1|Grymes Hill:40.616:-74.093:1|Howland Hook:40.630:-74.173:1|Huguenot:40.534:-74.193:1|
		Mariners Harbor:40.636:-74.159:1|New Dorp:40.571:-74.112:1|New Dorp Beach:40.565:-74.102:1|Oakwood:40.563:-74.116:1|
		Prince's Bay:40.522:-74.200:1|Rosebank:40.614:-74.066:1|Rossville:40.551:-74.211:1|Silver Lake:40.622:-74.096:1|
		South Beach:40.583:-74.077:1|Todt Hill:40.599:-74.105:1|Tottenville:40.506:-74.244:1|Westerleigh:40.619:-74.133:1|
		Willowbrook:40.602:-74.139:1`},
}

// The words that names and rules of synthetic listings are made of.
var (
	airbnbAdjectives = splitList(`Cozy|Spacious|Bright|Sunny|Charming|Beautiful|Private|Luxury|Modern|Quiet|Huge|Stylish|Lovely|Large|Clean|
		Elegant|Comfy|Newly renovated|Sun-drenched|Artsy|Gorgeous|Minimalist|Rustic|Airy|Renovated|Cute|Funky|Serene|Prime|Amazing`)

	airbnbEntire = splitList(`1BR Apt|Studio|2 BR Apartment|Loft|Brownstone|Duplex|Penthouse|one bedroom apartment|3BR Townhouse|Garden Apartment|
		2 bedroom|Flat|Artist Loft|1 Bedroom w/ Terrace|Floor-through|Railroad apt|2BR/2BA w/ roof deck|Carriage House|Studio (sleeps 3)|apt`)
	airbnbPrivate = splitList(`Private Room|Bedroom|room|Room w/ private bath|master bedroom|Queen Bedroom|Guest Room|Room for 1-2 people|bdrm|Large BR|
		room & bath|Bedroom #2|ROOM|Double room|Bedroom (ladies only)`)
	airbnbShared = splitList(`Shared room|Bunk bed|Futon Couch|Partitioned (shared) studio|Bed in a shared room|Living room sofa|Spot for female`)
	airbnbHotel  = splitList(`King Room|Hotel Room Queen Bed|Suite|Deluxe Double Room|Hotel Room, 2 Double Beds`)

	airbnbPlaces = splitList(`NYC|Brooklyn|Manhattan|the Heart of the City|Queens|New York|prime location|Historic Brownstone|the Bronx|a quiet block|
		Midtown East|BK, NYC|NY`)
	airbnbPerks = splitList(`near trains|15 min to Manhattan|close to everything|w/ Balcony|1 block to subway|12 Min to JFK/LGA|steps from the park|
		Doorman, Gym, River Views|FAST WIFI|private ROOF!|20 mins to Times Square!|A/C + laundry|free parking|next to L train|Near LGA|LGBT friendly|
		walk to all|utilities incl.|Great location!`)
	airbnbMarks = splitList(`★|✨|❤️|☆|⚡|✿|🗽|🌿|⭐️|♥|🏙️|•`)
	airbnbOdd   = splitList(`BROOKLYN > Guest Room w/ Queen Bed|<3 of NYC!|=#smile|->City|(id: 7) Room|Home <1 min to train|*wifi*metro*quiet|muy cercadetodo|
		Studio = 1 Queen|"Little Piece of Heaven"|O'Malley’s place|2>1 Bedrooms|$0 FEES, no joke`)
	airbnbSeries = splitList(`Loft Suite @ The Box House Hotel|Hillside Hotel|Loft w/ Terrace @ Box House Hotel|Sonder Flatiron, King Room|
		Hotel Room King Bed TSQ|BlissArtsSpace!|Home away from home|New York Apartment|Cozy Room|Private Room`)

	airbnbRules = splitList(`No smoking.|No pets, please.|No parties or events, and no loud music.|Please remove your shoes at the door.|
		Quiet time is between 10:00pm and 7:00am.|Check in after 3 pm, check out before 11 am.|Please clean up after yourself when using the kitchen.|
		Only registered guests may stay overnight.|Smoking is only allowed on the porch.|Please water the plants 🌱.|
		Keep the windows closed, the doors locked, and the lights off when you leave.|I want you to enjoy yourself, so do what you want!|
		Take the garbage out, please.|We are friendly, warm, and easy to talk to ❤️.|Security deposit: $200.|Lost keys cost $50.|
		Please be mindful of the neighbors, most of whom work.`)
)
