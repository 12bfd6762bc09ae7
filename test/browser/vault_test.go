package browser

// vault is a directory of notes with everything that pages may hold.
var vault = map[string]string{
	"projects/engine.md": `---
title: Analytical Engine
type: project
tags: [engine]
status: active
---
> A machine of brass for any calculation.

## Mill

The mill does the arithmetic, on numbers from the store.

## Store

Holds a thousand numbers of forty digits. [[Ada Lovelace]] described it. Charles Babbage drew it.
`,
	"projects/note-g.md": `---
title: Note G
type: note
tags: [engine, history]
---
> The table that computes the Bernoulli numbers.

The first published program. It is part of Ada's notes on the [[Analytical Engine]].
`,
	"daily/2026-11-01.md": `# 2026-11-01

Worked on [[Note G]] and the [[Analytical Engine]]. #log
`,
	"daily/2026-11-05.md": `# 2026-11-05

Worked on [[Note G]] and the [[Analytical Engine]]. #log
`,
	"daily/2026-11-09.md": `# 2026-11-09

Worked on [[Note G]] and the [[Analytical Engine]]. #log
`,
	"daily/2026-11-12.md": `# 2026-11-12

Worked on [[Note G]] and the [[Analytical Engine]]. #log
`,
	"daily/2026-11-13.md": `# 2026-11-13

Worked on [[Note G]] and the [[Analytical Engine]]. #log
`,
	"daily/2026-11-14.md": `# 2026-11-14

Worked on [[Note G]] and the [[Analytical Engine]]. #log
`,
	"views/people.base": `filters:
  and:
    - type == "person"
views:
  - type: table
    name: People
    order: [file.name, born, note.tags]
    sort:
      - property: born
        direction: DESC
  - type: cards
    name: Cards
`,
	"people/ada.md": `---
title: Ada Lovelace
type: person
tags: [mathematics, history]
aliases: [Ada]
born: 1815-12-10
---
> Wrote the first published program, for a machine that was never built.

Ada worked with [[Charles Babbage]] on the [[Analytical Engine]]. Her notes on it are
longer than the paper they explain. ^notes

- [fact] Published the first algorithm meant for a machine #history (1843)
- [preference] Wants results as tables #work
- works_with [[Charles Babbage]] @1833..1852 (correspondence)
- wrote [[Note G]]
- lives_in [[London]] @1835..

## Method

> [!tip] Rule of three
> Explain it, draw it, then ==prove it==.

The sum is $\sum_{k=1}^{n} k = n(n+1)/2$, see also [the engine](../projects/engine.md#Mill)
and a footnote.[^1]

` + "`" + `` + "`" + `` + "`" + `python
def bernoulli(n: int) -> float:
    """Return the n-th Bernoulli number."""
    return sum(1 for _ in range(n)) * 0.5  # not yet
` + "`" + `` + "`" + `` + "`" + `

| operation | variables | result |
|---|---|---|
| × | V2, V3 | V4 |
| − | V4, V1 | V4 |

- [x] Translate Menabrea's paper
- [ ] Send the proofs to Charles 📅 2026-11-20
- [ ] Ask about the [[Difference Engine]]

%% a comment that nobody sees %%

[^1]: In the Taylor's Scientific Memoirs.

---
- 2026-11-27 | meeting — Went through the proofs
- 2026-11-02 | email — First draft of Note G
`,
	"people/babbage.md": `---
title: Charles Babbage
type: person
tags: [mathematics, engine]
---
> Designed the engines.

Charles designed the [[Difference Engine]] and the [[Analytical Engine]]. See ![[Note G]].
`,
	"drawn.md": `# As it is drawn

The area is $\pi r^2$, and

$$
\int_0^1 x \, dx = \frac{1}{2}
$$

` + "```mermaid\ngraph TD\nCard --> Reader\nReader --> Printer\nPrinter --> Plate\n```" + `

## Below

The cards are punched.

The reader feels them with pins, one after the other.

The printer makes a stereotype of each table.

- Cards
- Pins
- Type

The tables go to the navy.
`,
	"boards/plan.canvas": `{"nodes":[
  {"id":"g","type":"group","label":"Engines","x":-40,"y":-60,"width":760,"height":300},
  {"id":"a","type":"text","text":"Build the mill first, then the store. Brass is expensive.","x":0,"y":0,"width":260,"height":120},
  {"id":"b","type":"file","file":"projects/engine.md","x":400,"y":20,"width":260,"height":60}],
 "edges":[{"id":"e","fromNode":"a","toNode":"b","label":"leads to"}]}
`,
	"org/mill.org": `#+title: The mill
#+filetags: :engine:
* TODO Turn slower :brass:
DEADLINE: <2026-12-01 Tue>
Sixty turns a minute is too fast for the [[Analytical Engine]].
#+begin_src python
def turns(): return 60
#+end_src
| part | teeth |
|------+-------|
| axle | 24 |
`,
}
