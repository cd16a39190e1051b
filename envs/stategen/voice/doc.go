// Package voice is the domain of a mocked voice service: text becomes speech, speech is spoken
// again in another voice, transcribed, cleaned and presented in phone calls (StateGen, III-B; there
// it is ElevenLabs' MCP server).
//
// # Words
//
// A voice is one of a library of ten: each pair of a category and a gender once. A speech is an
// object of the service, known by its handle: what it says, in which voice and with which settings,
// how long it takes, and its history, the words of what was done to it, e.g. ["spoken by Ada",
// "isolated", "transcribed"]. The recorder is what the outside notices: the calls that were made,
// each a speech as it was then and the voice that presented it.
//
// # Rules
//
//   - text_to_speech takes a voice or none, and three settings from 0 to 1.
//   - speech_to_speech gives a new speech in another voice.
//   - speech_to_text gives the text; the speech is in its history marked as transcribed, under the
//     same handle.
//   - isolate_audio gives a new speech of half the duration, and refuses one that was isolated
//     since a voice spoke it.
//   - make_outbound_call records a call and gives null.
//   - search_voice_library gives the voices of a category and a gender, either of which may be
//     "any", by name.
//
// A speech goes on with the history of the one that it was made from. How long a speech takes
// depends on how many words it has.
//
// # Programs
//
// A program begins with some of: texts, settings, searches, names of voices, and speeches that are
// there from the start. They are declared when a call first uses them, so that no program has one
// that it does not use. While a variable that nothing has consumed can be used, only calls that use
// one are candidates. A call may take the voice or the settings of an earlier speech, which does
// not consume it, and who searched for voices takes one of them. The result of a path is every
// result of a call that no later call has consumed. A transcription consumes nothing: the speech is
// still there, with a longer history. So whatever a call was given shows in the result or in the
// recorder.
//
// # The paper's service
//
// [Paper] is the service as StateEval has it. It answers other things to mostly the same calls, and
// grows no programs: those of [Domain] are adapted to it.
//
// # Caveats
//
// A schema runs the calls of its program, which cost little; so what it knows of values is what the
// service says.
package voice
