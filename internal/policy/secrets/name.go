package secrets

import (
	"bytes"
	"strings"
)

// class says what the name of an assignment promises about its value.
type class int8

const (
	noClass   class = iota
	chosen          // a password, as a person makes one up
	generated       // a key, token or secret, as a program makes one
	loose           // a bare token or credential: often a handle, not a secret
)

// maxName bounds how far a name is read on each side of its anchor.
const maxName = 64

// nameBytes are the bytes of a name in code, in an environment, in YAML.
var nameBytes = newCharset(lower, upper, digits, "_-.")

// nameAround returns the span of the name that holds text[at:end]. A key in
// prose has its qualifier as a word of its own: "API key".
func nameAround(text []byte, at, end int) (start, stop int) {
	start = nameBytes.back(text, at, maxName)
	stop = nameBytes.run(text, end, maxName)
	for stop > end && (text[stop-1] == '.' || text[stop-1] == '-') {
		stop--
	}
	if start == at && at > 1 && isBlank(text[at-1]) && isLetter(text[at-2]) {
		start = nameBytes.back(text, at-1, maxName)
	}
	return start, stop
}

// Words of names. A name counts when its last telling word is one of a
// secret and no other word says that the value is something else.
var (
	passwordWords = []string{"password", "passwd", "passwort", "pwd", "passphrase", "passcode"}
	tokenNouns    = []string{"token", "secret", "apikey", "accesskey", "secretkey", "privatekey", "authkey", "signingkey", "encryptionkey", "sharedkey", "masterkey", "accountkey"}

	keyQualifiers = wordSet("api access secret private auth encryption signing master service shared subscription " +
		"account admin webhook hmac aes cookie license deploy app client account storage session jwt crypto secure")
	tokenQualifiers = wordSet("access auth api refresh bot personal bearer secret deploy service user oauth " +
		// Vendors whose tokens have no format of their own.
		"dropbox github gitlab heroku hubspot kucoin linkedin messagebird sendbird slack snyk squarespace sumo twitter")

	// What follows the noun: the value describes or locates the secret.
	notSecretAfter = wordSet("id ids name names type types uri url urls endpoint hash hashed digest checksum file files path paths dir " +
		"expiry expires expiration expired ttl length len size count limit policy min max env var ref reference field label hint reset " +
		"version algorithm alg format prefix suffix pattern regex class method arn rotation sha sha1 sha256 md5 fingerprint " +
		"manager provider store storage vault generator validator parser counter index usage bucket budget address account contract mint symbol " +
		"changed created updated date time at on link page list set map handler factory service binding scope scopes")
	// What stands before the noun: the thing is public, or no credential.
	notSecretBefore = wordSet("public pub publishable csrf xsrf page next cancel cancellation sync cursor continuation etag idempotency " +
		"anti antiforgery verification foreign primary partition sort row strong string syntax lexer parser lex cache " +
		"search tracking event object integrity resume share sharing invite unsubscribe campaign item")
)

func wordSet(s string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}

// classify returns what name promises.
func classify(name []byte) class {
	words := nameWords(name)
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
		if i < noun && notSecretBefore[w] || i > noun && notSecretAfter[w] {
			return noClass
		}
	}
	if strings.HasPrefix(words[noun], "public") {
		return noClass
	}
	return kind
}

// nounClass returns the class that the word at i gives the name.
func nounClass(words []string, i int, w string) class {
	// A number may follow: password2, API_KEY_1.
	w = strings.TrimRight(w, digits)
	for _, p := range passwordWords {
		if strings.HasSuffix(w, p) {
			return chosen
		}
	}
	if w == "pass" && (i > 0 || len(words) == 1) || strings.HasSuffix(w, "dbpass") {
		return chosen
	}
	switch w {
	case "key":
		if i > 0 && keyQualifiers[words[i-1]] || i > 1 && keyQualifiers[words[i-2]] {
			return generated
		}
		return noClass
	case "token":
		for _, q := range words[:i] {
			if tokenQualifiers[q] || strings.HasSuffix(q, "key") {
				return generated
			}
		}
		return loose
	case "credential", "credentials":
		return loose
	}
	for _, n := range tokenNouns {
		if strings.HasSuffix(w, n) || strings.HasSuffix(w, n+"s") {
			return generated
		}
	}
	return noClass
}

// nameWords splits a name at case changes and at what is no letter or digit,
// and returns its words in lower case.
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
		case !alnum[b]:
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
