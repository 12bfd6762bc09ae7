package secrets

import (
	"bytes"
	"slices"
)

// Limits on the places in which a value has a name without a sign between.
const (
	maxList    = 1500 // bytes of a list below its name
	maxListed  = 60
	maxInsert  = 400 // bytes before the name of a column
	maxRow     = 2000
	maxPassed  = 300 // bytes of the parameters of a call
	maxCommand = 16
)

// isDirective reports whether a quoted value, or the rest of the line, follows
// the name text[start:stop] at i after only a blank: requirepass "…".
func (s *scanner) isDirective(start, stop, i int) bool {
	text := s.text
	if i <= stop || i >= len(text) || !isBlank(text[stop]) {
		return false
	}
	name := text[start:stop]
	sql := bytes.Equal(name, bytes.ToUpper(name)) && len(name) > 3
	if text[i] == '"' || text[i] == '\'' {
		return sql || bytes.IndexByte(name, '_') >= 0 || start > 0 && text[start-1] == '$' || startsLine(text, start) && bytes.IndexByte(name, ' ') < 0
	}
	if !startsLine(text, start) || isUpper(name[0]) || bytes.IndexByte(name, ' ') >= 0 {
		return false
	}
	end := s.run(unquotedBytes, i, maxChosen)
	return (end >= len(text) || isBreak(text[end])) && gradeOf(text[i:end]) == made
}

// lineBefore returns what stands before i in its line, at most maxTold bytes.
func (s *scanner) lineBefore(i int) []byte {
	before := s.text[max(0, i-maxTold):i]
	s.work += len(before)
	return before[1+bytes.LastIndexByte(before, '\n'):]
}

// inCommand reports whether i is within the $( of a shell, where a bar begins the next
// command.
func (s *scanner) inCommand(i int) bool {
	before := s.lineBefore(i)
	open := bytes.LastIndex(before, []byte("$("))
	return open >= 0 && bytes.IndexByte(before[open:], ')') < 0
}

// isMailing reports whether the field of a URL at i is of a link that ends mails or shares
// a page: what it holds is in every mail, and opens nothing else.
func (s *scanner) isMailing(i int) bool {
	before := bytes.ToLower(s.lineBefore(i))
	return slices.ContainsFunc(builtin().Names["mailing"], func(w string) bool { return bytes.Contains(before, []byte(w)) })
}

// isIngestKey reports whether text[start:end] is the public key in an address to which
// programs report their errors: https://KEY@HOST/PROJECT, with digits for the project.
func (s *scanner) isIngestKey(start, end int) bool {
	if end-start != 32 || !hexDigits.all(s.text[start:end]) {
		return false
	}
	host := s.run(hostBytes, end+1, maxName)
	if host == end+1 || host >= len(s.text) || s.text[host] != '/' {
		return false
	}
	project := s.run(decimals, host+1, maxName)
	return project > host+1 && endsWord(s.text, project)
}

// argument finds the password among the parameters, which begin at i, of a call that
// the name promises to take one.
func (s *scanner) argument(a *assignment, i int) {
	for _, w := range nameWords(a.name) {
		if listed("not-call", w) {
			return
		}
	}
	if a.class = classify(a.name); a.class == noClass {
		return
	}
	var last value
	for stop := min(len(s.text), i+maxPassed); i < stop; {
		i = skipAny(s.text, i, " \t\r\n", 40)
		v := s.read(i, maxPassed, nameBytes)
		if v.end <= i {
			return
		}
		i = v.end
		if v.quoted {
			last = v
			i++
		}
		i = skipAny(s.text, i, " \t\r\n", 40)
		if i >= len(s.text) || s.text[i] != ',' {
			break
		}
		i++
	}
	if i >= len(s.text) || s.text[i] != ')' || !last.quoted || isPlaceholder(last.text) {
		return
	}
	a.value, a.least, a.literal = last, made, true
	if rule, ok := a.judge(); ok && !isCode(last.text) {
		s.add(rule, last.start, last.end, false)
	}
}

// inserted finds the passwords in rows of SQL, if text[start:stop] names one of their
// columns: INSERT INTO users (name, password) VALUES (…).
func (s *scanner) inserted(start, stop int) {
	text := s.text
	from := max(0, start-maxInsert)
	s.work += start - from
	open := bytes.LastIndexByte(text[from:start], '(') + from
	if open < from || bytes.IndexByte(text[open:start], ')') >= 0 || !containsFold(text[from:open], "insert") || classify(text[start:stop]) != chosen {
		return
	}
	column := bytes.Count(text[open:start], []byte(","))
	end := min(len(text), stop+maxRow)
	s.work += end - stop
	row := bytes.IndexByte(text[stop:end], ')')
	if row < 0 || !containsFold(text[stop+row:min(end, stop+row+12)], "values") {
		return
	}
	n, depth := 0, 0
	for i := stop + row + 1; i < end; i++ {
		switch b := text[i]; {
		case b == '(':
			depth, n = depth+1, 0
		case b == ')':
			depth--
		case b == ';' && depth == 0:
			return
		case b == ',' && depth == 1:
			n++
		case b == '\'' || b == '"':
			v := s.read(i, maxValue, unquotedBytes)
			if !v.quoted {
				return
			}
			if depth == 1 && n == column && gradeOf(v.text) >= odd {
				s.add(builtin().byID["password-column"], v.start, v.end, false)
			}
			i = v.end
		}
	}
}

// list finds the values below a plural name, or between brackets after it:
// passwords: [a, b].
func (s *scanner) list(a *assignment, start, i int) {
	text := s.text
	name := *a
	name.name = a.name[:len(a.name)-1]
	if name.class = classify(name.name); name.class == noClass || name.class == pin {
		return
	}
	limit := min(len(text), i+maxList)
	end := limit
	switch {
	case i >= limit:
		return
	case text[i] == '[' || text[i] == '{':
		n := bytes.IndexAny(text[i:limit], "]}")
		if n < 0 {
			return
		}
		end = i + n
	case isBreak(text[i]):
		end = s.below(start, i, limit)
	default:
		return
	}
	s.work += end - i
	for n := 0; i < end && n < maxListed; n++ {
		stop := end
		if k := bytes.IndexAny(text[i:end], ",\n"); k >= 0 {
			stop = i + k
		}
		at := skipAny(text, i, " \t\r[{-", 40)
		if at < stop {
			if k := bytes.Index(text[at:stop], []byte(": ")); k >= 0 {
				at = skipAny(text, at+k+1, " ", 16)
			}
			v := s.read(at, maxValue, listBytes)
			name.value, name.literal, name.least = v, true, made
			if v.end > v.start && v.end <= stop && !isPlaceholder(v.text) && !isCode(v.text) {
				if rule, ok := name.judge(); ok && (name.class == chosen && isMadeUp(v.text) || isRandom(v.text)) {
					s.add(rule, v.start, v.end, false)
				}
			}
		}
		i = stop + 1
	}
}

var listBytes = printableExcept("\"'`<>|;,]}")

// below returns the end of the lines that are indented more than the name at
// start, or are the items of its list. They begin after i.
func (s *scanner) below(start, i, limit int) int {
	text := s.text
	indent := start - (1 + bytes.LastIndexByte(text[max(0, start-maxName):start], '\n') + max(0, start-maxName))
	end := i
	for end < limit {
		next := lineEnd(text[:limit], min(limit, skipAny(text, end, "\r", 1))) + 1
		if end > i {
			at := skipAny(text, end, " ", maxName)
			if in := at - end; at >= limit || in < indent || in == indent && text[at] != '-' {
				break
			}
		}
		end = min(next, limit)
	}
	return end
}
