import { z } from 'zod';
import { text, textOrNull } from '../../base/field.ts';
import { countOf, formatCount, formatMs, formatShare } from '../../base/format.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Outcomes } from './outcomes.ts';
import type { Transport } from './transport.ts';
import { echoPatience } from '../../session/integrity/guard.ts';
import { isUnheard, type IntegrityFigures } from './integrity.ts';
import { dealsPoliciesApart } from '../../plan/shard.ts';
import type { Ms } from '../../base/time.ts';
import { failedTurns, total, type Counters } from '../../record/counters.ts';
import { isHeldBack, maxShared, oneReadText, unbufferRemedy, type StreamFigures } from './stream.ts';
import type { Operation } from '../../protocol/protocol.ts';
import { maxRefusals, throttledPerSecond } from '../../schedule/throttle.ts';

export const warningSchema = z.object({
  code: text('Stable name of the warning'),
  message: text('Description of the observation'),
  remedy: textOrNull('Remedy; null if there is nothing to do'),
});
/** A doubt about a figure, or useful information, that does not invalidate the run. */
export type Warning = z.infer<typeof warningSchema>;

/** Returns warnings about malformed lines of a conversations file or of a trace; none if all lines could be read. */
export function skippedLinesWarnings({ conversations, load }: Pick<Plan, 'conversations' | 'load'>): Warning[] {
  const trace = load.model === 'open' ? load.trace : undefined;
  return [
    ...warningOf(conversations, { code: 'conversations_left_out', used: 'The other conversations were used.' }),
    ...warningOf(trace, { code: 'trace_lines_left_out', used: 'The other requests were replayed.' }),
  ];
}

type ReadFile = Pick<NonNullable<Plan['conversations']>, 'file' | 'skipped'>;

function warningOf(read: ReadFile | undefined, { code, used }: { code: string; used: string }): Warning[] {
  if (read === undefined || read.skipped.lines === 0) return [];
  const { file, skipped } = read;
  const named = skipped.first.map(({ line, why }) => `line ${String(line)}: ${why}`).join('; ');
  const were = `${countOf(skipped.lines, 'malformed line')} of ${file} ${skipped.lines === 1 ? 'was' : 'were'} skipped`;
  return [
    {
      code,
      message: `${were} (${named}${skipped.lines > skipped.first.length ? '; ...' : ''}). ${used}`,
      remedy: 'Correct or remove these lines.',
    },
  ];
}

const soonDays = 14;

const dayMs = 86_400_000;

export function tlsWarnings(tls: Transport['tls'], startedAt: string): Warning[] {
  if (tls === null) return [];
  return [
    ...(tls.isVerified ? [] : [unverified]),
    ...endingWarnings({ whose: 'target', issuer: tls.issuer, validTo: tls.validTo }, Date.parse(startedAt)),
  ];
}

interface Certificate {
  whose: 'target' | 'client';
  issuer: string;
  validTo: string | null;
}

/** Returns a warning if a certificate expires within 14 days, or has expired; none if its expiry is later or not known. */
export function endingWarnings({ whose, issuer, validTo }: Certificate, now: number): Warning[] {
  const leftMs = validTo === null ? Infinity : Date.parse(validTo) - now;
  if (!(leftMs < soonDays * dayMs)) return [];
  const by = issuer === '' ? '' : ` (issued by ${issuer})`;
  const owner = whose === 'client' ? 'The client certificate' : `The certificate of the target${by}`;
  const days = Math.floor(leftMs / dayMs);
  const end = `on ${(validTo ?? '').slice(0, 10)}`;
  const left = days < 1 ? 'within a day' : `in ${days === 1 ? 'a day' : `${String(days)} days`}`;
  return [
    {
      code: `${whose}_certificate_ends`,
      message: leftMs < 0 ? `${owner} expired ${end}.` : `${owner} expires ${left}, ${end}.`,
      remedy: 'Renew it: after its expiry no connection can be opened.',
    },
  ];
}

const unverified: Warning = {
  code: 'certificates_not_verified',
  message:
    'The certificate of the target was not verified (--insecure): the replies may be from anyone, who then also knows the key.',
  remedy: 'Set the CA of the service with --ca, and replace the key if it is a production key.',
};

/** Returns the warning about cookies that did not fit into the jars of their sessions. */
export function droppedCookiesWarnings({ signs: { cookiesDropped } }: Pick<Counters, 'signs'>): Warning[] {
  if (cookiesDropped === 0) return [];
  return [
    {
      code: 'cookies_dropped',
      message: `${countOf(cookiesDropped, 'cookie was', 'cookies were')} dropped: a session stores at most 180 cookies, 80 kB in total.`,
      remedy: 'Check the cookies that the service sets: a browser would drop them too.',
    },
  ];
}

/** Minimum number of replies to new texts that are compared. */
const minCompared = 10;
/** Minimum share of them with faster replies to repeated texts. */
const minFaster = 0.8;

/** Returns the warning that a cache answered a part of the load, by the marks of caches and by faster replies to repeated texts. */
export function cacheWarnings(whole: Pick<Counters, 'signs' | 'cacheMarks' | 'attempts'>): Warning[] {
  const found = [markText(whole), speedupText(whole)].filter((words) => words !== '');
  if (found.length === 0) return [];
  const isMarked = total(whole.cacheMarks) > 0;
  const opening = isMarked
    ? 'A cache answered a part of the load'
    : 'Repeated texts got faster replies, as from a cache';
  return [
    {
      code: 'replies_cached',
      message: `${opening}: ${found.join('; ')}; the figures depend on the share of repeated texts.`,
      remedy:
        "Make messages unique, such as 'Where is order {{digits 8}}?', use another --seed for each run, or disable the cache of the service.",
    },
  ];
}

function markText({ cacheMarks, attempts }: Pick<Counters, 'cacheMarks' | 'attempts'>): string {
  const [mark] = Object.entries(cacheMarks).toSorted(([, a], [, b]) => b - a);
  if (mark === undefined) return '';
  const marked = total(cacheMarks);
  return `${formatCount(marked)} of ${countOf(attempts.ok, 'ok reply', 'ok replies')} ${marked === 1 ? 'is' : 'are'} marked as taken from a cache (${mark[0]})`;
}

function speedupText({ signs }: Pick<Counters, 'signs'>): string {
  const { comparedTexts, fasterRepeats, newTextUs, repeatedTextUs } = signs;
  if (comparedTexts < minCompared || fasterRepeats < minFaster * comparedTexts) return '';
  const mean = (sumUs: number): string => formatMs(sumUs / comparedTexts / 1000);
  return `first replies to repeated texts took ${mean(repeatedTextUs)} on average, those to new texts at the same time ${mean(newTextUs)}`;
}

/** Returns the warning about cookies that are not sent back, next to conversations that the service did not know. */
export function ignoredCookiesWarnings({ signs }: Pick<Counters, 'signs'>): Warning[] {
  const { cookiesIgnored, lostConversations } = signs;
  if (cookiesIgnored === 0 || lostConversations === 0) return [];
  return [
    {
      code: 'cookies_ignored',
      message: `The service sets cookies that were not sent back, and ${countOf(lostConversations, 'attempt')} met a conversation that it did not know (forgotten, restarted, or refused as unknown): a cookie may name the replica that has the conversation.`,
      remedy: 'Set cookies: true in target, as a browser would keep them.',
    },
  ];
}

/** Conversations that a service is asked for at most. */
const maxUnfinished = 1000;

export function unfinishedWarning(count: number): Warning {
  return {
    code: 'work_unfinished',
    message: `The service still worked on ${count >= maxUnfinished ? 'at least ' : ''}${countOf(count, 'conversation')} that began during the load when it had ended: unless other clients use it, nobody awaits these replies.`,
    remedy:
      'Check whether the agent stops when a client disconnects or times out (LangGraph: on_disconnect): this work is a load of its own.',
  };
}

type Spoken = Pick<Plan, 'integrity'>;

/** Returns the warning about an agent that repeats no tag; none if it does. */
export function integrityWarnings(plan: Spoken, whole: Pick<IntegrityFigures, 'replies' | 'untagged'>): Warning[] {
  return isUnheard(whole) ? [unheardWarning(plan, whole.untagged)] : [];
}

export function unheardWarning({ integrity }: Spoken, untagged: number): Warning {
  return {
    code: 'integrity_unsupported',
    message: `None of the ${untagged < echoPatience ? '' : 'first '}${String(Math.min(untagged, echoPatience))} replies repeated the tag that the integrity guard requests. This agent does not repeat tags, so the checks that need them did not run (crossed, leakage, continuity, amnesia). All other figures are valid.`,
    remedy: `Add to the agent's instructions: "${instructionFor(integrity.prompts)}" If it must not repeat, set integrity: 'passive' in the scenario. If the replies are not the agent's own (an error page, a canned text), find the cause.`,
  };
}

const instructionFor = ({ tag, remember }: Plan['integrity']['prompts']): string =>
  `When a message says '${tag.replace('{{tag}}', '...')}', repeat that tag letter by letter. When it says '${remember.replace('{{code}}', '...')}', remember the code, and give it when asked.`;

export function policiesWarnings({ retry }: Pick<Plan, 'retry'>, shards: number): Warning[] {
  if (!dealsPoliciesApart(retry.length, shards)) return [];
  return [
    {
      code: 'policies_apart',
      message: `With ${String(shards)} shards, each runs only some of the ${String(retry.length)} retry policies, so effects of shards and policies cannot be separated: the policies are not compared.`,
      remedy: `Use a number of shards that has no common divisor with ${String(retry.length)}, such as ${String(shards + 1)}, or one process.`,
    },
  ];
}

/** Returns the warning that two live sessions received the same id, with the time of the first case. */
export function sharedIdWarning(atMs: Ms): Warning {
  return {
    code: 'session_id_shared',
    message: `The service assigned one session id to two live sessions, first ${(atMs / 1000).toFixed(1)} s after the start: their turns form one conversation.`,
    remedy:
      'See target.createSession.sessionIdFrom, or createSession.sessionId of defineProtocol: it may name a field that is the same in every reply.',
  };
}

/** Share of ok turns from which empty replies are no rarity. */
const maxEmptyShare = 0.01;

/** Returns the warning that ok replies were empty; none if they are rare. */
export function emptyReplyWarnings({ empty, turns }: Pick<Outcomes, 'empty' | 'turns'>): Warning[] {
  if (empty <= maxEmptyShare * turns.ok) return [];
  return [
    {
      code: 'replies_empty',
      message: `${formatCount(empty)} of ${countOf(turns.ok, 'ok reply', 'ok replies')} ${empty === 1 ? 'is' : 'are'} empty: neither text nor a tool call. No latency of theirs is the time of an answer.`,
      remedy:
        "Look at one with chat-load try. A limit of tokens may be used up by reasoning, or the definition may read another field; a gate such as 'turns.emptyShare': '< 1%' fails the run.",
    },
  ];
}

/** Share of replies in one read from which they are no coincidence. */
const coincidence = 0.1;

/**
 * Returns the warning that content events, or whole replies, arrived together; none if they arrived one by one, or if it is a
 * reason why the run is degraded.
 */
export function sharedReadsWarnings(stream: StreamFigures): Warning[] {
  const { sharedReads, oneRead, severalEvents } = stream;
  const isShared = sharedReads !== null && sharedReads > maxShared;
  if (isHeldBack(stream) || (!isShared && oneRead <= coincidence * severalEvents)) return [];
  const without = oneRead === 0 ? '' : ` ${oneReadText(stream)}, and have no gaps and no time per token.`;
  return [
    {
      code: 'reads_shared',
      message: `${formatShare(sharedReads)} of the content events arrived in the same read as the previous event: firstToken and gap show when events were released, not when they were generated.${without}`,
      remedy: unbufferRemedy,
    },
  ];
}

/** Number of turns without a model call that are no coincidence. */
export const unusedTurns = 50;

/** Returns the warning that the agent never called the model service: after 50 turns, or at the end of a shorter run. */
export function unusedModelWarnings(
  { model }: Pick<Plan, 'model'>,
  { turns, modelCalls }: Pick<Counters, 'turns' | 'modelCalls'>,
  isUnderWay: boolean,
): Warning[] {
  const ended = turns.ok + failedTurns(turns);
  if (model === undefined || modelCalls.calls > 0 || ended < (isUnderWay ? unusedTurns : 1)) return [];
  return [unusedModelWarning(model, ended)];
}

export function unusedModelWarning({ host, port }: { host: string; port: number }, turns: number): Warning {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  const address = `http://${name}:${port === 0 ? 'PORT' : String(port)}`;
  return {
    code: 'model_unused',
    message: `No model call in ${countOf(turns, 'turn')}: is the agent configured with OPENAI_BASE_URL=${address}/v1?`,
    remedy: `Set the base URL of its model (for Messages: ANTHROPIC_BASE_URL=${address}), and check that the agent can reach this address: from a container, 127.0.0.1 is the container itself.`,
  };
}

export function throttleWarning(refused: Operation, atMs: Ms): Warning {
  const { refusals, end } = throttling[refused];
  return {
    code: 'load_throttled',
    message: `The target refused ${refusals}: after ${String(maxRefusals)} consecutive rejections, new sessions were limited to ${String(throttledPerSecond)} per second, from ${(atMs / 1000).toFixed(1)} s until ${end}.`,
    remedy:
      'See the failures for the rejected requests and their reasons. Figures for that period do not reflect the configured load.',
  };
}

const throttling: Readonly<Record<Operation, { refusals: string; end: string }>> = {
  create: { refusals: 'to create sessions', end: 'a session was created' },
  message: { refusals: 'messages', end: 'a message succeeded' },
};
