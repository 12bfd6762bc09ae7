package lifecycle

import "strings"

// Authority is how much the source of a statement counts, from 1, what the user said,
// to 5, posts in social media; 0 is unknown.
type Authority int

// The authorities.
const (
	User Authority = iota + 1
	Primary
	Enrichment
	Web
	Social
)

// String names it.
func (a Authority) String() string {
	return [...]string{"", "user", "primary", "enrichment", "web", "social"}[a]
}

// sources are words by which a citation is told, the first that it has.
var sources = []struct {
	authority Authority
	words     []string
}{
	{Social, []string{"x/", "@", "twitter", "tweet", "facebook", "instagram", "reddit", "mastodon", "bluesky", "threads"}},
	{Enrichment, []string{"crustdata", "happenstance", "captain", "pitchbook", "clearbit", "enrichment"}},
	{User, []string{"user"}},
	{Primary, []string{"meeting", "email", "e-mail", "mail", "call", "letter", "conversation", "message", "interview", "chat", "talk", "contract"}},
}

// AuthorityOf tells the authority of a statement by what it cites, "[Source: User,
// direct message, 2026-04-07]", and of a source alone by its words. What cites
// something that nobody knows is of the web; what cites nothing is unknown.
func AuthorityOf(text string) Authority {
	_, cited, ok := strings.Cut(text, "Source:")
	if !ok {
		return 0
	}
	cited, _, _ = strings.Cut(cited, "]")
	return AuthorityOfSource(cited)
}

// AuthorityOfSource is AuthorityOf for what is cited.
func AuthorityOfSource(source string) Authority {
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
