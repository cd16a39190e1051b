package sqltool

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"toolevo/envs/display"
)

// dateFormat writes a moment, or a time of day, in a format of MySQL such as "%M %e, %Y".
func dateFormat(v any, layout string) (any, error) {
	m, ok := momentOf(v)
	if !ok {
		d, ok := clockOf(v)
		if !ok || d < 0 {
			return nil, nil
		}

		m = moment{time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).Add(d), true}
	}
	var b strings.Builder

	for i := 0; i < len(layout); i++ {
		if layout[i] != '%' || i+1 == len(layout) {
			b.WriteByte(layout[i])
			continue
		}
		i++
		writeField(&b, m, layout[i])

		if b.Len() > maxText {
			return nil, errTooLong
		}
	}
	return b.String(), nil
}

// layouts are the fields of a format for which Go has a name.
var layouts = map[byte]string{
	'Y': "2006", 'y': "06", 'm': "01", 'c': "1", 'M': "January", 'b': "Jan", 'd': "02", 'e': "2", 'j': "002",
	'W': "Monday", 'a': "Mon", 'H': "15", 'h': "03", 'I': "03", 'l': "3", 'i': "04", 's': "05", 'S': "05", 'p': "PM",
	'r': "03:04:05 PM", 'T': "15:04:05",
}

func writeField(b *strings.Builder, m moment, field byte) {
	if layout, ok := layouts[field]; ok {
		b.WriteString(m.Format(layout))
		return
	}

	// The modes of WEEK that these fields are numbered in.
	if mode := strings.IndexByte("UuVv", field); mode >= 0 {
		_, week := weekOf(m.Time, int64(mode))
		fmt.Fprintf(b, "%02d", week)
		return
	}

	switch field {
	case 'D':
		b.WriteString(display.Ordinal(m.Day()))
	case 'k':
		b.WriteString(strconv.Itoa(m.Hour()))
	case 'f':
		fmt.Fprintf(b, "%06d", m.Nanosecond()/1000)
	case 'w':
		b.WriteString(strconv.Itoa(int(m.Weekday())))
	case 'X':
		year, _ := weekOf(m.Time, 2)
		fmt.Fprintf(b, "%04d", year)
	case 'x':
		year, _ := weekOf(m.Time, 3)
		fmt.Fprintf(b, "%04d", year)
	default:
		b.WriteByte(field)
	}
}
