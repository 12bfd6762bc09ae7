package org

import (
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
)

// maxStamp bounds a timestamp with repeater, warning period and time range.
const maxStamp = 80

// cutTimestamp reads an Org timestamp, active or inactive, at the start of s and returns its
// date in ISO 8601, with the time if there is one. For a range it returns the start and
// skips the rest.
func cutTimestamp(s string) (date, rest string, ok bool) {
	date, rest, ok = cutStamp(s)
	if until, isRange := strings.CutPrefix(rest, "--"); ok && isRange {
		if _, after, ok := cutStamp(until); ok {
			rest = after
		}
	}
	return date, rest, ok
}

func cutStamp(s string) (date, rest string, ok bool) {
	if len(s) < 3 || s[0] != '[' && s[0] != '<' {
		return "", s, false
	}
	closing := byte(']')
	if s[0] == '<' {
		closing = '>'
	}
	end := strings.IndexByte(s[:min(len(s), maxStamp)], closing)
	if end < 0 {
		return "", s, false
	}
	date, tail, ok := doc.CutDate(s[1:end])
	if !ok {
		return "", s, false
	}
	if len(date) == len("2006-01-02") {
		date += clock(tail)
	}
	return date, s[end+1:], true
}

// clock returns "T15:04" if a word in the rest of a timestamp is a time.
func clock(tail string) string {
	for _, w := range strings.Fields(tail) {
		w, _, _ = strings.Cut(w, "-") // 10:00-11:00
		if t, err := time.Parse("15:04", w); err == nil {
			return t.Format("T15:04")
		}
	}
	return ""
}

// isoValue returns a metadata value, with a timestamp converted to ISO 8601.
func isoValue(s string) string {
	if date, rest, ok := cutTimestamp(s); ok && rest == "" {
		return date
	}
	return s
}

// stampLike writes an ISO date in the form of old: as a timestamp with the same
// brackets, or verbatim.
func stampLike(old, iso string) string {
	if _, rest, ok := cutTimestamp(old); !ok || rest != "" {
		return iso
	}
	stamp, ok := stamp(iso)
	if !ok {
		return iso
	}
	if old[0] == '<' {
		return "<" + stamp[1:len(stamp)-1] + ">"
	}
	return stamp
}

// stamp returns the inactive timestamp of a day or a minute; ok is false for dates of other
// precisions.
func stamp(iso string) (string, bool) {
	for _, f := range [][2]string{{"2006-01-02", "[2006-01-02 Mon]"}, {"2006-01-02T15:04", "[2006-01-02 Mon 15:04]"}} {
		if t, err := time.Parse(f[0], iso); err == nil {
			return t.Format(f[1]), true
		}
	}
	return "", false
}
