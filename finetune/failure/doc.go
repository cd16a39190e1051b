// Package failure says by rule why an episode failed, in the classes of the paper's error analysis
// (ToolEvo, appendix C.3, Table 7).
//
// # Words
//
// A [Class] is a kind of failure, and its [Heading] the column of Table 7 above it. A turn brings
// the agent on when a tool other than UpdateTool ran and answered. What is in the agent's way at
// the end are its mistakes since it was last brought on. A turn brings nothing new when its call
// was made before, the tool could not do it, or the same tool was called the two times before. A
// [Refusal] is what the deployed version rejected in one call, whether the episode failed or not.
//
// # Guarantees
//
//   - A [Verdict] depends on the episode and on the names of the deployed version only, a [Refusal]
//     on a call and the parameters there. No message is matched: an environment may word them as it
//     likes.
//   - Every failed episode gets exactly one verdict, which names the rule and the turn that it
//     rests on.
//   - Where no rule applies the verdict is [Undecided]; nothing is guessed.
//
// # Caveats
//
// A rule sees what was done, and not why. An answer that was made up after good calls and one that
// was misread are both [IncorrectOutput]. RULES.md beside this file has the rules in order, and how
// often they agree with a reader.
package failure
