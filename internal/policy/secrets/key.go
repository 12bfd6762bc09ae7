package secrets

import "bytes"

// Limits on the text of a private key.
const (
	keyRun  = 16  // the shortest run of base 64 that is key material
	keyLeft = 48  // the least key material that can be a key: 36 bytes
	keyGap  = 240 // the longest stretch of headers between runs
)

// findPEM finds a private key in PEM or PGP armour, its lines broken by line
// ends or by the letters \n as in JSON. A header with nothing after it is a
// mention.
func findPEM(text []byte, at, end int) (candidate, bool) {
	head := text[end:min(len(text), end+80)]
	dashes := bytes.Index(head, []byte("-----"))
	if dashes < 0 {
		return candidate{}, false
	}
	label := head[:dashes]
	if !bytes.HasSuffix(label, []byte("PRIVATE KEY")) && !bytes.HasSuffix(label, []byte("PRIVATE KEY BLOCK")) {
		return candidate{}, false
	}
	stop, ok := keyBody(text, end+dashes+5)
	if !ok {
		return candidate{}, false
	}
	rule := privateKey
	if bytes.Contains(text[max(0, at-400):at], []byte("service_account")) {
		rule = gcpServiceAccount
	}
	return candidate{rule, at, stop}, true
}

// findPuTTY finds the private part of a PuTTY key file.
func findPuTTY(text []byte, at, end int) (candidate, bool) {
	stop, ok := keyBody(text, end)
	return candidate{privateKey, at, stop}, ok
}

// keyBody returns the end of the key material from i, with the closing line
// of an armour. It ends at five dashes or after a gap without material, so no
// byte is read for two keys.
func keyBody(text []byte, i int) (int, bool) {
	material, stop, filler := 0, i, true
	for i < len(text) && i-stop <= keyGap {
		if text[i] == '-' && bytes.HasPrefix(text[i:], []byte("-----")) {
			stop = closing(text, i)
			break
		}
		end := base64Std.run(text, i, len(text))
		if n := end - i; n >= keyRun {
			material += n
			stop = end
			filler = filler && isFiller(text[i:min(end, i+maxToken)])
		}
		i = max(end, i+1)
	}
	return stop, material >= keyLeft && !filler
}

// closing returns the end of the line "-----END …-----" at i, or i when
// another armour begins there.
func closing(text []byte, i int) int {
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
const dataRun = 200

// skipData passes over a picture, font or other medium in a data: URI, whose
// base 64 holds any short string by chance.
func skipData(text []byte, at, end int) int {
	head := text[max(0, at-80):at]
	i := bytes.LastIndex(head, []byte("data:"))
	if i < 0 {
		return 0
	}
	medium, _, _ := bytes.Cut(head[i+5:], []byte("/"))
	switch string(medium) {
	case "image", "font", "audio", "video", "application":
	default:
		return 0
	}
	if stop := base64Std.run(text, end, len(text)); stop-end >= dataRun {
		return stop
	}
	return 0
}
