package secrets

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
)

// maxSegment bounds the header of a JSON Web Token that is decoded.
const maxSegment = 4096

// findJWT finds a signed or encrypted JSON Web Token: segments joined by
// dots, the first of which is JSON that names an algorithm. One without a
// signature proves nothing and is none.
func findJWT(text []byte, at, end int) (candidate, bool) {
	if string(text[at:end]) != "eyJ" || at > 0 && base64URL[text[at-1]] && !startsWord(text, at) {
		return candidate{}, false
	}
	headEnd := base64URL.run(text, at, maxSegment)
	if headEnd >= len(text) || text[headEnd] != '.' {
		return candidate{}, false
	}
	head, err := base64.RawURLEncoding.DecodeString(string(text[at:headEnd]))
	if err != nil {
		return candidate{}, false // not base 64: no token
	}
	var fields struct {
		Algorithm string `json:"alg"`
	}
	if json.Unmarshal(head, &fields) != nil || fields.Algorithm == "" {
		return candidate{}, false
	}
	last, stop, segments := headEnd, headEnd, 1
	for stop < len(text) && text[stop] == '.' && segments < 5 {
		last = stop + 1
		stop = base64URL.run(text, last, len(text))
		segments++
	}
	// A sentence may end right after the token.
	for last == stop && segments > 3 {
		stop--
		last = bytes.LastIndexByte(text[at:stop], '.') + at + 1
		segments--
	}
	if segments < 3 || stop-last < 16 || isFiller(text[last:stop]) || isTutorial(text[headEnd+1:stop]) {
		return candidate{}, false
	}
	return candidate{jwtToken, at, stop}, true
}

// isTutorial recognises the payload with which jwt.io and most tutorials
// begin: {"sub":"1234567890", in base 64.
func isTutorial(payload []byte) bool {
	return bytes.HasPrefix(payload, []byte("eyJzdWIiOiIxMjM0NTY3ODkw")) || published(payload)
}

// findTelegram finds a bot token: the bot's number, a colon and 35 characters
// that begin with AA.
func findTelegram(text []byte, at, end int) (candidate, bool) {
	digit := at
	for digit > 0 && isDigit(text[digit-1]) && at-digit < 17 {
		digit--
	}
	if n := at - digit; n < 5 || n > 16 || string(text[at:end]) != ":AA" {
		return candidate{}, false
	}
	// The API's URLs put "bot" before the number.
	if digit > 0 && wordByte[text[digit-1]] && !bytes.HasSuffix(text[:digit], []byte("/bot")) && !startsWord(text, digit) {
		return candidate{}, false
	}
	stop := base64URL.run(text, at+1, 36)
	v := text[at+1 : stop]
	if len(v) != 35 || isFiller(v) || entropy(v) < 3.5 || isWordy(v) {
		return candidate{}, false
	}
	return candidate{telegramToken, digit, stop}, true
}

// findDiscord finds a bot token around its first dot: the bot's number in
// base 64, six characters of time, 27 to 38 of signature.
func findDiscord(text []byte, at, end int) (candidate, bool) {
	const stamp = 6
	second := end + stamp
	if second >= len(text) || text[second] != '.' || !base64URL.all(text[end:second]) {
		return candidate{}, false
	}
	start := base64URL.back(text, at, 29)
	if n := at - start; n < 23 || n > 28 {
		return candidate{}, false
	}
	id, err := base64.RawStdEncoding.DecodeString(string(text[start:at]))
	if err != nil || len(id) < 17 {
		return candidate{}, false // not base 64: no token
	}
	for _, b := range id {
		if !isDigit(b) {
			return candidate{}, false
		}
	}
	stop := base64URL.run(text, second+1, 39)
	if n := stop - second - 1; n < 27 || n > 38 {
		return candidate{}, false
	}
	return candidate{discordToken, start, stop}, true
}

// findMailchimp finds a key: 32 hexadecimal digits and a data centre.
func findMailchimp(text []byte, at, end int) (candidate, bool) {
	start := hexDigits.back(text, at, 33)
	stop := end
	for stop < len(text) && isDigit(text[stop]) && stop-end < 3 {
		stop++
	}
	v := text[start:at]
	if len(v) != 32 || !startsWord(text, start) || stop == end || !endsWord(text, stop) || isFiller(v) || entropy(v) < 2.8 {
		return candidate{}, false
	}
	return candidate{mailchimpKey, start, stop}, true
}

// findDropbox finds a long-lived token: eleven characters, ten times A, and
// 43 more.
func findDropbox(text []byte, at, end int) (candidate, bool) {
	start := at - 11
	if start < 0 || string(text[at:end]) != "AAAAAAAAAA" || !alnum.all(text[start:at]) || !startsWord(text, start) {
		return candidate{}, false
	}
	stop := base64Any.run(text, end, 44)
	if stop-end != 43 || !isRandom(text[end:stop]) || isFiller(text[end:stop]) || entropy(text[start:at]) < 2.3 {
		return candidate{}, false
	}
	return candidate{dropboxLongLived, start, stop}, true
}

// findMaxMind finds a license key: six characters, 29 more and the mark.
func findMaxMind(text []byte, at, end int) (candidate, bool) {
	start := at - 36
	if start < 0 || string(text[at:end]) != "_mmk" || !endsWord(text, end) || !startsWord(text, start) || text[start+6] != '_' {
		return candidate{}, false
	}
	if !alnum.all(text[start:start+6]) || !alnum.all(text[start+7:at]) || isFiller(text[start+7:at]) || entropy(text[start:at]) < 3 {
		return candidate{}, false
	}
	return candidate{maxmindKey, start, end}, true
}
