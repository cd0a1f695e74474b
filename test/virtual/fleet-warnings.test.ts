import { describe, expect, test } from 'vitest';
// Loaded before virtual time begins.
import '../../src/edge/http/request/cookie-jars.ts';
import { later, ms } from '../../src/base/time.ts';
import { publishRun } from '../../src/app/run/publish-run.ts';
import type { FromShard } from '../../src/fleet/messages.ts';
import { resolveScenario } from '../../src/plan/resolve-scenario.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import type { Exchange, Send } from '../../src/session/send.ts';
import type { Warning } from '../../src/result/sections/warning.ts';
import { runFacts, surroundings } from '../support/synthetic-result.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { coordinateVirtually, VirtualShards } from '../support/virtual-fleet.ts';
import { wholeExchange } from '../support/whole-exchange.ts';

/** The response of a service to a message: its status, its text, and what a warning can be about. */
interface Answer extends Partial<Pick<Exchange, 'setsCookie' | 'setCookies' | 'cacheMark' | 'retryAfter'>> {
  afterMs?: number;
  status?: number;
  text?: string;
  error?: string;
}

type Service = (message: string, nth: number) => Answer;

function serve(clock: VirtualClock, service: Service): Send {
  let [sessions, chats] = [0, 0];
  const asked = new Map<string, number>();
  return ({ route: { operation }, body }, sentAt) => {
    const { message = '', sessionId = `s-${String(++sessions)}` } = JSON.parse(body) as Record<string, string>;
    const nth = (asked.get(message) ?? 0) + 1;
    asked.set(message, nth);
    const {
      afterMs = 20,
      status = 200,
      text = 'Hi.',
      error,
      ...signs
    } = operation === 'create' ? {} : service(message, nth);
    const dates = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' };
    const data = { response: text, chatId: `c-${String(++chats)}`, sessionId, isSession: true, ...dates };
    const endedAt = later(sentAt, ms(afterMs));
    const whole = status < 400 ? { success: true, data } : { success: false, error };
    const exchange = { ...wholeExchange({ sentAt, endedAt, status, body: JSON.stringify(whole) }), ...signs };
    return new Promise((resolve) => void clock.wakeAt(endedAt, () => resolve(exchange)));
  };
}

/** Runs a scenario in a number of shards. Returns the warnings of its result, and those that the shards sent. */
async function warn(count: number, given: Partial<Scenario>, service: Service) {
  const clock = new VirtualClock();
  const scenario = { messages: ['Hi {{session.number}}'], turns: 1, sessions: 240, ...given };
  const load = { sessionsPerSecond: 40 };
  const resolved = resolveScenario({ name: 'x', load, integrity: false, ...scenario }, { flags: {}, environment: {} });
  const sent: Warning[] = [];
  const pass = (_: number, message: FromShard): readonly FromShard[] => {
    if (message.kind === 'warning') sent.push(message.warning);
    return [message];
  };
  const shards = new VirtualShards(count, { resolved, clock, sendOf: () => serve(clock, service), pass });
  const { outcome } = await coordinateVirtually(resolved, shards, { clock });
  const { workers } = outcome;
  const environment = surroundings.environment && { ...surroundings.environment, workers: [...workers] };
  const { warnings } = publishRun(resolved, outcome, { ...surroundings, environment, run: runFacts });
  return { warnings, sent };
}

const many = Array.from({ length: 190 }, (_, nth) => `c${String(nth)}=x`);
const numberOf = (message: string): number => Number(/\d+/.exec(message)?.[0] ?? 0);
const unknownSession = { status: 404, error: 'conversation not found' };
const soon = { status: 429, error: 'busy', retryAfter: 'soon' };

const ownAgent = { baseUrl: 'http://127.0.0.1:9', agentId: 'a1', apiKey: 'sk-test' };

/** Every warning of a run whose message states counts of what the sessions met. */
const cases: [code: string, counted: string, given: Partial<Scenario>, service: Service][] = [
  [
    'cookies_ignored',
    '120 attempts met',
    { retry: 'none' },
    (text) => ({ setsCookie: true, ...(numberOf(text) % 2 === 0 && unknownSession) }),
  ],
  ['cookies_dropped', '2,400 cookies', { target: { cookies: true } }, () => ({ setCookies: many })],
  [
    'replies_cached',
    '80 of 240 ok replies',
    {},
    (text) => (numberOf(text) % 3 === 0 ? { cacheMark: 'x-cache: HIT' } : {}),
  ],
  [
    'replies_cached',
    'first replies to repeated texts took 20.0 ms on average',
    { messages: ['Hi {{int 1 150}}'], sessions: 800 },
    (_, nth) => ({ afterMs: nth === 1 ? 200 : 20 }),
  ],
  ['replies_empty', '120 of 240 ok replies', {}, (text) => ({ text: numberOf(text) % 2 === 0 ? '' : 'Hi.' })],
  ['waits_not_read', '240 refusals', {}, (_, nth) => (nth === 1 ? soon : {})],
  [
    'conflicts_after_unfinished',
    '240 of 240 responses',
    { retry: { maxAttempts: 3, base: '100ms', jitter: 'none' } },
    (_, nth) => [{}, { status: 504, error: 'no' }, { status: 409, error: 'Pending' }][nth] ?? {},
  ],
  [
    'integrity_unsupported',
    'first 20 replies',
    { integrity: true, turns: 4, target: ownAgent, stopWhen: { unusable: false } },
    () => ({}),
  ],
];

describe.each([1, 2, 3])('with %i shards, a warning states the counts of the whole run', (count) => {
  test.each(cases)('%s: %s', async (code, counted, given, service) => {
    const { warnings, sent } = await warn(count, given, service);
    const found = warnings.filter((each) => each.code === code);
    expect(found.map(({ message }) => message)).toEqual([expect.stringContaining(counted)]);
    // Shards send what they alone observe: it is shown, and the result states it anew.
    expect(sent.filter((each) => each.code !== 'integrity_unsupported')).toEqual([]);
  });
});
