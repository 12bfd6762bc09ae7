package relational

import (
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// inSizes are the lengths of value lists in SQL. Shorter lists repeat their last value, so
// that few different statements are prepared.
var inSizes = []int{1, 4, 16, 64, 256}

// inLists holds "?,?,…" for each of inSizes.
var inLists = func() map[int]string {
	m := make(map[int]string)
	for _, n := range inSizes {
		m[n] = marks(n)
	}
	return m
}()

// marks returns n comma-separated placeholders.
func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?,", n), ",") }

// maxIn is the maximum number of values that are bound one by one. SQLite allows 32,766 in
// all, PostgreSQL 65,535, and a statement may have several lists.
const maxIn = 1000

// inList appends values to the arguments and returns the inside of IN (…). The list
// is padded as in chunks, to limit the number of statements; a long one is a single
// argument.
func inList[T ~int64 | ~string](d *Dialect, args *[]any, values []T) string {
	if len(values) > maxIn {
		return "SELECT value FROM " + listed(d, args, values)
	}
	n := 1
	for n < len(values) {
		n *= 2
	}
	for i := range n {
		*args = append(*args, plain(values[min(i, len(values)-1)]))
	}
	return marks(n)
}

// listed appends values as a single argument and returns a table of them.
func listed[T ~int64 | ~string](d *Dialect, args *[]any, values []T) string {
	var numbers []int64
	var texts []string
	for _, v := range values {
		switch v := plain(v).(type) {
		case int64:
			numbers = append(numbers, v)
		case string:
			texts = append(texts, v)
		}
	}
	if texts != nil {
		*args = append(*args, texts)
		return d.Texts("x")
	}
	*args = append(*args, numbers)
	return d.Numbers("x")
}

// factsIn joins a table of facts x to the pages p of spaces, selected by from. If every page
// counts, it reads the table alone.
func factsIn(table string, spaces []int64, from string) string {
	if len(spaces) == 0 {
		return " FROM " + table + " x"
	}
	return strings.Replace(from, "pages p", "pages p CROSS JOIN "+table+" x ON x.row BETWEEN p.row << 24 AND p.row << 24 | 16777215", 1)
}

// chunks calls f with portions of the values, each as the inside of IN (…), and with its
// arguments, which follow first.
func chunks[T ~int64 | ~string](values []T, first []any, f func(list string, args []any) error) error {
	for len(values) > 0 {
		size := inSizes[len(inSizes)-1]
		for _, s := range inSizes {
			if s >= len(values) {
				size = s
				break
			}
		}
		n := min(size, len(values))
		args := make([]any, 0, len(first)+size)
		args = append(args, first...)
		for i := range size {
			args = append(args, plain(values[min(i, n-1)]))
		}
		if err := f(inLists[size], args); err != nil {
			return err
		}
		values = values[n:]
	}
	return nil
}

// plain converts a named type, which the driver does not support.
func plain[T ~int64 | ~string](v T) any {
	switch v := any(v).(type) {
	case int64, string:
		return v
	case kb.ID:
		return string(v)
	case kb.Status:
		return string(v)
	}
	panic("clause: plain needs a case for a named type")
}

// numbers parses the result of group_concat for positive numbers.
func numbers(text string) []int64 {
	if text == "" {
		return nil
	}
	out := make([]int64, 0, len(text)/4)
	n := int64(0)
	for i := range len(text) {
		if c := text[i]; c != ',' {
			n = n*10 + int64(c-'0')
			continue
		}
		out, n = append(out, n), 0
	}
	return append(out, n)
}
