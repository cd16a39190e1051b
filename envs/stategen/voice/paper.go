package voice

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"toolevo/envs"
	"toolevo/envs/display"
	"toolevo/envs/stategen"
	"toolevo/envs/toolapi"
	"toolevo/envs/yamltext"
)

//go:embed paper.yaml
var paperFile string

var paperTools = sync.OnceValue(func() []toolapi.APISpec { return stategen.Tools("voice/paper.yaml", paperFile) })

// paperLibrary is the library of the benchmark.
type paperLibrary struct {
	Categories []string                     `yaml:"categories"`
	Voices     map[string]map[string]string `yaml:"voices"` // names, by gender and category
}

var paperVoices = yamltext.Once[paperLibrary](files, "library.yaml")

// library returns the voices of the benchmark, sorted by name.
var library = sync.OnceValue(func() (all []voice) {
	for gender, names := range paperVoices().Voices {
		for category, name := range names {
			all = append(all, voice{name, category, gender})
		}
	}

	slices.SortFunc(all, byName)
	return all
})

// Paper is the domain as StateEval has it: searches by name, or by a category or a gender alone,
// transcripts that are objects, speeches that tell which calls made them, and one library for all
// programs.
type Paper struct{ Domain }

// APIs implements [stategen.Domain].
func (Paper) APIs() []toolapi.APISpec { return slices.Clone(paperTools()) }

// paperState is a state of the service. It is immutable: what changes is copied.
type paperState struct {
	speeches []paperSpeech // those from the start, and then the results of calls
	made     int           // speeches by calls
	calls    []paperCall   // the recorder
	changes  int           // calls that changed anything
}

// paperCall is a phone call. Its speech is as it is at the end, since the benchmark's recorder
// keeps the object itself.
type paperCall struct{ handle, voice string }

// paperSpeech is a speech as the benchmark writes one, without its handle.
type paperSpeech struct {
	handle string
	speech envs.Args
}

// Begin implements [stategen.Service]. Loaded variables are speeches with their own names as
// handles.
func (Paper) Begin(p *stategen.Program, values map[string]any) (stategen.State, error) {
	s := &paperState{}

	for _, v := range p.Init {
		if v.Role != stategen.Loaded {
			continue
		}

		whole, _ := values[v.Name].(envs.Args)
		if handle, _ := whole.Text("speech"); handle != v.Name || whole.List("transitions") == nil {
			return nil, fmt.Errorf("voice: the variable %s is not a speech with this handle", v.Name)
		}

		s.speeches = append(s.speeches, paperSpeech{v.Name, whole.Without("speech")})
	}
	return s, nil
}

// Call implements [stategen.Service]. An optional argument that is null counts as left out.
func (Paper) Call(of stategen.State, tool string, args envs.Args) (stategen.State, any, error) {
	s := of.(*paperState)

	switch {
	case s.changes >= mostChanges:
		return s, nil, refuse("the service takes no more than %d calls from one caller", mostChanges)
	case tool == searchVoices:
		found, err := searchPaper(args)
		return s, found, err
	}

	next := *s
	next.changes++

	result, err := next.run(tool, args)
	if err != nil {
		return s, nil, err
	}
	return &next, result, nil
}

// run makes a call that changes the service.
func (s *paperState) run(tool string, args envs.Args) (any, error) {
	if tool == textToSpeech {
		return s.speak(args)
	}

	handle, _ := args.Text("input_speech")

	at := slices.IndexFunc(s.speeches, func(p paperSpeech) bool { return p.handle == handle })
	if at < 0 {
		return nil, refuse("there is no speech %q", display.Line(handle, mostShown))
	}

	from := s.speeches[at].speech
	name, _ := args.Text("voice_name")

	if tool == speechToSpeech || tool == outboundCall {
		if !slices.ContainsFunc(library(), func(v voice) bool { return v.name == name }) {
			return nil, refuse("the library has no voice %q: "+
				"search_voice_library finds those that there are", display.Line(name, mostShown))
		}
	}

	switch tool {
	case speechToSpeech:
		again := after(from, tool, envs.Object("voice_name", name))
		return s.give(with(again, "voice_name", name)), nil
	// The benchmark's service isolates a speech as often as it is asked.
	case isolateAudio:
		duration, _ := from.Get("duration")
		n, _ := duration.(envs.Number)
		seconds, _ := strconv.ParseFloat(string(n), 64)
		isolated := after(from, tool, envs.Args{})
		return s.give(with(isolated, "duration", stategen.Number(seconds/2))), nil
	case speechToText:
		diarize, given := args.Get("diarize")
		if !given {
			diarize = false
		}

		text, _ := from.Text("text")
		// The state before the call has the same list, and stays as it is.
		s.speeches = slices.Clone(s.speeches)
		s.speeches[at].speech = after(from, tool, envs.Object("diarize", diarize))
		return envs.Object("text", text, "diarize", diarize), nil
	case outboundCall:
		s.calls = append(slices.Clip(s.calls), paperCall{handle, name})
		return true, nil
	}

	return nil, fmt.Errorf("voice: there is no tool %q", tool)
}

// paperDuration is the duration of every text.
const paperDuration = envs.Number("16.0")

// speak makes the speech of a text.
func (s *paperState) speak(args envs.Args) (any, error) {
	text, ok := args.Text("text")
	if !ok || len(text) > mostCharacters {
		return nil, refuse("text is missing, not a text, or longer than %d characters", mostCharacters)
	}

	chosen := make(envs.Args, 0, 1+len(settingNames))
	for _, name := range append([]string{"voice_name"}, settingNames[:]...) {
		v, _ := args.Get(name)
		chosen = append(chosen, envs.Arg{Name: name, Value: v})
	}

	speech := slices.Concat(envs.Object("text", text), chosen, envs.Object("duration", paperDuration,
		"transitions", []any{[]any{textToSpeech, chosen}}))
	return s.give(speech), nil
}

// Recording returns the value of a loaded variable: a user's speech.
func Recording(handle, text string) envs.Args {
	return envs.Object("speech", handle, "text", text, "voice_name", "user_voice", settingNames[0], nil,
		settingNames[1], nil, settingNames[2], nil, "duration", paperDuration, "transitions", []any{})
}

// after returns a speech with one more transition.
func after(speech envs.Args, tool string, parameters envs.Args) envs.Args {
	done := append(slices.Clip(speech.List("transitions")), []any{tool, parameters})
	return with(speech, "transitions", done)
}

// with returns an object with another value of a member.
func with(object envs.Args, member string, value any) envs.Args {
	object = slices.Clone(object)
	object[slices.Index(object.Names(), member)].Value = value
	return object
}

// give adds a new speech, and returns it as a value.
func (s *paperState) give(speech envs.Args) any {
	s.made++
	handle := "speech_" + strconv.Itoa(s.made)
	s.speeches = append(slices.Clip(s.speeches), paperSpeech{handle, speech})
	return append(envs.Object("speech", handle), speech...)
}

// searchPaper answers a search: only by name, if one is given.
func searchPaper(args envs.Args) (any, error) {
	var wanted [3]any
	for i, name := range [...]string{"search_name", "search_category", "search_gender"} {
		wanted[i], _ = args.Get(name)
	}

	if wanted == [3]any{} {
		return nil, refuse("search_name, search_category or search_gender has to be given")
	}

	if wanted[0] != nil {
		wanted[1], wanted[2] = nil, nil
	}

	found := []any{}

	for _, v := range library() {
		if !slices.ContainsFunc([][2]any{{wanted[0], v.name}, {wanted[1], v.category}, {wanted[2], v.gender}},
			func(pair [2]any) bool { return pair[0] != nil && pair[0] != pair[1] }) {
			found = append(found, envs.Object("category", v.category, "gender", v.gender, "voice_name", v.name))
		}
	}

	if wanted[0] != nil && len(found) == 0 {
		return nil, nil
	}
	return found, nil
}

// Content implements [stategen.Service]: a speech, or its handle, means what the speech is now.
func (Paper) Content(of stategen.State, v any) any {
	s := of.(*paperState)
	return envs.Map(v, func(part any) (any, bool) {
		handle := stategen.Handle(part, "speech")
		if at := slices.IndexFunc(s.speeches, func(p paperSpeech) bool { return p.handle == handle }); at >= 0 {
			return s.speeches[at].speech, true
		}

		_, isList := part.([]any)
		return part, !isList
	})
}

// Effects implements [stategen.Service]: the phone calls.
func (d Paper) Effects(of stategen.State) any {
	calls := of.(*paperState).calls

	list := make([]any, len(calls))
	for i, c := range calls {
		list[i] = envs.Object("speech", d.Content(of, c.handle), "voice_name", c.voice)
	}
	return list
}

// Adapt returns a function that adapts values in a program of [Domain] to Paper. It replaces a
// voice of the program's library by the benchmark's of the same category and gender, and "any" by
// null.
func (Paper) Adapt(server stategen.Value) func(any) any {
	texts := map[string]any{anything: nil}

	for i, category := range voiceNames().Categories {
		// Both list their categories in the same order.
		texts[category] = paperVoices().Categories[i]
	}

	texts["female"], texts["male"] = "feminine", "masculine"

	// The names come last: the benchmark's words for category and gender find its voice.
	list, _ := server.Any.([]any)
	for _, item := range list {
		own, _ := readVoice(item)

		for _, v := range library() {
			if v.category == texts[own.category] && v.gender == texts[own.gender] {
				texts[own.name] = v.name
			}
		}
	}

	return func(v any) any {
		return envs.Map(v, func(part any) (any, bool) {
			text, isText := part.(string)
			if adapted, known := texts[text]; isText && known {
				return adapted, true
			}
			return part, false
		})
	}
}
