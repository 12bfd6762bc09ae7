package secrets

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

func scan(text string) []Finding { return Scan([]byte(text), Options{}) }

func TestScanFindsEveryKind(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		for i, p := range newGenerator(seed).positives() {
			found := scan(p.text)
			if len(found) == 0 {
				t.Errorf("seed %d, %d, %s: nothing found in %q", seed, i, p.rule, p.text)
				continue
			}
			start := strings.Index(p.text, p.value)
			if f := found[len(found)-1]; f.Start > start || f.End < start+len(p.value) {
				t.Errorf("seed %d, %d, %s: found %s at [%d,%d), want to cover [%d,%d) of %q", seed, i, p.rule, f.Rule, f.Start, f.End, start, start+len(p.value), p.text)
			}
			if f := found[len(found)-1]; f.Rule != p.rule {
				t.Errorf("seed %d, %d: found %s, want %s in %q", seed, i, f.Rule, p.rule, p.text)
			}
		}
	}
}

func TestEveryRuleHasAPositive(t *testing.T) {
	t.Parallel()
	tested := make(map[string]bool)
	for _, p := range newGenerator(0).positives() {
		tested[p.rule] = true
	}
	for _, r := range Rules() {
		if !tested[r.ID] {
			t.Errorf("no test finds %s", r.ID)
		}
		if r.Kind == "" || Unknown([]string{r.ID}, nil) != "" {
			t.Errorf("rule %q has no words or is not known", r.ID)
		}
	}
	if got := Unknown([]string{"jwt", "no-such-rule"}, nil); got != "no-such-rule" {
		t.Errorf("%q is said to be unknown, not no-such-rule", got)
	}
}

// negatives are texts of notes that look like credentials and are none.
var negatives = []string{
	"",
	"password: chapter12 of the book",
	"password: word2vec of the reset mails",
	"password = step2 of the form",
	"password: 12345 users changed theirs",
	"passphrase: 1234 words at least",
	"Password: room101 key at the desk",
	"password: sha512crypt by default",
	"password: base64url without padding",
	"password: step3of5 in the guide",
	"password",
	"password: ",
	"md5 d41d8cd98f00b204e9800998ecf8427e",
	"sha1: da39a3ee5e6b4b0d3255bfef95601890afd80709",
	"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
	"commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
	"id: 7c9e6679-7425-40de-944b-e07fc1f90ae7",
	"https://example.org/share?token=7c9e6679-7425-40de-944b-e07fc1f90ae7",
	"keys: 7c9e6679-7425-40de-944b-e07fc1f90ae7",
	`<script integrity="sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC"></script>`,
	"![x](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==)",
	"_ZNSt6vectorIiSaIiEE9push_backERKi and ?push_back@?$vector@HV?$allocator@H@std@@@std@@QAEXABH@Z",
	"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl me@host",
	"The RSA key fingerprint is SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8.",
	"-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEEVs/o5+uQbTjL3chynL4wXgUg2R9q9UU8I5mEovUf86QZ7kOBIjJwqnzD1omageEHWwHdBO6B+dFabmdT9POxg==\n-----END PUBLIC KEY-----",
	"A key begins with -----BEGIN RSA" + " PRIVATE KEY----- and ends with -----END RSA PRIVATE KEY-----.",
	"-----BEGIN" + " PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
	"-----BEGIN" + " PRIVATE KEY-----\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n-----END PRIVATE KEY-----",
	"aws_access_key_id = AKIAIOSFODNN7EXAMPLE\naws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
	"UseDevelopmentStorage: AccountKey=" + "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/" + "K1SZFPTOtr/KBHBeksoGMGw==",
	"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ" + ".SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
	"AKIA2OGYBAHA7" + "EXAMPLE", "mysql://deploy:deploy@db/notes",
	"eyJ0eXAiOiJKV1QifQ" + ".eyJmb28iOiJiYXIifQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV", // names no algorithm
	"eyJhbGciOiJub25lIn0.eyJmb28iOiJiYXIifQ.",                                       // unsigned
	"ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "ghp_your_token_here", "GITHUB_TOKEN=ghp_...", "sk-...", "sk-proj-...", "sk-ant-api03-...",
	"xox" + "b-your-bot-token-goes-here", "sk-ant-your-api-key-goes-here-please-replace-it", "glp" + "at-this-is-not-a-real-token",
	"see classes.DocumentBuilderFactory12 and items.0123456789abcdef01234567",
	"risk-assessment2024isnotakeybutalongwordwith1digit", "task-0123456789", "disk-image",
	"Authorization: Bearer <token>", "Authorization: Bearer $TOKEN", "Authorization: Bearer ${{ secrets.GITHUB_TOKEN }}", "Authorization: Bearer YOUR_API_KEY_2",
	"Bearer tokens are opaque.", "Authorization: Basic dXNlcjpwYXNz", "Bearer authentication-with-many-words",
	"https://user:password@host", "https://user:pass@host", "http://<user>:<password>@host", "postgres://postgres:postgres@localhost/db",
	"https://${USER}:${PASS}@host", "http://host:8080/@scope", "http://host:8080@2x.png", "https://medium.com/@someone:x", "ssh://git@github.com:me/x.git",
	"https://x-access-token:{{ token }}@github.com", "https://user:xxxx@host", "mailto:me@host", "amqp://guest:guest@localhost",
	"password: required", "password: string", "password = NULL;", `password = ""`, `password: "********"`, "password: <your-password>", "password: changeme",
	"password: ${DB_PASSWORD}", "password: $DB_PASSWORD", "password: {{ vault.db }}", "password: %PASSWORD%", "password = os.environ['X1']", "password = getPassword2()",
	"password: z.string().min(8)", "The password is required.", "The password is 8 characters long or more.", "password_hash: 5f4dcc3b5aa765d61d8327deb882cf99",
	"password_file: /run/secrets/db1", "if (password == other.password2) {", "self.password = password1_field", "passwordLength = 12abc", "a compass: N45E12",
	"api_key: YOUR_API_KEY", "api_key = process.env.API_KEY2", `api_key = "<your-api-key-1>"`, "api-key-management-for-teams-2", "keyboard: qwerty123456",
	"primary_key: 9fceb02d0ae598e95dc970b74767f19372d61af8", "PublicKeyToken=31bf3856ad364e35", "publicKey: MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE12",
	"private_key_id: 9fceb02d0ae598e95dc970b74767f19372d61af8", "cancellation_token: concurrency_runtime_v2_token", "next_page_token: CAUQAA9fceb02d0ae598e",
	"csrf_token = 9fceb02d0ae598e95dc970b7", "token_endpoint: https://a.test/oauth2/v2/token1", "tokenizer: bert-base-uncased-2019-v1",
	"secret_name: projects/notes/secrets/db1", "secretRef: notes-db-credentials-v2", "secrets: inherit", "token: ${{ secrets.GITHUB_TOKEN }}",
	"Token='6595b64144ccf1df'", "auth_key: see-the-vault-entry-42", "SECRET_KEY_PATH=/etc/keys/secret1.pem", "accessToken: AccessTokenProvider2Implementation",
	"curl -u user:pass https://x.test", "curl -u $USER:$TOKEN https://x.test", "curl -u \"${USER}:${PASS2}\"", "sort -u a:b1c2d3e4f5",
	"SK" + "U1234", "v1.0-rc1", "sl.wikipedia.org", "SG.pdf", "pat-answer", "xoxo", "xox" + "b-", "key-value", "npm_config_cache", "hf_hub_download", "glpat-", "dapi", "A3-",
	"https://hooks.slack" + ".com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
	"The tilde in Q~ and 8Q~ is no secret.", "a.b.c", "MTIzNDU2.a.b", "https://a.test/?sig=1", "1234567890:AAxx",
	"[[wiki/secret santa]] was fun: 12 gifts", "- [secret] the token:: none",
	"Error 0x80070005: access token failure in module KERNELBASE.dll",
	"inflammatory markers such as IL-17 and IL-22", "ω-5 as well as ω-6 and ω-9", "known as SRC-1 and SRC-3", "patients as COX-2 with Val30Met",
	"The access key is `Alt+Shift+1`.", "| Key | Value |\n|---|---|\n| API token | see 1Password item 7 |",
}

func TestOrdinaryTextRaisesNoAlarm(t *testing.T) {
	t.Parallel()
	for _, text := range negatives {
		for _, f := range scan(text) {
			t.Errorf("%s at [%d,%d) of %q", f.Rule, f.Start, f.End, text)
		}
	}
}

// Chinese, Japanese and Korean write the value with or without a blank, and it
// is the value that is found, from its first character on.
func TestPasswordsInOtherScripts(t *testing.T) {
	t.Parallel()
	const value = "kX9#vLq2!mZr"
	for _, before := range []string{"密码: ", "密码：", "密码： ", "数据库密码是 ", "密码是", "密碼為 密碼 = ", "口令为 ", "パスワードは ", "パスワードは", "パスワード：", "비밀번호는 ", "пароль: "} {
		text := before + value
		found := scan(text)
		if len(found) != 1 || text[found[0].Start:found[0].End] != value {
			t.Errorf("%q: found %+v", text, found)
		}
	}
	for _, text := range []string{"密码是必填项", "密码: 请输入您的密码", "パスワードはまだ決めていません", "パスワード：1Password を見る", "비밀번호는 필수입니다"} {
		if found := scan(text); len(found) > 0 {
			t.Errorf("%q: found %+v", text, found)
		}
	}
}

// Each of several passwords on a line is found, whatever of them is hidden already.
func TestSeveralOnALine(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"pw: ⟦hunter2hunter2⟧ and pw: ⟦Tr0ub4dor&3xK9z⟧", "password: ⟦hunter2hunter2⟧, password: ⟦Tr0ub4dor&3xK9z⟧",
		"pw: ⟦hunter2hunter2⟧ and pw: [redacted: password]", "pw: ⟦hunter2hunter2⟧; old pw: ⟦Wq29LmRt7xbb⟧; root pw: ⟦kettle99iron⟧",
		"login a / ⟦Wq29LmRt7xbb⟧ and login b / ⟦Tr0ub4dor&3xK9z⟧", "passwd: ⟦hunter2hunter2⟧ & the wifi password: ⟦kettle99iron⟧",
	} {
		var s sample
		for i, piece := range strings.FieldsFunc(text, func(r rune) bool { return r == '⟦' || r == '⟧' }) {
			if i%2 == 1 {
				s.values = append(s.values, [2]int{len(s.text), len(s.text) + len(piece)})
			}
			s.text = append(s.text, piece...)
		}
		found := Scan(s.text, Options{})
		for _, v := range s.values {
			if !covers(found, v) {
				t.Errorf("%s: %s is not found", s.text, s.text[v[0]:v[1]])
			}
		}
	}
	for _, text := range []string{
		"password: password1, passwordHint: x", "make({password: pass, salt: s1})", "the password: at least 12characters and the pin: four digits",
	} {
		if found := scan(text); len(found) > 0 {
			t.Errorf("%q: found %+v", text, found)
		}
	}
}

// A mark counts in what a person wrote.
func TestMarksAreIgnored(t *testing.T) {
	t.Parallel()
	text := []byte("gh" + "p_" + newGenerator(7).of(alphaNum, 36) + " cairn:allow\n")
	if found := Scan(text, Options{}); len(found) > 0 {
		t.Errorf("found %+v on a line with the mark", found)
	}
	if found := Scan(text, Options{IgnoreMarks: true}); len(found) != 1 {
		t.Errorf("found %+v, want the token", found)
	}
	if found := Scan([]byte("password: hunter2hunter2 cairn:allow\n"), Options{IgnoreMarks: true}); len(found) != 1 || found[0].End != len("password: hunter2hunter2") {
		t.Errorf("a password before an ignored mark: %v", found)
	}
}

func TestLinesAndMarks(t *testing.T) {
	t.Parallel()
	g := newGenerator(7)
	token := func() string { return "gh" + "p_" + g.of(alphaNum, 36) }
	text := "one\r\n" + token() + "\n\n" + token() + " <!-- cairn:allow -->\n" + token() + " cairn:allowed\n" +
		g.armour("PRIVATE KEY", "\n") + " cairn:allow\n" + token()
	var lines []int
	for _, f := range scan(text) {
		lines = append(lines, f.Line)
	}
	last := strings.Count(text, "\n") + 1
	if got, want := fmt.Sprint(lines), fmt.Sprint([]int{2, 5, last}); got != want {
		t.Errorf("lines %s, want %s", got, want)
	}
}

func TestAllowedRulesAreLeftOut(t *testing.T) {
	t.Parallel()
	g := newGenerator(8)
	text := []byte("token = \"gh" + "p_" + g.of(alphaNum, 36) + "\"\npassword: Tr0ub4" + "dor\n")
	if got := Scan(text, Options{Allow: []string{"github-token"}}); len(got) != 1 || got[0].Rule != "password" {
		t.Errorf("allowing the token leaves %v, want the password", got)
	}
	// The name before it is no other secret, and allowing the name's rule
	// does not allow the token.
	if got := Scan(text, Options{Allow: []string{"secret-assignment", "password"}}); len(got) != 1 || got[0].Rule != "github-token" {
		t.Errorf("allowing the assignment leaves %v, want the token", got)
	}
	if got := Scan(text, Options{Allow: []string{"github-token", "password"}}); got != nil {
		t.Errorf("allowing both leaves %v", got)
	}
}

func TestHugeAndHostileTexts(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	g := newGenerator(9)
	token := "gh" + "p_" + g.of(alphaNum, 36)
	t.Run("more findings than can be listed", func(t *testing.T) {
		n := maxFindings + 500
		text := []byte(strings.Repeat(token+" ", n) + "tail cairn:allow\n" + strings.Repeat("a\n", 10) + "cairn:allow " + token)
		// The mark silences its line, and not what was never looked at.
		found := Scan(text, Options{Allow: []string{"github-token"}})
		if len(found) != 1 || found[0].Rule != tooMany.ID || found[0].End != len(text) || found[0].Start != maxFindings*(len(token)+1) {
			t.Fatalf("found %v, want the rest as one finding", found)
		}
		text = text[:n*(len(token)+1)]
		found = Scan(text, Options{})
		if len(found) != maxFindings+1 || bytes.Contains(Mask(text, found), []byte(token)) {
			t.Errorf("%d findings, or a token is not masked", len(found))
		}
	})
	// Each of these made some scanner slow or was meant to. They are long
	// enough to time out if the time were not linear.
	for _, piece := range []string{
		"a", "=", "password=", "secret: ", "api key is ", `"token":"`, "glpat-", "glpat-ab1-", "xox" + "b-", "pat-na1-", "://a:", "AK" + "IA", "sig=",
		"-----BEGIN RSA" + " PRIVATE KEY-----\n", "eyJhbGciOiJIUzI1NiJ9.", "data:image/png;base64,", "authorization: basic ", "curl -u a:", ".abcdef", "ops_eyJ",
	} {
		text := bytes.Repeat([]byte(piece), 256<<10/len(piece))
		check(t, text)
	}
}

func TestMaskHidesEveryPositive(t *testing.T) {
	t.Parallel()
	for _, p := range newGenerator(4).positives() {
		check(t, []byte(p.text))
		if masked := Mask([]byte(p.text), scan(p.text)); bytes.Contains(masked, []byte(p.value)) {
			t.Errorf("%s: the mask leaves %q", p.rule, masked)
		}
	}
	check(t, []byte("https://me:"+newGenerator(5).of(alphaNum, 400)+"@host.net"))
	if got := Mask([]byte("ab"), []Finding{{Start: -1, End: 1}, {Start: 1, End: 9}}); string(got) != "xx" {
		t.Errorf("spans that reach out of the text give %q", got)
	}
}

func TestOverlapsAreOneFinding(t *testing.T) {
	t.Parallel()
	g := newGenerator(12)
	value := "gh" + "p_" + g.of(alphaNum, 36) + "!and-9-more"
	got := scan("password: '" + value + "'\n")
	if len(got) != 1 || got[0].Rule != "github-token" || got[0].End-got[0].Start != len(value) {
		t.Errorf("found %v, want one github-token of %d bytes", got, len(value))
	}
	value = "Tr0ub4" + "dor" + g.armour("PRIVATE KEY", "\n")
	got = scan("PASSWORD=" + value)
	if len(got) != 1 || got[0].Rule != "private-key" || got[0].End-got[0].Start != len(value) {
		t.Errorf("found %v, want one private-key of %d bytes", got, len(value))
	}
}

func TestDataOfPicturesIsPassedOver(t *testing.T) {
	t.Parallel()
	g := newGenerator(10)
	key := "AI" + "za" + g.of(alphaNum, 35)
	picture := "data:image/png;base64," + strings.Repeat(g.base64(30), 10) + "/" + key + "/"
	if got := scan(picture); got != nil {
		t.Errorf("found %v in a picture", got)
	}
	if got := scan(picture + "= then " + key); len(got) != 1 {
		t.Errorf("found %v after a picture, want one", got)
	}
	short := "data:image/svg+xml;base64," + g.base64(30) + "Ng" + "Pwo+yf+2L6/3Tq9" + g.base64(21)
	if got := scan(short); got != nil {
		t.Errorf("found %v in a short picture", got)
	}
	pem := "source: data:application/x-pem-file;base64," + base64.StdEncoding.EncodeToString([]byte(g.armour("RSA PRIVATE KEY", "\n")))
	if got := scan(pem); len(got) != 1 || got[0].Rule != "private-key" {
		t.Errorf("found %v in a key of a data: URI, want the key", got)
	}
}

// check asserts what holds for any text: spans in range and order, lines that
// match, masks that change nothing else and leave nothing to find.
func check(t *testing.T, text []byte) {
	t.Helper()
	found := Scan(text, Options{})
	last := 0
	for _, f := range found {
		if f.Start < last || f.End <= f.Start || f.End > len(text) {
			t.Fatalf("span [%d,%d) after %d in a text of %d bytes", f.Start, f.End, last, len(text))
		}
		last = f.End
		if f.Rule == "" || f.Kind == "" {
			t.Fatalf("finding without a rule: %+v", f)
		}
	}
	if len(found) > 0 {
		f := found[len(found)-1]
		if want := 1 + bytes.Count(text[:f.Start], []byte("\n")); f.Line != want {
			t.Fatalf("line %d, want %d", f.Line, want)
		}
	}
	masked := Mask(text, found)
	if len(masked) != len(text) {
		t.Fatalf("the mask has %d bytes, the text %d", len(masked), len(text))
	}
	if again := Scan(masked, Options{}); again != nil {
		t.Fatalf("the masked text still has %v", again[0])
	}
	at := 0
	for i := range text {
		for at < len(found) && i >= found[at].End {
			at++
		}
		inside := at < len(found) && i >= found[at].Start
		indent := i > 0 && isBlank(text[i]) && bytes.IndexByte([]byte("\r\n\t "), masked[i-1]) >= 0
		if isBreak(text[i]) != isBreak(masked[i]) || !inside && masked[i] != text[i] || inside && !isBreak(text[i]) && !indent && masked[i] != maskByte {
			t.Fatalf("byte %d: %q became %q", i, text[i], masked[i])
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, text := range negatives {
		f.Add([]byte(text))
	}
	for i, p := range newGenerator(0).positives() {
		if i%7 == 0 {
			f.Add([]byte(p.text))
		}
	}
	for _, half := range []string{"dev", "heldout"} {
		for _, kind := range []string{"configuration", "prose", "encoded"} {
			for i, s := range corpus(f, half, kind) {
				if i%5 == 0 {
					f.Add(s.text)
				}
			}
		}
	}
	f.Add([]byte("-----BEGIN" + " PRIVATE KEY-----00000100000100000100 000001000021789A1022CX7YZ%aB"))
	f.Add([]byte("recovery code 00000100 0 00000100 00000100"))
	f.Fuzz(func(t *testing.T, text []byte) { check(t, text) })
}

func BenchmarkScan(b *testing.B) {
	page := strings.Repeat("A page of ordinary prose about tokens, keys and the password dialog; see https://a.test/x?y=1#z.\n", 450)
	text := []byte(strings.Repeat(page, 1000))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if Scan(text, Options{}) != nil {
			b.Fatal("found something in prose")
		}
	}
}
