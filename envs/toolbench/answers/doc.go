// Package answers turns what agents did into the files that StableToolBench's judges read.
//
// # Words
//
// An answer file is what the published controllers write for one query, ID_METHOD.json: a chain for
// CoT, a tree for DFS, and the messages of the attempt that was taken, if one was. A converted file
// is GROUP.json, which has all queries of a group; its execution graph is a chain of nodes: system,
// user, assistant or tool.
//
// # Guarantees
//
//   - What a published answer file becomes equals what was published with it, and is read again as
//     it was.
//   - If no attempt was taken, the published code draws a path by chance. Here it is the first
//     chain, or the path of a tree that was tried last, so the same files give the same bytes.
//
// # Caveats
//
// In a converted file, episodes of this program have no system prompt and no thoughts, as published
// ones have none before a call. What is not a call is a text of the assistant. The answer to a call
// that failed is the error of a response.
package answers
