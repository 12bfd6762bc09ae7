package markdown

import (
	"strings"
	"testing"
)

// TestSiteLinks: shortcodes of Hugo and tags of Jekyll are links, as destinations and by themselves.
func TestSiteLinks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`[t]({{< ref "a.md" >}})`:                                           "a.md",
		`[t]({{% relref "/b/a#part" %}} "title") [[c]]`:                     "/b/a c",
		`[t]({{< ref path="a" lang="en" >}})`:                               "a",
		`[t]({{< relref lang="en" path="a" >}})`:                            "a",
		"[t]({{< ref `a b` >}})":                                            "a b",
		`<a href="{{< ref "a" >}}">x</a>`:                                   "a",
		`{{< ref a.md >}} and {{<ref "b">}}`:                                "a.md b",
		`[t]({% link _posts/a.md %})`:                                       "/_posts/a.md",
		`[t]({{ site.baseurl }}{% link a.md %}#part)`:                       "/a.md",
		`[t]({%- post_url 2024-01-02-a -%})`:                                "2024-01-02-a",
		"`{{< ref \"a\" >}}` and ```{% link a.md %}```":                     "",
		"```\n{{< ref \"a\" >}}\n```\n":                                     "",
		`{{</* ref "a" */>}} {{< figure src="a.md" >}} {{< ref "#part" >}}`: "",
		`{% link a.pdf %} {% link about.html %} {% include a.md %}`:         "",
		`{{< ref "https://x.org/a" >}} {{ ref "a" }} {{< ref >}}`:           "",
		`[t]({{< ref "a" >}}`:                                               "a",
		`[t](@/blog/a.md#part)`:                                             "@/blog/a.md",
	} {
		d := Codec{}.Parse("x.md", []byte(text))
		if got := targets(d); got != want {
			t.Errorf("%s links to %q, want %q", text, got, want)
		}
	}
	d := Codec{}.Parse("x.md", []byte(`see [the *text*]({{< ref "b/a.md#part" >}}) now`))
	l := d.Nodes[0].Links[0]
	if got := d.Slice(l.Span) + "|" + d.Slice(l.NameAt) + "|" + l.Heading + "|" + l.Text; got != `[the *text*]({{< ref "b/a.md#part" >}})|b/a.md|part|the text` {
		t.Error(got)
	}
	if got := strings.Join(strings.Fields(d.Reading(d.Nodes[0].Span)), " "); got != "see the *text* now" && got != "see the text now" {
		t.Errorf("it reads %q", got)
	}
}
