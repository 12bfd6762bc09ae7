// As much of the module vscode as the extension uses, without a window. What an editor would
// keep or show is in `seen`.
'use strict';
const { fileURLToPath, pathToFileURL } = require('node:url');

class Position {
  constructor(line, character) { Object.assign(this, { line, character }); }
}
class Range {
  constructor(start, end, line, character) {
    if (typeof start === 'number') [start, end] = [new Position(start, end), new Position(line, character)];
    Object.assign(this, { start, end });
  }
}
class Location {
  constructor(uri, range) { Object.assign(this, { uri, range }); }
}
class Uri {
  constructor(text) { this.text = text; this.scheme = new URL(text).protocol.slice(0, -1); }
  static parse(text) { return new Uri(text); }
  static file(file) { return new Uri(pathToFileURL(file).href); }
  get fsPath() { return fileURLToPath(this.text); }
  get path() { return new URL(this.text).pathname; }
  toString() { return this.text; }
}
class Disposable {
  constructor(dispose) { this.dispose = dispose ?? (() => {}); }
}
class EventEmitter {
  constructor() {
    this.listeners = new Set();
    this.event = (listener, self) => {
      const bound = listener.bind(self);
      this.listeners.add(bound);
      return new Disposable(() => this.listeners.delete(bound));
    };
  }
  fire(value) { return Promise.all([...this.listeners].map((listener) => listener(value))); }
  dispose() { this.listeners.clear(); }
}
class CancellationTokenSource {
  constructor() {
    const emitter = new EventEmitter();
    this.token = { isCancellationRequested: false, onCancellationRequested: emitter.event };
    this.cancel = () => { this.token.isCancellationRequested = true; emitter.fire(); };
    this.dispose = () => {};
  }
}
class Diagnostic {
  constructor(range, message, severity) { Object.assign(this, { range, message, severity }); }
}
class CompletionItem {
  constructor(label) { this.label = label; }
}
class CodeLens {
  constructor(range, command) { Object.assign(this, { range, command }); }
}
class Hover {
  constructor(contents, range) { Object.assign(this, { contents: [contents].flat(), range }); }
}
class MarkdownString {
  constructor(value = '') { this.value = value; }
  appendMarkdown(text) { this.value += text; return this; }
  appendCodeblock(text) { this.value += text; return this; }
}
class CodeActionKind {
  constructor(value) { this.value = value; }
  append(part) { return new CodeActionKind(this.value ? `${this.value}.${part}` : part); }
}
CodeActionKind.Empty = new CodeActionKind('');
for (const part of ['QuickFix', 'Refactor', 'Source']) CodeActionKind[part] = new CodeActionKind(part.toLowerCase());
for (const [name, value] of [['RefactorExtract', 'refactor.extract'], ['RefactorInline', 'refactor.inline'], ['RefactorRewrite', 'refactor.rewrite'], ['SourceOrganizeImports', 'source.organizeImports']]) {
  CodeActionKind[name] = new CodeActionKind(value);
}

const seen = { providers: {}, commands: {}, executed: [], errors: [], diagnostics: new Map(), settings: {}, log: '' };
const events = {};
const event = (name) => (events[name] ??= new EventEmitter()).event;
const matches = (selector, document) => [selector].flat().some((s) => s.language === document.languageId && s.scheme === document.uri.scheme);
const register = (kind, provider) => {
  seen.providers[kind] = provider;
  return new Disposable(() => delete seen.providers[kind]);
};
const of = (kinds, base) => Object.fromEntries(kinds.split(' ').map((kind) => [kind, base(kind)]));

const workspace = {
  textDocuments: [], notebookDocuments: [], workspaceFolders: undefined,
  getConfiguration: (section) => ({ get: (key, otherwise) => (section === 'cairn' ? seen.settings[key] : undefined) ?? otherwise }),
  getWorkspaceFolder: () => workspace.workspaceFolders?.[0],
  createFileSystemWatcher: () => ({ onDidCreate: event('fileCreate'), onDidChange: event('fileChange'), onDidDelete: event('fileDelete'), dispose() {} }),
  applyEdit: async (edit) => { seen.edit = edit; return true; },
  ...of('onDidChangeConfiguration onDidOpenTextDocument onDidCloseTextDocument onDidChangeTextDocument onDidSaveTextDocument onWillSaveTextDocument onDidChangeWorkspaceFolders onDidOpenNotebookDocument onDidCloseNotebookDocument onDidChangeNotebookDocument onDidSaveNotebookDocument onDidCreateFiles onDidRenameFiles onDidDeleteFiles onWillCreateFiles onWillRenameFiles onWillDeleteFiles', event),
};
const languages = {
  match: (selector, document) => (matches(selector, document) ? 10 : 0),
  createDiagnosticCollection: () => ({
    set: (uri, found) => { seen.diagnostics.set(uri.toString(), found ?? []); events.diagnostics?.fire(); },
    delete: (uri) => seen.diagnostics.delete(uri.toString()), clear: () => seen.diagnostics.clear(), dispose() {},
  }),
};
for (const kind of ['CompletionItem', 'Hover', 'Definition', 'Reference', 'DocumentSymbol', 'DocumentLink', 'Rename', 'CodeActions', 'CodeLens', 'FoldingRange', 'InlayHints', 'DocumentSemanticTokens']) {
  languages[`register${kind}Provider`] = (selector, provider) => register(kind, provider);
}
languages.registerWorkspaceSymbolProvider = (provider) => register('WorkspaceSymbol', provider);

module.exports = {
  seen, events, workspace, languages,
  window: {
    tabGroups: { all: [], onDidChangeTabs: event('tabs') }, activeTextEditor: undefined, visibleTextEditors: [],
    onDidChangeActiveTextEditor: event('activeTextEditor'),
    createOutputChannel: () => ({ append: (text) => { seen.log += text; }, appendLine: (text) => { seen.log += `${text}\n`; }, show() {}, dispose() {} }),
    showErrorMessage: async (text) => { seen.errors.push(text); },
    showWarningMessage: async () => {}, showInformationMessage: async () => {}, showTextDocument: async () => {},
  },
  commands: {
    registerCommand: (name, run) => { seen.commands[name] = run; return new Disposable(() => delete seen.commands[name]); },
    executeCommand: async (name, ...args) => (seen.commands[name] ? seen.commands[name](...args) : seen.executed.push([name, ...args])),
  },
  env: { appName: 'Visual Studio Code', language: 'en', openExternal: async () => true },
  version: '1.82.0', extensions: { all: [], getExtension() {} },
  Position, Range, Location, Uri, Disposable, EventEmitter, CancellationTokenSource, Diagnostic, CompletionItem, CodeLens, Hover, MarkdownString, CodeActionKind,
  CancellationError: class extends Error {},
  DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 }, DiagnosticTag: { Unnecessary: 1, Deprecated: 2 },
  ProgressLocation: { Window: 10, Notification: 15 }, SymbolKind: {}, SymbolTag: {}, FileType: {}, FoldingRangeKind: {}, NotebookCellKind: {}, TextDocumentSaveReason: {},
  CompletionItemKind: { Text: 0, Property: 9, Value: 11, Reference: 17, File: 16 }, CompletionItemTag: {}, CompletionTriggerKind: { Invoke: 0, TriggerCharacter: 1 }, CodeActionTriggerKind: { Invoke: 1 },
  SnippetString: class { constructor(value) { this.value = value; } },
  TextEdit: class { constructor(range, newText) { Object.assign(this, { range, newText }); } },
  ...of('CodeAction DocumentLink InlayHint SymbolInformation CallHierarchyItem TypeHierarchyItem DocumentSymbol FoldingRange WorkspaceEdit CompletionList SemanticTokens SemanticTokensEdits SemanticTokensEdit RelativePattern TabInputText TabInputCustom TabInputTextDiff DiagnosticRelatedInformation InlayHintLabelPart', (name) => ({ [name]: class { constructor(...values) { this.values = values; } } })[name]),
};
