// Package wire is what this program's servers of tools share: JSON over HTTP, MCP with the official
// SDK, access, and the form of an answer. It is also what clients of other servers share: texts
// that nothing may show ([Secrets]), and how long a server asks clients to wait ([Wait]).
//
// # Words
//
// An answer is plain text, or by an [AnswerForm] a JSON object of a state and the text (ToolEvo,
// section 5.3 and appendix B.2).
//
//	{"State": "Success", "Message": "We have successfully loaded the flights database, …"}
//	{"State": "Failed", "Message": "There is something wrong with the arguments you send. Please modify it."}
//
// # Guarantees
//
//   - ReadAnswer(f.Wrap(success, text)) = text, for every valid form and text. ReadAnswer returns
//     anything else unchanged.
//   - The object of a request is read as tools take it: members in their order, numbers as written.
//     The error about what cannot be read has a status and a reason for the client.
//   - A page of a foreign site in a browser on this machine has no effect: its requests are refused
//     by their Origin, or by their Host if the site has pointed a name of its own to this machine.
//   - A server that other machines can reach has a key. Whoever sends the key may use any name.
//   - The size of a request is limited.
//
// # Caveats
//
// A reader does not know the names of a version's form: [ReadAnswer] recognises the words for the
// state. If a tool itself prints such an object, its second text is read.
package wire
