package day

import (
	"fmt"
	"time"

	"github.com/cairn-kb/cairn/internal/policy"
)

// Begin describes when the days of a space begin by the text of its policy, such as
// "04:00 CET (+01:00)", and reports whether the policy names the zone. The text is
// "" for a policy without rotating pages.
func Begin(text string, now time.Time) (at string, named bool) {
	pol, err := policy.Parse([]byte(text))
	if err != nil || len(pol.Rotate) == 0 {
		return "", false // an invalid policy was reported when the space was added
	}
	days := pol.Calendar(now.Location())
	return fmt.Sprintf("%02d:00 %s", pol.Day.Boundary, now.In(days.Zone).Format("MST (-07:00)")), pol.TimeZone != ""
}
