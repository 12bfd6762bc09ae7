package doc

import (
	"strconv"
	"strings"
	"time"
)

// dateLayouts are the formats of timestamps in metadata. A format without a
// zone is UTC. Day before month and month before day cannot be distinguished,
// so formats with slashes must start with the year.
var dateLayouts = []string{
	"2006-01-02",
	time.RFC3339Nano,
	"2006-01-02T15:04:05",
	"2006-01-02 15:04:05",
	"2006-01-02 15:04:05Z07:00",
	"2006-01-02 15:04:05 Z07:00",
	"2006-01-02 15:04:05 -0700",
	"2006-01-02T15:04:05-0700",
	"2006-01-02T15:04",
	"2006-01-02T15:04Z07:00",
	"2006-01-02 15:04",
	"2006-1-2",
	"2006/01/02",
	"2006/01/02 15:04",
	"2006/01/02 15:04:05",
	"2006-01",
	"2006",
	"20060102",
	"20060102150405",
	"2006-01-02 Mon",
	"2006-01-02 Mon 15:04",
	"January 2, 2006",
	"2 January 2006",
	"Jan 2, 2006",
	"2 Jan 2006",
}

// ParseDate parses a date or a time as used in metadata: ISO 8601 of any precision, with
// blank or T, an Org timestamp with its brackets, an English date with the month's name, or
// the milliseconds since 1970, which have had 13 digits since 2001.
func ParseDate(s string) (time.Time, bool) {
	s = strings.TrimSpace(s)
	if n := len(s); n > 2 && (s[0] == '[' && s[n-1] == ']' || s[0] == '<' && s[n-1] == '>') {
		s = s[1 : n-1]
	}
	if len(s) < 4 || len(s) > 40 {
		return time.Time{}, false
	}
	if len(s) == 13 && digits(s, 0, 13) && s[0] != '0' {
		ms, err := strconv.ParseInt(s, 10, 64)
		return time.UnixMilli(ms).UTC(), err == nil
	}
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// CutDate parses an ISO 8601 date at the start of s: YYYY, YYYY-MM, YYYY-MM-DD,
// the last with an optional T and time. It returns the date as written and the
// rest. The date must exist in the calendar and must not be followed by a
// letter, digit or hyphen.
func CutDate(s string) (date, rest string, ok bool) {
	n := dateLength(s)
	if n == 0 {
		return "", s, false
	}
	date, rest = s[:n], s[n:]
	if rest != "" && (isWordByte(rest[0]) || rest[0] == '-' && len(rest) > 1 && isWordByte(rest[1])) {
		return "", s, false
	}
	return date, rest, true
}

// IsDate reports whether s is an ISO 8601 date of any precision and nothing
// else.
func IsDate(s string) bool {
	_, rest, ok := CutDate(s)
	return ok && rest == ""
}

// dateLength returns the length of the longest date at the start of s.
func dateLength(s string) int {
	if !digits(s, 0, 4) {
		return 0
	}
	n := 4
	if len(s) >= 7 && s[4] == '-' && digits(s, 5, 7) {
		n = 7
		if len(s) >= 10 && s[7] == '-' && digits(s, 8, 10) {
			n = 10
		}
	}
	layout := "2006-01-02"[:n]
	if _, err := time.Parse(layout, s[:n]); err != nil {
		return 0
	}
	if n == 10 {
		n += timeLength(s)
	}
	return n
}

// timeLength returns the length of "T15:04[:05[.9…]][zone]" at s[10:].
func timeLength(s string) int {
	if len(s) < 16 || s[10] != 'T' || !digits(s, 11, 13) || s[13] != ':' || !digits(s, 14, 16) {
		return 0
	}
	n := 16
	if len(s) >= 19 && s[16] == ':' && digits(s, 17, 19) {
		n = 19
		if len(s) > 20 && s[19] == '.' && isDigit(s[20]) {
			for n = 21; n < len(s) && isDigit(s[n]); n++ {
			}
		}
	}
	switch rest := s[n:]; {
	case strings.HasPrefix(rest, "Z"):
		n++
	case len(rest) >= 6 && (rest[0] == '+' || rest[0] == '-') && digits(rest, 1, 3) && rest[3] == ':' && digits(rest, 4, 6):
		n += 6
	}
	return n - 10
}

func digits(s string, from, to int) bool {
	if len(s) < to {
		return false
	}
	for _, c := range []byte(s[from:to]) {
		if !isDigit(c) {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWordByte(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= 0x80
}
