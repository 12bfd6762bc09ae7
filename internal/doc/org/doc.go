// Package org reads and edits Org pages as byte spans.
//
// The scanner is line-based and its own: it keeps all positions and takes time linear in any
// text. It reads Org as Emacs and org-roam do, with these choices where Org leaves room or a
// knowledge base needs more:
//
//   - The file is a node, with the property drawer at its very start and the keywords that
//     follow. A heading with an ID is a node, too. A node's spans cover nested nodes; its
//     facts, links and headings do not include theirs. A repeated ID makes no node.
//   - Property keys ignore case and are reported in lower case. "title", "tags" and "aliases"
//     have the same meaning as in Markdown: the keywords #+title and #+filetags and the
//     property ROAM_ALIASES. On disk a key keeps its case, new ones are upper case.
//   - A property value is taken verbatim. The " ; comment" of templates is part of the value:
//     Org has no comments in drawers, and dropping text that the user wrote would be
//     guessing.
//   - A list is written as words in double quotes, or as :a: :b: if the value has that form
//     already. That form marks a value as a list.
//   - A block extends to its own end line even over lines that start with a star. Emacs ends
//     it there, so this is reported as a warning.
//   - The line between truth and timeline is the heading "Timeline" directly below the node.
//     The rest of the node is below the line.
//   - Facts are list items outside blocks and drawers, in the same form as in Markdown; a
//     relation's target is an id, a file or a title. Links count in text, quotes and drawers,
//     property values included, but not in source blocks, =verbatim=, inline code, formulas,
//     comments and keywords.
//   - COMMENT has no effect: it controls Org's export, not knowledge.
//   - Tags are inherited as in Org: from #+filetags and from the headings above. Those of a
//     heading without an ID count for its node.
//   - Text archived with the tag ARCHIVE, and a file with ROAM_EXCLUDE, is hidden from
//     searches; it keeps its names, links, facts and tasks. A heading with ROAM_EXCLUDE is
//     not a node; its text belongs to the surrounding node.
//   - ROAM_REFS names the subjects of a page: [cite:@key] and cite:key link to the page with
//     the ref @key.
//   - A link to a name that the file defines with <<name>> or #+name refers to that place and
//     not to a page.
//   - An edit must not change another node of the file, nor repeat an ID.
package org
