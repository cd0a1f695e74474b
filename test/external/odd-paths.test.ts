import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { DatasetDocument } from '../../src/dataset/inspect/dataset-document.ts';
import type { ResultsList } from '../../src/report/page/list/list.ts';
import type { Result } from '../../src/result/result.ts';
import { embeddedDefaults } from '../../src/scenario/embedded.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, readResult, root, runCommand, startCommand, type Ended } from '../support/command.ts';
import { unusedPort } from '../support/http-peer.ts';

// Every file that a command reads or writes, below a folder and with names of these characters: those with a meaning in
// URLs, in shells and in patterns, and an umlaut in both Unicode forms.
const odd = `a%20b 15% #1 ?x=1 "d" 's' (p) [q] {r} & \u00fc u\u0308`;
const mark = '\ufeff';

/** Returns a name of 200 characters, which ends in the given one. */
const long = (name: string): string => `${odd} ${'-'.repeat(199 - odd.length - name.length)}${name}`;

let folder = '';
const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');
const write = (name: string, text: string | Uint8Array): Promise<void> => writeFile(join(folder, name), text);

async function command(words: readonly string[], codes: readonly number[] = [0]): Promise<Ended> {
  // BASE_URL is set by the runner of the tests.
  const env = {
    CHAT_LOAD_CACHE: join(folder, long('cache')),
    CHAT_LOAD_API_KEY: embeddedDefaults.apiKey,
    BASE_URL: '',
  };
  const ended = await runCommand(words, { cwd: folder, env });
  expect(codes, `${words.join(' ')}\n${ended.stderr}\n${ended.stdout}`).toContain(ended.code);
  return ended;
}

/** Runs a scenario, and returns its result. A busy machine makes a run invalid, which does not matter here. */
async function ran(scenario: string, out: string, ...words: readonly string[]): Promise<Result> {
  await command(['run', scenario, '--out', out, ...words], [0, 4]);
  const result = await readResult(join(folder, out));
  expect(result.books).toMatchObject({ balanced: true, turns: { failed: 0 } });
  return result;
}

const talk = (text: string): string => JSON.stringify({ messages: [{ role: 'user', content: text }] });
const text = (value: unknown): string => JSON.stringify(value);

/** Files that are read, most of them as an editor on Windows saves them. */
const files = {
  scenario: long('load.ts'),
  module: long('load.mjs'),
  words: long('words.ts'),
  customers: long('customers.csv'),
  orders: long('orders.jsonl'),
  prices: long('prices.json'),
  talks: long('talks.jsonl'),
  trace: long('trace.csv'),
  config: long('service.json'),
  cert: long('cert.pem'),
  key: long('key.pem'),
  openapi: long('openapi.json'),
};

beforeAll(async () => {
  folder = join(await makeFolder(), odd, long('project'));
  await mkdir(folder, { recursive: true });
  // A file that a decoded path would name.
  await mkdir(folder.replaceAll('%20', ' '), { recursive: true });
  for (const name of [files.module, 'helper.mjs'])
    await writeFile(join(folder, name).replaceAll('%20', ' '), "throw new Error('another file');");
  await write('helper.mjs', "export const name = 'odd';\n");
  await write(
    files.words,
    `${mark}export const words = ['I am {{pick customers.name}}.', 'Where is {{pick orders.id}}?'];`,
  );
  const body = (also: string): string =>
    `{ name: 'odd', sessions: 4, turns: 2, thinkTime: '0s', prices: ${text(files.prices)}, ${also}
  data: { customers: { file: ${text(files.customers)} }, orders: { file: ${text(files.orders)} } } }`;
  await write(
    files.scenario,
    `${mark}import { defineScenario } from 'chat-load';
import { words } from ${text(`./${encodeURIComponent(files.words)}`)};
export default defineScenario(${body('messages: words,')});\n`,
  );
  await write(
    files.module,
    `${mark}export default ${body("messages: ['Hi {{pick customers.name}}', '{{pick orders.id}}'],")};\n`,
  );
  await write(files.customers, `${mark}name,plan\nAda,pro\n`);
  await write(files.orders, `${mark}{"id":"ORD-1"}\n{"id":"ORD-2"}\n`);
  await write(files.prices, `${mark}{"agent-support":{"input":1,"output":2}}`);
  await write(files.talks, `${mark}${['Hi', 'Hello', 'Where is it?'].map(talk).join('\n')}\n`);
  await write(
    files.trace,
    `${mark}time,user,in,out\n${Array.from({ length: 20 }, (_, at) => `${String(at * 25)},s${String(at >> 1)},12,20`).join('\n')}\n`,
  );
  await write(files.config, `${mark}{"latency":"1ms"}`);
  for (const part of ['cert', 'key'] as const) {
    const pem = await readFile(join(root, `test/fixtures/test-only-localhost.${part}.pem`), 'utf8');
    await write(files[part], `${mark}${pem}`);
  }
  await write(files.openapi, `${mark}${await readFile(join(root, 'test/fixtures/openapi/fastapi.json'), 'utf8')}`);
});

describe('files with odd names, below a folder with an odd name', () => {
  test('are the scenario, its imports, its lists, its prices, the folder of results and every report', async () => {
    const reports = ['html', 'md', 'xml', 'csv', 'json'].map((extension) => long(`report.${extension}`));
    const result = await ran(files.scenario, long('out'), ...reports.flatMap((name) => ['--report', name]));
    expect(result.scenario.name).toBe('odd');
    expect(reports.filter((name) => !existsSync(join(folder, name)))).toEqual([]);
    expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    await command(['plan', files.scenario]);
    await command(['run', files.scenario, '--dry-run', '--prices', files.prices]);
    await command(['try', files.scenario]);
  });

  test('are a scenario in JavaScript, and not the file that a decoded path names', async () => {
    await ran(files.module, long('module'));
  });

  test('are those of a run by several processes', async () => {
    const result = await ran(files.scenario, long('cores'), '--cores', '2');
    expect(result.run.status).toBe('completed');
  });

  test('are conversations and a trace, in a run, in fit, and in the scenario that fit writes', async () => {
    const [conversations, replay] = [long('talks.ts'), long('replay.ts')];
    await write(
      conversations,
      `import { fromFile } from 'chat-load';\nexport default { name: 'talks', sessions: 3, messages: fromFile(${text(files.talks)}) };\n`,
    );
    const map = "{ at: 'time', session: 'user', inputTokens: 'in', outputTokens: 'out', unit: 'ms' }";
    await write(replay, `export default { name: 'again', load: { trace: ${text(files.trace)}, columns: ${map} } };\n`);
    await ran(conversations, long('talked'));
    expect((await ran(replay, long('replayed'))).books.turns.planned).toBe(20);
    const fitted = long('fitted.ts');
    await command(['fit', files.talks, '--to', fitted]);
    await command(['plan', fitted]);
    await command(['fit', files.trace, '--columns', 'at=time,session=user,inputTokens=in,outputTokens=out,unit=ms']);
  });

  test('are datasets, and their conversion', async () => {
    const to = long('converted.jsonl');
    await command(['dataset', 'convert', files.talks, '--to', to]);
    const { stdout } = await command(['dataset', 'inspect', to, '--json']);
    expect(JSON.parse(stdout) as DatasetDocument).toMatchObject({ conversations: 3 });
  });

  test('are the scenario of an agent that it starts, and of the model service', async () => {
    const project = long('inside');
    await command(['init', project, '--example', 'inside']);
    const scenario = join(project, 'scenarios', 'inside.ts');
    const ports = ['--base-url', `http://127.0.0.1:${String(await unusedPort())}`, '--model-port', '0'];
    await command(['run', scenario, '--sessions', '4', '--out', long('inside out'), ...ports], [0, 1, 4]);
    expect((await readResult(join(folder, long('inside out')))).model?.calls.total).toBeGreaterThan(0);
  });

  test('are results, comparisons, trends with their history, and what the browser of results shows', async () => {
    const [one, other] = [long('one'), long('other')];
    for (const out of [one, other]) await command(['run', files.scenario, '--out', out], [0, 4]);
    const [name = ''] = await readdir(join(folder, one));
    const result = join(one, long('result.json'));
    await rename(join(folder, one, name), join(folder, result));
    await writeFile(join(folder, result), `${mark}${await read(result)}`);
    await command(['report', result, '--report', long('again.html')]);
    const both = ['--force', '--report', long('compare.html'), '--report', long('compare.md')];
    await command(['compare', one, other, ...both], [0, 1, 4]);
    await command(['compare', result, join(other, '*.json'), ...both], [0, 1, 4]);
    const history = join(one, 'history.json');
    await command(['trend', one, '--history', history, '--report', long('trend.html')]);
    expect(JSON.parse(await read(history))).toMatchObject({ kind: 'chat-load/history' });
    const ui = startCommand(['ui', one, other], { cwd: folder });
    const address = await printed(ui.child.stdout, /results page (\S+)\n/);
    const { rows } = (await (await fetch(`${address}results`)).json()) as ResultsList;
    expect(rows.map(({ file }) => file)).toContain(basename(result));
    for (const { id } of rows) expect((await fetch(`${address}report?result=${id}`)).status).toBe(200);
    ui.child.kill('SIGINT');
    expect((await ui.ended).code).toBe(0);
  });

  test('are a journal, and the result that is recovered from it', async () => {
    await ran(files.scenario, long('kept'), '--keep-journal');
    const [name = ''] = (await readdir(join(folder, long('kept')))).filter((each) => each.endsWith('.ndjson'));
    const journal = long('journal.ndjson');
    const lines = await readFile(join(folder, long('kept'), name));
    await write(journal, Buffer.concat([Buffer.from(mark), lines]));
    await command(['recover', journal, '--out', long('recovered')], [0, 4]);
    expect((await readResult(join(folder, long('recovered')))).books.balanced).toBe(true);
  });

  test('are the settings and the certificate of a service, and the authority that a run trusts', async () => {
    const words = ['--port', '0', '--config', files.config, '--tls-cert', files.cert, '--tls-key', files.key];
    const service = startCommand(['serve', ...words], { cwd: folder });
    const url = await printed(service.child.stdout, /(https:\/\/\S+)/);
    const target = ['--base-url', url.replace('127.0.0.1', 'localhost'), '--agent-id', embeddedDefaults.agentId];
    await ran(files.scenario, long('trusted'), ...target, '--ca', files.cert);
    service.child.kill('SIGINT');
    await service.ended;
  });

  test('are an API description, and the reports of a check, a search and a night', async () => {
    const api = ['--from-openapi', files.openapi, '--url', `http://127.0.0.1:${String(await unusedPort())}`];
    const written = await command(['init', long('described'), ...api], [0, 1, 2, 3]);
    expect(existsSync(join(folder, long('described'), 'scenarios/agent.ts')), written.stderr).toBe(true);
    await command(['check', '--only', 'memory', '--report', long('check.xml')], [0, 1, 4]);
    const search = ['--max-duration', '2s', '--max-step', '1s', '--max', '2', '--objective', 'turns.failedShare < 50%'];
    await command(['capacity', files.scenario, ...search, '--out', long('found')], [0, 1, 4]);
    expect(await readdir(join(folder, long('found')))).toHaveLength(1);
    const places = ['results', 'baseline', 'reports'].flatMap((name) => [`--${name}`, long(name)]);
    await command(['nightly', files.scenario, '--head', 'embedded', '--runs', '1', ...places], [0, 1, 4]);
    expect(existsSync(join(folder, long('results'), 'history.json'))).toBe(true);
  });
});

/** Returns the first group of the output of a stream once it matches. */
async function printed(stream: AsyncIterable<unknown> | null, wanted: RegExp): Promise<string> {
  let seen = '';
  for await (const part of stream ?? []) {
    seen += String(part);
    const found = wanted.exec(seen)?.[1];
    if (found !== undefined) return found;
  }
  throw new Error(`there is no ${String(wanted)} in: ${seen}`);
}

const missing = long('missing');
test.each<readonly string[]>([
  ['run', 'turn.ok.p99=15%'],
  ['run', `${missing}.ts`],
  ['run', `${missing}/load.mjs`],
  ['plan', `${missing}.ts`],
  ['try', `${missing}.ts`],
  ['check', `${missing}.ts`],
  ['capacity', `${missing}.ts`],
  ['calibrate', `${missing}.ts`],
  ['ab', `${missing}.ts`, '--base', 'embedded', '--head', 'embedded'],
  ['nightly', `${missing}.ts`, '--head', 'embedded'],
  ['worker', `${missing}.ts`, '--redis', 'redis://127.0.0.1:9'],
  ['report', `${missing}.json`],
  ['compare', `${missing}.json`, `${missing}.json`],
  ['trend', missing],
  ['ui', missing],
  ['recover', `${missing}.ndjson`],
  ['fit', `${missing}.csv`],
  ['dataset', 'inspect', `${missing}.jsonl`],
  ['dataset', 'convert', `${missing}.jsonl`, '--to', 'out.jsonl'],
  ['init', '--from-openapi', `${missing}.json`],
  ['serve', '--config', `${missing}.json`],
  ['plan', files.scenario, '--prices', `${missing}.json`],
  ['plan', files.scenario, '--base-url', 'https://localhost:9', '--agent-id', 'a', '--ca', `${missing}.pem`],
])('an unknown file is a usage error that names it: %j', async (...words) => {
  // BASE_URL is set by the runner of the tests.
  const { code, stderr } = await performCommand(words, { BASE_URL: '' }, folder);
  expect(code, stderr).toBe(2);
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(words.find((word) => /missing|%/.test(word)));
  expect(stderr).not.toMatch(/\n\s+at .*:\d+|URI malformed/);
});
