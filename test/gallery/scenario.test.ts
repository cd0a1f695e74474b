import { describe, expect, test } from 'vitest';
import type { ChatProtocol } from '../../src/protocol/protocol.ts';
import { protocols, servedNames, type ServedName } from '../../src/protocol/registry/registry.ts';
import type { Outcomes } from '../../src/result/sections/outcomes.ts';
import type { EmbeddedOptions, Scenario } from '../../src/scenario/scenario.ts';
import { conduct } from '../support/conduct.ts';
import { openService } from '../support/reference-client.ts';

const sessions = 24;
const turns = 4;
const all = sessions * turns;
/** The last of every five messages received fails and is retried: 119 in total, the last of which is ok. */
const failures = all / 4 - 1;

/** Common options; a row adds the protocol and whether replies are streamed. */
const scenario: Partial<Scenario> = {
  seed: 17,
  sessions,
  turns,
  load: { concurrency: 8 },
  integrity: true,
  retry: { base: '1ms', factor: 1, maxAttempts: 12 },
  messages: ['Hello', 'Where is my order {{orderNumber}}?', 'And now?', 'Thanks'],
  variableValues: { customerName: 'Ana {{session.number}}', orderNumber: '{{digits 6}}' },
};

/** Every protocol of the reference service, streamed and not. */
const targets = servedNames().flatMap((protocol) => {
  const { wholeOnly, streamsOnly }: ChatProtocol = protocols[protocol].protocol;
  const forms = [...(streamsOnly === true ? [] : [false]), ...(wholeOnly === true ? [] : [true])];
  return forms.map((stream) => ({ protocol, stream }));
});

/** An agent of A2A is found at the URL of its interface, which is not the root of the reference service. */
const interfaceOf = (name: ServedName): string => (name === 'a2a' ? '/a2a' : '');

type Counts = Record<string, number>;
type Weather = [name: string, embedded: EmbeddedOptions, seen: Counts, counted: Counts];

const weathers: Weather[] = [
  ['where nothing goes wrong', {}, {}, {}],
  ...(['rate_limited', 'server_error'] as const).map((kind): Weather => {
    const failed = { [kind]: failures };
    return [`where some are ${kind}`, { faults: [{ kind, every: 5 }] }, failed, failed];
  }),
  [
    'where connections break',
    { faults: [{ kind: 'reset', every: 5 }] },
    { connection_lost: failures },
    { reset: failures },
  ],
];

describe.each(weathers)('the same scenario %s', (_, embedded, seen, counted) => {
  test.each(targets)(
    'has the same turns, outcomes, verdict and counts by $protocol, stream $stream',
    async (target) => {
      const { baseUrl, stats } = await openService(embedded);
      const { books, outcomes, integrity } = await conduct(
        { ...scenario, target },
        { baseUrl: baseUrl + interfaceOf(target.protocol) },
      );
      const { messages, byApi, streams, turnsStored, unrouted } = stats();
      const sent = all + sumOf(seen);

      expect([books.balanced, nonZero(books.turns)]).toEqual([true, { planned: all, sent: all, ok: all }]);
      expect([books.attempts.total, books.attempts.retries]).toEqual([sent, sumOf(seen)]);
      expect(outcomesIn(outcomes)).toEqual({ turns: { ok: all }, attempts: { ok: all, ...seen } });
      expect([integrity.verdict, integrity.replies, integrity.failed]).toEqual(['pass', all, 0]);
      // Only replies of chat-messaging contain the session id.
      const restarted = target.protocol === 'chat-messaging' ? all : 0;
      const made = Object.fromEntries(integrity.checks.map(({ name, checked }) => [name, checked]));
      expect(made).toEqual({ ...checksMade, restarted });

      // Asked after lost connections; the service does not answer it.
      const asksForRest = 'connection_lost' in seen && protocols[target.protocol].protocol.unfinished !== undefined;
      expect([messages.received, messages.inProgress, unrouted]).toEqual([sent, 0, asksForRest ? 1 : 0]);
      expect(nonZero(messages.classes)).toEqual({ ok: all, ...counted });
      expect(byApi[target.protocol].messages).toMatchObject({ received: sent, classes: messages.classes });
      expect(streams.completed).toBe(target.stream ? all : 0);
      // Responses over a socket are not stored: the socket keeps them.
      const { history, transport }: ChatProtocol = protocols[target.protocol].protocol;
      expect(turnsStored).toBe(history === 'client' || transport === 'websocket' ? 0 : all);
    },
  );
});

/** The code is requested in the second turn and in the last one. */
const checksMade = {
  answered: all,
  crossed: all,
  stale: all,
  placeholder: all,
  variables: 0,
  leakage: all,
  turns: 0,
  continuity: all / 2,
  amnesia: 0,
};

const outcomesIn = ({ turns: ofTurns, attempts }: Outcomes) => ({
  turns: nonZero(ofTurns),
  attempts: nonZero(attempts),
});

const sumOf = (counts: Counts): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

const nonZero = (counts: Counts): Counts => Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
