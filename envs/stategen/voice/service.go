package voice

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/display"
	"toolevo/envs/stategen"
	"toolevo/envs/toolapi"
)

var refuse, refuseState = stategen.Refuse, stategen.RefuseState

// The limits of the service.
const (
	mostChanges    = 1000 // by one caller
	mostCharacters = 5000 // of a text
)

// state is a state of the service. It is immutable: what changes is copied.
type state struct {
	library  []voice // sorted by name
	speeches []named // those from the start, and then the results of calls
	made     int     // speeches by calls
	calls    []call  // the recorder
	changes  int     // calls that changed anything
}

// named is a speech and its handle.
type named struct {
	handle string
	*speech
}

// call is a phone call.
type call struct {
	speech *speech // at the time of the call
	voice  string
}

// Begin implements [stategen.Service]. A service has a library at the start, a list of voices as
// search_voice_library returns them; the speeches are the loaded variables.
func (Domain) Begin(p *stategen.Program, values map[string]any) (stategen.State, error) {
	s := &state{}

	list, _ := p.Server.Any.([]any)
	for i, item := range list {
		v, ok := readVoice(item)
		if !ok {
			return nil, fmt.Errorf("voice: voice %d of the library is not an object of voice_name, "+
				"category and gender", i+1)
		}

		s.library = append(s.library, v)
	}

	if len(s.library) == 0 {
		return nil, fmt.Errorf("voice: the program has no library: want a list of voices under server")
	}

	// Searches return voices by name, and calls look them up by binary search.
	slices.SortFunc(s.library, byName)

	// Programs pass a speech by its variable, so that has to be the handle.
	for _, v := range p.Init {
		if v.Role != stategen.Loaded {
			continue
		}

		handle, loaded, ok := readSpeech(values[v.Name])
		if !ok || handle != v.Name {
			return nil, fmt.Errorf("voice: the variable %s is not a speech with this handle", v.Name)
		}

		s = s.with(named{handle, loaded})
	}
	return s, nil
}

func byName(a, b voice) int { return strings.Compare(a.name, b.name) }

// with returns a state with one more speech.
func (s *state) with(n named) *state {
	next := *s
	next.speeches = append(slices.Clip(s.speeches), n)
	return &next
}

// find returns the index of a speech by its handle, or -1.
func (s *state) find(handle string) int {
	return slices.IndexFunc(s.speeches, func(n named) bool { return n.handle == handle })
}

// Call implements [stategen.Service]. An optional argument that is null counts as left out.
func (Domain) Call(of stategen.State, tool string, args envs.Args) (stategen.State, any, error) {
	s := of.(*state)

	run, ok := implementations[tool]
	if !ok {
		return s, nil, fmt.Errorf("voice: there is no tool %q", tool)
	}

	if name, ok := unknown(tool, args); ok {
		return s, nil, refuse("%s has no parameter %q", tool, display.Line(name, mostShown))
	}

	if s.changes >= mostChanges {
		return s, nil, refuseState("the service takes no more than %d calls from one caller", mostChanges)
	}

	next, result, err := run(s, args)
	if err != nil {
		return s, nil, err
	}

	if next != s {
		next.changes++
	}
	return next, result, nil
}

// implementations are the tools. Each reads its arguments itself, as not every client checks them.
var implementations = map[string]func(*state, envs.Args) (*state, any, error){
	textToSpeech:   speakText,
	speechToSpeech: speakAgain,
	speechToText:   transcribe,
	isolateAudio:   isolate,
	outboundCall:   phone,
	searchVoices:   search,
}

// unknown returns the first argument that a tool has no parameter for.
func unknown(tool string, args envs.Args) (string, bool) {
	i := slices.IndexFunc(tools(), func(a toolapi.APISpec) bool { return a.Name == tool })
	parameters := tools()[i].Parameters.All

	for _, arg := range args {
		if !slices.ContainsFunc(parameters, func(p toolapi.Parameter) bool { return p.Name == arg.Name }) {
			return arg.Name, true
		}
	}

	return "", false
}

func speakText(s *state, args envs.Args) (*state, any, error) {
	text, ok := args.Text("text")

	switch {
	case !ok:
		return nil, nil, refuse("text is missing or not a text")
	case strings.TrimSpace(text) == "":
		return nil, nil, refuse("there is nothing to say: text is empty")
	case len(text) > mostCharacters:
		return nil, nil, refuse("text is too long: want at most %d characters", mostCharacters)
	}

	name := ""

	// Null means the same as leaving it out.
	if v, given := args.Get("voice_name"); given && v != nil {
		var err error
		if name, err = s.voice(args); err != nil {
			return nil, nil, err
		}
	}

	chosen := defaultSettings // an array, so this is a copy

	for i, setting := range settingNames {
		if v, given := args.Get(setting); given && v != nil {
			if chosen[i], ok = isSetting(v); !ok {
				return nil, nil, refuse("%s is not a number from 0 to 1", setting)
			}
		}
	}

	return s.give(speak(text, name, chosen))
}

func speakAgain(s *state, args envs.Args) (*state, any, error) {
	at, err := s.input(args)
	if err != nil {
		return nil, nil, err
	}

	name, err := s.voice(args)
	if err != nil {
		return nil, nil, err
	}
	return s.give(s.speeches[at].inVoice(name, spokenAgain))
}

func transcribe(s *state, args envs.Args) (*state, any, error) {
	at, err := s.input(args)
	if err != nil {
		return nil, nil, err
	}

	heard := s.speeches[at]
	next := *s
	next.speeches = slices.Clone(s.speeches)
	next.speeches[at].speech = heard.after(transcribed)
	return &next, heard.text, nil
}

func isolate(s *state, args envs.Args) (*state, any, error) {
	at, err := s.input(args)
	if err != nil {
		return nil, nil, err
	}

	if s.speeches[at].isIsolated() {
		return nil, nil, refuseState("%s is isolated already: speak it again in another voice first",
			s.speeches[at].handle)
	}
	return s.give(s.speeches[at].isolate())
}

func phone(s *state, args envs.Args) (*state, any, error) {
	at, err := s.input(args)
	if err != nil {
		return nil, nil, err
	}

	name, err := s.voice(args)
	if err != nil {
		return nil, nil, err
	}

	next := *s
	next.calls = append(slices.Clip(s.calls), call{s.speeches[at].speech, name})
	return &next, nil, nil
}

// anything is what a search takes for any category or gender.
const anything = "any"

func search(s *state, args envs.Args) (*state, any, error) {
	category, isCategory := args.Text("search_category")
	gender, isGender := args.Text("search_gender")

	if !isCategory || !isGender {
		return nil, nil, refuse("search_category and search_gender have to be texts")
	}

	found := []any{}

	for _, v := range s.library {
		if (category == anything || category == v.category) && (gender == anything || gender == v.gender) {
			found = append(found, v.value())
		}
	}

	return s, found, nil
}

// give returns a state with a new speech, and the speech as a value.
func (s *state) give(made *speech) (*state, any, error) {
	handle := "speech_" + strconv.Itoa(s.made+1)
	next := s.with(named{handle, made})
	next.made++
	return next, made.value(handle), nil
}

// input returns the index of the speech of a call.
func (s *state) input(args envs.Args) (int, error) {
	handle, ok := args.Text("input_speech")
	if !ok {
		return 0, refuse("input_speech is missing or not the handle of a speech, which is a text like \"speech_1\"")
	}

	at := s.find(handle)
	if at < 0 {
		return 0, refuseState("there is no speech %q", display.Line(handle, mostShown))
	}
	return at, nil
}

// voice returns the name of the voice of a call.
func (s *state) voice(args envs.Args) (string, error) {
	name, ok := args.Text("voice_name")
	if !ok {
		return "", refuse("voice_name is missing or not a text")
	}

	if _, ok := slices.BinarySearchFunc(s.library, voice{name: name}, byName); !ok {
		return "", refuse("the library has no voice %q: search_voice_library finds those that there are",
			display.Line(name, mostShown))
	}
	return name, nil
}

// mostShown is how many columns of an argument a refusal shows.
const mostShown = 60
