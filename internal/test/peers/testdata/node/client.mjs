// Uses cairn through a client of the TypeScript SDK. Arguments: the package of
// the SDK, then "stdio COMMAND ARGS..." or "http URL TOKEN". Each line of the
// output names something that worked.
import assert from 'node:assert/strict';

const [sdk, way, target, ...rest] = process.argv.slice(2);
const second = sdk === '@modelcontextprotocol/client'; // of the SDK's two generations
const { Client } = await import(second ? sdk : `${sdk}/client/index.js`);

async function transport() {
  if (way === 'stdio') {
    const { StdioClientTransport } = await import(second ? `${sdk}/stdio` : `${sdk}/client/stdio.js`);
    return new StdioClientTransport({ command: target, args: rest, env: process.env });
  }
  const { StreamableHTTPClientTransport } = await import(second ? sdk : `${sdk}/client/streamableHttp.js`);
  return new StreamableHTTPClientTransport(new URL(target), {
    requestInit: { headers: { Authorization: `Bearer ${rest[0]}` } },
  });
}

const said = (name) => console.log(name);
const client = new Client({ name: 'peer', version: '1' });
let updated;
const heard = new Promise((resolve) => { updated = resolve; });
const onUpdated = (n) => updated(n.params.uri);
if (second) {
  client.setNotificationHandler('notifications/resources/updated', onUpdated);
} else {
  const { ResourceUpdatedNotificationSchema } = await import(`${sdk}/types.js`);
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, onUpdated);
}

// The SDK checks answers against the tools' output schemas.
async function call(name, args) {
  const r = await client.callTool({ name, arguments: args });
  const value = JSON.parse(r.content[0].text);
  if (!r.isError) assert.deepEqual(r.structuredContent, value);
  return { failed: r.isError ?? false, value };
}

await client.connect(await transport());
assert.equal(client.getServerVersion().name, 'cairn');
assert.match(client.getInstructions(), /recall/);
said('initialize');

const { tools } = await client.listTools();
assert.deepEqual(tools.map((t) => t.name).sort(), ['browse', 'edit', 'read', 'recall', 'remember', 'status', 'undo', 'write']);
assert.ok(tools.every((t) => t.annotations && t.outputSchema));
said('tools/list');

const title = `Cairns of ${sdk} over ${way}`;
const { value: kept } = await call('remember', { text: 'A pile of stones that marks the way.', title });
const [page] = kept.pages;
said('remember');

const { value: found } = await call('recall', { query: title, limit: 1 });
assert.equal(found.items[0].ref, page.ref);
said('recall');

const { value: read } = await call('read', { ref: page.ref });
const edited = await call('edit', { ref: page.ref, edits: [{ do: 'append', text: 'More stones.' }], expected_version: read.version });
assert.equal(edited.value.pages[0].version, read.version + 1);
said('edit');

const stale = await call('write', { ref: page.ref, text: 'Lost.', expected_version: read.version });
assert.ok(stale.failed);
assert.equal(stale.value.error.code, 'conflict');
assert.equal(stale.value.error.details.current_version, read.version + 1);
said('stale write refused');

const uri = `memory://pages/${page.ref}`;
const { contents } = await client.readResource({ uri });
assert.match(contents[0].text, /More stones/);
assert.ok((await client.listResources()).resources.some((r) => r.uri === 'memory://index'));
assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 2);
await assert.rejects(client.readResource({ uri: 'memory://pages/no-such-page' }));
said('resources');

const asked = await client.getPrompt({ name: 'recall', arguments: { topic: 'cairns' } });
assert.match(asked.messages[0].content.text, /cairns/);
assert.equal((await client.listPrompts()).prompts.length, 5);
said('prompts');

const { completion } = await client.complete({
  ref: { type: 'ref/resource', uri: 'memory://pages/{+slug}' },
  argument: { name: 'slug', value: 'cairns-of' },
});
assert.ok(completion.values.length > 0);
said('completion');

await client.subscribeResource({ uri });
await call('edit', { ref: page.ref, edits: [{ do: 'append', text: 'Still more.' }] });
assert.equal(await heard, uri);
said('subscription');

await client.close();
