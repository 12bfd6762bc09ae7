// Runs the bundled extension against a stand-in for VS Code and a real server, and prints
// what a person would see. Arguments: the bundle, the program, the file to open.
'use strict';
const Module = require('node:module');
const fs = require('node:fs');
const path = require('node:path');
const vscode = require('./vscode.js');

const [bundle, program, file] = process.argv.slice(2);
const resolve = Module._resolveFilename;
Module._resolveFilename = (name, ...rest) => (name === 'vscode' ? require.resolve('./vscode.js') : resolve(name, ...rest));

const { seen, events } = vscode;
const say = (name, text) => console.log(`${name}: ${text}`);
const token = new vscode.CancellationTokenSource().token;

function open(name) {
  const uri = vscode.Uri.file(name);
  const document = {
    uri, fileName: name, languageId: 'markdown', version: 1, isDirty: false, isClosed: false,
    text: fs.readFileSync(name, 'utf8'), getText() { return this.text; },
  };
  vscode.workspace.textDocuments.push(document);
  return document;
}

// Waits until something is so.
async function until(what, ready) {
  for (const end = Date.now() + 30000; !ready(); await new Promise((done) => setTimeout(done, 20))) {
    if (Date.now() > end) throw new Error(`no ${what}`);
  }
}

async function main() {
  const extension = require(bundle);
  const context = { subscriptions: [] };
  vscode.workspace.workspaceFolders = [{ uri: vscode.Uri.file(path.dirname(file)), name: 'notes', index: 0 }];

  seen.settings = { path: '/nowhere/cairn', space: '', inlayHints: false };
  await extension.activate(context);
  say('errors', seen.errors.join(' | '));

  seen.settings = { path: program, space: 'notes', inlayHints: true };
  await events.onDidChangeConfiguration.fire({ affectsConfiguration: (section) => section === 'cairn' });
  await until('server', () => seen.providers.Hover);
  const document = open(file);
  events.onDidOpenTextDocument.fire(document);
  const found = () => seen.diagnostics.get(document.uri.toString()) ?? [];
  await until('diagnostics', () => found().length > 0);
  say('diagnostic', found()[0].message);
  say('hints', Boolean(seen.providers.InlayHints));

  const at = new vscode.Position(2, 10);
  const provider = (kind) => seen.providers[kind];
  const [definition] = [await provider('Definition').provideDefinition(document, at, token)].flat();
  say('definition', path.basename(definition.uri.fsPath));
  say('hover', (await provider('Hover').provideHover(document, at, token)).contents[0].value.split('\n')[0]);

  document.text += 'See [[lovel\n';
  document.version++;
  const end = new vscode.Range(3, 0, 3, 0);
  events.onDidChangeTextDocument.fire({
    document, contentChanges: [{ range: end, rangeOffset: 0, rangeLength: 0, text: 'See [[lovel\n' }],
  });
  const items = await provider('CompletionItem').provideCompletionItems(document, new vscode.Position(3, 11), token, { triggerKind: 0 });
  say('complete', (items.items ?? items.values?.[0] ?? items)[0].label);

  const ada = open(path.join(path.dirname(file), 'ada.md'));
  events.onDidOpenTextDocument.fire(ada);
  const [lens] = await provider('CodeLens').provideCodeLenses(ada, token);
  say('lens', lens.command.title);
  await vscode.commands.executeCommand(lens.command.command, ...lens.command.arguments);
  const [name, , , places] = seen.executed.at(-1);
  say('shows', `${name} ${places.map((l) => path.basename(l.uri.fsPath))}`);

  await extension.deactivate();
  say('commands left', Object.keys(seen.commands).length);
}

main().then(() => process.exit(0), (error) => {
  console.log(error, seen.errors, seen.log);
  process.exit(1);
});
