// Package org reads and edits Org pages as byte spans.
//
// The scanner is line-based and its own: it keeps the position of everything
// and takes time linear in the text, whatever the text is. It reads Org as
// Emacs and org-roam do, with these choices where Org leaves room or where a
// knowledge base needs more:
//
//   - The file is a node, with the property drawer at its very start and the
//     keywords that follow. A heading with an ID of its own is a node too. A
//     node's spans cover nodes nested in it, its facts, links and headings do
//     not include theirs. An ID that occurs a second time makes no node.
//   - Property keys do not depend on case; they are reported in lower case.
//     "title", "tags" and "aliases" name the same things as in Markdown: the
//     keywords #+title and #+filetags and the property ROAM_ALIASES. On disk
//     a key keeps its case, new ones are upper case.
//   - A property value is taken as it stands. The " ; comment" of templates is
//     part of the value: Org has no comments in drawers, and dropping text
//     that an owner wrote would be guessing.
//   - A list is written as words in double quotes, or as :a: :b: where the
//     value stands so already. That a value is a list is seen from that form.
//   - A block reaches to its own end line even over lines that start with a
//     star. Emacs ends it there, so this is reported as a warning.
//   - The line is the heading "Timeline" directly below the node. What follows
//     it in the node is below the line.
//   - Facts are list items outside blocks and drawers, in the same form as in
//     Markdown; a relation's target is an id, a file or a title. Links count in
//     text, quotes and drawers, property values included, but not in source
//     blocks, =verbatim=, comments and keywords.
//   - COMMENT takes nothing away: it says what Org exports, not what is known.
//   - Tags are inherited as in Org: from #+filetags and from the headings above.
//     Those of a heading without an ID count for the node that it is in.
//   - What is archived with the tag ARCHIVE, and a file with ROAM_EXCLUDE, is
//     hidden from searches; it keeps its names, links, facts and tasks.
//     A heading with ROAM_EXCLUDE is no node, its text is that of the node around.
//   - ROAM_REFS names what a page is about: [cite:@key] and cite:key lead to the
//     page with the ref @key.
//   - A link to a name that the file gives a place with <<name>> or #+name leads
//     there and to no page.
//   - An edit may not change what another node of the file says, nor repeat
//     an ID.
package org
