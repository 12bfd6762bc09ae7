package secretoracle

// Reasons that several exceptions share.
const (
	anyCase = "the oracle takes the prefix in either case; it is issued in one, and that is found"
	noise   = "what the expression makes is noise that no program writes or accepts"
	public  = "it identifies, and opens nothing"
)

// exceptions are the oracle's rules that cairn does not follow, and why.
var exceptions = map[string]string{
	"asana-client-id":                    public,
	"atlassian-api-token":                anyCase,
	"authress-service-client-access-key": "its prefixes (sc_, ext_) begin too many ordinary names for a key this rare",
	"aws-access-token":                   "the prefix A3T has not been issued for years; the others are found",
	"clojars-api-token":                  anyCase,
	"curl-auth-header":                   noise,
	"curl-auth-user":                     noise,
	"discord-client-id":                  public,
	"dropbox-long-lived-api-token":       anyCase,
	"flutterwave-public-key":             public,
	"grafana-api-key":                    anyCase,
	"jwt":                                "its header is no JSON, so no program takes it for a token",
	"jwt-base64":                         "encoded twice, a token is not in a form that anybody can use by pasting it",
	"messagebird-client-id":              public,
	"private-key":                        "between the lines is no key material",
	"slack-app-token":                    "the expression allows tokens shorter than any that was issued",
	"square-access-token":                "EAAA begins much base 64; Square's other prefix is found",
	"twitter-bearer-token":               anyCase,
}
