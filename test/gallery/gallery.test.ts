import { describe, expect, test } from 'vitest';
import type { ChatProtocol } from '../../src/protocol/protocol.ts';
import { protocols, type ProtocolName } from '../../src/protocol/registry/registry.ts';
import { usageParts } from '../../src/protocol/usage.ts';
import type { Result } from '../../src/index.ts';
import { performCommand } from '../support/command-in-process.ts';
import { openSocketVendor } from '../support/scripted-socket.ts';
import { openVendor } from '../support/scripted-vendor.ts';
import { bodyOf, byteByByte, objectsIn, playRow, type NamedRow } from './play-row.ts';
import { isApplicable, type Answered, type Cell, type Forms, type GalleryRow, type Raw, type Refused } from './row.ts';
import { galleryRows } from './rows.ts';

const rows: NamedRow[] = Object.entries(galleryRows).map(([name, row]) => ({ name: name as ProtocolName, row }));

/** Rows to which a cell applies, with the value of the cell. */
const withCell = <Tested extends object>(cellOf: (row: GalleryRow) => Cell<Tested>) =>
  rows.flatMap((each) => {
    const cell = cellOf(each.row);
    return isApplicable(cell) ? [{ ...each, cell }] : [];
  });

/** Rows with a cell, once for each of the forms to which it applies. */
const inForms = <Tested extends object>(formsOf: (row: GalleryRow) => Cell<Forms<Tested>>) =>
  withCell(formsOf).flatMap(({ cell: forms, ...each }) =>
    (['streamed', 'whole'] as const).flatMap((form) => {
      const cell = forms[form];
      return isApplicable(cell) ? [{ ...each, form, stream: form === 'streamed', cell }] : [];
    }),
  );

/** Streamed if the protocol streams. */
const usualForm = ({ request }: GalleryRow): boolean => isApplicable(request.streamed);

const nonZero = (counts: object): object =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));

function expectAnswered({ result, replies }: Awaited<ReturnType<typeof playRow>>, answered: Answered): void {
  const { text, usage, contentEvents = 0, reasoned } = answered;
  const seen = { outcome: 'ok', text, usage: usage && reportedIn(usage) };
  expect(replies.map((reply) => ({ ...reply, usage: reply.usage && reportedIn(reply.usage) }))).toEqual([seen]);
  expect(nonZero(result.outcomes.attempts)).toEqual({ ok: 1 });
  expect(tokensIn(result)).toEqual(usage === undefined ? {} : reportedIn(usage));
  const { contentEvents: events, reasoned: withReasoning } = result.stream;
  expect([events, withReasoning]).toEqual([contentEvents, reasoned === true ? 1 : 0]);
}

const reportedIn = (usage: object): object =>
  Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== undefined));

/** Sums of the result, by the names of the parts of a usage. */
function tokensIn({ tokens }: Result): object {
  const names = { inputTokens: 'input', outputTokens: 'output', cachedInputTokens: 'cachedInput' } as const;
  const others = {
    cacheWriteTokens: 'cacheWrite',
    cacheWrite1hTokens: 'cacheWrite1h',
    reasoningTokens: 'reasoning',
  } as const;
  const all = { ...names, ...others };
  const sums = usageParts.map((part) => [part, tokens[all[part]].tokens ?? undefined]);
  return reportedIn(Object.fromEntries(sums) as object);
}

function expectRefused(
  { result }: Awaited<ReturnType<typeof playRow>>,
  { answer, outcome, detail }: Refused,
  name: ProtocolName,
): void {
  const { createAttempts, attempts } = result.outcomes;
  expect(nonZero(isOfUpgrade(name, answer) ? createAttempts : attempts)).toEqual({ [outcome]: 1 });
  expect(result.examples[0]?.detail).toContain(detail);
}

/** Reports whether a response refuses the upgrade that creates a session. */
const isOfUpgrade = (name: ProtocolName, { status }: Raw): boolean => {
  const { transport }: ChatProtocol = protocols[name].protocol;
  return transport === 'websocket' && status !== 101;
};

test('every protocol of the registry has a row, in the order of the registry', () => {
  expect(Object.keys(galleryRows)).toEqual(Object.keys(protocols));
});

describe.each([
  { form: 'streamed', stream: true },
  { form: 'whole', stream: false },
] as const)('$form replies', ({ form, stream }) => {
  const answered = withCell((row) => row.cells[form]);

  test.each(answered)('of $name are read byte by byte, and at once', async ({ cell, ...each }) => {
    expectAnswered(await playRow(each, [byteByByte(cell.answer)], { stream }), cell);
    expectAnswered(await playRow(each, [{ raw: cell.answer }], { stream }), cell);
  });

  test.each(answered)('of $name are requested as the vendor describes', async ({ cell, ...each }) => {
    const wire = each.row.request[form];
    if (!isApplicable(wire)) throw new Error('a reply without a request');
    const { messages } = await playRow(each, [{ raw: cell.answer }], { stream });
    expect(messages).toMatchObject([{ method: wire.method ?? 'POST', path: wire.path, headers: wire.headers }]);
    expect(bodyOf(messages[0])).toEqual(wire.body);
  });
});

describe('an error inside a 200', () => {
  test.each(inForms((row) => row.cells['error inside a 200']))(
    'of $name, $form, has the class of the error',
    async ({ cell, stream, ...each }) => {
      expectRefused(await playRow(each, [byteByByte(cell.answer)], { stream }), cell, each.name);
    },
  );
});

describe('a cut stream', () => {
  test.each(withCell((row) => row.cells['cut stream']))(
    'of $name is truncated or lost',
    async ({ cell: raw, ...each }) => {
      const ended = await playRow(each, [{ raw, then: 'end' }], { stream: true });
      expect(nonZero(ended.result.outcomes.attempts)).toEqual({ truncated: 1 });
      const broken = await playRow(each, [{ raw, then: 'break' }], { stream: true });
      expect(nonZero(broken.result.outcomes.attempts)).toEqual({ connection_lost: 1 });
    },
  );
});

describe('a refusal', () => {
  const refusals = withCell(({ cells }) => cells.refusal).flatMap(({ cell, ...each }) =>
    cell.map((refused) => ({ ...each, refused, status: refused.answer.status, outcome: refused.outcome })),
  );

  test.each(refusals)('of $name with status $status is $outcome', async ({ refused, ...each }) => {
    const stream = usualForm(each.row);
    expectRefused(await playRow(each, [{ raw: refused.answer }], { stream }), refused, each.name);
  });

  test.each(refusals.filter(({ refused }) => refused.retryAfter !== undefined))(
    'of $name with status $status is not retried if it asks for a longer wait than the scenario allows',
    async ({ refused, ...each }) => {
      const stream = usualForm(each.row);
      const within = async (maxRetryAfter: number): Promise<number> => {
        const retry = { maxAttempts: 2, maxRetryAfter, budget: { share: 0.01 } };
        const { result } = await playRow(each, [{ raw: refused.answer }], { stream, retry });
        const { creations, ...turns } = result.retries;
        return (isOfUpgrade(each.name, refused.answer) ? creations : turns).retryAfter.tooLong;
      };
      // The budget permits no retry: nothing waits.
      const asked = (refused.retryAfter ?? 0) * 1000;
      expect([await within(asked - 1), await within(asked)]).toEqual([1, 0]);
    },
  );
});

describe('usage in parts', () => {
  test.each(inForms((row) => row.cells['usage in parts']))('of $name, $form', async ({ cell, stream, ...each }) => {
    expectAnswered(await playRow(each, [byteByByte(cell.answer)], { stream }), cell);
  });
});

describe('a tool call', () => {
  test.each(inForms((row) => row.cells['tool call']))(
    'of $name, $form, is answered, and its result is sent',
    async ({ cell, stream, ...each }) => {
      const given: unknown[] = [];
      const tools = {
        [cell.tool]: (values: object) => {
          given.push(values);
          return cell.returns;
        },
      };
      const script = cell.answers.map((raw) => byteByByte(raw));
      const { result, messages } = await playRow(each, script, { stream, tools });
      expect(nonZero(result.outcomes.attempts)).toEqual({ ok: 2 });
      expect(given).toEqual([cell.arguments]);
      expect(objectsIn(bodyOf(messages[1]))).toContainEqual(cell.sends);
      expect(result.stream.toolTurns).toBe(1);
    },
  );
});

describe('a user who leaves', () => {
  test.each(withCell((row) => row.cells['user who leaves']))(
    '$name: the connection ends, and the next turn contains what was read',
    async ({ cell, ...each }) => {
      const stream = usualForm(each.row);
      const abandon = { share: 1, after: '400ms' } as const;
      const script = [{ raw: cell.begins, then: 'hold' } as const];
      const { result, replies, messages, left } = await playRow(each, script, { stream, abandon, turns: 2 });
      expect(replies.map(({ outcome, text }) => [outcome, text])).toEqual([
        ['abandoned', cell.text],
        ['abandoned', cell.text],
      ]);
      expect(nonZero(result.outcomes.attempts)).toEqual({ abandoned: 2 });
      expect(objectsIn(bodyOf(messages[1]))).toContainEqual(cell.sends);
      // A protocol may also ask for runs that nobody awaits; that request is closed at the end of the run.
      await expect.poll(left).toBeGreaterThanOrEqual(2);
    },
  );
});

describe('a retry', () => {
  test.each(withCell((row) => row.cells.retry))('of $name sends the same request again', async ({ cell, ...each }) => {
    const stream = usualForm(each.row);
    const { streamed, whole } = each.row.cells;
    const answered = stream ? streamed : whole;
    if (!isApplicable(answered)) throw new Error('a protocol without replies');
    const script = [{ raw: cell.answer }, { raw: answered.answer }];
    const retry = { base: '1ms', maxAttempts: 2 } as const;
    const { result, replies, messages } = await playRow(each, script, { stream, retry });
    expect(nonZero(result.outcomes.attempts)).toEqual({ ok: 1, [cell.outcome]: 1 });
    expect(replies.map(({ outcome, text }) => [outcome, text])).toEqual([['ok', answered.text]]);
    const [first, second] = messages;
    // Every request of a response has an id of its own.
    const bodies = [first, second].map((message) => message?.body.replace(/"response_\d+"/, '"response"'));
    expect([second?.path, bodies[1]]).toEqual([first?.path, bodies[0]]);
  });
});

describe('try', () => {
  const words = ({ name, row: { target } }: NamedRow, baseUrl: string): string[] => [
    ...['try', '--protocol', name, '--base-url', baseUrl],
    ...(target.agentId === undefined ? [] : ['--agent-id', target.agentId]),
  ];
  const run = async (each: NamedRow, script: Parameters<typeof openVendor>[0], more: string[] = []) => {
    const { created } = each.row;
    const { transport }: ChatProtocol = protocols[each.name].protocol;
    const { baseUrl } =
      transport === 'websocket'
        ? await openSocketVendor(script, created)
        : await openVendor([...(created === undefined ? [] : [{ raw: created }]), ...script]);
    return performCommand([...words(each, baseUrl), ...more], { CHAT_LOAD_API_KEY: 'a-test-key' });
  };

  test.each(withCell((row) => row.cells.try))(
    'shows a conversation and a refusal of $name',
    async ({ cell, ...each }) => {
      const isStreamed = usualForm(each.row);
      const { streamed, whole } = each.row.cells;
      const answered = isStreamed ? streamed : whole;
      if (!isApplicable(answered)) throw new Error('a protocol without replies');
      const talk = await run(each, [{ raw: answered.answer }], isStreamed ? ['--stream'] : []);
      expect([talk.code, talk.stdout.trimEnd().split('\n').at(-1)], talk.stdout + talk.stderr).toEqual([0, 'PASSED']);
      expect(talk.stdout).toMatch(new RegExp(`^protocol +${each.name}\\b`, 'm'));
      expect(talk.stdout).not.toContain('a-test-key');
      const refusal = await run(each, [{ raw: cell.answer }], isStreamed ? ['--stream'] : []);
      expect(refusal.code).not.toBe(0);
      const refused = isOfUpgrade(each.name, cell.answer) ? 'the creation of the session' : 'turn 1';
      expect(refusal.stdout).toContain(`${refused} ended with ${cell.outcome}`);
      expect(refusal.stdout.replace(/\s+/g, ' ')).toContain(cell.detail);
    },
  );
});
