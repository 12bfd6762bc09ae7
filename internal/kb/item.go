package kb

import (
	"strconv"
	"strings"
)

// Property is one value of a page's property; a list has one for each of its
// values.
type Property struct {
	Page   int64
	Key    string // normalised, so that equal keys match; keys of nested maps are joined with "."
	Text   string
	Number *float64 // the value as a number, nil when it is not numeric
}

// Number parses a decimal number, which may have blanks around it.
func Number(text string) (n float64, ok bool) {
	text = strings.TrimSpace(text)
	if strings.Trim(text, "+-.0123456789eE") != "" {
		return 0, false
	}
	for i := 1; i < len(text); i++ { // a date
		if (text[i] == '-' || text[i] == '+') && text[i-1] != 'e' && text[i-1] != 'E' {
			return 0, false
		}
	}
	if text == "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}

// TaskItem is the kind of a task.
const TaskItem = "task"

// Item is a line of a page that is indexed individually.
type Item struct {
	Page  int64
	Kind  string
	Text  string
	State string // "todo" or "done" of a checkbox, other marks and keywords as written
	Done  bool   // completed or cancelled
	Line  int    // 1-based line in the document

	// Dates are YYYY-MM-DD with optional THH:MM, "" for none.
	Due, Scheduled, Start, Completed, Created string
}
