package secrets

import "bytes"

// Limits on what is assigned.
const (
	minChosen    = 6
	maxChosen    = 128
	minGenerated = 12
	maxValue     = 300
	strongName   = 16 // hexadecimal digits of a .NET public key token
)

// inSigns are the signs that people put into passwords and prose does not
// put into words.
const inSigns = "!@#$%^&*?+~"

// assignment is a value with what is known about its place.
type assignment struct {
	name       []byte
	class      class
	start, end int    // the value, without quotes
	quoted     bool   // between quotes, so a literal in any language
	literal    bool   // not quoted, but nothing in its place could be a variable
	param      bool   // a field of a URL's query or form
	value      []byte // text[start:end]
}

// findAssigned finds the value given to a name that promises a secret.
func findAssigned(text []byte, at, end int) (candidate, bool) {
	// Most hits are prose: no sign follows the name. Look there first.
	nameStart, nameEnd := nameAround(text, at, end)
	i, sign := separator(text, nameEnd)
	if sign == 0 {
		return candidate{}, false
	}
	a := assignment{name: text[nameStart:nameEnd]}
	a.param = nameStart > 0 && (text[nameStart-1] == '?' || text[nameStart-1] == '&')
	a.read(text, i)
	if len(a.value) < minChosen || !bytes.ContainsAny(a.value, digits+inSigns) && !isMixedCase(a.value) {
		return candidate{}, false // a word, whatever its name
	}
	if a.class = classify(a.name); a.class == noClass {
		return candidate{}, false
	}
	a.literal = a.isLiteral(text, i, nameStart, sign)
	if isPlaceholder(a.value) || isNoLiteral(a.value, a.quoted) {
		return candidate{}, false
	}
	rule, ok := a.judge(text, nameStart)
	return candidate{rule, a.start, a.end}, ok
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

// read finds the value at i, up to its closing quote or the end of its word.
func (a *assignment) read(text []byte, i int) {
	escaped := i+1 < len(text) && text[i] == '\\' && (text[i+1] == '"' || text[i+1] == '\'')
	if escaped {
		i++
	}
	if i < len(text) && (text[i] == '"' || text[i] == '\'' || text[i] == '`') {
		if end, ok := closingQuote(text, i+1, text[i]); ok {
			if escaped && end > i+1 && text[end-1] == '\\' {
				end--
			}
			a.start, a.end, a.quoted = i+1, end, true
			a.value = text[a.start:a.end]
			return
		}
		i++ // a quote that nobody closed
	}
	set := unquotedBytes
	if a.param {
		set = paramBytes
	}
	end := set.run(text, i, maxValue)
	if end-i == maxValue {
		return // too long for a value; a token of this length has a format
	}
	// Punctuation that closes the sentence or the bracket around it.
	for end > i && bytes.IndexByte([]byte(",.)]}*_"), text[end-1]) >= 0 {
		end--
	}
	a.start, a.end, a.value = i, end, text[i:end]
}

// The bytes of a value without quotes, and of one in a URL.
var (
	unquotedBytes = printableExcept("\"'`<>|;")
	paramBytes    = printableExcept("\"'`<>|;&#")
)

// closingQuote returns the index of the quote that ends the string at i, on
// the same line.
func closingQuote(text []byte, i int, quote byte) (int, bool) {
	for limit := min(len(text), i+maxValue); i < limit && !isBreak(text[i]); i++ {
		if text[i] == quote {
			return i, true
		}
	}
	return 0, false
}

// isLiteral reports whether an unquoted value is itself the secret: in an
// environment or properties file, in YAML or prose when it ends the line, in
// a URL, in a table or an element.
func (a *assignment) isLiteral(text []byte, valueStart, nameStart int, sign byte) bool {
	if a.quoted || a.end == a.start {
		return a.quoted
	}
	switch sign {
	case '|', '>':
		return true
	case '=':
		tight := !isBlank(text[valueStart-1])
		return a.param || isEnvironmentName(a.name) || tight && nameStart > 0 && text[nameStart-1] != '.'
	}
	return endsLine(text, a.end)
}

// endsLine reports whether nothing but punctuation, a bracket or a comment
// stands between i and the end of its line.
func endsLine(text []byte, i int) bool {
	i = skipAny(text, i, ",.;)]}*_`\"' \t", 16)
	return i >= len(text) || isBreak(text[i]) || text[i] == '#' || text[i] == '<' || text[i] == '|' || text[i] == '('
}

// isNoLiteral reports whether v is an expression, a path or prose.
func isNoLiteral(v []byte, quoted bool) bool {
	if bytes.ContainsAny(v, " \t") {
		return true
	}
	for _, s := range []string{"->", "::", "=>", "()", "\\u"} {
		if bytes.Contains(v, []byte(s)) {
			return true
		}
	}
	if len(v) > 2 && v[1] == ':' && (v[2] == '\\' || v[2] == '/') {
		return true // a path with its drive
	}
	return !quoted && bytes.ContainsAny(v, "(){}[]")
}

// judge decides whether the value is a secret, and of which rule.
func (a *assignment) judge(text []byte, nameStart int) (*Rule, bool) {
	switch a.class {
	case chosen:
		if inConnectionString(text, nameStart, a.end) {
			return connectionString, isMadeUp(a.value) || len(a.value) >= 8 && isMixed(a.value)
		}
		if a.quoted || a.literal {
			return password, isMadeUp(a.value)
		}
		return password, len(a.value) >= minGenerated && isMadeUp(a.value) && isRandom(a.value)
	case generated, loose:
		if isAWSSecret(a.value) && a.namesAWS() {
			return awsSecretKey, true
		}
		if isUUID(a.value) {
			return secretValue, a.class == generated && !a.param
		}
		least := minGenerated
		if a.class == loose {
			least += 4
			if hexGroups.all(a.value) && (a.param || len(a.value) == strongName) {
				return nil, false // a handle in a link, or half of an assembly's name
			}
		}
		return secretValue, len(a.value) >= least && opaque.all(a.value) && isRandom(a.value)
	}
	return nil, false
}

func (a *assignment) namesAWS() bool {
	return containsFold(a.name, "aws") || containsFold(a.name, "secretaccess") || containsFold(a.name, "secret_access")
}

// isMadeUp reports whether v may be a password: more than letters in a row,
// and no path, version or name of code.
func isMadeUp(v []byte) bool {
	if len(v) < minChosen || len(v) > maxChosen || v[0] == '.' || v[0] == '-' || v[0] == '\\' {
		return false
	}
	// Without a digit, one sign at an end is punctuation around a word.
	if !bytes.ContainsAny(v, digits) && !isInner(v) || !bytes.ContainsAny(v, lower+upper) {
		return false
	}
	return entropy(v) >= 2.2
}

// isInner reports whether a sign stands within v and not only at its ends,
// where it would be punctuation around a word.
func isInner(v []byte) bool {
	v = bytes.TrimFunc(v, func(r rune) bool { return r < 0x80 && !alnum[byte(r)] })
	return bytes.ContainsAny(v, inSigns)
}

// connectionReach is how far around a password the other fields of its
// connection string are looked for.
const connectionReach = 200

// inConnectionString reports whether fields that name a server or a user
// stand on the same line.
func inConnectionString(text []byte, start, end int) bool {
	before := text[max(0, start-connectionReach):start]
	if i := bytes.LastIndexByte(before, '\n'); i >= 0 {
		before = before[i+1:]
	}
	after := text[end:min(len(text), end+connectionReach)]
	if i := bytes.IndexByte(after, '\n'); i >= 0 {
		after = after[:i]
	}
	for _, part := range [][]byte{before, after} {
		for _, field := range []string{"server=", "data source=", "host=", "user id=", "uid=", "dsn=", "initial catalog=", "dbname="} {
			if containsFold(part, field) {
				return true
			}
		}
	}
	return false
}
