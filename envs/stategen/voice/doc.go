// Package voice is the domain of a mocked voice service: text becomes speech, speech is spoken
// again in another voice, transcribed, cleaned and presented in phone calls (StateGen, III-B; there
// it is ElevenLabs' MCP server).
//
// # Words
//
// A voice is one of a library of ten: each pair of a category and a gender once. A speech is an
// object of the service, known by its handle: what it says, in which voice and with which settings,
// its duration, and its history, which says in words what was done to it, e.g. ["spoken by Ada",
// "isolated", "transcribed"]. The recorder has what is visible outside: the phone calls, each with
// the speech at that time and the voice that presented it.
//
// # Rules
//
//   - text_to_speech takes an optional voice, and three settings from 0 to 1.
//   - speech_to_speech returns a new speech in another voice.
//   - speech_to_text returns the text, and adds to the history of the speech, which keeps its
//     handle.
//   - isolate_audio returns a new speech of half the duration, and refuses a speech that was
//     isolated since a voice spoke it.
//   - make_outbound_call records a call and returns null.
//   - search_voice_library returns the voices of a category and a gender, either of which may be
//     "any", by name.
//
// A new speech continues the history of the one that it was made from. The duration of a speech
// depends on the number of its words.
//
// # Programs
//
// A program begins with some of: texts, settings, searches, names of voices, and speeches that
// exist from the start. They are declared when a call first uses them, so that no program has one
// that it does not use. As long as calls can use a variable that nothing has consumed, only those
// calls are candidates. A call may take the voice or the settings of an earlier speech, which does
// not consume it, and a program that searched for voices takes one of them. The result of a path is
// every result of a call that no later call has consumed. A transcription consumes nothing: the
// speech still exists, with a longer history. So whatever a call was given shows in the result or
// in the recorder.
//
// # The paper's service
//
// [Paper] is the service as StateEval has it. It answers mostly the same calls in another way, and
// grows no programs: those of [Domain] are adapted to it.
//
// # Caveats
//
// A schema runs the calls of its program, which cost little, so it knows the values that the
// service returns.
package voice
