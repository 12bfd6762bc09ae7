package doc

import "testing"

func TestTaskDates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line string
		want Task
	}{
		{"plain text", Task{Text: "plain text"}},
		{"pay 📅 2026-11-22", Task{Text: "pay", Due: "2026-11-22"}},
		{"pay 📅2026-11-22 the bill", Task{Text: "pay the bill", Due: "2026-11-22"}},
		{"🗓️ 2026-11-22 pay", Task{Text: "pay", Due: "2026-11-22"}},
		{"a ➕ 2026-01-01 🛫 2026-01-02 ⏳ 2026-01-03 📅 2026-01-04 ✅ 2026-01-05",
			Task{Text: "a", Created: "2026-01-01", Start: "2026-01-02", Scheduled: "2026-01-03", Due: "2026-01-04", Completed: "2026-01-05"}},
		{"📅 soon", Task{Text: "📅 soon"}},
		{"call [due:: 2026-11-22] Ada", Task{Text: "call Ada", Due: "2026-11-22"}},
		{"call (scheduled:: [[2026-11-22]])", Task{Text: "call", Scheduled: "2026-11-22"}},
		{"[Due Date:: 2026-11-22] [due:: soon] [priority:: high]", Task{Text: "[Due Date:: 2026-11-22] [due:: soon] [priority:: high]"}},
		{"", Task{}},
	} {
		var got Task
		got.Describe(c.line)
		if got != c.want {
			t.Errorf("%q: %+v, want %+v", c.line, got, c.want)
		}
	}
}

func TestTaskPlan(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]Task{
		"SCHEDULED: <2026-11-22 Sun>":                                  {Scheduled: "2026-11-22"},
		"DEADLINE: <2026-11-22 Sun 10:30 +1w> SCHEDULED: <2026-11-20>": {Due: "2026-11-22T10:30", Scheduled: "2026-11-20"},
		"CLOSED: [2026-11-22 Sun 10:30-11:00]":                         {Completed: "2026-11-22T10:30"},
		"DEADLINE: <soon>":                                             {},
		"see <2026-11-22 Sun>":                                         {},
		"DEADLINE <2026-11-22 Sun>":                                    {},
		"DEADLINE: <2026-11-22":                                        {},
	} {
		var got Task
		got.Plan(line)
		if got != want {
			t.Errorf("%q: %+v, want %+v", line, got, want)
		}
	}
}

func FuzzTask(f *testing.F) {
	for _, line := range []string{"a 📅 2026-11-22", "[due:: 2026-11-22]", "DEADLINE: <2026-11-22 Sun 10:30>", "📅\xff", "(due:: [["} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		var task Task
		task.Describe(line)
		task.Plan(line)
		for _, date := range []string{task.Due, task.Scheduled, task.Start, task.Completed, task.Created} {
			if date != "" && !IsDate(date) {
				t.Errorf("%q: %q", line, date)
			}
		}
	})
}
