package secrets

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// positive is a text with one credential that must be found.
type positive struct {
	rule  string
	text  string
	value string // the bytes that must be covered
}

// generator makes values that look like credentials. Nothing here ever was
// one, and no value stands in this file, so that scanners of source code have
// nothing to report.
type generator struct{ *rand.Rand }

func newGenerator(seed uint64) generator { return generator{rand.New(rand.NewPCG(seed, 1))} }

// of returns n random bytes of alphabet, with a digit and a letter among them
// where the alphabet has both.
func (g generator) of(alphabet string, n int) string {
	for {
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabet[g.IntN(len(alphabet))]
		}
		if n < 8 || !strings.ContainsAny(alphabet, digits) || !strings.ContainsAny(alphabet, lower+upper+"abcdef") ||
			isMixed(b) && entropy(b) >= minTokenEntropy(n) && !isFiller(b) && (n < 20 || !isWordy(b)) {
			return string(b)
		}
	}
}

const (
	hexChars = "0123456789abcdef"
	alphaNum = lower + upper + digits
	urlSafe  = alphaNum + "_-"
)

func (g generator) uuid() string {
	return strings.Join([]string{g.of(hexChars, 8), g.of(hexChars, 4), g.of(hexChars, 4), g.of(hexChars, 4), g.of(hexChars, 12)}, "-")
}

func (g generator) base64(size int) string {
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(g.Uint32())
	}
	return base64.StdEncoding.EncodeToString(b)
}

func (g generator) jwt() string {
	enc := base64.RawURLEncoding.EncodeToString
	return enc([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." +
		enc(fmt.Appendf(nil, `{"sub":"%s","exp":%d}`, g.of(alphaNum, 12), g.IntN(1<<30))) + "." + g.of(urlSafe, 43)
}

// armour returns a private key with the given label, in lines of 64.
func (g generator) armour(label, eol string) string {
	body := g.base64(400)
	var b strings.Builder
	fmt.Fprintf(&b, "-----BEGIN %s-----%s", label, eol)
	for len(body) > 64 {
		b.WriteString(body[:64] + eol)
		body = body[64:]
	}
	fmt.Fprintf(&b, "%s%s-----END %s-----", body, eol, label)
	return b.String()
}

// awsSecret returns 40 characters that no test of randomness mistakes.
func (g generator) awsSecret() string {
	for {
		if s := g.base64(30); isAWSSecret([]byte(s)) {
			return s
		}
	}
}

// tokens returns one value for each form of each rule that has a format.
func (g generator) tokens() []positive {
	var out []positive
	for _, r := range Rules() {
		if r.Value != "" || len(r.Near) > 0 {
			continue // known by its place; below
		}
		for _, expression := range slices.Concat(r.Token, r.Mixed, r.Random) {
			patterns, err := compile(expression)
			if err != nil {
				panic(err)
			}
			for _, p := range patterns {
				before, value := g.token(p)
				out = append(out, positive{rule: r.ID, text: before, value: value})
			}
		}
	}
	return out
}

// token makes what a pattern matches: what stands before the value, and it.
func (g generator) token(p pattern) (before, value string) {
	for i, a := range p.atoms {
		piece := a.literal
		if a.set != nil {
			var set []byte
			for b, in := range a.set {
				if in && alnum[b] {
					set = append(set, byte(b))
				}
			}
			if len(set) == 0 {
				continue // padding
			}
			piece = g.of(string(set), max(a.min, min(a.max, 20)))
			if a.max < 0 {
				piece = g.of(string(set), a.min)
			}
		}
		switch {
		case i < p.opens:
			before += piece
		case i < p.closes:
			value += piece
		}
	}
	return before, value
}

// positives returns texts with every kind of credential in the forms in which
// notes hold them.
func (g generator) positives() []positive {
	var out []positive
	add := func(rule, before, value, after string) {
		out = append(out, positive{rule, before + value + after, value})
	}
	for _, p := range g.tokens() {
		for _, around := range [][2]string{{"", ""}, {"Use `", "` for now.\n"}, {"export TOKEN=", "\n"}, {`{"v":"`, `"}`}, {"see (", ")"}, {"it is ", "."}, {`a\n`, `\n`}} {
			add(p.rule, around[0]+p.text, p.value, around[1])
		}
	}
	add("aws-access-key", "id ", "AK"+"IA"+g.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16), " end")
	add("aws-access-key", "?AWSAccessKeyId=", "AS"+"IA"+g.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16), "&x=1")
	for _, sep := range []string{" = ", "=", ": ", `": "`} {
		add("aws-secret-key", "aws_secret_access_key"+sep, g.awsSecret(), "\"\n")
	}
	add("aws-secret-key", "AK"+"IA"+g.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)+",", g.awsSecret(), "\r\n")
	add("azure-storage-key", "DefaultEndpointsProtocol=https;AccountName=notes;AccountKey=", g.base64(64), ";EndpointSuffix=core.windows.net")
	add("azure-storage-key", "Endpoint=sb://notes.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=", g.base64(32), "")
	add("azure-sas", "https://notes.blob.core.windows.net/c/a.md?sv=2024-11-04&se=2027-01-01&sp=r&sig=", strings.NewReplacer("+", "%2B", "/", "%2F", "=", "%3D").Replace(g.base64(32)), "")
	add("azure-client-secret", "value ", g.of(alphaNum, 3)+"8Q~"+g.of(alphaNum, 34), "\n")
	for _, label := range []string{"PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "PGP PRIVATE KEY BLOCK"} {
		add("private-key", "# Key\n\n", g.armour(label, "\n"), "\nend")
		add("private-key", "    ", g.armour(label, "\r\n    "), "\r\n")
	}
	add("private-key", "", strings.Replace(g.armour("RSA PRIVATE KEY", "\n"), "-----\n", "-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,"+g.of("0123456789ABCDEF", 32)+"\n\n", 1), "")
	add("private-key", "PuTTY-User-Key-File-3: ssh-ed25519\nPublic-Lines: 0\n", "Private-Lines: 2\n"+g.base64(48)+"\n"+g.base64(24), "\n")
	add("gcp-service-account", `{"type": "service_account", "private_key_id": "`+g.of(hexChars, 40)+`", "private_key": "`, g.armour("PRIVATE KEY", `\n`), `\n"}`)
	for _, around := range [][2]string{{"", ""}, {"Authorization: Bearer ", ""}, {"id_token=", "&x"}, {"The token is ", ".\n"}, {"Cookie: session=", "; Path=/"}} {
		add("jwt", around[0], g.jwt(), around[1])
	}
	add("telegram-bot-token", "bot: ", g.of(digits, 10)+":AA"+g.of(urlSafe, 33), "\n")
	add("telegram-bot-token", "https://api.telegram.org/bot", "1"+g.of(digits, 9)+":AA"+g.of(urlSafe, 33), "/getMe")
	add("discord-bot-token", "t = ", base64.RawStdEncoding.EncodeToString([]byte("1"+g.of(digits, 17)))+"."+g.of(alphaNum, 6)+"."+g.of(urlSafe, 38), "\n")
	add("mailchimp-key", "key ", g.of(hexChars, 32)+"-us1"+g.of(digits, 1), "\n")
	add("dropbox-long-lived-token", "db: ", g.of(alphaNum, 11)+strings.Repeat("A", 10)+g.of(urlSafe, 43), "\n")
	add("maxmind-key", "k ", g.of(alphaNum, 6)+"_"+g.of(alphaNum, 29)+"_mmk", "\n")
	for _, head := range []string{"Authorization: Bearer ", `"Authorization": "Bearer `, "-H 'authorization: bearer ", "Authorization: Token ", "Authorization: ", "Bearer "} {
		add("auth-header", head, g.of(alphaNum, 32), "\n")
	}
	add("auth-header", "Authorization: Basic ", base64.StdEncoding.EncodeToString([]byte("deploy:"+g.of(alphaNum, 12))), "\r\n")
	for _, scheme := range []string{"https", "postgres", "mongodb+srv", "redis", "amqps", "ftp"} {
		add("url-password", "at <"+scheme+"://deploy:", g.of(alphaNum, 10), "@db.internal:5432/x>")
	}
	add("url-password", "https://me:", "Tr0ub4dor&"+g.of(digits, 2), "@host.net")
	add("url-password", "postgres://me:", "a#"+g.of(alphaNum, 6)+"?b", "@host.net/db")
	add("url-password", "redis://:", g.of(alphaNum, 9), "@cache:6379")
	add("connection-string", "Server=db1;Database=x;User Id=app;Password=", g.of(alphaNum, 10), ";Encrypt=true")
	add("connection-string", "host=db1 user=app password=", g.of(alphaNum, 10), " dbname=x")
	add("curl-user", "curl -s -u deploy:", g.of(alphaNum, 12), " https://x.test/")
	add("curl-user", "curl --user 'deploy:", g.of(alphaNum, 12), "' https://x.test/")

	add("netrc", "machine x.test login jo password ", g.of(alphaNum, 14), "\n")
	add("pgpass", "db.test:5432:*:app:", g.of(alphaNum, 14), "\n")
	add("password-hash", "jo:", "$2b"+"$12$"+g.of(alphaNum, 53), "\n")
	add("password-hash", "jo:", "$6"+"$"+g.of(alphaNum, 16)+"$"+g.of(alphaNum, 86), ":19000:0:\n")
	add("password-hash", "", "$argon2id$v=19$m=65536,t=3,p=4$"+g.of(alphaNum, 22)+"$"+g.of(alphaNum, 43), "\n")
	add("consul-token", "SecretID: ", g.uuid(), "\n")
	add("telegram-api-hash", "api_hash = '", g.of(hexChars, 32), "'")
	add("ppp-secret", "jo * ", "blue"+"Kite"+"77", " *\n")
	add("named-value", `<add key="ApiSecret" value="`, g.of(alphaNum, 30), `"/>`)
	add("named-value", `<add value="`, g.of(alphaNum, 30), `" key="ApiSecret"/>`)
	add("named-value", "<key>ApiSecret</key>\n\t<string>", g.of(alphaNum, 30), "</string>")
	add("named-value", `<property name="db.password" value="`, "blue"+"Kite"+"77", `"/>`)
	add("named-value", `{"name": "DB_PASSWORD", "value": "`, "blue"+"Kite"+"77", `"}`)
	add("named-value", "- name: DB_PASSWORD\n  value: ", "blue"+"Kite"+"77", "\n")
	add("docker-auth", `"auth": "`, base64.StdEncoding.EncodeToString([]byte("deploy:"+g.of(alphaNum, 12))), `"`)
	add("jwk", `{"kty":"oct","k":"`, g.of(urlSafe, 43), `"}`)
	add("dsn-password", "app:", g.of(alphaNum, 14), "@tcp(db:3306)/app")
	add("command-password", "sshpass -p ", g.of(alphaNum, 14), " ssh x")
	add("session-cookie", "Set-Cookie: JSESSIONID=", g.of("0123456789ABCDEF", 32), "; Path=/")
	add("otp-secret", "otpauth://totp/x?issuer=y&secret=", g.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 32), "")
	add("login", "Login: jo / ", "s3"+"kreT!", "\n")
	add("password-column", "| user | password |\n|---|---|\n| jo | ", "blue"+"Kite"+"77", " |\n")
	add("recovery-key", "BitLocker recovery key: ", g.of(digits, 6)+strings.Repeat("-"+g.of(digits, 6), 7), "\n")
	add("wallet-key", "Private key of the wallet: 0x", g.of(hexChars, 64), "\n")
	add("pin", "The PIN of the safe is ", "394"+"172", ".\n")
	add("seed-phrase", "Seed phrase: ", strings.Join(seedWords[:12], " "), "\n")
	add("recovery-code", "Recovery code: ", g.of(hexChars, 5)+"-"+g.of(hexChars, 5), "\n")

	chosenValues := []string{"Tr0ub4" + "dor&3", "hunter" + "2", "p@ss" + "-Wörter!9", "s3" + "kreT!", "blue" + "Kite" + "77"}
	for _, v := range chosenValues {
		for _, around := range [][2]string{
			{"password: ", "\n"}, {"- **Password:** `", "`\n"}, {"| password | ", " |\n"}, {":PASSWORD: ", "\n"}, {`db_password = "`, `"`},
			{"MYSQL_PASS=", "\n"}, {"The wifi password is ", ".\n"}, {"<password>", "</password>"}, {`{"adminPassword": "`, `"}`},
			{"passwd='", "'"}, {"?user=a&password=", "&x=1"}, {"- Password :: ", "\n"}, {`{\"password\": \"`, `\"}`},
		} {
			if around[0] == "?user=a&password=" && strings.ContainsAny(v, "&#") {
				continue
			}
			add("password", around[0], v, around[1])
		}
	}
	values := []string{g.of(hexChars, 32), g.of(hexChars, 64), g.of(alphaNum, 20), g.of(alphaNum, 40), g.of(lower+digits, 32), g.of(urlSafe, 44) + "a", g.base64(32)}
	for _, v := range values {
		for _, around := range [][2]string{
			{`api_key = "`, `"`}, {"API key: ", "\n"}, {"CLIENT_SECRET=", "\n"}, {`"accessToken": "`, `",`}, {"x-api-key: ", "\r\n"},
			{"secret_key_base: ", "\n"}, {"| API token | `", "` |"}, {"export GITEA_TOKEN=", "\n"}, {"auth_token := \"", "\""}, {"refresh_token=", ""},
			{"the client secret is ", "\n"}, {"'secret' => '", "',"},
		} {
			add("secret-assignment", around[0], v, around[1])
		}
	}
	add("secret-assignment", "HEROKU_API_KEY=", g.uuid(), "\n")
	return out
}
