package doc

import (
	"strings"
	"unicode/utf8"
)

// Task is a checkbox item, or a heading or list item with a keyword such as TODO.
type Task struct {
	Done  bool   // completed or cancelled
	State string // of a checkbox todo, doing, done or cancelled, else its mark; a keyword as written
	Text  string // without its dates
	Span  Span

	// Dates are YYYY-MM-DD with or without THH:MM, "" if there is none.
	Due, Scheduled, Start, Completed, Created string
}

// CheckboxState returns the state of a checkbox mark, as Obsidian, Logseq and
// Org define it. ok is false for letters and digits other than x, which mark a
// category or a footnote.
func CheckboxState(mark byte) (state string, done, ok bool) {
	switch mark {
	case ' ':
		return "todo", false, true
	case 'x', 'X':
		return "done", true, true
	case '/':
		return "doing", false, true
	case '-':
		return "cancelled", true, true
	case '>', '<', '!', '?', '*', '"':
		return string(mark), false, true
	}
	return "", false, false
}

// taskWords are the keywords that open a task in an outline of Logseq.
var taskWords = map[string]bool{
	"TODO": false, "DOING": false, "NOW": false, "LATER": false, "WAITING": false, "WAIT": false, "IN-PROGRESS": false,
	"DONE": true, "CANCELED": true, "CANCELLED": true,
}

// CutTaskWord reads a keyword at the start of a list item.
func CutTaskWord(text string) (word, rest string, done, ok bool) {
	word, rest, _ = strings.Cut(text, " ")
	done, ok = taskWords[word]
	return word, strings.TrimSpace(rest), done, ok && strings.TrimSpace(rest) != ""
}

// taskSigns are the signs for dates of Obsidian's plugin Tasks.
var taskSigns = []struct {
	sign string
	date func(*Task) *string
}{
	{"📅", (*Task).due}, {"📆", (*Task).due}, {"🗓", (*Task).due}, {"⏳", (*Task).scheduled}, {"⌛", (*Task).scheduled},
	{"🛫", (*Task).start}, {"✅", (*Task).completed}, {"❌", (*Task).completed}, {"➕", (*Task).created},
}

// taskFields are Dataview's inline fields for dates, and Org's keywords.
var taskFields = map[string]func(*Task) *string{
	"due": (*Task).due, "scheduled": (*Task).scheduled, "start": (*Task).start, "completion": (*Task).completed,
	"completed": (*Task).completed, "created": (*Task).created,
	"DEADLINE": (*Task).due, "SCHEDULED": (*Task).scheduled, "CLOSED": (*Task).completed,
}

func (t *Task) due() *string       { return &t.Due }
func (t *Task) scheduled() *string { return &t.Scheduled }
func (t *Task) start() *string     { return &t.Start }
func (t *Task) completed() *string { return &t.Completed }
func (t *Task) created() *string   { return &t.Created }

// Describe sets the text of a task from its line, and its dates from signs or inline fields
// in brackets.
func (t *Task) Describe(line string) {
	var text strings.Builder
	for at := 0; at < len(line); {
		n := t.cutDate(line[at:])
		if n == 0 {
			_, n = utf8.DecodeRuneInString(line[at:])
			text.WriteString(line[at : at+n])
		}
		at += n
	}
	t.Text = strings.Join(strings.Fields(text.String()), " ")
}

// cutDate reads a date at the start of text, and returns its length.
func (t *Task) cutDate(text string) int {
	if text[0] == '[' || text[0] == '(' {
		key, value, end, ok := CutBracketField(text)
		if !ok {
			return 0
		}
		field := taskFields[PropertyKey(text[key.Start:key.End])]
		if date, rest, ok := CutDate(strings.Trim(text[value.Start:value.End], "[]")); ok && field != nil && rest == "" {
			setFirst(field(t), date)
			return end
		}
		return 0
	}
	if text[0] < utf8.RuneSelf {
		return 0
	}
	for _, s := range taskSigns {
		rest, ok := strings.CutPrefix(text, s.sign)
		if !ok {
			continue
		}
		rest = strings.TrimLeft(strings.TrimPrefix(rest, "\ufe0f"), " ")
		if date, after, ok := CutDate(rest); ok {
			setFirst(s.date(t), date)
			return len(text) - len(after)
		}
	}
	return 0
}

// Plan sets the dates of a task from an Org line: "SCHEDULED:", "DEADLINE:" or
// "CLOSED:" and a timestamp, several on a line.
func (t *Task) Plan(line string) {
	for {
		i := strings.IndexAny(line, "<[")
		if i < 0 {
			return
		}
		words := strings.Fields(line[:i])
		line = line[i+1:]
		end := strings.IndexAny(line, ">]")
		if end < 0 {
			return
		}
		stamp := line[:end]
		line = line[end+1:]
		if len(words) == 0 {
			continue
		}
		field := taskFields[strings.TrimSuffix(words[len(words)-1], ":")]
		date, tail, ok := CutDate(stamp)
		if field == nil || !ok || !strings.HasSuffix(words[len(words)-1], ":") {
			continue
		}
		if len(date) == len("2006-01-02") {
			date += clockIn(tail)
		}
		setFirst(field(t), date)
	}
}

// clockIn returns "T15:04" if a word in the rest of a timestamp starts with a time.
func clockIn(tail string) string {
	for _, w := range strings.Fields(tail) {
		if len(w) >= 5 && digits(w, 0, 2) && w[2] == ':' && digits(w, 3, 5) && w[:2] < "24" && w[3:5] < "60" {
			return "T" + w[:5]
		}
	}
	return ""
}

func setFirst(to *string, date string) {
	if *to == "" {
		*to = date
	}
}
