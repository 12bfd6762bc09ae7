package secrets

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Limits for assigned values.
const (
	minGenerated = 12
	maxValue     = 300
	minSigned    = 32 // of any characters
	minSaid      = 7  // of letters and digits in a sentence
	minNamed     = 12 // of those behind a colon, where more words follow
	minToken     = 14 // of a token in a sentence
	minLone      = 20 // the same, after that word alone
	minPSK       = 8  // of a wireless network
	strongName   = 16 // hexadecimal digits of a .NET public key token
	maxTold      = 90 // how far behind its name a sentence gives a value
	maxBefore    = 90 // how far before its name
	maxBeyond    = 60 // the same, between scripts
)

// value is the text at a position, without quotes.
type value struct {
	start, end int
	text       []byte
	quoted     bool // so a literal in any language
}

// assignment is a value with the facts known about its place.
type assignment struct {
	value
	name    []byte
	class   class
	literal bool  // not quoted, but nothing in its place could be a variable
	param   bool  // a field of a URL's query or form
	least   grade // the minimum grade of a password in its place
}

// findAssigned finds the value given to a name that promises a secret.
func findAssigned(s *scanner, at, end int) {
	text := s.text
	start, stop := s.nameAround(at, end)
	if s.isPart(start, stop) {
		return
	}
	a := assignment{name: text[start:stop]}
	if !a.promises() {
		return
	}
	a.param = start > 0 && (text[start-1] == '?' || text[start-1] == '&')
	i, sign := separator(text, stop)
	if bytes.HasPrefix(a.name, []byte("--")) && i > stop && sign == 0 {
		sign = ' ' // an option of a command
	}
	if isColumnEnd(text, stop) {
		s.column(start, stop)
	}
	if sign == 0 && s.isDirective(start, stop, i) {
		sign = ' '
	}
	if stop < len(text) && (text[stop] == ',' || text[stop] == ')') {
		s.inserted(start, stop)
	}
	if sign == 0 && stop < len(text) && text[stop] == '(' {
		s.argument(&a, stop+1)
	}
	if sign == 0 {
		s.inSentence(&a, stop)
		return
	}
	if sign == '|' && s.inCommand(start) || a.param && s.isMailing(start) {
		return
	}
	if (sign == ':' || sign == '=') && a.name[len(a.name)-1]|0x20 == 's' {
		s.list(&a, start, i)
	}
	i = blockScalar(text, i)
	set := unquotedBytes
	if a.param {
		set = paramBytes
	}
	a.value = s.read(i, maxValue, set)
	if !a.param && !a.quoted && (sign == '=' || sign == ':') && startsLine(text, start) {
		a.value = s.toLineEnd(a.value)
	}
	if (sign == ':' || sign == '=') && !a.quoted && a.keyed() && s.phrase(a.start) {
		return
	}
	v := a.text
	plain := !isDoorCode(v) && (len(v) < minChosen || !bytes.ContainsAny(v, digits+inSigns) && !isMixedCase(v) && !bytes.ContainsAny(v, " -_"))
	if !plain || len(v) >= minWeak {
		a.class = classify(a.name)
	}
	if plain && (a.class != chosen || gradeOf(v) < word) {
		if sign == ':' {
			a.class = noClass
			s.inSentence(&a, stop) // "password (of the printer): …"
		}
		return // a word, regardless of its name
	}
	a.literal = a.isLiteral(text, i, start, sign)
	if a.least = a.leastGrade(text, i, start, sign); a.least == odd && s.besideUser(start) && endsLine(text, a.end) {
		a.least = word
	}
	if a.class == noClass || a.class != pin && isPlaceholder(v) || a.isNamed(v) || isCode(v) && !bytes.ContainsAny(v, " \t") ||
		!a.quoted && sign != ' ' && bytes.ContainsAny(v, "(){}[]") && !isStrong(v) {
		return
	}
	if rule, ok := a.judge(); ok {
		s.add(rule, a.start, a.end, false)
	}
}

// promises reports whether any value of this name could be a finding: it names a
// secret, a list of secrets, a phrase or a code.
func (a *assignment) promises() bool {
	p := promiseOf(a.name)
	return p.class != noClass || p.code || p.list || a.keyed()
}

// isNamed reports whether v is the name once more, perhaps with a number.
func (a *assignment) isNamed(v []byte) bool {
	return len(a.name) >= minChosen && len(v) < len(a.name)+minChosen && len(v) >= len(a.name) && bytes.EqualFold(v[:len(a.name)], a.name)
}

// startsLine reports whether only blanks precede i in its line.
func startsLine(text []byte, i int) bool {
	for i > 0 && isBlank(text[i-1]) {
		i--
	}
	return i == 0 || text[i-1] == '\n'
}

// toLineEnd extends v past a semicolon or a bar, when the next part is not a
// separate field: the file has one value a line.
func (s *scanner) toLineEnd(v value) value {
	text := s.text
	if v.end == v.start || v.end >= len(text) || text[v.end] != ';' && text[v.end] != '|' {
		return v
	}
	end := s.run(unblank, v.end, maxChosen)
	rest := text[v.end:end]
	if len(rest) < 2 || end < len(text) && !isBreak(text[end]) || bytes.ContainsAny(rest, "=\"'`<>()") {
		return v
	}
	return value{v.start, end, text[v.start:end], false}
}

// isPart reports whether text[start:stop] names no value but a part of
// something longer: <password> of a URL, secret in the name of a resource of AWS.
func (s *scanner) isPart(start, stop int) bool {
	text := s.text
	if start < 2 || text[start-1] != '<' && text[start-1] != ':' {
		return false
	}
	if text[start-1] == '<' {
		return text[start-2] == ':' && bytes.HasPrefix(text[stop:], []byte(">@"))
	}
	return bytes.Contains(text[s.back(unblank, start, maxName):start], []byte("arn:aws"))
}

// separator returns the start of a value after the name that ends at i, and the
// sign between them: '=' or ':' for themselves and similar signs, '|' for the
// next cell of a table, '>' for the content of an element, 'i' for the word is,
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

// quotes are the opening and closing quotation marks of values.
var quotes = [][2]string{{`"""`, `"""`}, {"'''", "'''"}, {`"`, `"`}, {"'", "'"}, {"`", "`"}, {"“", "”"}, {"‘", "’"}, {"„", "“"}, {"«", "»"}, {"「", "」"}, {"『", "』"}, {"&quot;", "&quot;"}}

// closings are the non-ASCII signs that end a sentence, a quotation or a bracket.
var closings = []string{"。", "，", "、", "；", "’", "”", "」", "»"}

// read returns the value at i, up to its closing quote or the end of its word.
func (s *scanner) read(i, limit int, set *charset) value {
	text := s.text
	escaped := i+1 < len(text) && text[i] == '\\' && (text[i+1] == '"' || text[i+1] == '\'')
	if escaped {
		i++
	}
	if i+2 < len(text) && strings.IndexByte("NEBRUbru@", text[i]) >= 0 && (text[i+1] == '"' || text[i+1] == '\'') && (i == 0 || !wordByte[text[i-1]]) {
		i++ // N'…' of SQL, b"…" of Python, @"…" of C#
	}
	for _, q := range quotes {
		if i >= len(text) || text[i] != q[0][0] || !bytes.HasPrefix(text[i:], []byte(q[0])) {
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
	if end := min(len(text), i+19); isAppPassword(text[min(i, end):end]) && endsWord(text, end) {
		return value{i, end, text[i:end], true}
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
		if end > i && text[end-1] >= utf8.RuneSelf {
			for _, q := range closings {
				if bytes.HasSuffix(text[i:end], []byte(q)) {
					end -= len(q)
				}
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
	if a.class == chosen && (sign == ':' || sign == '=') && bytes.ContainsAny(a.text, digits) && !decimals.all(a.text) && listed("common", strings.ToLower(string(a.text))) {
		return true // "password: hunter2 until Friday", unlike "password: 12345 users changed theirs"
	}
	switch sign {
	case '|', '>', ' ':
		return true
	case 'i':
		if len(a.text) >= minSaid && alnum.all(a.text) && bytes.ContainsAny(a.text, digits) {
			return true // "the password is … until Friday"
		}
	case ':':
		if a.class == chosen && len(a.text) >= minNamed && alnum.all(a.text) && !isWordAndNumber(a.text) && gradeOf(a.text) == made {
			return true // "password: … until Friday", unlike "password: chapter12 of the book"
		}
	case '=':
		tight := !isBlank(text[valueStart-1])
		return a.param || isEnvironmentName(a.name) || tight && (nameStart == 0 || text[nameStart-1] != '.') || isStrong(a.text)
	}
	return endsLine(text, a.end) || isStrong(a.text) || gradeOf(a.text) == made && isBeforeAnother(text, a.end)
}

// isBeforeAnother reports whether another password is given to a name behind i on the
// same line, next to the value that ends there: "pw: … and pw: …".
func isBeforeAnother(text []byte, i int) bool {
	i = skipAny(text, i, ",.;)&+/ \t", 4)
	rest := text[i:lineEnd(text[:min(len(text), i+maxTold)], i)]
	n := bytes.IndexAny(rest, ":=")
	if n < 0 || n+1 == len(rest) {
		return false
	}
	words := bytes.Fields(rest[:n])
	return len(words) > 0 && len(words) <= 4 && letters.all(bytes.Join(words, nil)) && classify(words[len(words)-1]) == chosen
}

// leastGrade returns the minimum grade of a password in the place of a's value:
// a word can be one in a place for values only, but not where a sentence
// continues or a variable name is expected.
func (a *assignment) leastGrade(text []byte, valueStart, nameStart int, sign byte) grade {
	bare := strings.EqualFold(string(a.name), "pass") || bytes.HasSuffix(bytes.ToLower(a.name), []byte("s"))
	tight := sign == '=' && valueStart > 0 && !isBlank(text[valueStart-1])
	switch {
	case decimals.all(a.text) && bare && !a.quoted && !tight:
		return noValue // how many tests pass
	case a.quoted:
		if sign == 'i' || sign == '|' {
			return odd
		}
		return word
	case sign == '>' && nameStart > 0 && text[nameStart-1] == '<', a.param:
		return word
	}
	ends := a.end >= len(text) || isBreak(text[a.end]) || text[a.end] == ';' || tight && (isBlank(text[a.end]) || text[a.end] == '"' || text[a.end] == '\'')
	switch {
	case tight && ends && (isEnvironmentName(a.name) || smallBytes.all(a.name) || isUpper(a.name[0])):
		return word
	case sign == ':' && ends && startsItem(text, nameStart) && smallBytes.all(a.name) && smalls.all(a.text):
		return word
	}
	return odd
}

// besideUser reports whether the line names a user for the password before i.
func (s *scanner) besideUser(i int) bool {
	before := s.text[max(0, i-maxTold):i]
	s.work += len(before)
	before = before[1+bytes.LastIndexByte(before, '\n'):]
	for _, w := range []string{"user", "login", "ssid"} {
		if n := bytes.Index(bytes.ToLower(before), []byte(w)); n >= 0 && bytes.ContainsAny(before[n:], ":=") {
			return true
		}
	}
	return false
}

// smallBytes are those of a name in a file of settings.
var smallBytes = newCharset(lower, digits, "_-.")

// startsItem reports whether only blanks and a list marker precede i in its
// line.
func startsItem(text []byte, i int) bool {
	if i >= 2 && text[i-1] == ' ' && text[i-2] == '-' {
		i -= 2
	}
	return startsLine(text, i)
}

// endsLine reports whether only punctuation, a bracket or a comment follows i
// in its line.
func endsLine(text []byte, i int) bool {
	i = skipAny(text, i, ",.;)]}*_`\"' \t", 16)
	return i >= len(text) || isBreak(text[i]) || text[i] == '#' || text[i] == '<' || text[i] == '|' || text[i] == '('
}

// judge decides whether the value is a secret, and by which rule.
func (a *assignment) judge() (*Rule, bool) {
	rule, v := builtin().byID[a.rule()], a.text
	made := !bytes.ContainsAny(v, " \t") && isMadeUp(v) || isAppPassword(v)
	switch a.class {
	case chosen:
		if len(v) < minPSK && strings.HasSuffix(strings.ToLower(string(a.name)), "psk") {
			return nil, false
		}
		if a.quoted || a.literal {
			return rule, made || a.least > noValue && gradeOf(v) >= a.least || isPhrase(v) && (a.quoted || a.keyed()) || a.quoted && a.keyed() && len(v) >= minPSK && isWords(v, 2)
		}
		return rule, made && len(v) >= minGenerated && isRandom(v)
	case pin:
		return rule, isDoorCode(v)
	}
	if isAWSSecret(v) && (containsFold(a.name, "aws") || containsFold(a.name, "secretaccess") || containsFold(a.name, "secret_access")) {
		return builtin().byID["aws-secret-key"], true
	}
	if isUUID(v) {
		return rule, !a.param && (a.class == generated || a.literal && isEnvironmentName(a.name) && bytes.IndexByte(a.name, '_') > 0)
	}
	least := minGenerated
	if a.class == loose {
		least += 2
		if hexGroups.all(v) && (a.param || len(v) == strongName) {
			return nil, false // a handle in a link, or half of an assembly's name
		}
	}
	if a.class == generated && a.literal && containsFold(a.name, "secret") && isStrong(v) && bytes.ContainsAny(v, upper+inSigns) && !bytes.ContainsAny(v, "/:") {
		return rule, true // one that a person made up
	}
	if a.class == generated && a.literal && len(v) >= minSigned && !bytes.ContainsAny(v, " \t") && isRandom(v) && entropy(v) >= 4 {
		return rule, true // of any characters, as Django makes them
	}
	return rule, len(v) >= least && opaque.all(v) && isRandom(v)
}

// keyed reports whether the name is one of a key that people choose as words.
func (a *assignment) keyed() bool {
	name := strings.ToLower(string(a.name))
	return strings.HasSuffix(name, "psk") || strings.HasSuffix(name, "phrase")
}

// rule is the id of the rule that reports such a value.
func (a *assignment) rule() string {
	switch a.class {
	case chosen:
		return "password"
	case pin:
		return "pin"
	}
	return "secret-assignment"
}

// phrase adds the words from i to the end of the line, if they are a passphrase.
func (s *scanner) phrase(i int) bool {
	end := lineEnd(s.text[:min(len(s.text), i+maxChosen)], i)
	s.work += end - i
	v := bytes.TrimRight(s.text[i:end], " \t\r.")
	if !smallWordsOnly(v) || !isWords(v, 3) && !(isWords(v, 2) && isPSKLine(s.text[:i])) {
		return false
	}
	s.add(builtin().byID["password"], i, i+len(v), false)
	return true
}

// isPSKLine reports whether before ends in the psk= of a file of settings.
func isPSKLine(before []byte) bool { return bytes.HasSuffix(before, []byte("psk=")) }

// isWords reports whether v is a passphrase of at least n words.
func isWords(v []byte, n int) bool {
	return bytes.Count(v, []byte(" ")) >= n-1 && isPhrase(append(bytes.Clone(v), " quay quay quay"[:5*max(0, 3-n)]...))
}

var smallPhrase = newCharset(lower, " -")

func smallWordsOnly(v []byte) bool { return smallPhrase.all(v) }

// skipAny returns the index after at most limit bytes of set from i.
func skipAny(text []byte, i int, set string, limit int) int {
	for n := 0; n < limit && i < len(text) && strings.IndexByte(set, text[i]) >= 0; n++ {
		i++
	}
	return i
}
