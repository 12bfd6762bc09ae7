package autotag_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/doc/autotag"
)

func TestTags(t *testing.T) {
	t.Parallel()
	clients := autotag.Known{
		Tags:  []string{"planning", "pricing", "釉薬", "project/web", "2026", "Kiln 2"},
		Names: []string{"Client X", "Salon service model", "the", "Ada", "Über uns"},
	}
	for _, tc := range []struct {
		text  string
		known autotag.Known
		want  string
	}{
		// What the author marked comes first, wherever it stands.
		{"Prices rise in May. #pricing #q3/plan", autotag.Known{}, "pricing q3/plan"},
		{"No tags: C# and #1 and # heading", autotag.Known{}, ""},
		{"(#one) [#two], #three!", autotag.Known{}, "one two three"},
		// What the space has, as it has it.
		{"Client X rejected sprint format: too disruptive to quarterly planning", clients, "planning client-x"},
		{"The kiln-2 drifts; KILN 2 is old. pricing", clients, "Kiln 2 pricing"},
		{"Planning the plan, replanning nothing", clients, "planning"},
		{"二号窯の釉薬を交換", clients, "釉薬"},
		{"Ada likes the Salon Service Model.", clients, "ada salon-service-model"},
		{"In 2026 the web goes on", clients, ""},
		// Proper names: not the first word of a sentence alone.
		{"We met Maren Holt of Harbourlight. Then we left.", autotag.Known{}, "maren-holt harbourlight"},
		{"Glenfarrow delivers clay. We pay Glenfarrow monthly.", autotag.Known{}, "glenfarrow"},
		{"Redis is the cache of the shop, and only Lena restarts Redis. Lena owns it.", autotag.Known{}, "redis lena"},
		{"Klarna has 14 days now. Refunds are paid at once.", autotag.Known{}, ""},
		{"PostgreSQL is the store. Gpt4 was slow.", autotag.Known{}, "postgresql gpt4"},
		{"Lena owns the ledger.", autotag.Known{Names: []string{"Lena"}}, "lena"},
		{"Pricing is per week. Access is by key. Everything was saved. Today is Monday.", autotag.Known{}, ""},
		{"However was meant. Fix was merged. Bug is open. Server is down. Customer said no. Lunch is served.", autotag.Known{}, ""},
		{"Alles was wir wissen. Hij was moe. Nadie has said it. Rien is left. Det was done.", autotag.Known{}, ""},
		{"The owner is Dr. Okafor. She signs.", autotag.Known{}, "okafor"},
		{"Decided on Monday: I stay.", autotag.Known{}, ""},
		{"Мы выбрали Яндекс Облако для хранения.", autotag.Known{}, "яндекс-облако"},
		{"熱電対をメーカーのサポートに送る", autotag.Known{}, "メーカー サポート"},
		{"عميل جديد #تسعير", autotag.Known{}, "تسعير"},
		{"We told Ada's team", autotag.Known{}, "ada"},
		// Identifiers.
		{"set max_pages before calling writeAtomic; the WAL grows", autotag.Known{}, "wal max_pages writeatomic"},
		{"use `fsync` on kiln2 and gpt-4", autotag.Known{}, "fsync kiln2 gpt-4"},
		{"see https://example.org/Path_one/Two for it", autotag.Known{}, ""},
		{"```\nSome_Code CamelCase\n```\nplain words only", autotag.Known{}, ""},
		// Currencies, weekdays, zones and units are no names.
		{"We pay 30 EUR to Helsinki on Tuesdays at 14:00 UTC for 4 GB in the US.", autotag.Known{}, "helsinki"},
		// Five at most.
		{"#a1 #b #c #d #e #f", autotag.Known{}, "a1 b c d e"},
		{"", clients, ""},
		{"\x00\xff", clients, ""},
	} {
		if got := strings.Join(autotag.Tags(tc.text, tc.known), " "); got != tc.want {
			t.Errorf("%q has the tags %q, want %q", tc.text, got, tc.want)
		}
	}
}

// In whatever order a space lists what it knows, a text has the same tags.
func TestTagsAreDeterministic(t *testing.T) {
	t.Parallel()
	text := "Ada, Bob and Cleo discuss pricing, planning and pricing for Client X with max_pages."
	known := autotag.Known{Tags: []string{"pricing", "planning"}, Names: []string{"Ada", "Bob", "Cleo", "Client X"}}
	want := autotag.Tags(text, known)
	slices.Reverse(known.Tags)
	slices.Reverse(known.Names)
	if got := autotag.Tags(text, known); len(got) != autotag.Most || !cmp.Equal(got, want) {
		t.Errorf("%v, then %v", want, got)
	}
}

func TestPhrases(t *testing.T) {
	t.Parallel()
	got := autotag.Phrases("Client X, the salon")
	for _, want := range []string{"Client X", "the salon", "salon"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	if slices.Contains(got, "X the") {
		t.Errorf("%q goes over a comma", got)
	}
}

func FuzzTags(f *testing.F) {
	f.Add("Client X #a `b` c_d")
	f.Fuzz(func(t *testing.T, text string) {
		tags := autotag.Tags(text, autotag.Known{Names: autotag.Phrases(text)})
		if len(tags) > autotag.Most {
			t.Errorf("%d tags", len(tags))
		}
		for _, tag := range tags {
			if tag == "" || strings.ContainsAny(tag, " \t\n#,") || !utf8.ValidString(tag) && utf8.ValidString(text) {
				t.Errorf("%q of %q", tag, text)
			}
		}
	})
}
