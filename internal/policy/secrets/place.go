package secrets

import "strings"

// Limits on credentials that are known by their place.
const (
	minHeaderToken = 16
	maxHeaderToken = 4096
	maxUserInfo    = 512
	maxScheme      = 20
)

var headerToken = newCharset(lower, upper, digits, "-._~+/=")

// findBearer finds the token after the word Bearer.
func findBearer(s *scanner, at, end int) {
	if startsWord(s.text, at) {
		s.bareToken(skipAny(s.text, end, " \t:=\"'`", 4), end)
	}
}

// findAuthorization finds what follows the header's name: Basic and a name
// and password in base 64, or another scheme and its token. Bearer is left to
// findBearer.
func findAuthorization(s *scanner, _, end int) {
	i := skipAny(s.text, end, " \t:=\"'`", 8)
	if i == end {
		return
	}
	stop := s.run(headerToken, i, maxScheme)
	scheme := string(s.text[i:stop])
	after := skipAny(s.text, stop, " ", 4)
	switch {
	case after == stop:
		s.bareToken(i, end)
	case strings.EqualFold(scheme, "basic"):
		if stop := s.run(base64Any, after, maxUserInfo); isBasic(s.text[after:stop]) {
			s.add(builtin().byID["auth-header"], after, stop, false)
		}
	case !strings.EqualFold(scheme, "bearer"):
		s.bareToken(after, stop)
	}
}

// bareToken takes the run at i for a token if it looks generated. The token
// must be apart from what ends at from.
func (s *scanner) bareToken(i, from int) {
	stop := s.run(headerToken, i, maxHeaderToken)
	for stop > i && s.text[stop-1] == '.' {
		stop--
	}
	v := s.text[i:stop]
	if i > from && len(v) >= minHeaderToken && isRandom(v[:min(len(v), maxToken)]) && !isFiller(v) && !published(v) {
		s.add(builtin().byID["auth-header"], i, stop, false)
	}
}

// findURLPassword finds the password in scheme://user:password@host.
func findURLPassword(s *scanner, at, end int) {
	text := s.text
	scheme := at
	for scheme > 0 && at-scheme < maxScheme && (alnum[text[scheme-1]] || strings.IndexByte("+-.", text[scheme-1]) >= 0) {
		scheme--
	}
	if scheme == at {
		return
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
	s.work += maxUserInfo
	if colon < 0 || sign <= colon+1 || sign+1 >= len(text) {
		return
	}
	if next := text[sign+1]; !alnum[next] && next != '[' && next != '$' && next != '{' {
		return
	}
	user, pass := text[end:colon], text[colon+1:sign]
	if isGivenAway(user, pass) || isPort(pass) {
		return
	}
	s.add(builtin().byID["url-password"], colon+1, sign, false)
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
