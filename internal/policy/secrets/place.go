package secrets

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// Limits on credentials that are known by their place.
const (
	minHeaderToken = 16
	maxHeaderToken = 4096
	maxUserInfo    = 512
	maxScheme      = 20
)

var headerToken = newCharset(lower, upper, digits, "-._~+/=")

// findBearer finds the token after the word Bearer.
func findBearer(text []byte, at, end int) (candidate, bool) {
	if !startsWord(text, at) {
		return candidate{}, false
	}
	return bareToken(text, skipAny(text, end, " \t:=\"'`", 4), end)
}

// findAuthorization finds what follows the header's name: Basic and a name
// and password in base 64, or another scheme and its token. Bearer is left to
// findBearer.
func findAuthorization(text []byte, at, end int) (candidate, bool) {
	i := skipAny(text, end, " \t:=\"'`", 8)
	if i == end {
		return candidate{}, false
	}
	stop := headerToken.run(text, i, maxScheme)
	scheme := string(text[i:stop])
	after := skipAny(text, stop, " ", 4)
	switch {
	case after == stop:
		return bareToken(text, i, end)
	case equalFold(scheme, "basic"):
		return findBasic(text, after)
	case equalFold(scheme, "bearer"):
		return candidate{}, false
	}
	return bareToken(text, after, stop)
}

// bareToken takes the run at i for a token if it looks generated. The token
// must be apart from what ends at from.
func bareToken(text []byte, i, from int) (candidate, bool) {
	if i == from {
		return candidate{}, false
	}
	stop := headerToken.run(text, i, maxHeaderToken)
	for stop > i && text[stop-1] == '.' {
		stop--
	}
	v := text[i:stop]
	if len(v) < minHeaderToken || !isRandom(v[:min(len(v), maxToken)]) || isFiller(v) || published(v) {
		return candidate{}, false
	}
	return candidate{authHeader, i, stop}, true
}

func findBasic(text []byte, i int) (candidate, bool) {
	stop := base64Any.run(text, i, maxUserInfo)
	pair, err := base64.StdEncoding.DecodeString(string(text[i:stop]))
	if err != nil {
		return candidate{}, false // not base 64: no name and password
	}
	user, pass, ok := bytes.Cut(pair, []byte(":"))
	if !ok || len(pass) == 0 && len(user) < minHeaderToken || isGivenAway(user, pass) {
		return candidate{}, false
	}
	return candidate{authHeader, i, stop}, true
}

// isGivenAway reports whether a pair of name and password is a placeholder or
// a well-known default, such as postgres:postgres.
func isGivenAway(user, pass []byte) bool {
	if len(pass) == 0 {
		return isPlaceholder(user)
	}
	return isPlaceholder(pass) || bytes.EqualFold(user, pass) || len(pass) < 3
}

// findURLPassword finds the password in scheme://user:password@host.
func findURLPassword(text []byte, at, end int) (candidate, bool) {
	scheme := at
	for scheme > 0 && at-scheme < maxScheme && (alnum[text[scheme-1]] || strings.IndexByte("+-.", text[scheme-1]) >= 0) {
		scheme--
	}
	if scheme == at {
		return candidate{}, false
	}
	// In a web address ? and # end the host; database URLs are written by
	// hand and their passwords hold them unescaped.
	web := containsFold(text[scheme:at], "http")
	colon, sign := -1, -1
	limit := min(len(text), end+maxUserInfo)
scan:
	for i := end; i < limit; i++ {
		switch b := text[i]; {
		case b == ':' && colon < 0:
			colon = i
		case b == '@':
			sign = i
		case b <= ' ', b == '/', b == '"', b == '\'', b == '`', b == '<', b == '>', b == '\\', b == '|',
			b == '(', b == ')', b == ']', b == ',', web && (b == '?' || b == '#'):
			break scan
		}
	}
	if colon < 0 || sign <= colon+1 || sign+1 >= len(text) {
		return candidate{}, false
	}
	if next := text[sign+1]; !alnum[next] && next != '[' && next != '$' && next != '{' {
		return candidate{}, false
	}
	user, pass := text[end:colon], text[colon+1:sign]
	if isGivenAway(user, pass) || isPort(pass) {
		return candidate{}, false
	}
	return candidate{urlPassword, colon + 1, sign}, true
}

// isPort reports whether what looks like a password is a port, as in
// http://host:8080@2x.
func isPort(v []byte) bool {
	if len(v) > 5 {
		return false
	}
	for _, b := range v {
		if !isDigit(b) {
			return false
		}
	}
	return true
}

// curlReach is how far before -u the command's name is looked for.
const curlReach = 300

// findCurlUser finds the password in curl -u user:password.
func findCurlUser(text []byte, at, end int) (candidate, bool) {
	i := skipAny(text, end, " =", 2)
	if i == end || !bytes.Contains(text[max(0, at-curlReach):at], []byte("curl")) {
		return candidate{}, false
	}
	i = skipAny(text, i, "\"'", 1)
	stop := i
	for stop < len(text) && stop-i < maxUserInfo && text[stop] > ' ' && text[stop] != '"' && text[stop] != '\'' && text[stop] != '`' {
		stop++
	}
	user, pass, ok := bytes.Cut(text[i:stop], []byte(":"))
	if !ok || bytes.ContainsAny(user, "/$<{") || len(user)+len(pass) < 6 || isGivenAway(user, pass) {
		return candidate{}, false
	}
	if len(pass) == 0 {
		return candidate{curlUser, i, i + len(user)}, isRandom(user)
	}
	return candidate{curlUser, stop - len(pass), stop}, true
}

// skipAny returns the index after at most limit bytes of set from i.
func skipAny(text []byte, i int, set string, limit int) int {
	for n := 0; n < limit && i < len(text) && strings.IndexByte(set, text[i]) >= 0; n++ {
		i++
	}
	return i
}

func equalFold(s, w string) bool { return len(s) == len(w) && containsFold([]byte(s), w) }
