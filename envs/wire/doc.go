// Package wire is what our servers of tools share: JSON over HTTP, MCP with the official SDK, who
// may come in, and the form of an answer; and what clients of others' servers share: texts that
// nothing may show ([Secrets]), and how long a server asks to be left alone ([Wait]).
//
// # Words
//
// An answer is the text alone, or by an [AnswerForm] a JSON object of a state and the text
// (ToolEvo, section 5.3 and appendix B.2).
//
//	{"State": "Success", "Message": "We have successfully loaded the flights database, …"}
//	{"State": "Failed", "Message": "There is something wrong with the arguments you send. Please modify it."}
//
// # Guarantees
//
//   - ReadAnswer(f.Wrap(success, text)) = text, for every valid form and text. ReadAnswer returns
//     what is no such object as it is.
//   - The object of a request is read as tools take it: members in their order, numbers as written.
//     What cannot be read has the status and the reason that the client should be told.
//   - A page of a foreign site in a browser on this machine does nothing: its requests are refused
//     by their Origin, and those under a name of its own that it has made point here by their Host.
//   - A server that other machines can reach has a key. Whoever sends the key may use any name.
//   - The size of a request is limited.
//
// # Caveats
//
// A reader is not told the names of a version's form: [ReadAnswer] goes by the words for the state.
// A tool that prints such an object itself is read for its second text.
package wire
