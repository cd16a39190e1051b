package session

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/stategen"
)

var refuse = stategen.Refuse

// leastSource is the least number of characters of a source.
const leastSource = 3

// fieldPrefix begins the field of a query.
const fieldPrefix = "data."

// state holds the sessions of the service, oldest first. It is immutable.
type state struct {
	sessions []session
	added    int // including those deleted since: no id is given twice
}

// session is a session of the service.
type session struct {
	id, source, kind, checksum string
	data                       envs.Args
}

// Missing is the refusal of a call about a session that does not exist.
type Missing struct{ *stategen.Refusal }

// Unwrap returns the refusal.
func (m Missing) Unwrap() error { return m.Refusal }

// value returns the session as callers read it.
func (s *session) value() envs.Args {
	return envs.Object(
		"id", s.id, "source", s.source, "type", s.kind,
		"checksum", s.checksum, "data", s.data,
	)
}

func (s *session) isOf(source, kind string) bool { return s.source == source && s.kind == kind }

// has reports whether the data has a text under a key.
func (s *session) has(key, text string) bool {
	v, ok := s.data.Text(key)
	return ok && v == text
}

// Begin implements [stategen.Service].
func (d *Domain) Begin(p *stategen.Program, _ map[string]any) (stategen.State, error) {
	var s stategen.State = state{}

	all, ok := p.Server.Any.([]any)
	if !ok && p.Server.Any != nil {
		return nil, fmt.Errorf("session: the service of a program begins with %s, want a list of sessions",
			pytext.TypeName(p.Server.Any))
	}

	for i, v := range all {
		one, ok := v.(envs.Args)
		if !ok {
			return nil, fmt.Errorf("session: session %d of a program is not an object", i)
		}

		var err error
		if s, _, err = d.Call(s, Add, one); err != nil {
			return nil, fmt.Errorf("session: session %d of a program: %w", i, err)
		}
	}

	return s, nil
}

// Call implements [stategen.Service].
func (d *Domain) Call(from stategen.State, tool string, args envs.Args) (stategen.State, any, error) {
	s, ok := from.(state)
	if !ok {
		return nil, nil, fmt.Errorf("session: a state of another service: %T", from)
	}

	source, _ := args.Text("source")
	kind, _ := args.Text("type")

	// Refused for every tool, even if the id is that of a session.
	if err := d.check(source, kind); err != nil {
		return from, nil, err
	}

	switch tool {
	case List:
		return s, s.find(func(one *session) bool { return one.isOf(source, kind) }), nil
	case Query:
		found, err := s.query(source, kind, args)
		return s, found, err
	case Add:
		data, err := dataOf(args)
		if err != nil {
			return s, nil, err
		}

		next, id := s.add(source, kind, data)
		return next, envs.Object("id", id), nil
	}

	id, _ := args.Text("id")

	// An id is not enough: calls have to name the session's source and type as well.
	i := slices.IndexFunc(s.sessions, func(one session) bool {
		return one.id == id && one.isOf(source, kind)
	})
	if i < 0 {
		text := fmt.Sprintf("There is no session with the id %.100q of the source %.100q and type %s.",
			id, source, kind)
		return s, nil, Missing{&stategen.Refusal{Text: text, OfState: true}}
	}

	switch tool {
	case Get:
		return s, s.sessions[i].value(), nil
	case Update:
		data, err := dataOf(args)
		if err != nil {
			return s, nil, err
		}
		return s.update(i, data), nil, nil
	case Delete:
		return state{slices.Delete(slices.Clone(s.sessions), i, i+1), s.added}, nil, nil
	}
	return nil, nil, errors.New("session: no tool " + tool)
}

// check refuses a source or type that no session can have.
func (d *Domain) check(source, kind string) error {
	if utf8.RuneCountInString(source) < leastSource {
		return refuse("The source %q is too short: it has at least %d characters.", source, leastSource)
	}

	if !slices.Contains(d.types, kind) {
		return refuse("There is no type %.100q. The types are %s.", kind, strings.Join(d.types, ", "))
	}
	return nil
}

// dataOf returns the data of a call.
func dataOf(args envs.Args) (envs.Args, error) {
	v, _ := args.Get("data")

	data, ok := v.(envs.Args)
	if !ok {
		return nil, refuse("The data of a session is a JSON object, not a %s.", pytext.TypeName(v))
	}
	return data, nil
}

// find returns the matching sessions as a value.
func (s state) find(matches func(*session) bool) []any {
	found := []any{}

	for i := range s.sessions {
		if matches(&s.sessions[i]) {
			found = append(found, s.sessions[i].value())
		}
	}

	return found
}

func (s state) query(source, kind string, args envs.Args) (any, error) {
	field, _ := args.Text("field")
	value, isText := args.Text("value")

	key, ok := strings.CutPrefix(field, fieldPrefix)
	if !ok || key == "" {
		return nil, refuse("The field %.100q is not of the form data.KEY, e.g. data.title.", field)
	}

	if !isText {
		return nil, refuse("The value to look for is a text.")
	}
	return s.find(func(one *session) bool { return one.isOf(source, kind) && one.has(key, value) }), nil
}

// add returns the service with one more session, and its id. One that already exists is not added.
func (s state) add(source, kind string, data envs.Args) (state, string) {
	sum := checksum(data)

	for _, one := range s.sessions {
		if one.isOf(source, kind) && one.checksum == sum {
			return s, one.id
		}
	}

	// Programs that others wrote sort sessions by ids, which ascend in MongoDB.
	id := fmt.Sprintf("%08x%.16s", firstID+s.added, digest(fmt.Sprint(source, " ", kind, " ", sum)))
	added := session{id, source, kind, sum, data}
	return state{append(slices.Clip(s.sessions), added), s.added + 1}, id
}

// firstID is the first value of the ascending part of ids.
const firstID = 0x6f1c0000

// update returns the service with other data in a session.
func (s state) update(i int, data envs.Args) state {
	s.sessions = slices.Clone(s.sessions)
	s.sessions[i].data, s.sessions[i].checksum = data, checksum(data)
	return s
}

// checksum identifies data. Equal data has equal checksums.
func checksum(data envs.Args) string { return digest(string(pytext.AppendCanonical(nil, data))) }

// digest returns 24 hexadecimal digits, like the ids of documents in MongoDB.
func digest(text string) string {
	return fmt.Sprintf("%.12x", sha256.Sum256([]byte(text)))
}
