package secrets

import (
	"bytes"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// workPerByte bounds how many bytes are looked at around anchors for each byte
// of any text. What is fixed about it is that it does not grow with the text.
const workPerByte = 400

// Twice the text is twice the work, whatever the text is made of: each anchor
// again and again, and what made scanners slow or was meant to.
func TestWorkIsLinear(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	pieces := []string{
		"a", "=", "password=", "secret: ", "api key is ", `"token":"`, "glpat-ab1-", "AK" + "IA", "sig=",
		"-----BEGIN RSA" + " PRIVATE KEY-----\n", "eyJhbGciOiJIUzI1NiJ9.", "data:image/png;base64,", "authorization: basic ", "curl -u a:", "ops_eyJ",
		"| password ", "|password|\n", "|password|\n|---|\n", "| password | x |\n|---|---|\n| a1b2c3 | d4 |\n\n", "password,password,", "password,b\na1,b2\n",
		"password is a b c ", "the password of x ", "seed recovery: ", "seed: abcd efgh ", "recovery code ", "backup code: 1234-5678 ab12-cd34 ",
		"login x password ", "machine a login b password c1\n", `"d":"`, `"d":"` + strings.Repeat("aB3_", 9) + `",`, `"kty"`, "a:b@tcp(", "abc / ", "login abc / Ab1-cd2 ", "abcdef as the password",
		"x:5432:*:*:", "*:*:", " -p a1b2c3d4", "mysql -pa1b2c3d4 ", "echo a1b2c3d4 ", "cookie session=", "://a:b", "://a:b@", "bearer ", "pin is ",
		`\_`, "&#95;", "&#8203;", "%5F", "%25", "<b>", "<", "*", "=\n", "=3D", "\u200b", "\uff47", `\u005f`, "\\\n", "gh\\_", "password&#61;a1b2c3&#33; ",
	}
	var anchors []entry
	for _, bucket := range builtin().index.buckets {
		anchors = append(anchors, bucket...)
	}
	for i := 0; i < len(anchors); i += slowtest.Step(7) {
		e := anchors[i]
		pieces = append(pieces, e.anchor, e.anchor+" ", e.anchor+"a1", strings.ToUpper(e.anchor)+"\n")
	}
	work := func(piece string, size int) int {
		found, _, n := candidates(bytes.Repeat([]byte(piece), size/len(piece)), nil)
		return n + len(found)
	}
	const size = 1 << 13
	most, worst := 0, ""
	for _, piece := range pieces {
		one, two := work(piece, size), work(piece, 2*size)
		if two > 2*one+one/4+4096 {
			t.Errorf("%q: %d for %d bytes, %d for twice as many", piece, one, size, two)
		}
		if one > workPerByte*size {
			t.Errorf("%q: %d for %d bytes", piece, one, size)
		}
		if one > most {
			most, worst = one, piece
		}
	}
	t.Logf("%d texts; the most is %d a byte, for %q", len(pieces), most/size, worst)
	if most < size {
		t.Error("no work is counted")
	}
}
