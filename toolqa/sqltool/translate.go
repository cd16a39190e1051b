package sqltool

import (
	"errors"
	"regexp"
	"strings"
)

// errRefused is why a statement is not run; the agent sees the published text only.
var errRefused = errors.New("sqltool: statement refused")

// translate returns a statement in SQLite's dialect. Rename maps a table's published name, in lower case, to its name
// in the file. It refuses anything but one SELECT, WITH or VALUES statement.
//
// SQLite names a column without an alias after the text of its expression, so each change is wrapped in comments from
// which [untranslate] restores what the agent wrote.
func translate(sql string, rename map[string]string) (string, error) {
	tokens, err := oneStatement(tokenize(sql))
	if err != nil {
		return "", err
	}
	var out strings.Builder
	var casts []bool // for every open parenthesis: is it CAST's?
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		inCast := len(casts) > 0 && casts[len(casts)-1]
		switch {
		case t.kind == space:
			out.WriteByte(' ') // comments go: MySQL's # is none in SQLite, and ours must be the only ones
			continue
		case t.is("("):
			casts = append(casts, previous(tokens, i).is("CAST"))
		case t.is(")") && len(casts) > 0:
			casts = casts[:len(casts)-1]
		case t.is("/"):
			writeChange(&out, "/", "*1.0/ ")
			continue
		case inCast && t.is("AS"):
			n := castType(tokens[i+1:])
			out.WriteString("AS ")
			writeChange(&out, join(tokens[i+1:i+1+n]), sqliteType(tokens[i+1:i+1+n]))
			i += n
			continue
		}
		if to, ok := rename[strings.ToLower(t.name())]; ok {
			writeChange(&out, t.text, to)
			continue
		}
		out.WriteString(t.text)
	}
	return out.String(), nil
}

// oneStatement returns the tokens of a statement without what follows its semicolon, which must be nothing.
func oneStatement(tokens []token) ([]token, error) {
	for i, t := range tokens {
		if strings.Contains(t.text, "\x00") { // SQLite would end the statement here
			return nil, errRefused
		}
		if !t.is(";") {
			continue
		}
		for _, rest := range tokens[i:] {
			if rest.kind != space && !rest.is(";") {
				return nil, errRefused
			}
		}
		tokens = tokens[:i]
		break
	}
	first := next(tokens, -1)
	if !first.is("SELECT") && !first.is("WITH") && !first.is("VALUES") {
		return nil, errRefused
	}
	return tokens, nil
}

// next returns the token after number i that is not space, or the zero token.
func next(tokens []token, i int) token {
	for i++; i < len(tokens); i++ {
		if tokens[i].kind != space {
			return tokens[i]
		}
	}
	return token{}
}

// previous returns the token before number i that is not space, or the zero token.
func previous(tokens []token, i int) token {
	for i--; i >= 0; i-- {
		if tokens[i].kind != space {
			return tokens[i]
		}
	}
	return token{}
}

// castType returns how many tokens from the start are the type of a CAST, which ends before its closing parenthesis.
func castType(tokens []token) int {
	depth := 0
	for i, t := range tokens {
		switch {
		case t.is("("):
			depth++
		case t.is(")"):
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	return len(tokens)
}

// castTypes maps MySQL's types to those that SQLite casts to in the same sense. Others are left as they are.
var castTypes = map[string]string{
	"signed": "INTEGER", "unsigned": "INTEGER",
	"decimal": "REAL", "dec": "REAL", "numeric": "REAL", "float": "REAL", "double": "REAL", "real": "REAL",
	"char": "TEXT", "nchar": "TEXT", "date": "TEXT", "datetime": "TEXT", "time": "TEXT",
}

func sqliteType(tokens []token) string {
	if to, ok := castTypes[strings.ToLower(next(tokens, -1).text)]; ok {
		return to
	}
	return join(tokens)
}

func join(tokens []token) string {
	var b strings.Builder
	for _, t := range tokens {
		if t.kind == space {
			b.WriteByte(' ')
			continue
		}
		b.WriteString(t.text)
	}
	return b.String()
}

// writeChange writes to in place of from.
func writeChange(out *strings.Builder, from, to string) {
	from = strings.TrimSpace(from)
	if strings.Contains(from, "*/") {
		out.WriteString(to)
		return
	}
	out.WriteString("/*:" + from + ":*/" + to + "/*:*/")
}

var change = regexp.MustCompile(`(?s)/\*:(.*?):\*/.*?/\*:\*/`)

// untranslate undoes the changes of translate in the name of a column.
func untranslate(column string) string {
	if !strings.Contains(column, "/*:") {
		return column
	}
	return change.ReplaceAllString(column, "$1")
}
