package lifecycle

import "strings"

// Authority is the rank of a source, from 1, the user, to 5, social media; 0 is
// unknown.
type Authority int

// Authorities.
const (
	User Authority = iota + 1
	Primary
	Enrichment
	Web
	Social
)

// String returns the name of the authority.
func (a Authority) String() string {
	return [...]string{"", "user", "primary", "enrichment", "web", "social"}[a]
}

// sources are words that determine the authority of a citation; the first match
// counts.
var sources = []struct {
	authority Authority
	words     []string
}{
	{Social, []string{"x/", "@", "twitter", "tweet", "facebook", "instagram", "reddit", "mastodon", "bluesky", "threads"}},
	{Enrichment, []string{"crustdata", "happenstance", "captain", "pitchbook", "clearbit", "enrichment"}},
	{User, []string{"user"}},
	{Primary, []string{"meeting", "email", "e-mail", "mail", "call", "letter", "conversation", "message", "interview", "chat", "talk", "contract"}},
}

// AuthorityOf returns the authority of a source by its words: "User, direct message,
// 2026-04-07". An unrecognised source counts as web.
func AuthorityOf(source string) Authority {
	source = strings.ToLower(strings.TrimSpace(source))
	if source == "" {
		return 0
	}
	for _, s := range sources {
		for _, w := range s.words {
			if i := strings.Index(source, w); i == 0 || i > 0 && !('a' <= source[i-1] && source[i-1] <= 'z') {
				return s.authority
			}
		}
	}
	return Web
}
