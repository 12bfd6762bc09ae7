package operation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Room is how many bytes an answer still has.
type Room int

// Take reports whether there is room for a value, and takes it.
func (r *Room) Take(x any) bool {
	b, err := json.Marshal(x)
	if err != nil || len(b) > int(*r) {
		return false
	}
	*r -= Room(len(b) + 1)
	return true
}

// Fit returns the first of the items for which there is room, and how many are left out.
func Fit[T any](items []T, r *Room) (some []T, left int) {
	for i, x := range items {
		if !r.Take(x) {
			*r = 0
			return items[:i], len(items) - i
		}
	}
	return items, 0
}

const (
	fewValues  = 5
	valueBytes = 160
	fewNames   = 100
)

// Values are the first of the values of a field, each cut, and a last that says how many
// more there are.
func Values(values []string) []string {
	out := make([]string, 0, fewValues+1)
	for _, v := range values[:min(len(values), fewValues)] {
		if len(v) > valueBytes {
			v = strings.ToValidUTF8(v[:valueBytes], "") + "…"
		}
		out = append(out, v)
	}
	if more := len(values) - len(out); more > 0 {
		out = append(out, fmt.Sprintf("… %d more", more))
	}
	return out
}

// Names are the first of the names, in a line.
func Names(names []string) string {
	if more := len(names) - fewNames; more > 0 {
		names = append(slices.Clone(names[:fewNames]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// Named are the first of the items for which there is room; of the others the names.
func Named[T any](items []T, what string, name func(T) string) ([]T, string) {
	r := Default
	some, more := Fit(items, &r)
	if more == 0 {
		return some, ""
	}
	var names []string
	for _, x := range items[len(some):] {
		names = append(names, name(x))
	}
	return some, fmt.Sprintf("%d more %s: %s", more, what, Names(names))
}

// LeftOut collects what an answer leaves out.
type LeftOut []string

// Add says that so many are left out of something.
func (l *LeftOut) Add(n int, what string) {
	if n > 0 {
		*l = append(*l, fmt.Sprintf("%d more %s", n, what))
	}
}

func (l LeftOut) String() string { return strings.Join(l, ", ") }
