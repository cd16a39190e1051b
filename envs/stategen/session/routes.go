package session

// Route is the web route of a tool of the base version.
type Route struct {
	Tool, Method string
	Path         string   // below the address of the service; "{type}" is an argument
	Query        []string // arguments in the query
	Body         string   // the argument that is the body as JSON, or ""
}

// Routes returns the routes of all tools.
func Routes() []Route {
	const (
		place = "/api/sessions/{source}/{type}"
		one   = place + "/{id}"
	)
	return []Route{
		{Tool: List, Method: "GET", Path: place},
		{Tool: Add, Method: "POST", Path: place, Body: "data"},
		{Tool: Query, Method: "GET", Path: place + "/query", Query: []string{"field", "value"}},
		{Tool: Get, Method: "GET", Path: one},
		{Tool: Update, Method: "PUT", Path: one, Body: "data"},
		{Tool: Delete, Method: "DELETE", Path: one},
	}
}
