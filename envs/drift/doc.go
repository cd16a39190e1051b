// Package drift makes API versions from others, for any tools, so that a policy can be trained and
// measured on many.
//
// # Words
//
// The source is the version that a made one replaces: its names are answered with a deprecation
// notice. An [Operator] turns an API of it into a successor, and gives the adapter from the
// successor's calls to those of the API. Adapters compose, and work both ways: what operators make
// is the file of a version like any other (package toolapi). A [Maker] chooses operators by chance.
// The words of new names come from words.yaml, by sense: a replacement fits the published name, its
// type and its description, whatever earlier operators have made of it. A word without a known
// sense stays, and so does the part that says whose API it is; another word is put beside them. To
// hold out a version is to keep its identifiers for measuring: names of APIs and parameters,
// labels, and prefixes of texts. A [Part] is half of the words, for versions to train on or for
// versions to measure with. A [Family] is several versions of which each question meets one; in a
// [Changing] environment, a task meets several, one after the other.
//
// Package release infers versions from real history instead of chance.
//
// # Operators
//
//	rename-api          LoadDB                  OpenTheStore
//	rename-parameter    condition               where_clause
//	special-characters  LoadDB                  Load_DB
//	number-list         condition               rule1, rule2, …
//	prefix-text         SQL                     a text that begins with "Run this SQL code:"
//	merge-parameters    Node1, Node2            one text, First[x], Second[y]
//	add-flag                                    GiveValues, which has to be true
//	add-count                                   maxResults, a number without effect
//
// and for parameters with types:
//
//	type-to-string      days: 3                 days: "3"
//	swap-required       days may be left out    it is required, and null means that it is left out; or the reverse
//	flip-default        desc is false           desc is true if a call leaves it out
//	nest-parameters     lat, lon                position: {"lat": …, "lon": …}
//
// These are drawn for each API. Others are applied only if they are named: those of factors, silent
// ones (below), and
//
//	mix-forms           condition               rule, which the notice's example gives as rule1, rule2
//	move-url            …/v1/rates              …/v2/rates, in the document; calls stay
//	wrap-response       Loaded.                 {"State": "Success", "Message": "Loaded."}
//	style-response      Loaded.                 [Success] Loaded., or Status = Success | Text = Loaded., and others
//
// Of parameters with types, merge-parameters takes required texts that follow each other, and
// number-list a required list, or a text whose name is a plural: the first five items get a
// parameter each. New parameters come where the first of the old ones was: by names and order, an
// example shows what went where.
//
// # Models
//
// [Maker.Mutate] lets a language model choose the names, by the rules of ToolEvo's appendix D.1,
// and changes of parameters and answers: an operator, with what it would draw. A version with the
// change is made and tried; a change that cannot be made, or makes the version worse, is asked for
// again and finally left out. Everything else, and names that the model fails to give, come from
// the operators.
//
// # Scripts
//
// A [Script] names operators for each tool, with all that they would draw. The scripts of
// configs/apis/scripts make p_s_in and p_s_ood from p_c, with these exceptions, which
// testdata/scripts.txt has word by word:
//
//   - The published signature of GetValue has the name of the items without a number, and its flag
//     may be missing.
//   - Texts about wrong arguments are those of each API. Operators give one text to all, and none
//     to Finish and UpdateTool, which they leave alone.
//   - Examples of notices differ in p_s_ood; in both, code follows its prefix after a blank, and
//     newlines in code are newlines and not escapes.
//
// # Factors
//
// A [Factor] is one thing that changes while everything else stays: a version of it measures what
// only that costs (ToolEvo, section 5.3 and appendix B.2).
//
//	names-text              LoadDB                  OpenDatabase
//	names-character         LoadDB                  Load@DB, of _ - @ . # %
//	parameters-text         condition               whereClause
//	parameters-character    condition               #condition, of ? @ # & . %
//	response                Loaded.                 {"State": "Success", "Message": "Loaded."}
//
// # Which tools there are
//
// Releases of MCP servers change the list of tools, too. These are factors as well:
//
//	split-tool           list(status?)         list(), and list_by_status(status)
//	merge-tools          get_x, add_x          manage_x(…, action), which is get_x or add_x
//	add-tool             get_x                 get_x, and fetch_x, which does the same
//	remove-tool          get_x(id)             gone; list_x has its answer, by id
//	add-option           get_x(id)             get_x(id, max_items?), which has no effect
//	shorten-description  a document            its first clause, and nothing of parameters
//
// MCPEvol-Bench (arXiv 2607.14642) has eleven operators for what servers did to tools, parameters
// and descriptions. By their effect, they are these: a tool is added (add-tool), replaced
// (rename-api, split-tool), integrated with another (merge-tools) or deleted (remove-tool); a
// parameter is added that calls may leave out (add-option, reverse-list, shorten-list) or may not
// (add-flag, add-count), is replaced (rename-parameter, merge-parameters, nest-parameters,
// number-list), or is constrained otherwise (type-to-string, swap-required, flip-default,
// prefix-text); a description is rewritten (shorten-description). A parameter is never deleted:
// calls could no longer say what it said, and tasks would have no solution.
//
// # Silent drift, and faults
//
// These refuse no old call: package silent says what it means now, and toolapi.Fault which faults
// pass. Each is a factor, and applied to a version as a whole, since a service writes one thing in
// one way: a field is recoded in all answers that have it, and in parameters that are named after
// it. The base says which fields there are (answer: in its file); a benchmark whose base does not,
// such as ToolBench, has faults only. Of ToolQA's tools, those of tables, graphs and SQL have
// fields: in SQL the numbers and dates of its tables, and the rows of its answers.
//
//	scale-field         duration: 1.5           1500
//	permute-values      gender: female          male, and the other way
//	quote-field         members: "12"           12
//	reorder-date        Date: 2023-05-17        17/05/2023
//	shift-time          start_time: 22:30       01:30, in another time zone
//	rename-field        data                    record
//	move-field          data                    details: {data: …}
//	reverse-list        oldest first            newest first, or order=ascending
//	shorten-list        all items               the first two, or limit=1000
//	withhold-field      checksum                null; list_sessions has it
//	rate-limit          …                       refused, for a call or two
//	timeout             …                       not answered, for a call or two
//	half-answer         …                       the first half, for a call or two
//	stale-read          …                       what was there before the last change, for a call or two
//
// # DynamicToolBench
//
// [Published] has the versions of DynamicToolBench, by its rules and chances, with adapters:
// dtb_v2, dtb_v3 and dtb_combined. published.yaml has its 48 new names. Names of APIs stay.
//
// # Guarantees
//
//   - Lower(Lift(c)) = c for each operator and all compositions, as package toolapi has it for
//     adapters.
//   - A version depends on the source, the held-out versions, the seed and its number: not on how
//     many are made, nor on the order of held-out versions or, but for silent changes and
//     remove-tool, of APIs.
//   - Every API but Finish and UpdateTool gets another name, since notices answer deprecated names.
//     If operators are named, and none of them renames APIs, the names stay. Names are distinct,
//     and none is that of an API or a parameter that it replaces.
//   - Versions of [Seen] and of [Unseen] share no identifier that the source does not have, and
//     nothing that was chosen from words.yaml. The label of a field in a merged text is the name
//     that it stands for.
//   - A name breaks between words only.
//   - No new name is longer than toolapi.MostName, unless a script says so.
//   - A held-out identifier occurs in no made version, nor does another spelling of it (case,
//     underscores) that the source does not have.
//
// # Caveats
//
// A name without a free spelling with a special character keeps the one it has, and so does a
// single word if underscores are the characters. A name that is nearly as long as names may be is
// cut behind a word, or ends in a letter that tells it from others.
//
// White space around a text does not survive a prefix. A merged text cannot hold what toolapi's
// Bracketed cannot: Lift says so. Parameters whose JSON Schema refers to others keep their names.
package drift
