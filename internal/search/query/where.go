package query

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// comparisons are the signs between a property and a value, longest first.
var comparisons = []string{"!=", "<=", ">=", "=", "<", ">"}

// ParseWhere parses a condition on a property: KEY=VALUE, or another of != < <= > >= instead
// of =, or KEY $in VALUE, VALUE or KEY $between LEAST, MOST, see Values. A key alone, or
// KEY=*, requires any value, and has an empty sign. ok is false without a key, and without a
// value after a sign.
func ParseWhere(text string) (key, sign, value string, ok bool) {
	if key, sign, value, ok = severalValues(text); sign != "" {
		return key, sign, value, ok
	}
	at := strings.IndexAny(text, "!=<>")
	if at < 0 {
		key = strings.TrimSpace(text)
		return key, "", "", key != ""
	}
	key = strings.TrimSpace(text[:at])
	for _, s := range comparisons {
		if rest, found := strings.CutPrefix(text[at:], s); found {
			value = strings.TrimSpace(rest)
			if s == "=" && value == "*" {
				return key, "", "", key != ""
			}
			return key, s, value, key != "" && value != ""
		}
	}
	return "", "", "", false
}

// quotedValue reads a condition at the start of a text with its value in quotation marks:
// KEY="a value". The result has no quotation marks.
func quotedValue(text string) (condition, rest string, ok bool) {
	at := strings.IndexAny(text, "!=<> \"")
	if at <= 0 {
		return "", "", false
	}
	for _, sign := range comparisons {
		value, found := strings.CutPrefix(text[at:], sign+`"`)
		if !found {
			continue
		}
		value, rest, found = strings.Cut(value, `"`)
		ends := rest == "" || rest[0] == ' ' || rest[0] == ')'
		return text[:at] + sign + value, rest, found && ends && strings.TrimSpace(value) != ""
	}
	return "", "", false
}

// Conditions parses a flag or a list of conditions on pages: filters in the syntax of a
// query, such as path:inbox -tag:done [stage:design], and conditions of ParseWhere. When
// combined with filters, a condition must have a sign and no blanks. ok is false for
// anything else, such as words or space:, title: and name:.
func Conditions(text string, now time.Time) (filters []Filter, ok bool) {
	tokens, _ := lex(text, false)
	if !slices.ContainsFunc(tokens, func(t token) bool { return t.kind == filter }) {
		if condition, rest, ok := quotedValue(strings.TrimSpace(text)); ok && rest == "" {
			text = condition
		}
		_, _, _, ok := ParseWhere(text)
		return []Filter{{Key: Where, Value: strings.TrimSpace(text)}}, ok
	}
	for i, t := range tokens {
		if _, sign, _, ok := ParseWhere(t.text); ok && sign != "" && t.kind == word {
			tokens[i] = token{kind: filter, key: string(Where), text: t.text}
		}
	}
	p := &parser{tokens: pair(tokens), now: now}
	root, filters := split(p.or())
	if _, all := root.(*All); !all || len(p.notes) > 0 {
		return nil, false
	}
	for _, f := range filters {
		_, _, _, where := ParseWhere(f.Value)
		if f.Key == Space || f.Key.InText() || f.Key == Where && !where || f.Not && (f.Key == After || f.Key == Before) {
			return nil, false
		}
	}
	return filters, true
}

// bracket reads [key:value] as in Obsidian: a condition on a property. Either part is quoted
// if it has blanks. A value may start with < or >. Other brackets are text, such as [12:30],
// [note: so it is] and [a](b:c).
func (l *lexer) bracket() (token, bool) {
	quoted := false
	end := strings.IndexFunc(l.rest, func(c rune) bool {
		quoted = quoted != (c == '"')
		return c == ']' && !quoted
	})
	if end < 0 {
		return token{}, false
	}
	if after, _ := utf8.DecodeRuneInString(l.rest[end+1:]); after != utf8.RuneError && after != ' ' && after != ')' {
		return token{}, false
	}
	key, rest, ok := bracketPart(l.rest[1:end])
	if !ok || !strings.HasPrefix(rest, ":") {
		return token{}, false
	}
	sign := "="
	rest = rest[1:]
	for _, s := range []string{"<=", ">=", "<", ">"} {
		if after, found := strings.CutPrefix(rest, s); found {
			sign, rest = s, after
			break
		}
	}
	value, rest, ok := bracketPart(rest)
	first, _ := utf8.DecodeRuneInString(key)
	if !ok || rest != "" || !unicode.IsLetter(first) || strings.ContainsAny(key, "!=<>") {
		return token{}, false
	}
	l.rest = l.rest[end+1:]
	return token{kind: filter, key: string(Where), text: key + sign + value}, true
}

// bracketPart reads a part of [key:value] up to the colon or the end.
func bracketPart(text string) (part, rest string, ok bool) {
	if quoted, found := strings.CutPrefix(text, `"`); found {
		part, rest, ok = strings.Cut(quoted, `"`)
		part = strings.TrimSpace(part)
		return part, rest, ok && part != ""
	}
	part = text
	if i := strings.IndexByte(text, ':'); i >= 0 {
		part, rest = text[:i], text[i:]
	}
	return part, rest, part != "" && !strings.ContainsAny(part, " \"[(")
}
