package secrets

import (
	"bytes"
	"encoding/base64"
)

// Limits on the text of a private key.
const (
	keyRun  = 16  // the shortest run of base 64 that is key material
	keyLeft = 48  // the least key material that can be a key: 36 bytes
	keyGap  = 240 // the longest stretch of headers between runs
)

// findPEM finds a private key in PEM or PGP armour, its lines broken by line
// ends or by the letters \n as in JSON. A header with nothing after it is a
// mention.
func findPEM(s *scanner, at, end int) {
	head := s.text[end:min(len(s.text), end+80)]
	label, _, ok := bytes.Cut(head, []byte("-----"))
	if !ok || !bytes.HasSuffix(label, []byte("PRIVATE KEY")) && !bytes.HasSuffix(label, []byte("PRIVATE KEY BLOCK")) {
		return
	}
	rule := "private-key"
	if bytes.Contains(s.text[max(0, at-400):at], []byte("service_account")) {
		rule = "gcp-service-account"
	}
	if stop, ok := s.keyBody(end + len(label) + 5); ok {
		s.add(builtin().byID[rule], at, stop, true)
	}
}

// findPuTTY finds the private part of a PuTTY key file.
func findPuTTY(s *scanner, at, end int) {
	if stop, ok := s.keyBody(end); ok {
		s.add(builtin().byID["private-key"], at, stop, true)
	}
}

// encodedPEM is how "-----BEGIN" begins in base 64.
const encodedPEM = "LS0tLS1CRUdJTi"

// findEncodedPEM finds a private key with its armour in a second base 64
// encoding, as in Kubernetes. at is the start of "-----BEGIN".
func findEncodedPEM(s *scanner, at, _ int) {
	if at > 0 && base64Any[s.text[at-1]] {
		return
	}
	head, err := base64.StdEncoding.DecodeString(string(s.text[at:min(len(s.text), at+60)]))
	if err == nil && bytes.Contains(head, []byte("PRIVATE KEY-----")) {
		s.add(builtin().byID["private-key"], at, s.run(base64Any, at, len(s.text)), true)
	}
}

// keyBody returns the end of the key material from i, with the closing line
// of an armour. It ends at five dashes or after a gap without material, so no
// byte is read for two keys.
func (s *scanner) keyBody(i int) (int, bool) {
	text := s.text
	material, stop := 0, i
	for i < len(text) && i-stop <= keyGap {
		if text[i] == '-' && bytes.HasPrefix(text[i:], []byte("-----")) {
			stop = closingLine(text, i)
			break
		}
		end := s.run(base64Std, i, len(text))
		if n := end - i; n >= keyRun {
			stop = end
			if !isFiller(text[i:min(end, i+maxToken)]) {
				material += n
			}
		}
		i = max(end, i+1)
	}
	return stop, material >= keyLeft
}

// closingLine returns the end of the line "-----END …-----" at i, or i when
// another armour begins there.
func closingLine(text []byte, i int) int {
	if !bytes.HasPrefix(text[i:], []byte("-----END ")) {
		return i
	}
	rest := text[i+9 : min(len(text), i+80)]
	if n := bytes.Index(rest, []byte("-----")); n >= 0 {
		return i + 9 + n + 5
	}
	return i
}

// dataRun is the length from which embedded data is passed over. Shorter data
// costs nothing to look at.
const dataRun = 64

// skipData skips a picture, font or other medium in a data: URI: its base 64
// contains any short string by chance.
func skipData(s *scanner, at, end int) {
	_, medium, ok := bytes.Cut(s.text[max(0, at-80):at], []byte("data:"))
	medium, _, _ = bytes.Cut(medium, []byte("/"))
	switch string(medium) {
	case "image", "font", "audio", "video", "application":
		if stop := s.run(base64Std, end, len(s.text)); ok && stop-end >= dataRun && !bytes.HasPrefix(s.text[end:], []byte(encodedPEM)) {
			s.quiet = stop
		}
	}
}

// pairReach is how far after an access key id its secret is looked for: the
// next cell, line or field.
const pairReach = 200

// findAWSPair finds the secret next to an access key id without a telltale
// name, as in a credentials file saved as a table.
func findAWSPair(s *scanner, at, end int) {
	key := s.run(alnum, end, 17)
	if key-end != 16 || !startsWord(s.text, at) || published(s.text[at:key]) {
		return
	}
	for i, limit := key, min(len(s.text), key+pairReach); i < limit; {
		stop := s.run(base64Std, i, 41)
		if stop-i == 40 && isAWSSecret(s.text[i:stop]) && endsWord(s.text, stop) {
			s.add(builtin().byID["aws-secret-key"], i, stop, false)
			return
		}
		i = s.run(base64Std, stop, limit-stop) + 1
	}
}

// isAWSSecret reports whether v may be a secret access key, and is not a hash.
func isAWSSecret(v []byte) bool {
	return len(v) == 40 && base64Std.all(v) && !hexDigits.all(v) && entropy(v) >= 4 &&
		isRandom(v) && !published(v)
}
