import { readFileSync } from 'node:fs';
import { createJiti } from 'jiti';
import { describe, expect, test } from 'vitest';
import { openVendor, type Played } from '../../../test/support/scripted-vendor.ts';
import { runScenario, type Result, type Scenario } from '../../index.ts';
import type { PreviousReply } from '../../scenario/scenario-values.ts';
import { givenScenario } from './given-scenario.ts';
import { readCurl } from './read-curl.ts';
import { langServe } from './recipes/langserve.ts';
import { jsonResponse, sseResponse, type RawResponse, type Recipe } from './recipes/recipe.ts';
import { recipes } from './recipes/registry.ts';

const shipped = readFileSync(new URL('../../../scenarios/agent.ts', import.meta.url), 'utf8');

const written = (recipe: Recipe) => givenScenario(readCurl(recipe.curl), shipped);

/** Loads a scenario without the package. */
function load(text: string): Scenario {
  const source = text.replace(/^import .*$/m, 'const [defineProtocol, defineScenario] = [(x) => x, (x) => x];');
  const module = createJiti(import.meta.url, { fsCache: false }).evalModule(source, {
    filename: '/agent.ts',
    ext: '.ts',
  });
  return (module as { default: Scenario }).default;
}

/** Holds one conversation with a server that answers in this form. */
async function converse(recipe: Recipe, response: RawResponse, { stream, step }: { stream: boolean; step?: number }) {
  const played = (raw: RawResponse, size?: number): Played => ({
    raw: { source: recipe.docs, ...raw },
    ...(size !== undefined && { step: size }),
  });
  const { created = [], acknowledged } = recipe;
  const isPolled = acknowledged !== undefined && response.status < 300;
  const turn = [...(isPolled ? [played(acknowledged, step)] : []), played(response, step)];
  const vendor = await openVendor([...created.map((each) => played(each)), ...turn, ...turn]);
  const { target } = load(written(recipe).text);
  const replies: PreviousReply[] = [];
  const result = await runScenario({
    name: 'recipe',
    sessions: 1,
    retry: 'none',
    messages: {
      first: 'Where is it?',
      next: (reply) => {
        replies.push(reply);
        return replies.length < 2 ? 'And then?' : null;
      },
    },
    target: { ...target, ...(target?.auth !== 'none' && { apiKey: 'a-test-token' }), stream, baseUrl: vendor.baseUrl },
  });
  return { result, texts: replies.map(({ text }) => text), arrivals: vendor.arrivals };
}

/** Returns the classes of failed attempts. */
const failuresOf = ({ outcomes }: Result): string[] =>
  Object.entries(outcomes.attempts).flatMap(([name, count]) => (name === 'ok' || count === 0 ? [] : [name]));

const forms = recipes.flatMap((recipe) =>
  (['whole', 'streamed'] as const).flatMap((form) => {
    const responses = recipe[form];
    return responses === undefined ? [] : [{ name: recipe.name, form, recipe, responses, stream: form === 'streamed' }];
  }),
);

describe.each(forms)('$name, $form', ({ recipe, responses, stream }) => {
  test.each([undefined, 1])('its reply is read, also byte by byte (%s)', async (step) => {
    const { result, texts, arrivals } = await converse(recipe, responses.reply, { stream, ...(step && { step }) });
    expect([failuresOf(result), texts]).toEqual([[], [recipe.expected, recipe.expected]]);
    expect(arrivals.findLast(({ method }) => method === 'POST')?.body).toContain('And then?');
  });

  test('its error fails the turn with its class', async () => {
    if (responses.error === undefined) return;
    const { outcome } = responses.error;
    const { result } = await converse(recipe, responses.error, { stream });
    expect(failuresOf(result)).toEqual([outcome]);
  });

  test.each(responses.others ?? [])('its other reply ends otherwise: $body', async (other) => {
    const { result, texts } = await converse(recipe, other, { stream });
    if ('outcome' in other) expect(failuresOf(result)).toEqual([other.outcome]);
    else
      expect([failuresOf(result), texts, result.outcomes.finish]).toEqual([
        [],
        [other.text, other.text],
        expect.objectContaining({ [other.finish]: 2 }),
      ]);
  });
});

describe.each(recipes.map((recipe) => ({ name: recipe.name, recipe })))('the command of $name', ({ name, recipe }) => {
  test('is recognized', () => {
    const { text, chosen } = written(recipe);
    expect(chosen[0]).toEqual(['protocol', `${recipe.title}, by a definition (docs/guides/bots.md)`]);
    expect(text).toContain(`name: '${name}'`);
    expect(text).toContain("'Where is my order?',");
    expect(text).not.toContain('path.to.value');
  });

  test('is recognized under a prefix and with slashes at the end', () => {
    const curl = recipe.curl.replaceAll(/https?:\/\/[^/\s]+(?:\/[\w.~-]+)+/g, (url) => `${url}/`);
    expect(givenScenario(readCurl(curl), shipped).chosen[0]?.[1]).toContain(recipe.title);
  });

  test('gives a definition of at most 25 lines', () => {
    const definition = written(recipe).text.match(/^(?:type .*?|const ownApi.*?)^\}\);$/ms)?.[0] ?? '';
    expect(definition.split('\n').length).toBeGreaterThan(5);
    expect(definition.split('\n').length).toBeLessThanOrEqual(25);
  });
});

test.each([
  [
    '{"messages":[{"type":"system","content":"Be brief."},{"type":"human","content":"Where is it?"}]}',
    'type',
    'human',
    'ai',
  ],
  [
    '{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"},{"role":"user","content":"Where is it?"}]}',
    'role',
    'user',
    'assistant',
  ],
])('LangServe receives the whole conversation where its input is a list: %s', async (input, field, user, agent) => {
  const curl = `curl http://localhost:8000/bot/invoke -H 'Content-Type: application/json' -d '{"input":${input}}'`;
  const { arrivals } = await converse({ ...langServe, curl }, jsonResponse({ output: 'On its way.' }), {
    stream: false,
  });
  const { messages } = (JSON.parse(arrivals.at(-1)?.body ?? '') as { input: { messages: unknown[] } }).input;
  expect(messages.slice(-3)).toEqual([
    { [field]: user, content: 'Where is it?' },
    { [field]: agent, content: 'On its way.' },
    { [field]: user, content: 'And then?' },
  ]);
  expect(messages).toHaveLength(field === 'type' ? 4 : 3);
});

test('LangServe keeps the conversation itself where the request has the id of a session', async () => {
  const curl = `curl http://localhost:8000/bot/invoke -H 'Content-Type: application/json' -d '{"input":{"messages":[{"type":"human","content":"Where is it?"}]},"config":{"configurable":{"session_id":"s-1"}}}'`;
  const { arrivals } = await converse({ ...langServe, curl }, jsonResponse({ output: 'On its way.' }), {
    stream: false,
  });
  expect(arrivals.at(-1)?.body).toContain('{"messages":[{"type":"human","content":"And then?"}]}');
});

test.each(['answer', 'output', 'text', 'content'])('LangServe replies with objects that have %s', async (field) => {
  const whole = jsonResponse({ output: { context: [], [field]: 'On its way.' } });
  const chunks = [{ input: 'Where?' }, { context: [] }, { [field]: 'On its ' }, { [field]: 'way.' }];
  const events = chunks.map((chunk) => `event: data\r\ndata: ${JSON.stringify(chunk)}\r\n\r\n`);
  const streamed = sseResponse(`${events.join('')}event: end\r\n\r\n`);
  for (const [response, stream] of [[whole, false] as const, [streamed, true] as const]) {
    const { result, texts } = await converse(langServe, response, { stream });
    expect([failuresOf(result), texts]).toEqual([[], ['On its way.', 'On its way.']]);
  }
});

test('LangServe answers with a message in an object', async () => {
  const { texts } = await converse(langServe, jsonResponse({ output: { answer: { content: 'Yes.' } } }), {
    stream: false,
  });
  expect(texts).toEqual(['Yes.', 'Yes.']);
});

test('the path of a bot keeps a slash at its end', () => {
  const pathOf = (end: string): string | undefined => {
    const curl = `curl http://h/api/v1/prediction/abc${end} -d '{"question":"Hi"}'`;
    return /message: \{\s+path: '(.*)'/.exec(givenScenario(readCurl(curl), shipped).text)?.[1];
  };
  expect([pathOf('/'), pathOf('')]).toEqual(['/api/v1/prediction/{{agentId}}/', '/api/v1/prediction/{{agentId}}']);
});
