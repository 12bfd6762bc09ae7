package secrets

import (
	"bytes"
	"strings"
	"sync"
	"unicode/utf8"
)

// class is the kind of value that the name of an assignment suggests.
type class int8

const (
	noClass   class = iota
	chosen          // a password, as a person makes one up
	generated       // a key, token or secret, as a program makes one
	loose           // a bare token or credential: often a handle, not a secret
	pin             // a short number that opens something
)

// maxName bounds how far a name is read on each side of its anchor, maxType the
// type of a variable before it.
const (
	maxName = 64
	maxType = 16
)

// nameBytes are the bytes of a name in code, in an environment, in YAML.
var nameBytes = newCharset(lower, upper, digits, "_-.")

// nameAround returns the span of the name that holds text[at:end]. A key in
// prose has its qualifier as a word of its own: "API key".
func (s *scanner) nameAround(at, end int) (start, stop int) {
	start = s.back(nameBytes, at, maxName)
	stop = s.run(nameBytes, end, maxName)
	for stop > end && (s.text[stop-1] == '.' || s.text[stop-1] == '-') {
		stop--
	}
	if start == at && at > 1 && isBlank(s.text[at-1]) && isLetter(s.text[at-2]) {
		start = s.back(nameBytes, at-1, maxName)
		if before := s.text[start : at-1]; len(before) <= maxType && listed("declared", strings.ToLower(string(before))) {
			start = at
		}
	}
	return start, stop
}

// classify returns the class of a name. A name counts when its last significant
// word is one for a secret and no other word makes the value something else.
// The words are those of [names] in rules.toml.
func classify(name []byte) class { return promiseOf(name).class }

// promise describes the value that a name announces.
type promise struct {
	class class
	code  bool // by isCodeName
	list  bool // a plural: without its s it has a class
}

func promiseOf(name []byte) promise {
	if len(name) > maxName {
		return newPromise(name)
	}
	known := promises.Get().(map[string]promise)
	defer promises.Put(known)
	p, ok := known[string(name)]
	if !ok {
		if len(known) == maxPromises {
			clear(known)
		}
		p = newPromise(name)
		known[string(name)] = p
	}
	return p
}

// promises caches recent names: a text has few names and repeats them often.
var promises = sync.Pool{New: func() any { return map[string]promise{} }}

const maxPromises = 1024

func newPromise(name []byte) promise {
	words := nameWords(name)
	p := promise{class: classOfWords(words), code: isCodeName(words)}
	if last := len(name) - 1; last >= 0 && name[last]|0x20 == 's' {
		p.list = classOfWords(nameWords(name[:last])) != noClass
	}
	return p
}

func classOfWords(words []string) class {
	noun, kind := -1, noClass
	for i, w := range words {
		if k := nounClass(words, i, w); k != noClass {
			noun, kind = i, k
		}
	}
	if noun < 0 {
		return noClass
	}
	for i, w := range words {
		if i < noun && listed("not-before", w) || i > noun && listed("not-after", w) {
			return noClass
		}
	}
	for _, public := range []string{"public", "csrf", "xsrf"} {
		if strings.HasPrefix(words[noun], public) {
			return noClass
		}
	}
	return kind
}

// nounClass returns the class that the word at i gives the name.
func nounClass(words []string, i int, w string) class {
	// A number may follow: password2, API_KEY_1.
	w = strings.TrimRight(w, digits)
	names := builtin().Names
	switch {
	case endsIn(w, names["password"]), listed("password-word", w),
		w == "pass" && (i > 0 || len(words) == 1),
		len(w) > 4 && (strings.HasSuffix(w, "pass") || strings.HasSuffix(w, "pw") || strings.HasSuffix(w, "psk")) && !listed("no-password", w):
		return chosen
	case w == "key" && i > 0 && listed("chosen-key-of", words[i-1]):
		return chosen
	case w == "key":
		if i > 0 && listed("key-of", words[i-1]) || i > 1 && listed("key-of", words[i-2]) {
			return generated
		}
		return noClass
	case w == "salt":
		if i > 0 && listed("salt-of", words[i-1]) {
			return generated
		}
		return noClass
	case w == "token":
		for _, q := range words[:i] {
			if listed("token-of", q) || strings.HasSuffix(q, "key") {
				return generated
			}
		}
		return loose
	case w == "code":
		if i > 0 && listed("code-of", words[i-1]) {
			return pin
		}
		return noClass
	case w == "auth" && i > 0 && i == len(words)-1 && words[i-1] != "basic":
		return generated
	case listed("pin", w):
		return pin
	case listed("loose", w):
		return loose
	case endsIn(strings.TrimSuffix(w, "s"), names["token"]):
		return generated
	}
	return noClass
}

func endsIn(w string, endings []string) bool {
	for _, e := range endings {
		if strings.HasSuffix(w, e) {
			return true
		}
	}
	return false
}

// nameWords splits a name at case changes and at characters other than letters
// and digits, and returns its words in lower case.
func nameWords(name []byte) []string {
	var words []string
	start := 0
	cut := func(end int) {
		if end > start {
			words = append(words, strings.ToLower(string(name[start:end])))
		}
	}
	for i, b := range name {
		switch {
		case !alnum[b] && b < utf8.RuneSelf:
			cut(i)
			start = i + 1
		case i > start && isUpper(b) && (!isUpper(name[i-1]) || i+1 < len(name) && isLetter(name[i+1]) && !isUpper(name[i+1])):
			cut(i)
			start = i
		}
	}
	cut(len(name))
	return words
}

// isEnvironmentName reports whether name is written as in an environment or a
// shell, where a value on the right is a literal and not a variable.
func isEnvironmentName(name []byte) bool {
	return bytes.ContainsAny(name, upper) && bytes.Equal(name, bytes.ToUpper(name))
}
