// The extension for VS Code: it starts `cairn lsp` for Markdown and Org.
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';

let client;
let turn = Promise.resolve(); // starts and stops come one after the other

// The lens with the number of backlinks has this command of the server, which returns places.
const backlinks = 'cairn.backlinks';

function start() {
  const settings = vscode.workspace.getConfiguration('cairn');
  const space = settings.get('space');
  const made = new LanguageClient('cairn', 'cairn', {
    command: settings.get('path') || 'cairn',
    args: space ? ['lsp', '--space', space] : ['lsp'],
  }, {
    documentSelector: ['markdown', 'org'].map((language) => ({ scheme: 'file', language })),
    initializationOptions: { inlayHints: settings.get('inlayHints') },
    middleware: {
      executeCommand: async (command, args, next) => {
        const found = await next(command, args);
        if (command === backlinks && found) {
          const from = made.protocol2CodeConverter;
          await vscode.commands.executeCommand('editor.action.showReferences', from.asUri(args[0]),
            from.asPosition(args[1] ?? { line: 0, character: 0 }), found.map((l) => from.asLocation(l)));
        }
        return found;
      },
    },
  });
  client = made;
  return made.start().catch((error) => {
    vscode.window.showErrorMessage(`cairn does not start: ${error?.message ?? error}. The setting cairn.path says where the program is.`);
  });
}

// Stopping a client that did not start is an error.
const stop = () => (client?.isRunning() ? client.dispose() : undefined);

export function activate(context) {
  context.subscriptions.push(vscode.workspace.onDidChangeConfiguration((change) => {
    if (change.affectsConfiguration('cairn')) turn = turn.then(stop).then(start);
  }));
  turn = start();
  return turn;
}

export function deactivate() {
  turn = turn.then(stop);
  return turn;
}
