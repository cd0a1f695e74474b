import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { seenReply, readTrial } from '../../app/init/seen-reply.ts';
import type { GivenApi } from '../../app/init/given-api.ts';
import { givenScenario, type GivenScenario } from '../../app/init/given-scenario.ts';
import { readCurl } from '../../app/init/read-curl.ts';
import { readOpenapi } from '../../app/init/read-openapi.ts';
import { performTry } from '../../app/try/perform-try.ts';
import { ChatLoadError, usageError } from '../../base/errors.ts';
import { fileReason } from '../../base/file-reason.ts';
import type { ContactExchange } from '../../conformance/contact/contact.ts';
import { shellWord } from '../../base/format.ts';
import { writeNewFiles, type NewFile } from '../../edge/disk/write-new-files.ts';
import { readTextOf } from '../../edge/open-file.ts';
import { keepSecret, stdout } from '../console/terminal.ts';
import { withStatus } from '../console/screen.ts';
import type { Given } from '../parser/options.ts';
import { noteKept } from './kept-files.ts';
import { resolveScenarioFile } from './resolve-scenario-file.ts';
import { tryService } from './try.ts';

/** Reads the API from a curl command or an OpenAPI description. Throws a usage error. */
export async function readGiven(args: Given<'init'>): Promise<GivenApi> {
  const { 'from-curl': curl, 'from-openapi': openapi = '', url, operation, parameter } = args;
  if (curl !== undefined) return readCurl(curl === '-' ? await textOf(process.stdin) : curl);
  return readOpenapi(await readSource(openapi), { url, operation, parameters: parameter });
}

async function readSource(path: string): Promise<string> {
  try {
    return path === '-' ? await textOf(process.stdin) : await readTextOf(path);
  } catch (thrown) {
    const fault = `--from-openapi ${path} cannot be read: ${fileReason(thrown)}.`;
    throw usageError(
      fault,
      /^https?:/.test(path)
        ? `Nothing was written. Save it first: curl -o openapi.json ${shellWord(path)}`
        : 'Nothing was written. Name a readable file.',
      thrown,
    );
  }
}

interface Writing {
  folder: string;
  /** The shipped scenario, at the path of the new one. */
  shipped: NewFile;
  missing: readonly NewFile[];
  kept: readonly NewFile[];
  agentId: string | undefined;
}

/** Writes the scenario of an API, tries it, and returns the exit code of `try`. Secrets stay in this process. */
export async function tryGiven(api: GivenApi, { folder, shipped, missing, kept, agentId }: Writing): Promise<number> {
  const first = givenScenario(api, shipped.text, agentId);
  for (const value of first.variables.values()) keepSecret(value);
  const path = join(folder, shipped.path);
  await writeNewFiles(folder, [{ ...shipped, text: first.text }, ...missing]);
  for (const file of [shipped, ...missing]) stdout.note(`wrote     ${join(folder, file.path)}`);
  await noteKept(folder, kept);
  return withVariables(first, async (unset) => {
    const scenario = unset.length > 0 || !first.isAssumed ? first : await learn(api, { path, first, shipped, agentId });
    for (const [part, words] of scenario.chosen) stdout.note(`${part.padEnd(9)} ${words}`);
    for (const note of api.notes) stdout.note(`note      ${note}`);
    if (api.stream === true && !scenario.stream) stdout.note(`note      ${notStreamed}`);
    for (const name of scenario.variables.keys()) stdout.note(`first     export ${name}=...`);
    const tried = `npx chat-load try ${shellWord(path)}`;
    if (unset.length > 0)
      throw usageError(
        `The scenario was written but not tried: ${unset.join(' and ')} ${unset.length === 1 ? 'is' : 'are'} not set.`,
        `Set ${unset.length === 1 ? 'it' : 'them'}, then:\n  ${tried}\n  npx chat-load run ${shellWord(path)}`,
      );
    stdout.line('');
    const code = await tryService({ scenario: path });
    return code;
  });
}

const notStreamed =
  '--stream has no effect: no streamed reply was received. Pass the request that requires one, often with "stream": true in its body';

/** Calls back with the values of the source in the environment; `unset`: variables that have no value. */
async function withVariables(
  { variables }: GivenScenario,
  call: (unset: readonly string[]) => Promise<number>,
): Promise<number> {
  const before = { ...process.env };
  for (const [name, value] of variables) if (value !== undefined) process.env[name] = value;
  try {
    return await call([...variables.keys()].filter((name) => (process.env[name] ?? '') === ''));
  } finally {
    for (const name of variables.keys())
      if (before[name] === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = before[name];
  }
}

/** Statuses by which a service that creates the ids of its paths refuses others. */
const unknownId = [400, 403, 404, 409, 410, 422, 500];

interface Learning extends Pick<Writing, 'shipped' | 'agentId'> {
  path: string;
  first: GivenScenario;
}

/** Sends the request of the source and rewrites the scenario with the places found in the response; at most one creation and one message, or two messages if the first one is refused. */
async function learn(api: GivenApi, { path, first, shipped, agentId }: Learning): Promise<GivenScenario> {
  let [seen, scenario] = [api, first];
  for (let at = 0; at < 2 && scenario.isAssumed; at++) {
    const failed = await firstFailure(path);
    const answer = failed && seenReply(failed.response, api.stream);
    const { reply, error } = answer === undefined ? { reply: undefined, error: undefined } : readTrial(answer);
    const status = failed?.response.status ?? 0;
    const failure = status >= 300 ? String(status) : error;
    const isRefused = unknownId.includes(status) || (status < 300 && error !== undefined);
    const kept = isRefused ? givenScenario({ ...seen, keepsPath: true }, shipped.text, agentId) : scenario;
    if (kept.text !== scenario.text) {
      [seen, scenario] = [{ ...seen, keepsPath: true }, kept];
      await writeFile(path, scenario.text);
      continue;
    }
    if (failure !== undefined) {
      seen = { ...seen, failure };
      scenario = givenScenario(seen, shipped.text, agentId);
    }
    if (failed === undefined || reply === undefined) break;
    const created = failed.turn === 0 && 'json' in reply ? reply.json : seen.created;
    // Cookies of the command are the same for all sessions.
    const cookies = seen.cookies ?? (setsCookie(failed) && !sendsCookie(api) ? true : undefined);
    seen = { ...seen, created, cookies, ...(failed.turn > 0 && { reply }) };
    scenario = givenScenario(seen, shipped.text, agentId);
    await writeFile(path, scenario.text);
    if (error !== undefined) break;
  }
  return scenario;
}

const setsCookie = ({ response }: ContactExchange): boolean =>
  response.fields.some(([name]) => name.toLowerCase() === 'set-cookie');

const sendsCookie = ({ message }: GivenApi): boolean => message.headers.some(([name]) => /^cookie$/i.test(name));

/** Returns the last exchange of a conversation; `undefined` if none can be held, which `try` then reports. */
async function firstFailure(path: string): Promise<ContactExchange | undefined> {
  try {
    const resolved = await resolveScenarioFile({ scenario: path });
    return await withStatus('reading a reply', ['Stopping.'], async (_, stops) => {
      const contact = await performTry({ resolved, stops, note: () => undefined });
      return contact.signal === undefined ? contact.exchanges.at(-1) : undefined;
    });
  } catch (thrown) {
    if (thrown instanceof ChatLoadError) return undefined;
    throw thrown;
  }
}
