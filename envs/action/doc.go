// Package action converts calls to text and back. The environment, the prompt and the built-in
// policy all use it.
//
// # Words
//
// A [Codec] turns the text of an action into an [envs.Call] and back. [ReAct] is the format of
// ToolEvo, A.1: a Thought, an Action and an Action Input, each after its marker. [FunctionCall] is
// the format of trainers and servers: a thought between <think> tags and a JSON object with a name
// and arguments. [Tools] is a message of a chat API: text and native tool calls, as one JSON
// object. [Python] is a program in a fenced block, which answers a task as a whole. A canonical key
// stands for a call: equal calls, equal keys, whichever codec wrote them.
//
// # Reading ReAct
//
// The name is the text between the first "Action:" and the next "Action Input", without surrounding
// white space. The arguments are the JSON object that begins at the first "Action Input:" followed
// by a brace. If it is not complete, the error is about the text up to the last closing brace.
// Something has to be between the first brace and the last, so "{}" is malformed and "{ }" is an
// object without members, unless a suite has tools without parameters and sets [ReAct].EmptyInput.
// The thought is ignored. Duplicate keys, line breaks in strings and NaN are treated as in Python.
// JSON nested deeper than [pytext.MaxDepth] is an argument error. These are the published code's
// rules, except that there the arguments always reach to the last brace: see [ReAct].LastBrace.
//
// # Reading function calls
//
// The call is the JSON object that begins at the first brace, or at the first one after </think> in
// a text that begins with <think>. A <tool_call> tag before it and any text after it are ignored.
// Its name must not be empty, and its arguments, which may be called parameters, must be an object
// or a string that holds one.
//
// # Reading messages
//
// A message is one JSON object and nothing else, made of a server's reply: content, calls, or both.
// The first call is the action, if chat APIs can hold its name and its arguments are an object.
// Arguments that are not JSON are an argument error, anything else is malformed, and later prompts
// show both as content: servers replace arguments that they cannot read.
//
// # Reading programs
//
// The program is the text in the last fenced block: from a line that begins with three or more
// backquotes to a line of as many and nothing else. The language named there is ignored, except
// that a line with one also begins a block inside of one that has not ended. A block without an end
// does not count.
//
// # Reasoning
//
// Reasoning is what a model writes in tags before its content, or what a server sends in a field of
// its own; ReAct's Thought is content. An action is one text that begins with the reasoning, in the
// tags that the model wrote, or in <think> tags if a server sent it separately. So the search, the
// log, trees, rows and documents need no place for it. Only [Part] separates the two, and only
// [Join] puts them together. No codec reads a call in reasoning, and keys do not contain it:
// siblings that differ in nothing else are one. The thought of [FunctionCall] is in the same tags,
// and is treated like reasoning. [Reasoning] says what later prompts and samples show of it.
//
// # Guarantees
//
//   - Parse takes any text, in time linear in its length. A call returned without an error has a
//     name.
//   - Trim returns a text that parses in the same way and has nothing after its call: a beginning
//     of the text, except for messages.
//   - Parse(Format(thought, c)) is c without its Tool, if c has arguments and a name that the
//     format can express.
//   - A key is one line of valid UTF-8, and no text that is not a call has the key of one.
//
// # Caveats
//
// Format does not look for markers in its arguments: a thought with "Action:" in it, or with
// "</think>" and a brace, reads as another call.
package action
