package brief

import "testing"

// A line of a page has its whole first sentence, and its title once.
func TestPageLine(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ title, says, want string }{
		{"Brex", "Brex makes cards", "> `k:p`: Brex - Brex makes cards"},
		{"We use SQLite", "We use SQLite", "> `k:p`: We use SQLite"},
		{"Brex", "", "> `k:p`: Brex"},
		{"Mails go out after 4 hours because…", "Mails go out after 4 hours because [[a|24 hours]] were worse", "> `k:p`: Mails go out after 4 hours because [[a|24 hours]] were worse"},
		{
			"A title that somebody wrote by hand is as long as they like, and names [[Sprint pricing|the pricing rule]]", "",
			"> `k:p`: A title that somebody wrote by hand is as long as they like, and names the pricing rule",
		},
	} {
		if got := pageLine("k:p", tc.title, tc.says); got != tc.want {
			t.Errorf("%q, %q: %s", tc.title, tc.says, got)
		}
	}
}
