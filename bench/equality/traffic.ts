import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { execute, type Recording } from './command.ts';

/** Protocols that `serve` supports, with the path of their base URL. */
const protocols: readonly (readonly [name: string, path: string])[] = [
  ['chat-messaging', ''],
  ['openai-chat', '/v1'],
  ['openai-responses', '/v1'],
  ['openai-responses-websocket', '/v1'],
  ['anthropic-messages', ''],
  ['ai-sdk', '/api/chat'],
  ['langgraph', ''],
  ['a2a', '/a2a'],
  ['bedrock-converse', ''],
  ['gemini', ''],
  ['azure-openai', '/openai'],
];

/** Records the bytes that a run sends in each protocol, and the forms of the lines of its journal. */
export async function recordTraffic({ checkout, folder }: Recording): Promise<void> {
  const service = spawn(process.execPath, [join(checkout, 'dist/cli/main.js'), 'serve', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = (await once(createInterface(service.stdout), 'line')) as [string];
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(line)?.[1]);
    for (const [index, [name, path]] of protocols.entries())
      for (const stream of [false, true]) {
        const { bytes, journal, end } = await record({ checkout, port, name, path, stream });
        const file = join(folder, `${String(index)}-${name}${stream ? '-streamed' : ''}`);
        await writeFile(`${file}.requests`, bytes);
        await writeFile(`${file}.journal`, journal);
        await writeFile(`${file}.end`, end);
      }
  } finally {
    service.kill();
  }
}

interface Traffic {
  checkout: string;
  port: number;
  name: string;
  path: string;
  stream: boolean;
}

async function record({
  checkout,
  port,
  name,
  path,
  stream,
}: Traffic): Promise<Record<'bytes' | 'journal' | 'end', string>> {
  const folder = await mkdtemp(join(tmpdir(), 'chat-load-traffic-'));
  const sent: Buffer[][] = [];
  const relay = await listen(port, sent);
  try {
    const own = String((relay.address() as AddressInfo).port);
    await writeFile(
      join(folder, 's.mjs'),
      `export default { name: 's', seed: 7, sessions: 3, turns: 3, load: { concurrency: 1 },
  messages: ['Hello {{session.number}}', 'Grüße 😀'], variableValues: { customerName: 'Ada', orderNumber: 'ORD-{{session.number}}' },
  target: { baseUrl: 'http://127.0.0.1:${own}${path}', protocol: '${name}', agentId: 'agent-support', stream: ${String(stream)}, auth: 'none',
    headers: { Authorization: 'Bearer chat-load-embedded-key' } } };\n`,
    );
    const { code, stderr } = await execute(checkout, ['run', 's.mjs', '--out', 'o', '--keep-journal'], folder);
    const journals = (await readdir(join(folder, 'o')).catch(() => [])).filter((each) => each.endsWith('.ndjson'));
    const lines = await Promise.all(journals.map((each) => readFile(join(folder, 'o', each), 'utf8')));
    return {
      bytes: steady(sent.map((parts) => Buffer.concat(parts).toString('latin1')).join('\n--\n')).replaceAll(
        own,
        'PORT',
      ),
      journal: forms(lines.join('')),
      end: `exit ${String(code)}\n${code === 0 ? '' : stderr}`,
    };
  } finally {
    relay.close();
    await rm(folder, { recursive: true });
  }
}

/** Listens on a free port, passes everything on in both directions, and keeps the bytes of each client. */
async function listen(port: number, sent: Buffer[][]): Promise<Server> {
  const relay = createServer((client) => {
    const bytes: Buffer[] = [];
    sent.push(bytes);
    const service = connect(port, '127.0.0.1');
    client.on('data', (part) => bytes.push(part));
    client.pipe(service);
    service.pipe(client);
    for (const [one, other] of [
      [client, service],
      [service, client],
    ] as const)
      one.on('error', () => other.destroy());
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  return relay;
}

/** Replaces what differs between two runs of the same command: ids, dates, and keys and masks of WebSockets. */
const steady = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID')
    .replace(/\b[\w-]*[0-9a-f]{16,}\b/g, 'ID')
    .replace(/(Sec-WebSocket-Key: ).*/gi, '$1KEY')
    // The frames of a client are masked by random bytes: only their number is kept.
    .replace(/[\x80-\xff]{2}[^]*$/g, (rest) => (text.includes('Upgrade: websocket') ? `(frames)` : rest));

/** Lists the paths in the lines of a journal with the types of their values, each once. */
function forms(lines: string): string {
  const entries = lines.split('\n').filter((line) => line !== '');
  const paths = entries.flatMap((line) => pathsOf(JSON.parse(line), ''));
  return [...new Set(paths)]
    .filter((path) => !depending.test(path))
    .sort()
    .join('\n');
}

/** Paths that a journal has only if the machine was slow, or events were read together. */
const depending = /\.(?:shifts|readDelays?|buffered)\b/;

function pathsOf(value: unknown, path: string): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => pathsOf(each, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [`${path}: ${value === null ? 'null' : typeof value}`];
  // Keys that are numbers are values of a histogram.
  return Object.entries(value).flatMap(([key, each]) => pathsOf(each, `${path}.${/^\d+$/.test(key) ? 'N' : key}`));
}
