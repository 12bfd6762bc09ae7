package secrets

import "bytes"

// findAWSKey finds an access key id: a prefix and 16 characters of base 32.
func findAWSKey(text []byte, at, end int) (candidate, bool) {
	const body = 16
	stop := upperNum.run(text, end, body+1)
	v := text[end:stop]
	if !upperNum.all(text[at:end]) || !startsWord(text, at) || len(v) != body || !base32.all(v) ||
		!endsWord(text, stop) || isFiller(v) || entropy(v) < 2.5 || published(text[at:stop]) {
		return candidate{}, false
	}
	return candidate{awsAccessKey, at, stop}, true
}

// pairReach is how far after an access key id its secret is looked for: the
// next cell, line or field.
const pairReach = 200

// findAWSPair finds the secret that stands beside an access key id under no
// telling name, as in a credentials file saved as a table.
func findAWSPair(text []byte, at, end int) (candidate, bool) {
	key, ok := findAWSKey(text, at, end)
	if !ok {
		return candidate{}, false
	}
	limit := min(len(text), key.end+pairReach)
	for i := key.end; i < limit; {
		stop := base64Std.run(text, i, 41)
		if stop-i == 40 && isAWSSecret(text[i:stop]) && endsWord(text, stop) {
			return candidate{awsSecretKey, i, stop}, true
		}
		i = base64Std.run(text, stop, limit-stop) + 1
	}
	return candidate{}, false
}

// isAWSSecret reports whether v may be a secret access key, and is not a hash.
func isAWSSecret(v []byte) bool {
	return len(v) == 40 && base64Std.all(v) && !hexDigits.all(v) && entropy(v) >= 4 &&
		isRandom(v) && !published(v)
}

// findAzureKey finds the key in a connection string of a storage account
// (64 bytes) or a service bus (32 bytes), in base 64.
func findAzureKey(text []byte, at, end int) (candidate, bool) {
	stop := base64Std.run(text, end, 100)
	size := stop - end
	for stop < len(text) && text[stop] == '=' && stop-end < 100 {
		stop++
	}
	v := text[end:stop]
	if size < 42 || isFiller(v) || entropy(v) < 4 || published(v) {
		return candidate{}, false
	}
	return candidate{azureStorageKey, end, stop}, true
}

// sasReach is how far around a signature the other fields of its URL are.
const sasReach = 300

// findSAS finds the signature in a shared access signature: an HMAC-SHA256 in
// base 64, mostly percent-encoded, beside an expiry or permissions.
func findSAS(text []byte, at, end int) (candidate, bool) {
	if at > 0 && text[at-1] != '?' && text[at-1] != '&' && text[at-1] != ';' {
		return candidate{}, false
	}
	start := max(0, at-sasReach)
	stop := end
	for stop < len(text) && stop-end < 80 && (base64Std[text[stop]] || text[stop] == '%' || text[stop] == '=') {
		stop++
	}
	if stop-end < 43 || entropy(text[end:stop]) < 4 {
		return candidate{}, false
	}
	near := text[start:min(len(text), stop+sasReach)]
	for _, field := range []string{"se=", "sp=", "skn=", "sr="} {
		if bytes.Contains(near, []byte(field)) {
			return candidate{azureSAS, end, stop}, true
		}
	}
	return candidate{}, false
}

var azureSecretBytes = newCharset(lower, upper, digits, "_~.-")

// findAzureClientSecret finds the secret of an Entra application: three
// characters, a digit, Q~ and 31 to 34 more.
func findAzureClientSecret(text []byte, at, end int) (candidate, bool) {
	start := at - 4
	if start < 0 || text[at] != 'Q' || !isDigit(text[at-1]) || !azureSecretBytes.all(text[start:at]) ||
		start > 0 && azureSecretBytes[text[start-1]] {
		return candidate{}, false
	}
	stop := azureSecretBytes.run(text, end, 36)
	if stop > end && text[stop-1] == '.' {
		stop--
	}
	if n := stop - end; n < 31 || n > 34 || entropy(text[start:stop]) < 3.5 {
		return candidate{}, false
	}
	return candidate{azureClientSecret, start, stop}, true
}
