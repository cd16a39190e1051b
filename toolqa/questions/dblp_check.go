package questions

// The beginnings of the second opinions: common table expressions. Those about one or two authors say what
// their edges are; papers has the papers on these edges, each once.
const (
	checkPaperNode = "FROM titles AS t JOIN papers AS p ON p.id = t.paper WHERE t.title = :title"

	checkEdges = "WITH author AS (SELECT a.id, a.edges FROM names AS n JOIN authors AS a ON a.id = n.author WHERE " +
		"n.name = :author), " +
		"edge AS (SELECT e.*, e.first + e.second - author.id AS other FROM author, json_each(author.edges) AS j " +
		"JOIN edges AS e ON e.id = j.value), "
	checkJoint = "WITH edge AS (SELECT e.* FROM names AS m, names AS n JOIN edges AS e " +
		"ON e.first = min(m.author, n.author) AND e.second = max(m.author, n.author) WHERE m.name = :first AND " +
		"n.name = :second), "
	checkPapers = "paper AS (SELECT DISTINCT j.value AS id FROM edge, json_each(edge.papers) AS j) "

	// The node of each paper.
	checkNodes = "FROM paper CROSS JOIN papers AS p ON p.id = paper.id "

	checkMostVenue = "SELECT json_extract(p.attributes, '$.venue.raw') " + checkNodes +
		"GROUP BY 1 ORDER BY COUNT(*) DESC LIMIT 1"
	checkCitations = "json_extract(p.attributes, '$.n_citation')"

	// The neighbours of two authors.
	checkNeighbours = "WITH pair AS (SELECT m.author AS a, n.author AS b FROM names AS m, names AS n WHERE m.name " +
		"= :first AND n.name = :second), " +
		"near AS (SELECT e.first + e.second - pair.a AS id FROM pair JOIN authors AS x ON x.id = pair.a, " +
		"json_each(x.edges) AS j JOIN edges AS e ON e.id = j.value), " +
		"far AS (SELECT e.first + e.second - pair.b AS id FROM pair JOIN authors AS x ON x.id = pair.b, " +
		"json_each(x.edges) AS j JOIN edges AS e ON e.id = j.value) "
)

// dblpChecks are the second opinions on the dblp questions: SQL over the tables of both graphs. Where a rule
// takes the number of citations or of papers from the entries of an edge, here they are those of the papers'
// nodes, or follow from the weight, and the reverse.
var dblpChecks = map[string]string{
	"dblp-easy/authors": "SELECT json_extract(j.value, '$.name') FROM titles AS t JOIN papers AS p ON p.id = " +
		"t.paper, json_each(p.attributes, '$.authors') AS j " +
		"WHERE t.title = :title ORDER BY j.key",
	"dblp-easy/organization": "SELECT json_extract(a.attributes, '$.org') FROM names AS n JOIN authors AS a ON " +
		"a.id = n.author WHERE n.name = :author",
	"dblp-easy/pages": "SELECT CAST(json_extract(p.attributes, '$.page_end') AS INTEGER) - " +
		"CAST(json_extract(p.attributes, '$.page_start') AS INTEGER) + 1 " +
		checkPaperNode,
	"dblp-easy/references": "SELECT json_array_length(p.cites) " + checkPaperNode,
	"dblp-easy/cited-by":   "SELECT p.cited_by " + checkPaperNode,
	"dblp-easy/collaborators": "SELECT json_array_length(a.edges) FROM names AS n JOIN authors AS a ON a.id = " +
		"n.author WHERE n.name = :author",
	"dblp-easy/papers-together":  checkJoint + checkPapers + "SELECT (weight + 1) / 2 FROM edge",
	"dblp-easy/papers":           checkEdges + checkPapers + "SELECT p.title " + checkNodes,
	"dblp-easy/number-of-papers": checkEdges + checkPapers + "SELECT COUNT(*) FROM paper",
	"dblp-easy/venue":            checkJoint + checkPapers + checkMostVenue,

	"dblp-hard/distance": checkNeighbours + "SELECT CASE WHEN b IN near THEN 1 WHEN EXISTS (SELECT id " +
		"FROM near INTERSECT SELECT id FROM far) THEN 2 END FROM pair",
	"dblp-hard/common-collaborators": checkNeighbours + "SELECT COUNT(*) FROM near WHERE id IN far",
	"dblp-hard/most-cited-paper": checkEdges + checkPapers + "SELECT p.title " + checkNodes + "ORDER BY " +
		checkCitations + " DESC LIMIT 1",
	"dblp-hard/most-citations-with": checkEdges + "paper AS (SELECT DISTINCT edge.other, j.value AS id FROM edge, " +
		"json_each(edge.papers) AS j) " +
		"SELECT (SELECT name FROM authors WHERE id = paper.other) " + checkNodes +
		"GROUP BY paper.other ORDER BY SUM(" + checkCitations + ") DESC LIMIT 1",
	"dblp-hard/venue":                 checkEdges + checkPapers + checkMostVenue,
	"dblp-hard/accumulated-citations": checkJoint + checkPapers + "SELECT SUM(" + checkCitations + ") " + checkNodes,
	"dblp-hard/papers-in-all": checkEdges + "collaborator AS (SELECT a.edges FROM edge JOIN authors AS a ON a.id " +
		"= edge.other) " +
		"SELECT COUNT(DISTINCT k.value) FROM collaborator, json_each(collaborator.edges) AS j JOIN edges AS e ON " +
		"e.id = j.value, json_each(e.papers) AS k",
	"dblp-hard/most-frequent-collaborator": checkEdges + checkPapers +
		"SELECT a.name FROM edge JOIN authors AS a ON a.id = edge.other " +
		"WHERE json_array_length(edge.papers) = (SELECT MAX(json_array_length(papers)) FROM edge)",
	"dblp-hard/institutions": "SELECT json_extract(j.value, '$.org') AS org FROM titles AS t JOIN papers AS p ON " +
		"p.id = t.paper, json_each(p.attributes, '$.authors') AS j " +
		"WHERE t.title = :title AND org <> '' GROUP BY org ORDER BY MIN(j.key)",
	"dblp-hard/keywords": checkEdges + checkPapers + "SELECT DISTINCT trim(j.value) AS word FROM paper JOIN " +
		"papers AS p ON p.id = paper.id, json_each(p.attributes, '$.keywords') AS j " +
		"WHERE word <> '' ORDER BY word",
}
