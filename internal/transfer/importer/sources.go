package importer

// noteSources are the readers of notes, those first with exports that others could be taken for.
var noteSources = []Source{
	{Program: "joplin", Takes: "a JEX file, or the directory of a RAW export", read: joplin, fits: isJoplin},
	{Program: "notion", Takes: "the exported archive of Notion, or its directory", read: notion, fits: isNotion},
	{Program: "evernote", Takes: "ENEX files, or a directory of them", read: evernote, fits: func(t *tree) bool { return len(enexFiles(t)) > 0 }},
	{Program: "keep", Takes: "an archive of Google Takeout with Keep, or its directory", read: keep, fits: func(t *tree) bool { return len(keepFiles(t)) > 0 }},
	{Program: "bear", Takes: "a backup of Bear (bear2bk), or a directory of text bundles", read: bear, fits: func(t *tree) bool { return len(bearFiles(t)) > 0 }},
	{Program: "simplenote", Takes: "the exported archive of Simplenote, or notes.json", read: simplenote, fits: func(t *tree) bool { return len(simplenoteFiles(t)) > 0 }},
	{Program: "logseq", Takes: "the JSON export of a graph of Logseq", read: logseq, fits: func(t *tree) bool { return len(logseqFiles(t)) > 0 }},
	{Program: "roam", Takes: "the JSON export of Roam Research", read: roam, fits: func(t *tree) bool { return len(roamFiles(t)) > 0 }},
	{Program: "apple-notes", Takes: "Apple Notes as privacy.apple.com sends them, or that directory", read: apple, fits: isApple},
	{Program: "pocket", Takes: "the CSV files of Pocket, or their archive", read: pocket, fits: func(t *tree) bool { return len(pocketFiles(t)) > 0 }},
	{Program: "readwise", Takes: "the CSV file of Readwise", read: readwise, fits: func(t *tree) bool { return len(readwiseFiles(t)) > 0 }},
	{Program: "letta", Takes: "agent files (.af) of Letta", read: letta, fits: func(t *tree) bool { return len(lettaFiles(t)) > 0 }},
	{Program: "mem0", Takes: "memories of mem0 as JSON", read: mem0, fits: func(t *tree) bool { return len(mem0Files(t)) > 0 }},
	{Program: "documents", Takes: "PDF, DOCX, EPUB and HTML files, or a directory of them", read: documentsIn, fits: func(t *tree) bool { return len(documentFiles(t)) > 0 }, guessed: onlyDocuments},
}
