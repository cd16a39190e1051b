// Package dynamic is the environment whose APIs have moved on since the prompt was written
// (ToolEvo, sections 2.2, 3.2 and A.2). The agent is shown one API version, the prompt version; the
// server enforces another, the deployed version. Old names get deprecation notices, wrong arguments
// invocation errors, and the agent learns the deployed APIs from what it reads.
//
// # A step
//
// [Environment.Step] does the following, in this order; the first that applies gives the
// observation.
//
//	no Action or no Action Input can be read    Malformed        your action is filtered …
//	the Action Input is not JSON                InvocationError  argument error: …, as Python's json words it
//	the name is unknown                         InvalidAction    invalid action, with the names of the prompt version
//	the name is deprecated                      Deprecated       the notice; the parameters are not looked at
//	the arguments fitted a deprecated version   Deprecated       the notice, if the name is the same; see Options
//	the arguments do not fit the API            InvocationError  its text, what is wrong, or invalid action
//	the tool ran                                what it says     what it says
//	Finish                                      Correct or Incorrect
//	UpdateTool                                  OK, or InvocationError when the description is not a text
//
// All messages have their published wording. A version with a response format wraps what its server
// answers: results, notices and texts about arguments that do not fit.
//
// This is so under the feedback deprecation. Under others a deprecated name is an InvalidAction,
// and neither it nor wrong arguments get a notice: invocation names what is wrong, generic says
// that something is, none that the call failed.
//
// # What refuses nothing
//
// A deployed version may silently change what calls mean and what they return (package silent), and
// have faults that pass. Both are applied on top of the tools and whatever these remember. Hint
// says where this is announced: in a note above the answers in which it shows, only in the
// documents of the deployed version, or nowhere. A fault that shows is Unavailable, which is no
// mistake of the agent; whether a call meets one depends on the version, the task and how often the
// path has called the tool, so equal paths meet equal faults.
//
// # Reading an action
//
// The text is ReAct or what another codec reads; package action has the rules.
//
// Bytes that are not UTF-8 are replaced by U+FFFD before anything else, also in the action that the
// turn keeps, and in observations. So every text in a History is valid UTF-8.
//
// # Tools
//
// The environment is generic over S, what the tools of one state remember (a loaded table, its
// filters). A [Tool] turns an S and arguments into another S and a result; it never changes the S
// it is given. Finish and UpdateTool belong to the environment itself. UpdateTool changes the
// History that follows: P_c becomes P_c + P_s (section 3.3). If tasks begin with different
// sessions, Config.Begin says with which; a grader sees the last one, so that a reward can depend
// on what calls have done.
//
// # Guarantees
//
// Those of [envs.Environment], provided that the tools and the grader are deterministic and safe
// for concurrent use. Every error names its stage: StageTool for a tool, StageEnvironment for the
// rest. Step is linear in the size of the action and of the observation.
//
// # Caveats
//
// Where the published code loses a question to a crash (a number for a text that has to begin with
// a prefix), the answer here is the API's message about its value. An escape of half a surrogate
// pair reads as U+FFFD. mcts/ALGORITHM.md has the other differences.
package dynamic
