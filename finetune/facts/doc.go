// Package facts reduces an evaluation to three tables that reports are made of: a [Fact] for each
// episode, a [Call] for each call in one, and a [Verdict] for each time that a judge looked at one.
//
// # Words
//
// A call is valid when the deployed version took it, whatever the tool then made of it. A tool is
// refused when a call of it is not valid, and recovers when it is called with success later in the
// same episode; it is met as deprecated when a notice says so. A new tool is one that has another
// name in the deployed version than in the prompt. A description that UpdateTool was given is true
// when the deployed version has the tool and the parameters that it names.
//
// # Guarantees
//
//   - What is valid and what recovered is decided here and nowhere else.
//   - Facts are read off episodes and versions: no policy, no model and no environment takes part.
//   - The files lie beside the episodes' and name the bytes that they were made from. If they
//     are missing, or of other episodes, they are made again.
//   - A judge adds verdicts; it changes no other row.
//
// # Caveats
//
// A description that names no parameters says nothing false about them. That a tool recovered does
// not mean that its result was what the question needed.
package facts
