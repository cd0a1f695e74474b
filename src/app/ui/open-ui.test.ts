import { once } from 'node:events';
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { folderWith, listable, resultText } from '../../../test/support/results-folder.ts';
import { writeSyntheticJournal } from '../../../test/support/synthetic-journal.ts';
import type { ResultsList } from '../../report/page/list/list.ts';
import { openUi, type OpenUi } from './open-ui.ts';

const opened: OpenUi[] = [];
const bugs: unknown[] = [];

async function open(...folders: string[]): Promise<OpenUi> {
  const ui = await openUi({ folders, host: '127.0.0.1', port: 0 }, (thrown) => bugs.push(thrown));
  opened.push(ui);
  return ui;
}

afterEach(() => {
  for (const ui of opened.splice(0)) ui.close();
  expect(bugs.splice(0)).toEqual([]);
});

interface Answered {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Sends the path unchanged: `fetch` would remove `..` from it. */
async function ask(
  { address }: OpenUi,
  behind: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<Answered> {
  const { hostname, port, pathname } = new URL(address);
  const sent = request({ host: hostname, port, method, path: `${pathname}${behind}`, headers, agent: false });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.setEncoding('utf8');
  let body = '';
  response.on('data', (text: string) => (body += text));
  await once(response, 'end');
  return { status: response.statusCode ?? 0, headers: response.headers, body };
}

const nights = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => {
      const day = String(at + 1).padStart(2, '0');
      return [`night-${day}.json`, listable({ startedAt: `2026-01-${day}T02:00:00.000Z`, label: 'v1' })] as const;
    }),
  );

async function idsOf(ui: OpenUi): Promise<string[]> {
  const list = JSON.parse((await ask(ui, 'results')).body) as ResultsList;
  return list.rows.map(({ id }) => id);
}

/** The title of a document's page. */
const titleOf = ({ body }: Answered): string | undefined => /<title>([^<]*)/.exec(body)?.[1];

describe('the results browser', () => {
  test('serves a page, its list and runs in progress', async () => {
    const ui = await open(await folderWith(nights(2)));
    const page = await ask(ui, '');
    expect([page.status, titleOf(page)]).toEqual([200, 'chat-load: results']);
    expect(await idsOf(ui)).toHaveLength(2);
    expect((await ask(ui, 'runs')).body).toBe('[]');
  });

  test('sends a list once, and nothing to a client that already has it', async () => {
    const ui = await open(await folderWith(nights(1)));
    const { version } = JSON.parse((await ask(ui, 'results')).body) as ResultsList;
    expect(await ask(ui, `results?known=${version}`)).toMatchObject({ status: 204, body: '' });
    expect((await ask(ui, 'results?known=another')).status).toBe(200);
  });

  test('has the pages that the commands write', async () => {
    const ui = await open(await folderWith(nights(3)));
    const [a = '', b = '', c = ''] = await idsOf(ui);
    expect(titleOf(await ask(ui, `report?result=${a}`))).toMatch(/^peak \(v1\): /);
    expect(titleOf(await ask(ui, `report?result=${a}&result=${b}`))).toMatch(/^2 runs/);
    expect(titleOf(await ask(ui, `compare?base=${a}&base=${b}&head=${c}`))).toMatch(/peak/);
    expect(titleOf(await ask(ui, 'trend?folder=0&scenario=peak&metric=turn.ok.p99'))).toMatch(/peak|[Tt]rend/);
  });

  test.each(['', 'report?result=ID', 'report?result=none'])(
    'does not allow %o to load anything, or to be embedded',
    async (at) => {
      const ui = await open(await folderWith(nights(1)));
      const { headers } = await ask(ui, at.replace('ID', (await idsOf(ui))[0] ?? ''));
      expect(headers['content-security-policy']).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
      expect(headers['content-security-policy']).not.toContain('unsafe');
      expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    },
  );
});

test('a recovered run is not active: its result has its id', async () => {
  const { lines } = await writeSyntheticJournal('gamma');
  const folder = await folderWith({ ...nights(1), 'gamma.ndjson': `${lines[0] ?? ''}\n` });
  const ui = await open(folder);
  expect(JSON.parse((await ask(ui, 'runs')).body)).toHaveLength(1);
  const result = listable({});
  await writeFile(join(folder, 'gamma.json'), resultText({ ...result, run: { ...result.run, id: 'gamma' } }));
  expect((await ask(ui, 'runs')).body).toBe('[]');
});

test('an impossible comparison is a page with the reason, as in the terminal', async () => {
  const base = listable({ startedAt: '2026-01-02T02:00:00.000Z' });
  const other = listable({ startedAt: '2026-01-01T02:00:00.000Z' });
  const head = { ...other, scenario: { ...other.scenario, hash: 'another' } };
  const ui = await open(await folderWith({ 'base.json': base, 'head.json': head }));
  const [newest = '', oldest = ''] = await idsOf(ui);
  const page = await ask(ui, `compare?base=${newest}&head=${oldest}`);
  expect([page.status, titleOf(page)]).toEqual([200, expect.stringMatching(/INVALID: .*scenario/)]);
});

describe('an invalid request', () => {
  test.each<[string, string, RegExp]>([
    ['a result that there is not', 'report?result=nothing', /error No such result/],
    ['a path', 'report?result=..%2F..%2Fetc%2Fpasswd', /error No such result/],
    ['a comparison without a head', 'compare?base=ID', /error No result for the head/],
    ['a metric that there is not', 'trend?metric=turn.p9', /error --metric: .*turn/],
    ['a scenario that there is not', 'trend?scenario=pek', /error --scenario: .*peak/],
    ['a folder that there is not', 'trend?folder=7', /error No such folder: 7/],
    ['a hostile scenario', 'trend?scenario=%3C/script%3E', /404/],
  ])('gets an error page: %s', async (_, at, said) => {
    const ui = await open(await folderWith(nights(1)));
    const { status, body } = await ask(ui, at.replace('ID', (await idsOf(ui))[0] ?? ''));
    expect(`${String(status)} ${body.replaceAll('&#39;', "'")}`).toMatch(said);
  });

  test('shows texts as texts', async () => {
    const ui = await open(await folderWith(nights(1)));
    const { body } = await ask(ui, 'trend?scenario=%3Cimg src=x onerror=alert(1)%3E'.replaceAll(' ', '%20'));
    expect(body).toContain('&lt;img src=x');
    expect(body).not.toContain('<img');
  });

  test.each<[string, string, { method?: string; headers?: Record<string, string> }]>([
    ['another method', 'results', { method: 'POST' }],
    ['another page', 'other', {}],
    ['a path further down', 'report/more', {}],
    ['a path upwards', '../../../etc/passwd', {}],
    ['a file by its name', 'night-01.json', {}],
    ['a name that was pointed here', '', { headers: { host: 'evil.example' } }],
    ['the list, by a page elsewhere', 'results', { headers: { origin: 'https://evil.example' } }],
  ])('is not found: %s', async (_, at, asked) => {
    const ui = await open(await folderWith(nights(1)));
    expect(await ask(ui, at, asked)).toMatchObject({ status: 404, body: 'Not found.\n' });
  });

  test('is not found by another token', async () => {
    const ui = await open(await folderWith(nights(1)));
    const { address } = ui;
    const other = { ...ui, address: address.replace(/.\/$/, (end) => (end === 'A/' ? 'B/' : 'A/')) };
    expect((await ask(other, '')).status).toBe(404);
  });

  test('reaches nothing outside the folders through a link: no trend, no comparison', async () => {
    const elsewhere = await folderWith(nights(12));
    const folder = await folderWith({ 'own.json': listable({ startedAt: '2026-02-01T00:00:00.000Z' }) });
    for (const name of Object.keys(nights(12))) await symlink(join(elsewhere, name), join(folder, name));
    const ui = await open(folder);
    const { body } = await ask(ui, 'trend');
    expect(body).not.toContain('2026-01-');
    const [own = '', out = ''] = await idsOf(ui);
    const refused = await ask(ui, `compare?base=${own}&head=${out}`);
    expect(refused.status).toBe(400);
    expect(refused.body).toContain('leads out of the folder');
  });
});

test('a port that is in use is an environment error with its remedy', async () => {
  const folder = await folderWith(nights(1));
  const { address } = await open(folder);
  const port = Number(new URL(address).port);
  await expect(openUi({ folders: [folder], host: '127.0.0.1', port }, () => undefined)).rejects.toMatchObject({
    code: 'environment',
    message: `The results browser cannot listen on 127.0.0.1, port ${String(port)}: the port is in use.`,
  });
});
