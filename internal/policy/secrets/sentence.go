package secrets

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// inSentence finds the value that a sentence gives to the name that ends at i:
// "password of the printer is …". The value must look like a credential by
// itself, and follow a word such as "is", a colon, or the name directly.
func (s *scanner) inSentence(a *assignment, i int) {
	name := i - len(a.name)
	text, words := s.text, builtin().words
	is, after, places, others := words["is"], words["not-after"], words["code-place"], words["code-other"]
	limit := lineEnd(text[:min(len(text), i+maxTold)], i)
	s.work += limit - i
	s.before(a, name)
	s.answered(a, name, limit)
	if plain.run(text, i, limit-i) == limit && !a.inWords(text[i:limit]) || bytes.HasPrefix(text[i:], []byte("](")) || text[i] == '+' {
		return // only words, the text of a link, or base 64
	}
	coded := a.class == noClass && (containsFold(a.name, "cod") || containsFold(a.name, "cód") || containsFold(a.name, "comb"))
	given, place, foreign, loose := true, false, false, false
	for n := 0; i < limit; n++ {
		from := i
		if n == 0 && i+1 < limit && (text[i] == ';' || text[i] == ',') && isBlank(text[i+1]) {
			i, n, given = i+1, 1, false // "the password; it is …"
		}
		i = skipAny(text, i, " \t*_(:=)]", 16)
		if n == 0 && from < limit && strings.IndexByte("&/+%?#@!$~\\", text[from]) >= 0 {
			return // the name is a part of something longer
		}
		called := n == 0 && from < limit && text[from] == '('
		if bytes.ContainsAny(text[from:i], ":=") {
			if given = true; a.class != pin && a.keyed() && s.phrase(i) {
				return
			}
		}
		aside := i > 0 && text[i-1] == '('
		end := max(i+1, s.run(unblank, i, limit-i))
		if i >= limit {
			return
		}
		if n := bytes.IndexByte(text[i:end], ':'); n > 1 && (!given || aside) && letters.all(text[i:i+n]) && i+n+1 < end && text[i+n+1] != '/' && bytes.IndexByte(text[i+n+1:end], ':') < 0 {
			i, given, called = i+n+1, true, false // "password for the wifi:…"
		}
		word := text[i:end]
		var buf [12]byte
		lower := begin(buf[:], word)
		if coded {
			if others[string(lower)] {
				return
			}
			place = place || places[string(unarticled(lower))]
		}
		high := isHigh(word)
		quoted := !coded && a.class != pin && !high && !loose && strings.IndexByte("\"'`", word[0]) >= 0 || isOpening(word)
		switched := foreign && !high && n > 0
		if (given || aside || quoted || switched || s.closes(a, n, i, end)) && (!letters.all(word) || listed("common", string(lower)) || n > 0 && bytes.IndexByte(word[:len(word)-1], '.') > 0 && gradeOf(bytes.TrimRight(word, ".,;")) == odd) {
			v := s.read(i, maxValue, unquotedBytes)
			closed := v.end < len(text) && text[v.end] == ')'
			if len(v.text) > 0 && (!aside || given || closed) {
				if a.class == noClass {
					a.class = classify(a.name)
				}
				if a.class == noClass && coded && promiseOf(a.name).code && (place || s.isPlaceBefore(name)) {
					a.class = pin
				}
				if a.class == noClass {
					return
				}
				if a.isStated(v, n, (given || switched) && n > 0, aside && closed) && (!called || bytes.ContainsAny(v.text, inSigns)) {
					s.add(builtin().byID[a.rule()], v.start, v.end, false)
					if !given || a.class != chosen || v.end >= limit {
						return
					}
					i, given, n = v.end, false, max(n, 1)
					continue
				}
			}
			if v.quoted && (given || n == 0) || called {
				return
			}
		}
		if called {
			return // with parameters
		}
		last := word[len(word)-1]
		if n == 0 && !aside && after[string(lower)] && !listed("told-of", string(lower)) || last == '.' || last == '?' || last == '!' || last == ';' {
			return
		}
		given = is[string(lower)] || last == ':' || last == '='
		if last == ':' && a.class != pin && a.keyed() && s.phrase(skipAny(text, end, " \t", 4)) {
			return
		}
		foreign = high && (n == 0 || foreign)
		loose = listed("of", string(lower))
		i = end
	}
}

// isOpening reports whether word begins with a quote beyond ASCII.
func isOpening(word []byte) bool {
	return slices.ContainsFunc([]string{"«", "„", "“", "‘"}, func(q string) bool { return bytes.HasPrefix(word, []byte(q)) })
}

// inWords reports whether v, which contains only words, can be a password: one
// of the most common at its end, or a phrase.
func (a *assignment) inWords(v []byte) bool {
	if a.keyed() && bytes.ContainsAny(v, ":=") {
		return true
	}
	v = v[:punctuation.back(v, len(v), len(v))]
	var buf [12]byte
	return listed("common", string(begin(buf[:], v[1+bytes.LastIndexByte(v, ' '):])))
}

// closes reports whether the word text[i:end], the n-th behind the name, is the last of
// its sentence: then a strong one needs no word such as is before it.
func (s *scanner) closes(a *assignment, n, i, end int) bool {
	return a.class != pin && n > 0 && n < 5 && (end >= len(s.text) || isBreak(s.text[end])) && isStrong(bytes.TrimRight(s.text[i:end], ".,;)")) && classify(a.name) == chosen
}

// opensWithCapital reports whether v begins as a name or a sentence does and goes on
// in letters: PayPal2.
func opensWithCapital(v []byte) bool { return isUpper(v[0]) && !bytes.ContainsAny(v, inSigns+"-_") }

// before finds the password that a sentence names before the word for it, which begins
// at i: "… as the password", "… is my password".
func (s *scanner) before(a *assignment, i int) {
	start := max(0, i-maxBefore)
	start += 1 + bytes.LastIndexByte(s.text[start:i], '\n')
	s.work += i - start
	end, link := i, -1
	for n := 0; n < 4; n++ {
		end = blanks.back(s.text, end, maxBefore)
		from := max(start, s.back(unblank, end, maxBefore))
		w := s.text[from:end]
		if len(w) == 0 {
			return
		}
		if link >= 0 {
			v := bytes.Trim(w, "\"'`“”„«»(,")
			if a.class == noClass {
				a.class = classify(a.name)
			}
			if g := gradeOf(v); a.class == chosen && (g == made || g == odd && link == 0) {
				at := from + bytes.Index(w, v)
				s.add(builtin().byID["password"], at, at+len(v), false)
			}
			return
		}
		var buf [12]byte
		switch word := string(begin(buf[:], w)); {
		case listed("as", word):
			link = 0
		case word == "is" || word == "ist" || word == "est" || word == "es":
			link = 1
		case !letters.all(w):
			return
		}
		end = from
	}
}

// answered finds the password that the next speaker of a conversation gives, when the
// line that asks for it has a speaker, too.
func (s *scanner) answered(a *assignment, i, limit int) {
	text := s.text
	if limit >= len(text)-1 || !isBreak(text[limit]) {
		return
	}
	start := max(0, i-maxTold)
	start += 1 + bytes.LastIndexByte(text[start:i], '\n')
	stop := lineEnd(text[:min(len(text), limit+1+maxTold)], limit+1)
	s.work += stop - start
	asks, answers := text[start:limit], bytes.TrimRight(text[limit+1:stop], " \r.")
	if len(answers) == 0 || !isSpoken(asks) || !isSpoken(answers) {
		return
	}
	v := answers[1+bytes.LastIndexByte(answers, ' '):]
	said := bytes.TrimRight(answers[:len(answers)-len(v)], " ")
	v = bytes.Trim(v, "\"'`")
	if a.class == noClass {
		a.class = classify(a.name)
	}
	if len(said) == 0 || strings.IndexByte(">:", said[len(said)-1]) < 0 || a.class != chosen || gradeOf(v) < made {
		return
	}
	at := limit + 1 + bytes.LastIndex(answers, v)
	s.add(builtin().byID["password"], at, at+len(v), false)
}

// isSpoken reports whether a line begins as one of a conversation: with a time or a
// name in brackets.
func isSpoken(line []byte) bool {
	return len(line) > 6 && (line[0] == '<' || line[0] == '[' || isDigit(line[0]) && bytes.IndexByte(line[:6], ':') > 0)
}

var blanks = newCharset(" \t")

// begin puts the beginning of word into buf, without the punctuation around it
// and in lower case.
func begin(buf, word []byte) []byte {
	word = word[punctuation.run(word, 0, len(word)):]
	word = word[:punctuation.back(word, len(word), len(word))]
	n := min(len(word), len(buf))
	for i, b := range word[:n] {
		buf[i] = folded[b]
	}
	return buf[:n]
}

// findInSentence returns a finder of values that a sentence gives to a name that is
// not a code word.
func findInSentence(class class) finder {
	return func(s *scanner, at, end int) {
		if !startsWord(s.text, at) || end < len(s.text) && (wordByte[s.text[end]] || s.text[end] >= 0x80) {
			return
		}
		before := s.text[s.back(nameBytes, max(0, at-1), maxType):max(0, at-1)]
		if !listed("not-before", strings.ToLower(string(before))) {
			s.inSentence(&assignment{name: s.text[at:end], class: class}, end)
		}
	}
}

// findBeyond returns a finder of values that a sentence in another script gives
// to a name: the first ASCII text after it, directly after a sign or a word for
// is.
func findBeyond(class class) finder {
	return func(s *scanner, at, end int) {
		text, names := s.text, builtin().Names
		i := s.run(beyond, end, maxBeyond)
		gap := text[end:i]
		if slices.ContainsFunc(names["beyond-stop"], func(w string) bool { return bytes.Contains(gap, []byte(w)) }) {
			return
		}
		v := bytes.TrimRight(text[i:s.run(unquotedBytes, i, maxChosen)], ",.)]}")
		if n := bytes.IndexFunc(v, func(r rune) bool { return r >= 0x80 }); n >= 0 {
			v = v[:n]
		}
		before := bytes.TrimRight(gap, " \t")
		ends := func(w string) bool { return bytes.HasSuffix(before, []byte(w)) }
		signed := slices.ContainsFunc(names["beyond-sign"], ends)
		given := signed || len(before) == 0 || slices.ContainsFunc(names["beyond-is"], ends)
		if !given || len(v) < 4 || isPlaceholder(v) || isCode(v) {
			return
		}
		a := assignment{class: class}
		ok := false
		switch class {
		case chosen:
			ok = isStrong(v) || signed && gradeOf(v) >= odd ||
				len(before) > 0 && (isWordAndNumber(v) || len(v) >= minChosen && isPIN(v) && !strings.Contains("01234567890", string(v)))
		case pin:
			ok = len(before) > 0 && isDoorCode(v)
		default:
			ok = len(v) >= 16 && opaque.all(v) && isRandom(v) && !isUUID(v)
		}
		if ok {
			s.add(builtin().byID[a.rule()], i, i+len(v), false)
		}
	}
}

// beyond are the bytes between a name in another script and its value.
var beyond = func() *charset {
	c := newCharset(" \t:=(*`\"'")
	for b := utf8.RuneSelf; b < len(c); b++ {
		c[b] = true
	}
	return c
}()

var (
	unblank     = printableExcept("")
	punctuation = newCharset(".,;:()")
	letters     = newCharset(lower, upper, ".,;")
	plain       = newCharset(lower, upper, " \t.,;:-_/()[]<>|=")
)

// isStated reports whether v, n words after the name, is its value. given is set
// when a word such as is directly precedes v, aside when v is in brackets.
func (a *assignment) isStated(v value, n int, given, aside bool) bool {
	switch a.class {
	case chosen:
		words := nameWords(a.name)
		last := words[max(0, len(words)-1):]
		if len(last) > 0 && last[0] == "pass" {
			return given && isStrong(v.text) // what else may pass
		}
		g := gradeOf(v.text)
		if len(last) > 0 && (last[0] == "passwd" && n == 0 || strings.HasSuffix(last[0], "s") && !isMadeUp(v.text)) {
			return isStrong(v.text) // a command with an argument; such pairs are common
		}
		if n == 0 {
			return isStrong(v.text) || g == made && (v.quoted || !opensWithCapital(v.text) || listed("common", strings.ToLower(string(v.text))))
		}
		return isStrong(v.text) || given && g >= odd || v.quoted && (g >= made || (given || a.keyed()) && isPhrase(v.text) || given && isMadeUp(v.text) && !isPlaceholder(v.text))
	case pin:
		return (n > 0 || aside || v.text[len(v.text)-1] == '#' || listed("told-pin", strings.ToLower(string(a.name)))) && isDoorCode(v.text)
	}
	if n > 0 && given && containsFold(a.name, "secret") && isStrong(v.text) {
		return true // one that a person made up
	}
	long := n > 0 || a.class == generated || len(v.text) >= minLone && len(v.text) != 40 && len(v.text) != 64
	return long && len(v.text) >= minToken && opaque.all(v.text) && isRandom(v.text) && !isPlaceholder(v.text) && !isUUID(v.text)
}

// isPlaceBefore reports whether the line names the thing that a code opens
// before i.
func (s *scanner) isPlaceBefore(i int) bool {
	before := s.text[max(0, i-maxTold):max(0, i)]
	s.work += len(before)
	before = bytes.ToLower(before[1+bytes.LastIndexByte(before, '\n'):])
	return slices.ContainsFunc(bytes.Fields(before), func(w []byte) bool {
		return listed("code-place", string(unarticled(bytes.Trim(w, ".,;:()"))))
	})
}

// unarticled returns w without the article that French writes together with it.
func unarticled(w []byte) []byte {
	if len(w) > 2 && w[1] == '\'' && (w[0] == 'd' || w[0] == 'l') {
		return w[2:]
	}
	return w
}

// isCodeName reports whether the words of a name end in one for a code, and not
// for a public one, such as an area code.
func isCodeName(words []string) bool {
	for _, w := range words {
		if listed("code-other", w) {
			return false
		}
	}
	return len(words) > 0 && listed("code", strings.TrimSuffix(words[len(words)-1], "s"))
}
