// Package openenv serves the environments of a suite to other trainers, over the protocol of
// OpenEnv: a client such as GenericEnvClient of the Python package openenv 0.10 works unchanged.
//
// # Words
//
// A session is one WebSocket connection at /ws, and has at most one episode at a time: a task under
// a deployed API version. A reset begins an episode, each step is one turn of it. The agent is
// shown the prompt version, and has to find out the deployed one. A [Recorder], if there is one,
// keeps what agents do.
//
// # Messages
//
// Frames are JSON objects with a type, answered one by one in their order. Unknown members of a
// message, of an action and of the data of a reset are errors; an action may have metadata, which
// is ignored.
//
//	{"type":"reset","data":{…}}  {"type":"observation","data":{"observation":{…},"reward":null,"done":false}}
//	{"type":"step","data":{…}}   the same; reward is null or a number
//	{"type":"state"}             {"type":"state","data":{…}}
//	{"type":"mcp","data":{…}}    {"type":"mcp","data":{…}}, JSON-RPC 2.0: tools/list and tools/call
//	{"type":"close"}             the server closes the connection
//
// The data of a reset, all of it optional:
//
//	seed        an integer from 0 on: chooses the task, number seed modulo how many there are, and the version
//	episode_id  a text of up to 255 characters; without a seed, its hash is the seed
//	task_id     the task by its ID
//	dataset     the tasks of one dataset, of which the seed chooses
//	api         the deployed version by its name, or a family of versions, of which each task meets one by the
//	            seed, as in an evaluation of that seed; without it, that of all versions that are served
//
// Without seed and episode_id the server counts: its first such reset has the seed 0, the next 1.
// Equal seeds (and task_id, dataset, api) give the same episode, in every process over the same
// data.
//
// The observation of a reset:
//
//	task_id     the task
//	dataset     its dataset
//	question    what the agent is asked
//	functions   the tools of the prompt version that the prompt lists, including Finish and UpdateTool: a list of
//	            name, description and input_schema, a JSON Schema. (Not "tools": OpenEnv's MCP client would take the
//	            observation for that of list_tools, and drop the rest.) Functions of a single task, as in ToolBench,
//	            are in its question.
//	system      guidelines and tools in the words of toolevo's prompts: the system text of a chat
//	prompt      the whole text that a model continues with its first action: system, demonstrations, question
//	text        the next message of a chat: the question, after "Question: "
//	outcome     null
//
// The data of a step is an action:
//
//	{"type":"call_tool","tool_name":"LoadDB","arguments":{…},"thought":"…"}
//	{"type":"text","text":"Thought: …\nAction: …\nAction Input: {…}"}
//	{"type":"list_tools"}
//
// In a call, type, arguments and thought are optional; a thought that would itself be read as a
// call is left out. A text is what the model wrote, in the codec of the suite's environments; a
// blank one means that the agent has no more to say, and ends the episode. list_tools needs no
// episode and takes no turn: its observation is {"tools":[…]}, the functions of a reset. The
// observation of any other action:
//
//	tool_name   the name as the agent wrote it, "" if none could be read
//	result      what the agent reads: the tool's result, a notice, or what is wrong with the call
//	error       null, or an object of error_type and message if the outcome is an error; the message is the
//	            result again, or what is wrong with the form of the action
//	outcome     ok, malformed, invalid-action, invocation-error, deprecated, tool-error, unavailable, correct
//	            or incorrect; if an episode ends without an answer, that of its last call, or null
//	text        the next message of a chat: the result, after "Observation: "
//	status      running; terminated by the agent's answer; or truncated by a limit, or by an agent that says no more
//
// In an episode, an action of another form takes a turn, too: as the text in its type or tool_name
// if those cannot be a type or a name, or else as its JSON. Trainers that pass on what their model
// wrote have no other way to tell the model.
//
// error_type is tool_not_found for invalid-action and deprecated, execution_error for tool-error
// and unavailable, and invalid_args for the others. A prompt continues with the text of the action,
// a blank line, the text of the observation, and a blank line.
//
// The state, which is not shown to agents:
//
//	episode_id, step_count   null and 0 before the first reset; step_count counts the turns
//	task_id, dataset, seed   as the reset chose them
//	prompt_version           the API version that is shown
//	deployed_version         the one in force
//	status                   that of the last observation; "none" before the first reset
//	max_turns                after which an episode is truncated
//
// tools/call of mcp is a turn like call_tool, whatever its params are: its result has the content
// and isError of MCP, and also structuredContent, the data of the observation that a step would
// have returned.
//
// # Rewards
//
// The reward is null until the episode ends: then it is 1 for a right answer, by the matcher of the
// suite's environments, and 0 for a wrong one or none, the same as for an episode without an end.
// If the server names shaped rewards (see [Shape]), every turn has a number: what it earns of them,
// 0 for most, and at the end the above in addition.
//
// # Errors
//
// An error is {"type":"error","data":{"code":…,"message":…}}. After the first four, the session
// continues as if the message had not been sent; after the others the connection is closed.
//
//	INVALID_JSON      the frame is not a JSON object
//	UNKNOWN_TYPE      the message has an unknown type
//	VALIDATION_ERROR  a member is missing, unknown, or of the wrong type (except in an action of a running episode),
//	                  or the frame is too large; errors lists loc, msg and type
//	EXECUTION_ERROR   a step before a reset or after the end; a task, dataset or version that is not served; a failure
//	                  of the server, after which the same step may be tried again
//	CAPACITY_REACHED  the server has as many sessions as it may, with active_sessions and max_sessions
//	SESSION_ERROR     the session was silent for too long, or the server stops
//
// # Over HTTP
//
// /health, /metadata, /state (that of a session before its first reset), /openapi.json, and
// /metrics for Prometheus. /schema has the members action, observation, reset_observation and
// state, and of this server's own functions, as a reset has them: all tools of the prompt version,
// with ?dataset=NAME those that its prompts list. GET /tasks, of this server's own, says what a
// reset may choose, the tasks in the order of seeds:
//
//	{"split":…,"versions":[…],"families":[…],"tasks":[{"task_id":…,"dataset":…,"difficulty":…,"question":…}…]}
//
// POST /reset is answered like a reset and forgotten. POST /step has no episode to act in, so it
// can only do list_tools. POST /mcp is JSON-RPC: tools/list, and an error for tools/call.
//
// With a key, all but /health require the header "Authorization: Bearer KEY", and answer 401
// without it; without a key, only clients on this machine are answered. See package envs/wire.
//
// # Guarantees
//
//   - No gold answer leaves the server, except as the reward of an answer.
//   - Sessions share the suite and nothing else: no episode affects another, neither of another
//     session nor a later one of its own. Except under the engine unsafe, a program finds nothing
//     of those that ran before it. If many programs wait, those of sessions whose last ones took
//     long run after the others. States are immutable, so an open episode costs its history.
//   - A session has limits on turns, on bytes (of a frame and of all actions of an episode) and on
//     silence. A larger frame is read and thrown away; one of more than 100 MiB closes the
//     connection.
//   - A recorded episode is safe before its last observation is sent. One that the client leaves
//     after its first turn, by a reset or by closing the connection, is recorded as truncated; one
//     that the server ends is not recorded.
//
// # Caveats
//
//   - Streams of MCP, and the sessions of OpenEnv's "production" mode, which have no reward, are
//     not served.
//   - An agent that says nothing at all, not even a blank text, leaves no trace in a record.
package openenv
