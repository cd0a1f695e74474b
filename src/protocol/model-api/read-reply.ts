import { classifyWhole, refused, type Judged } from '../classify-whole.ts';
import type { Received, Verdict } from '../protocol.ts';
import { refuseResponse } from './api-error.ts';

/** The reader of replies that were asked for whole. */
export function readWhole(judge: (body: Readonly<Record<string, unknown>>) => Judged): (received: Received) => Verdict {
  const rules = { welcome, refuse: refuseResponse, judge };
  return (received) => classifyWhole(received, rules);
}

/** Reads a reply that was asked for in pieces: a whole one is an error, or breaks the contract. */
export function readStreamed(received: Received): Verdict {
  if (received.stream !== undefined) return received.stream.conclude(received);
  const verdict = classifyWhole(received, wholeWhereStreamed);
  const { contentType } = received;
  const isJson =
    contentType === undefined || (verdict.outcome !== 'malformed' && verdict.outcome !== 'contract_broken');
  return isJson ? verdict : refused('malformed', `a reply of content type ${contentType} instead of a stream`);
}

const welcome = [200];

const wholeWhereStreamed = {
  welcome,
  refuse: refuseResponse,
  judge: () => ({ broken: 'a whole reply instead of a stream' }),
};
