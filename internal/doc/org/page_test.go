package org

// page is a file with two nodes and every construct.
const page = `# -*- mode: org -*-
:PROPERTIES:
:ID:       6d3b8f6e-1111-4222-8333-444455556666
:CREATED:  [2026-05-24 Sun]
:PROJECTS: :general: :emacs:
:ROAM_ALIASES: "A b" c
:CONFIDENCE: user-stated ; user-stated | observed
:NOTE: one
:NOTE+: two
:END:
#+title: Test node
#+filetags: :principle:emacs:
#+startup: overview

Body =[[id:no][x]]= with SUPERSEDES [[id:OTHER][Their
title]] and [[file:notes/a.org::*Head][a]], <id:abc>, file:../x.org, [[https://x.y][z]].
#+begin_quote
A summary with [[id:q][a link]],
on two lines.

Not this.
#+end_quote

#+begin_src sh
,* no heading
- [no] fact [[id:no]]
#+end_src
* Facts
- [fact] one #tag (ctx)
- [ ] to do
- [X] done
- works_at [[id:9f][Brex]] @2017-01-03..2026-03-01 (co-founder)
- see also [[Foo]] for more
* TODO [#A] Sub node [1/2]   :a:b:
SCHEDULED: <2026-01-01 Thu>
:PROPERTIES:
:ID: two
:SUMMARY: The second.
:END:
Text of two.
** Inner
- [inner] fact
** Timeline
- [2026-03-01 So 10:00] | meeting — met
  detail here
- 2026-02 — earlier
* Rest
After the node.
* Timeline
** 2026-01-01 Happened
more
`
