package secrets

import "slices"

// Rule names one kind of credential.
type Rule struct {
	ID   string // stable: goes into commands, configuration and JSON
	Kind string // words for people, a noun phrase without an article

	rank   int8 // of two rules on the same bytes the higher names them
	format bool // the value's own format is proof enough
}

// Ranks: a format that a vendor defines says more than the place a value
// stands in, and a place more than the name before it.
const (
	byName int8 = iota
	byPlace
	byFormat
)

// The rules that are not plain tokens; those are in tokens.go.
var (
	awsAccessKey      = &Rule{"aws-access-key", "AWS access key", byFormat, true}
	awsSecretKey      = &Rule{"aws-secret-key", "AWS secret key", byPlace, false}
	azureStorageKey   = &Rule{"azure-storage-key", "Azure account or shared access key", byFormat, true}
	azureSAS          = &Rule{"azure-sas", "Azure shared access signature", byFormat, true}
	azureClientSecret = &Rule{"azure-client-secret", "Azure client secret", byFormat, true}
	privateKey        = &Rule{"private-key", "private key", byFormat, true}
	gcpServiceAccount = &Rule{"gcp-service-account", "Google Cloud service account key", byFormat, true}
	jwtToken          = &Rule{"jwt", "JSON Web Token", byFormat, false}
	telegramToken     = &Rule{"telegram-bot-token", "Telegram bot token", byFormat, true}
	discordToken      = &Rule{"discord-bot-token", "Discord bot token", byFormat, true}
	mailchimpKey      = &Rule{"mailchimp-key", "Mailchimp API key", byFormat, true}
	dropboxLongLived  = &Rule{"dropbox-long-lived-token", "Dropbox token", byFormat, true}
	maxmindKey        = &Rule{"maxmind-key", "MaxMind license key", byFormat, true}
	authHeader        = &Rule{"auth-header", "credential in an Authorization header", byPlace, false}
	urlPassword       = &Rule{"url-password", "password in a URL", byPlace, false}
	connectionString  = &Rule{"connection-string", "password in a connection string", byPlace, false}
	curlUser          = &Rule{"curl-user", "password on a curl command line", byPlace, false}
	password          = &Rule{"password", "password", byName, false}
	secretValue       = &Rule{"secret-assignment", "key, token or secret given to a name", byName, false}

	// tooMany is no rule that can be allowed: it covers what was not looked at.
	tooMany = &Rule{"too-many", "text with more credentials than can be listed", byFormat, true}
)

// Rules returns every rule that Scan knows, ordered by id.
func Rules() []Rule {
	all := []*Rule{
		awsAccessKey, awsSecretKey, azureStorageKey, azureSAS, azureClientSecret,
		privateKey, gcpServiceAccount, jwtToken, telegramToken, discordToken, mailchimpKey, dropboxLongLived, maxmindKey,
		authHeader, urlPassword, connectionString, curlUser, password, secretValue,
	}
	for i := range vendors {
		all = append(all, &vendors[i].rule)
	}
	out := make([]Rule, len(all))
	for i, r := range all {
		out[i] = *r
	}
	slices.SortFunc(out, func(a, b Rule) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
	return out
}

// Unknown returns the first of ids that no rule has, so that a misspelt one is
// refused instead of ignored, and "" when all are rules.
func Unknown(ids []string) string {
	for _, id := range ids {
		if !slices.ContainsFunc(Rules(), func(r Rule) bool { return r.ID == id }) {
			return id
		}
	}
	return ""
}

func allDetectors() []detector {
	ds := []detector{
		{anchors: []string{";base64,"}, skip: skipData},
		// Before findAWSKey, whose finding covers the anchor.
		{anchors: []string{"akia", "asia"}, find: findAWSPair},
		{anchors: []string{"akia", "asia", "abia", "acca"}, find: findAWSKey},
		{anchors: []string{"accountkey=", "sharedaccesskey="}, find: findAzureKey},
		{anchors: []string{"sig="}, find: findSAS},
		{anchors: []string{"q~"}, find: findAzureClientSecret},
		{anchors: []string{"-----begin "}, find: findPEM},
		{anchors: []string{"private-lines:"}, find: findPuTTY},
		{anchors: []string{"eyj"}, find: findJWT},
		{anchors: []string{":aa"}, find: findTelegram},
		{anchors: []string{"."}, find: findDiscord},
		{anchors: []string{"-us"}, find: findMailchimp},
		{anchors: []string{"aaaaaaaaaa"}, find: findDropbox},
		{anchors: []string{"_mmk"}, find: findMaxMind},
		{anchors: []string{"bearer"}, find: findBearer},
		{anchors: []string{"authorization"}, find: findAuthorization},
		{anchors: []string{"://"}, find: findURLPassword},
		{anchors: []string{" -u", " --user"}, find: findCurlUser},
		{anchors: []string{"pass", "pwd", "secret", "token", "key", "credential"}, find: findAssigned},
	}
	for i := range vendors {
		ds = append(ds, vendors[i].detectors()...)
	}
	return ds
}
