package day

import (
	"fmt"
	"time"

	"github.com/cairn-kb/cairn/internal/policy"
)

// Begin says when the days of a space begin by the text of its policy, such as "04:00 CET
// (+01:00)", and whether in a zone that the policy names. It is "" where no page is of a day.
func Begin(text string, now time.Time) (at string, named bool) {
	pol, err := policy.Parse([]byte(text))
	if err != nil || len(pol.Rotate) == 0 {
		return "", false // adding the space has reported an invalid policy
	}
	days := pol.Calendar(now.Location())
	return fmt.Sprintf("%02d:00 %s", pol.Day.Boundary, now.In(days.Zone).Format("MST (-07:00)")), pol.TimeZone != ""
}
