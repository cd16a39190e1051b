package questions

import (
	"encoding/binary"
	"fmt"
)

// agendaChecks are the second opinions on the agenda questions. The times that a question has are on 24 hours in the
// typed table. When something starts is answered as it is published, which only the stored column has.
var agendaChecks = map[string]string{
	"agenda-easy/event": "SELECT DISTINCT event FROM agenda_data WHERE person = :person AND date = :date " +
		"AND start_time = agenda_clock(:start) AND end_time = agenda_clock(:end)",
	"agenda-easy/location": "SELECT location FROM agenda_data WHERE event = :event AND person = :person AND date " +
		"= :date GROUP BY TRIM(location)",
	"agenda-easy/start": "SELECT DISTINCT agenda_word(c.words, c.codes, c.width, a.rowid) FROM agenda_data AS a, " +
		"cells AS c " +
		"WHERE a.person = :person AND a.event = :event AND a.date = :date AND c.name = 'start_time' AND c.stored = 1",
	"agenda-easy/length": "SELECT DISTINCT TRIM(SUBSTR(TIME(STRFTIME('%s', end_time) - STRFTIME('%s', " +
		"start_time), 'unixepoch'), 1, 1), '0') || " +
		"SUBSTR(TIME(STRFTIME('%s', end_time) - STRFTIME('%s', start_time), 'unixepoch'), 2) FROM agenda_data " +
		"WHERE person = :person AND event = :event AND date = :date AND end_time > start_time",
	"agenda-easy/person": "SELECT DISTINCT person FROM agenda_data WHERE event = :event AND date = :date " +
		"AND start_time = agenda_clock(:start) AND end_time = agenda_clock(:end) AND TRIM(location) = TRIM(:location)",

	"agenda-hard/events-on-date": "SELECT SUM(n) FROM (SELECT COUNT(*) AS n FROM agenda_data WHERE date = :date " +
		"GROUP BY person)",
	"agenda-hard/unavailable": "SELECT COUNT(*) FROM (SELECT person FROM agenda_data WHERE date = :date " +
		"AND NOT (end_time <= agenda_clock(:start) OR start_time >= agenda_clock(:end)) GROUP BY person)",
	// A free slot begins at nine or with the end of a meeting, within no meeting, and ends with the next
	// one's start or at six.
	"agenda-hard/free-slots": "WITH busy AS (SELECT MAX(start_time, '09:00:00') AS s, MIN(end_time, '18:00:00') " +
		"AS e FROM agenda_data " +
		"WHERE person = :person AND date = :date AND start_time < '18:00:00' AND end_time > '09:00:00'), " +
		"slots AS (SELECT f, COALESCE((SELECT MIN(s) FROM busy WHERE s >= f), '18:00:00') AS t FROM (SELECT " +
		"'09:00:00' AS f UNION SELECT e FROM busy) " +
		"WHERE NOT EXISTS (SELECT 1 FROM busy WHERE s <= f AND f < e)) " +
		"SELECT agenda_clock12(f) || '-' || agenda_clock12(t) FROM slots WHERE STRFTIME('%s', t) - STRFTIME('%s', " +
		"f) >= 3600 ORDER BY f",
	"agenda-hard/events-of-person": "SELECT event FROM agenda_data WHERE person = :person AND date = :date GROUP " +
		"BY event ORDER BY MIN(rowid)",
	"agenda-hard/dates-of-person": "SELECT COUNT(*) FROM (SELECT 1 FROM agenda_data WHERE person = :person GROUP " +
		"BY date)",
}

// agendaWord returns the cell in a row, from 1, of a column in the form of the table cells of a corpus file: its words,
// each behind its length, and for every row the number of its word.
func agendaWord(words, codes []byte, width, row int64) (string, error) {
	at := int((row - 1) * width)
	if width < 1 || width > 4 || at < 0 || at+int(width) > len(codes) {
		return "", fmt.Errorf("no row %d of width %d among %d bytes", row, width, len(codes))
	}
	var code [4]byte
	copy(code[:], codes[at:at+int(width)])

	for n := binary.LittleEndian.Uint32(code[:]); ; n-- {
		length, size := binary.Uvarint(words)
		if size <= 0 || uint64(len(words)-size) < length {
			return "", fmt.Errorf("row %d has no word", row)
		}

		word := words[size : size+int(length)]
		if n == 0 {
			return string(word), nil
		}

		words = words[size+int(length):]
	}
}
