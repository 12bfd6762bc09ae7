package secrets

import (
	"bytes"
	"strings"
)

// vendor is a token that its issuer marks with a prefix. Prefixes and lengths
// come from the issuers' documentation and from what their consoles hand out.
type vendor struct {
	rule   Rule
	tokens []token
}

// token is one form: prefix, then at least min bytes of set.
type token struct {
	prefix string
	set    *charset
	min    int
	exact  bool                // no more than min bytes may follow
	check  func(v []byte) bool // over the bytes after the prefix; may be nil
}

// maxToken bounds how many bytes of a token are judged. The span reaches to
// the end of the token however long it is.
const maxToken = 64

const terraformMark = "atlasv1."

func vendorRule(id, kind string) Rule { return Rule{id, kind, byFormat, true} }

var vendors = []vendor{
	{vendorRule("1password-token", "1Password token"), []token{{"ops_eyJ", base64Any, 250, false, nil}, {"A3-", newCharset(upper, digits, "-"), 32, false, isGrouped}}},
	{vendorRule("adobe-secret", "Adobe client secret"), []token{{"p8e-", alnum, 32, true, isMixed}}},
	{vendorRule("age-secret-key", "age secret key"), []token{{"AGE-SECRET-KEY-1", bech32, 58, true, nil}, {"AGE-SECRET-KEY-PQ-1", bech32, 58, true, nil}, {"AGE-PLUGIN-", newCharset(upper, digits, "-"), 40, false, nil}}},
	{vendorRule("airtable-token", "Airtable token"), []token{{"pat", newCharset(lower, upper, digits, "."), 79, true, isAirtable}}},
	{vendorRule("alibaba-access-key", "Alibaba Cloud access key"), []token{{"LTAI", alnum, 20, true, nil}}},
	{vendorRule("anthropic-key", "Anthropic API key"), []token{{"sk-ant-", base64URL, 32, false, nil}}},
	{vendorRule("artifactory-key", "Artifactory API key"), []token{{"AKCp", alnum, 69, true, nil}, {"cmVmd", alnum, 59, true, nil}}},
	{vendorRule("atlassian-token", "Atlassian API token"), []token{{"ATATT3", dotted, 60, false, nil}, {"ATCTT3", dotted, 60, false, nil}}},
	{vendorRule("aws-bedrock-key", "AWS Bedrock API key"), []token{{"ABSK", base64Std, 109, false, nil}, {"bedrock-api-key-", base64Any, 28, false, nil}}},
	{vendorRule("brevo-key", "Brevo API key"), []token{{"xkeysib-", newCharset(lower, upper, digits, "-"), 81, true, nil}}},
	{vendorRule("buildkite-token", "Buildkite token"), []token{{"bkua_", hexDigits, 40, true, nil}}},
	{vendorRule("circleci-token", "CircleCI token"), []token{{"CCIPAT_", wordByte, 40, false, nil}, {"CCIPRJ_", wordByte, 40, false, nil}}},
	{vendorRule("clojars-token", "Clojars token"), []token{{"CLOJARS_", alnum, 60, true, nil}}},
	{vendorRule("clickhouse-key", "ClickHouse Cloud key"), []token{{"4b1d", alnum, 38, true, isNoHex}}},
	{vendorRule("cloudflare-key", "Cloudflare key"), []token{{"v1.0-", newCharset("abcdef", digits, "-"), 171, true, nil}}},
	{vendorRule("contentful-token", "Contentful token"), []token{{"CFPAT-", base64URL, 43, true, nil}}},
	{vendorRule("databricks-token", "Databricks token"), []token{{"dapi", hexDigits, 32, true, nil}}},
	{vendorRule("digitalocean-token", "DigitalOcean token"), []token{{"dop_v1_", hexDigits, 64, true, nil}, {"doo_v1_", hexDigits, 64, true, nil}, {"dor_v1_", hexDigits, 64, true, nil}}},
	{vendorRule("discord-webhook", "Discord webhook URL"), []token{{"discord.com/api/webhooks/", newCharset(lower, upper, digits, "_-/"), 78, false, nil}, {"discordapp.com/api/webhooks/", newCharset(lower, upper, digits, "_-/"), 78, false, nil}}},
	{vendorRule("docker-token", "Docker Hub token"), []token{{"dckr_pat_", base64URL, 27, false, nil}, {"dckr_oat_", base64URL, 27, false, nil}}},
	{vendorRule("doppler-token", "Doppler token"), []token{{"dp.pt.", alnum, 40, false, nil}, {"dp.st.", dotted, 40, false, nil}, {"dp.sa.", alnum, 40, false, nil}, {"dp.ct.", alnum, 40, false, nil}}},
	{vendorRule("dropbox-token", "Dropbox token"), []token{{"sl.", dotted, 130, false, nil}}},
	{vendorRule("duffel-token", "Duffel token"), []token{{"duffel_live_", dotted, 40, false, nil}, {"duffel_test_", dotted, 40, false, nil}}},
	{vendorRule("dynatrace-token", "Dynatrace token"), []token{{"dt0c01.", newCharset(lower, upper, digits, "."), 89, true, nil}}},
	{vendorRule("easypost-token", "EasyPost token"), []token{{"EZAK", alnum, 54, true, nil}, {"EZTK", alnum, 54, true, nil}}},
	{vendorRule("facebook-token", "Facebook access token"), []token{{"EAAM", alnum, 100, false, nil}, {"EAAC", alnum, 100, false, nil}}},
	{vendorRule("figma-token", "Figma token"), []token{{"figd_", base64URL, 40, false, nil}}},
	{vendorRule("flutterwave-key", "Flutterwave secret key"), []token{{"FLWSECK_TEST-", alnum, 12, false, nil}, {"FLWSECK-", newCharset(lower, upper, digits, "-"), 32, false, nil}}},
	{vendorRule("flyio-token", "Fly.io token"), []token{{"fo1_", base64URL, 43, false, nil}, {"fm1a_", base64Any, 100, false, nil}, {"fm1r_", base64Any, 100, false, nil}, {"fm2_", base64Any, 100, false, nil}}},
	{vendorRule("frameio-token", "Frame.io token"), []token{{"fio-u-", dotted, 64, false, nil}}},
	{vendorRule("gcp-api-key", "Google API key"), []token{{"AIza", base64URL, 35, true, nil}}},
	{vendorRule("github-token", "GitHub token"), []token{
		{"ghp_", alnum, 36, false, nil}, {"gho_", alnum, 36, false, nil}, {"ghu_", alnum, 36, false, nil},
		{"ghs_", dotted, 36, false, nil}, {"ghr_", alnum, 36, false, nil}, {"github_pat_", wordByte, 60, false, nil},
	}},
	{vendorRule("gitlab-token", "GitLab token"), []token{
		{"glpat-", dotted, 20, false, nil}, {"gldt-", base64URL, 20, false, nil}, {"glptt-", base64URL, 40, false, nil},
		{"glrt-", dotted, 20, false, nil}, {"glft-", base64URL, 20, false, nil}, {"glimt-", base64URL, 25, false, nil},
		{"glagent-", base64URL, 50, false, nil}, {"gloas-", base64URL, 64, false, nil}, {"glsoat-", base64URL, 20, false, nil},
		{"glcbt-", base64URL, 20, false, nil}, {"glffct-", base64URL, 20, false, nil}, {"_gitlab_session=", alnum, 32, true, nil}, {"GR1348941", base64URL, 20, false, nil},
	}},
	{vendorRule("google-oauth", "Google OAuth credential"), []token{{"GOCSPX-", base64URL, 28, true, nil}, {"ya29.", base64URL, 40, false, nil}, {"1//0", base64URL, 60, false, nil}}},
	{vendorRule("grafana-token", "Grafana token"), []token{{"glsa_", wordByte, 41, true, nil}, {"eyJrIjoi", base64Any, 70, false, nil}, {"glc_", base64Any, 32, false, isMixed}}},
	{vendorRule("groq-key", "Groq API key"), []token{{"gsk_", alnum, 52, true, nil}}},
	{vendorRule("harness-key", "Harness API key"), []token{{"pat.", dotted, 60, false, isMixed}, {"sat.", dotted, 60, false, isMixed}}},
	{vendorRule("heroku-key", "Heroku API key"), []token{{"HRKU-", base64URL, 36, false, nil}}},
	{vendorRule("hubspot-token", "HubSpot token"), []token{{"pat-na1-", newCharset("abcdef", digits, "-"), 36, true, nil}, {"pat-eu1-", newCharset("abcdef", digits, "-"), 36, true, nil}}},
	{vendorRule("huggingface-token", "Hugging Face token"), []token{{"hf_", alnum, 34, true, nil}, {"api_org_", alnum, 34, true, nil}}},
	{vendorRule("infracost-key", "Infracost API key"), []token{{"ico-", alnum, 32, true, isMixed}}},
	{vendorRule("intra42-secret", "42 client secret"), []token{{"s-s4t2ud-", hexDigits, 64, true, nil}, {"s-s4t2af-", hexDigits, 64, true, nil}}},
	{vendorRule("linear-key", "Linear API key"), []token{{"lin_api_", alnum, 40, true, nil}, {"lin_oauth_", alnum, 40, false, nil}}},
	{vendorRule("mailgun-key", "Mailgun API key"), []token{{"key-", hexDigits, 32, true, nil}}},
	{vendorRule("mapbox-token", "Mapbox secret token"), []token{{"sk.eyJ", dotted, 60, false, nil}}},
	{vendorRule("teams-webhook", "Microsoft Teams webhook URL"), []token{{"webhook.office.com/webhookb2/", newCharset(lower, upper, digits, "-@/"), 100, false, nil}}},
	{vendorRule("netlify-token", "Netlify token"), []token{{"nfp_", alnum, 36, false, nil}}},
	{vendorRule("new-relic-key", "New Relic key"), []token{{"NRAK-", newCharset(upper, digits), 27, true, nil}, {"NRII-", base64URL, 32, true, nil}}},
	{vendorRule("notion-token", "Notion token"), []token{{"ntn_", alnum, 40, false, nil}, {"secret_", alnum, 43, true, isMixed}}},
	{vendorRule("npm-token", "npm token"), []token{{"npm_", alnum, 36, true, nil}}},
	{vendorRule("nuget-key", "NuGet API key"), []token{{"oy2", newCharset(lower, digits), 43, true, isMixed}}},
	{vendorRule("octopus-key", "Octopus Deploy API key"), []token{{"API-", upperNum, 26, true, isMixed}}},
	{vendorRule("openai-key", "OpenAI API key"), []token{
		{"sk-proj-", base64URL, 32, false, nil}, {"sk-svcacct-", base64URL, 32, false, nil}, {"sk-admin-", base64URL, 32, false, nil},
		{"sk-or-v1-", hexDigits, 64, true, nil}, {"sk-", alnum, 32, false, isMixed},
	}},
	{vendorRule("openshift-token", "OpenShift token"), []token{{"sha256~", base64URL, 43, true, nil}}},
	{vendorRule("perplexity-key", "Perplexity API key"), []token{{"pplx-", alnum, 48, false, nil}}},
	{vendorRule("plaid-token", "Plaid token"), []token{{"access-production-", newCharset("abcdef", digits, "-"), 36, true, nil}, {"access-sandbox-", newCharset("abcdef", digits, "-"), 36, true, nil}, {"access-development-", newCharset("abcdef", digits, "-"), 36, true, nil}}},
	{vendorRule("planetscale-token", "PlanetScale token"), []token{{"pscale_tkn_", dotted, 32, false, nil}, {"pscale_oauth_", dotted, 32, false, nil}, {"pscale_pw_", dotted, 32, false, nil}}},
	{vendorRule("postman-key", "Postman API key"), []token{{"PMAK-", newCharset("abcdefABCDEF", digits, "-"), 59, true, nil}}},
	{vendorRule("prefect-key", "Prefect API key"), []token{{"pnu_", alnum, 36, true, nil}}},
	{vendorRule("pulumi-token", "Pulumi token"), []token{{"pul-", hexDigits, 40, true, nil}}},
	{vendorRule("pypi-token", "PyPI token"), []token{{"pypi-AgEIcHlwaS5vcmc", base64URL, 50, false, nil}, {"pypi-AgENdGVzdC5weXBpLm9yZw", base64URL, 50, false, nil}}},
	{vendorRule("readme-key", "ReadMe API key"), []token{{"rdme_", newCharset(lower, digits), 70, true, nil}}},
	{vendorRule("replicate-token", "Replicate token"), []token{{"r8_", alnum, 37, true, nil}}},
	{vendorRule("rubygems-key", "RubyGems API key"), []token{{"rubygems_", hexDigits, 48, true, nil}}},
	{vendorRule("scalingo-token", "Scalingo token"), []token{{"tk-us-", base64URL, 48, true, nil}}},
	{vendorRule("sendgrid-key", "SendGrid API key"), []token{{"SG.", dotted, 66, true, nil}}},
	{vendorRule("sentry-token", "Sentry token"), []token{{"sntrys_", newCharset(lower, upper, digits, "+/_-="), 60, false, nil}, {"sntryu_", hexDigits, 64, true, nil}}},
	{vendorRule("shippo-token", "Shippo token"), []token{{"shippo_live_", hexDigits, 40, true, nil}, {"shippo_test_", hexDigits, 40, true, nil}}},
	{vendorRule("shopify-token", "Shopify token"), []token{{"shpat_", hexDigits, 32, true, nil}, {"shpca_", hexDigits, 32, true, nil}, {"shppa_", hexDigits, 32, true, nil}, {"shpss_", hexDigits, 32, true, nil}}},
	{vendorRule("slack-token", "Slack token"), []token{
		{"xoxb-", base64URL, 20, false, nil}, {"xoxp-", base64URL, 20, false, nil}, {"xoxa-", newCharset(lower, upper, digits, "-"), 8, false, isNoWord},
		{"xoxr-", newCharset(lower, upper, digits, "-"), 8, false, isNoWord}, {"xoxs-", newCharset(lower, upper, digits, "-"), 10, false, isNoWord}, {"xoxo-", newCharset(lower, upper, digits, "-"), 10, false, isNoWord},
		{"xoxc-", base64URL, 20, false, nil}, {"xoxd-", newCharset(lower, upper, digits, "%_-"), 20, false, nil},
		{"xoxe-", base64URL, 20, false, nil}, {"xoxe.xox", dotted, 40, false, nil}, {"xapp-", base64URL, 12, false, isMixed},
	}},
	{vendorRule("slack-webhook", "Slack webhook URL"), []token{{"hooks.slack.com/services/", newCharset(lower, upper, digits, "/+"), 40, false, nil}, {"hooks.slack.com/workflows/", newCharset(lower, upper, digits, "/+"), 40, false, nil}, {"hooks.slack.com/triggers/", newCharset(lower, upper, digits, "/+"), 40, false, nil}}},
	{vendorRule("settlemint-token", "SettleMint token"), []token{{"sm_aat_", alnum, 16, true, nil}, {"sm_pat_", alnum, 16, true, nil}, {"sm_sat_", alnum, 16, true, nil}}},
	{vendorRule("sonar-token", "SonarQube token"), []token{{"sqp_", base64URL, 40, true, nil}, {"squ_", base64URL, 40, true, nil}, {"sqa_", base64URL, 40, true, nil}}},
	{vendorRule("sourcegraph-token", "Sourcegraph token"), []token{{"sgp_", wordByte, 40, false, nil}}},
	{vendorRule("square-token", "Square token"), []token{{"sq0atp-", base64URL, 22, false, nil}, {"sq0csp-", base64URL, 43, false, nil}}},
	{vendorRule("stripe-key", "Stripe key"), []token{
		{"sk_live_", alnum, 10, false, isMixed}, {"rk_live_", alnum, 10, false, isMixed}, {"sk_test_", alnum, 10, false, isMixed},
		{"rk_test_", alnum, 10, false, isMixed}, {"sk_prod_", alnum, 10, false, isMixed}, {"rk_prod_", alnum, 10, false, isMixed},
		{"whsec_", alnum, 32, false, nil},
	}},
	{vendorRule("supabase-key", "Supabase key"), []token{{"sbp_", hexDigits, 40, true, nil}, {"sb_secret_", base64URL, 22, false, nil}}},
	{vendorRule("tailscale-key", "Tailscale key"), []token{{"tskey-", base64URL, 20, false, isMixed}}},
	{vendorRule("tavily-key", "Tavily API key"), []token{{"tvly-", base64URL, 28, false, isMixed}}},
	{vendorRule("terraform-token", "Terraform token"), []token{{terraformMark, dotted, 60, false, nil}}},
	{vendorRule("twilio-key", "Twilio API key"), []token{{"SK", hexDigits, 32, true, nil}}},
	// Every bearer token of Twitter begins with the same zero bytes.
	{vendorRule("twitter-bearer", "Twitter bearer token"), []token{{strings.Repeat("A", 22), newCharset(lower, upper, digits, "%"), 80, false, isMixed}}},
	{vendorRule("typeform-token", "Typeform token"), []token{{"tfp_", dotted, 59, false, nil}}},
	{vendorRule("vault-token", "HashiCorp Vault token"), []token{{"hvs.", base64URL, 24, false, isMixed}, {"s.", alnum, 24, true, isRandom}, {"hvb.", base64URL, 90, false, nil}, {"hvr.", base64URL, 24, false, isMixed}}},
	{vendorRule("xai-key", "xAI API key"), []token{{"xai-", alnum, 80, false, nil}}},
}

// maxAnchor is how much of a prefix goes into the automaton: enough to be
// rare in prose, short enough to keep its table in the processor's cache.
const maxAnchor = 6

// detectors returns one detector for each form of the vendor's tokens.
func (v *vendor) detectors() []detector {
	ds := make([]detector, len(v.tokens))
	for i := range v.tokens {
		t := &v.tokens[i]
		ds[i] = detector{
			anchors: []string{strings.ToLower(t.prefix[:min(len(t.prefix), maxAnchor)])},
			find: func(text []byte, at, _ int) (candidate, bool) {
				stop, ok := t.match(text, at)
				return candidate{&v.rule, t.start(text, at), stop}, ok
			},
		}
	}
	return ds
}

// match returns the end of the token that begins with its prefix at at.
func (t *token) match(text []byte, at int) (int, bool) {
	if !t.startsAt(text, at) || !bytes.HasPrefix(text[at:], []byte(t.prefix)) {
		return 0, false
	}
	end := at + len(t.prefix)
	if bytes.HasPrefix(text[end:], []byte(t.prefix)) {
		return 0, false // a row of prefixes; the last one counts
	}
	limit := max(maxToken, t.min+4) // room for the punctuation below
	stop := t.set.run(text, end, limit)
	clipped := stop-end == limit
	// Punctuation at the end belongs to the sentence.
	for !clipped && stop > end && text[stop-1] == '.' {
		stop--
	}
	body := text[end:stop]
	switch {
	case len(body) < t.min,
		t.exact && (len(body) > t.min || !endsWord(text, stop)),
		isFiller(body),
		entropy(body) < minTokenEntropy(len(body)),
		t.set['-'] && t.check == nil && isWordy(body), // your-token-goes-here
		t.check != nil && !t.check(body),
		published(text[at:stop]):
		return 0, false
	}
	if clipped {
		// Only now, so that no text makes every prefix read on to its end.
		stop = t.set.run(text, stop, len(text))
	}
	return stop, true
}

// start returns where the token begins whose prefix is at i: there, but for
// Terraform's, which has its mark in the middle.
func (t *token) start(text []byte, i int) int {
	if t.prefix != terraformMark {
		return i
	}
	return alnum.back(text, i-1, maxToken)
}

// startsAt is stricter than startsWord for a prefix that is itself a piece of
// a longer name, such as the key- in api-key-.
func (t *token) startsAt(text []byte, at int) bool {
	if t.prefix == terraformMark {
		return at > 1 && text[at-1] == '.' && alnum[text[at-2]]
	}
	if !startsWord(text, at) {
		return false
	}
	return at == 0 || text[at-1] != '-' || len(t.prefix) > 4
}

// minTokenEntropy is the least Shannon entropy, in bits a byte, of n bytes
// that a generator made. Short texts cannot reach the entropy of their
// alphabet, and hexadecimal ones have four bits at most.
func minTokenEntropy(n int) float64 {
	if n < 16 {
		return 2.3
	}
	return 2.8
}

// isMixed reports whether v has letters and digits, as generated text of this
// length nearly always has and an identifier mostly has not.
func isMixed(v []byte) bool {
	letters, numbers := 0, 0
	for _, b := range v {
		if isLetter(b) {
			letters++
		} else if isDigit(b) {
			numbers++
		}
	}
	return letters > 0 && numbers > 0
}

// isNoHex is isMixed for a prefix that a hash may begin with.
func isNoHex(v []byte) bool { return isMixed(v) && !hexDigits.all(v) }

// isNoWord accepts digits alone, or letters in no order of words.
func isNoWord(v []byte) bool {
	return bytes.ContainsAny(v, digits) && !isWordy(v) || bytes.ContainsAny(v, lower) && bytes.ContainsAny(v, upper) ||
		!bytes.ContainsAny(v, lower+upper)
}

func isAirtable(v []byte) bool {
	return v[14] == '.' && hexDigits.all(v[15:]) && alnum.all(v[:14])
}

// isGrouped accepts groups joined by hyphens, as in a 1Password secret key.
func isGrouped(v []byte) bool {
	return bytes.Count(v, []byte("-")) >= 4 && isMixed(v)
}
