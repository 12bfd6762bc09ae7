package secrets

import (
	"bytes"
	"strings"
)

// Limits on what is assigned.
const (
	minGenerated = 12
	maxValue     = 300
	minPSK       = 8  // of a wireless network
	strongName   = 16 // hexadecimal digits of a .NET public key token
	maxTold      = 90 // how far behind its name a sentence gives a value
)

// value is what stands at a place of the text, without quotes.
type value struct {
	start, end int
	text       []byte
	quoted     bool // so a literal in any language
}

// assignment is a value with what is known about its place.
type assignment struct {
	value
	name    []byte
	class   class
	literal bool // not quoted, but nothing in its place could be a variable
	param   bool // a field of a URL's query or form
}

// findAssigned finds the value given to a name that promises a secret.
func findAssigned(s *scanner, at, end int) {
	text := s.text
	start, stop := s.nameAround(at, end)
	a := assignment{name: text[start:stop]}
	a.param = start > 0 && (text[start-1] == '?' || text[start-1] == '&')
	i, sign := separator(text, stop)
	if bytes.HasPrefix(a.name, []byte("--")) && i > stop && sign == 0 {
		sign = ' ' // an option of a command
	}
	if isColumnEnd(text, stop) {
		s.column(start, stop)
	}
	if sign == 0 {
		if !strings.EqualFold(strings.TrimRight(string(text[at:stop]), digits), "pass") { // a word of its own
			s.told(&a, stop)
		}
		return
	}
	i = blockScalar(text, i)
	set := unquotedBytes
	if a.param {
		set = paramBytes
	}
	a.value = s.read(i, maxValue, set)
	v := a.text
	isNumber := len(v) >= 4 && len(v) <= 8 && decimals.all(v)
	if !isNumber && (len(v) < minChosen || !bytes.ContainsAny(v, digits+inSigns) && !isMixedCase(v) && !bytes.ContainsAny(v, " -_")) {
		if sign == ':' {
			s.told(&a, stop) // "password (of the printer): …"
		}
		return // a word, whatever its name
	}
	a.class = classify(a.name)
	a.literal = a.isLiteral(text, i, start, sign)
	if a.class == noClass || isPlaceholder(v) || isCode(v) && !bytes.ContainsAny(v, " \t") ||
		!a.quoted && sign != ' ' && bytes.ContainsAny(v, "(){}[]") && !isStrong(v) {
		return
	}
	if rule, ok := a.judge(); ok {
		s.add(rule, a.start, a.end, false)
	} else if a.class == chosen && !a.quoted && sign == ':' && strings.HasSuffix(strings.ToLower(string(a.name)), "phrase") {
		if end := lineEnd(text[:min(len(text), a.start+maxChosen)], a.start); isPhrase(text[a.start:end]) && smallWordsOnly(text[a.start:end]) {
			s.add(builtin().byID["password"], a.start, end, false)
		}
	}
}

// separator returns where a value begins after the name that ends at i, and
// the sign between: '=' or ':' for themselves and their kin, '|' for the next
// cell of a table, '>' for the content of an element, 'i' for the word is,
// and 0 when there is none.
func separator(text []byte, i int) (int, byte) {
	i = skipAny(text, i, "\"'`*_]\\)", 4)
	i = skipAny(text, i, " \t", 16)
	i = skipAny(text, i, "`*", 3)
	if i >= len(text) {
		return i, 0
	}
	sign := text[i]
	switch sign {
	case '=', ':', '|', '>':
		i = skipAny(text, i, "=:>|", 3)
	case 'i':
		if i+2 >= len(text) || text[i+1] != 's' || !isBlank(text[i+2]) || !isBlank(text[i-1]) {
			return i, 0
		}
		i += 2
		if i < len(text) && text[i] == ':' {
			i++
		}
	default:
		return i, 0
	}
	i = skipAny(text, i, "*", 3)
	return skipAny(text, i, " \t", 16), sign
}

// blockScalar returns where the value begins that YAML puts on the next line,
// or i.
func blockScalar(text []byte, i int) int {
	from := i
	if i < len(text) && (text[i] == '|' || text[i] == '>') {
		i = skipAny(text, i+1, "+-0123456789", 3)
	} else if i > 0 && (text[i-1] == '|' || text[i-1] == '>') {
		i = skipAny(text, i, "+-0123456789", 3)
	}
	i = skipAny(text, i, " \t", 16)
	if i < len(text) && isBreak(text[i]) {
		next := skipAny(text, i, "\r\n", 2)
		if indented := skipAny(text, next, " \t", 40); indented >= next+2 && indented < len(text) && !isBreak(text[indented]) {
			return indented
		}
	}
	return from
}

// quotes are the signs between which a value stands, opening and closing.
var quotes = [][2]string{{`"`, `"`}, {"'", "'"}, {"`", "`"}, {"“", "”"}, {"‘", "’"}, {"„", "“"}, {"«", "»"}, {"「", "」"}, {"『", "』"}, {"&quot;", "&quot;"}}

// read returns the value at i, up to its closing quote or the end of its word.
func (s *scanner) read(i, limit int, set *charset) value {
	text := s.text
	escaped := i+1 < len(text) && text[i] == '\\' && (text[i+1] == '"' || text[i+1] == '\'')
	if escaped {
		i++
	}
	for _, q := range quotes {
		if !bytes.HasPrefix(text[min(i, len(text)):], []byte(q[0])) {
			continue
		}
		i += len(q[0])
		line := text[i:lineEnd(text[:min(len(text), i+limit)], i)]
		s.work += len(line)
		n := bytes.Index(line, []byte(q[1]))
		if n < 0 {
			break // a quote that nobody closed
		}
		v := bytes.TrimRight(line[:n], "\u00a0\u202f ")
		if escaped {
			v = bytes.TrimSuffix(v, []byte(`\`))
		}
		from := len(v) - len(bytes.TrimLeft(v, "\u00a0\u202f "))
		return value{i + from, i + len(v), v[from:], true}
	}
	end := s.run(set, i, limit)
	if end-i == limit {
		return value{} // too long for a value; a token of this length has a format
	}
	for end > i { // punctuation that closes the sentence or the bracket around it
		n := end
		if strings.IndexByte(",.)]}*_", text[end-1]) >= 0 {
			end--
		}
		for _, q := range []string{"。", "，", "、", "；", "’", "”", "」", "»"} {
			if bytes.HasSuffix(text[i:end], []byte(q)) {
				end -= len(q)
			}
		}
		if n == end {
			break
		}
	}
	return value{i, end, text[i:end], false}
}

// The bytes of a value without quotes, and of one in a URL.
var (
	unquotedBytes = printableExcept("\"'`<>|;")
	paramBytes    = printableExcept("\"'`<>|;&#")
)

// isLiteral reports whether an unquoted value is itself the secret: in an
// environment or properties file, in YAML or prose when it ends the line, in
// a URL, in a table, an element or a command.
func (a *assignment) isLiteral(text []byte, valueStart, nameStart int, sign byte) bool {
	if a.quoted || a.end == a.start {
		return a.quoted
	}
	switch sign {
	case '|', '>', ' ':
		return true
	case '=':
		tight := !isBlank(text[valueStart-1])
		return a.param || isEnvironmentName(a.name) || tight && nameStart > 0 && text[nameStart-1] != '.' || isStrong(a.text)
	}
	return endsLine(text, a.end) || isStrong(a.text)
}

// endsLine reports whether nothing but punctuation, a bracket or a comment
// stands between i and the end of its line.
func endsLine(text []byte, i int) bool {
	i = skipAny(text, i, ",.;)]}*_`\"' \t", 16)
	return i >= len(text) || isBreak(text[i]) || text[i] == '#' || text[i] == '<' || text[i] == '|' || text[i] == '('
}

// judge decides whether the value is a secret, and of which rule.
func (a *assignment) judge() (*Rule, bool) {
	rule, v := builtin().byID[a.rule()], a.text
	made := !bytes.ContainsAny(v, " \t") && isMadeUp(v)
	switch a.class {
	case chosen:
		if len(v) < minPSK && strings.HasSuffix(strings.ToLower(string(a.name)), "psk") {
			return nil, false
		}
		if a.quoted || a.literal {
			return rule, made || isPhrase(v) && (a.quoted || a.keyed())
		}
		return rule, made && len(v) >= minGenerated && isRandom(v)
	case pin:
		return rule, len(v) >= 4 && len(v) <= 8 && decimals.all(v) && !isFiller(v)
	}
	if isAWSSecret(v) && (containsFold(a.name, "aws") || containsFold(a.name, "secretaccess") || containsFold(a.name, "secret_access")) {
		return builtin().byID["aws-secret-key"], true
	}
	if isUUID(v) {
		return rule, a.class == generated && !a.param
	}
	least := minGenerated
	if a.class == loose {
		least += 4
		if hexGroups.all(v) && (a.param || len(v) == strongName) {
			return nil, false // a handle in a link, or half of an assembly's name
		}
	}
	if a.class == generated && a.literal && containsFold(a.name, "secret") && isStrong(v) && bytes.ContainsAny(v, upper) && !bytes.ContainsAny(v, "/:") {
		return rule, true // one that a person made up
	}
	return rule, len(v) >= least && opaque.all(v) && isRandom(v)
}

// keyed reports whether the name is one of a key that people choose as words.
func (a *assignment) keyed() bool {
	name := strings.ToLower(string(a.name))
	return strings.HasSuffix(name, "psk") || strings.HasSuffix(name, "phrase")
}

// told finds the value that a sentence gives to the name that ends at i:
// "password of the printer is …". What stands there must look like a
// credential by itself, and a word such as "is" or a colon before it, or
// nothing but the name.
func (s *scanner) told(a *assignment, i int) {
	text, is, after := s.text, builtin().words["is"], builtin().words["not-after"]
	limit := lineEnd(text[:min(len(text), i+maxTold)], i)
	s.work += limit - i
	if plain.run(text, i, limit-i) == limit || bytes.HasPrefix(text[i:], []byte("](")) || text[i] == '+' {
		return // nothing but words, the text of a link, or base 64
	}
	given := true
	for n := 0; i < limit; n++ {
		from := i
		i = skipAny(text, i, " \t*_(:=)]", 16)
		for _, b := range text[from:i] {
			given = given || b == ':' || b == '='
		}
		aside := i > 0 && text[i-1] == '('
		end := max(i+1, s.run(unblank, i, limit-i))
		if i >= limit {
			return
		}
		word := text[i:end]
		if given && !letters.all(word) {
			if a.class == noClass {
				if a.class = classify(a.name); a.class == noClass {
					return
				}
			}
			v := s.read(i, maxValue, unquotedBytes)
			if len(v.text) > 0 && a.isTold(v, n) {
				s.add(builtin().byID[a.rule()], v.start, v.end, false)
				return
			}
			if v.quoted {
				return
			}
		}
		w := word[punctuation.run(word, 0, len(word)):]
		w = w[:punctuation.back(w, len(w), len(w))]
		var buf [12]byte
		lower := buf[:0]
		for _, b := range w[:min(len(w), len(buf))] {
			lower = append(lower, folded[b])
		}
		last := word[len(word)-1]
		if n == 0 && !aside && after[string(lower)] && string(lower) != "on" && string(lower) != "at" || last == '.' || last == '?' || last == '!' || last == ';' {
			return
		}
		given = is[string(lower)] || last == ':' || last == '='
		i = end
	}
}

// rule is the id of the rule that tells of such a value.
func (a *assignment) rule() string {
	switch a.class {
	case chosen:
		return "password"
	case pin:
		return "pin"
	}
	return "secret-assignment"
}

var (
	unblank     = printableExcept("")
	punctuation = newCharset(".,;:()")
	letters     = newCharset(lower, upper, ".,;")
	plain       = newCharset(lower, upper, " \t.,;:-_/()[]<>|=")
)

// isTold reports whether v, n words behind the name, is what was promised.
func (a *assignment) isTold(v value, n int) bool {
	switch a.class {
	case chosen:
		return isStrong(v.text) || v.quoted && n > 0 && (isPhrase(v.text) || isMadeUp(v.text) && !isPlaceholder(v.text) && !isCode(v.text))
	case pin:
		return n > 0 && len(v.text) >= 4 && len(v.text) <= 8 && decimals.all(bytes.TrimSuffix(v.text, []byte("#"))) && !isFiller(v.text)
	}
	return (n > 0 || a.class == generated) && len(v.text) >= 16 && opaque.all(v.text) && isRandom(v.text) && !isPlaceholder(v.text) && !isUUID(v.text)
}

func smallWordsOnly(v []byte) bool {
	return newCharset(lower, " -").all(v)
}

// skipAny returns the index after at most limit bytes of set from i.
func skipAny(text []byte, i int, set string, limit int) int {
	for n := 0; n < limit && i < len(text) && strings.IndexByte(set, text[i]) >= 0; n++ {
		i++
	}
	return i
}
