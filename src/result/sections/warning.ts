import { z } from 'zod';
import { text } from '../../base/field.ts';
import { countOf, formatShare } from '../../base/format.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Transport } from './transport.ts';
import { echoPatience } from '../../session/integrity/guard.ts';
import { isUnheard, type IntegrityFigures } from './integrity.ts';
import { dealsPoliciesApart } from '../../plan/shard.ts';
import type { Ms } from '../../base/time.ts';
import type { StreamFigures } from './stream.ts';
import type { Operation } from '../../protocol/protocol.ts';
import { maxRefusals, throttledPerSecond } from '../../schedule/throttle.ts';

export const warningSchema = z.object({
  code: text('A stable name'),
  message: text('What was seen'),
  remedy: z.string().nullable().describe('What to do about it; null when there is nothing to do'),
});
/** A doubt about a figure, or useful information, that does not invalidate the run. */
export type Warning = z.infer<typeof warningSchema>;

/** The warnings about malformed lines of a file of conversations, or of a trace; none where all could be read. */
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
  const were = `${countOf(skipped.lines, 'malformed line')} of ${file} ${skipped.lines === 1 ? 'was' : 'were'} left out`;
  return [
    {
      code,
      message: `${were} (${named}${skipped.lines > skipped.first.length ? '; ...' : ''}). ${used}`,
      remedy: 'Correct or remove these lines.',
    },
  ];
}

/** From here on the end of a certificate is worth a word. */
const soonDays = 14;

const dayMs = 86_400_000;

/** What is doubtful about the encryption of a run that began at an instant. */
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
  /** ISO 8601; `null` where it is not known. */
  validTo: string | null;
}

/** The warning that a certificate ends within 14 days, or has ended; none where it goes on, or its end is not known. */
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
      message: leftMs < 0 ? `${owner} ended ${end}.` : `${owner} ends ${left}, ${end}.`,
      remedy: 'Have it renewed: from then on no connection can be made.',
    },
  ];
}

const unverified: Warning = {
  code: 'certificates_not_verified',
  message:
    'The certificate of the target was not verified (--insecure): the replies may come from anyone, and the key is known to them.',
  remedy: 'Name the authority of the service with --ca, and replace the key if it is one of production.',
};

/** The warning that jars were full. */
export function droppedCookiesWarning(count: number): Warning {
  return {
    code: 'cookies_dropped',
    message: `${String(count)} ${count === 1 ? 'cookie was' : 'cookies were'} not kept: a session keeps at most 180 of them, 80 kB together.`,
    remedy: 'Look at what the service sets: a browser would drop cookies too.',
  };
}

type Spoken = Pick<Plan, 'integrity'>;

/** The warning about an agent that repeats no tag; nothing where it does. */
export function integrityWarnings(plan: Spoken, whole: Pick<IntegrityFigures, 'replies' | 'untagged'>): Warning[] {
  return isUnheard(whole) ? [unheardWarning(plan, whole.untagged)] : [];
}

/** The same, once this number of replies had no tag. */
export function unheardWarning({ integrity }: Spoken, untagged: number): Warning {
  return {
    code: 'integrity_unsupported',
    message: `None of the ${untagged < echoPatience ? '' : 'first '}${String(Math.min(untagged, echoPatience))} replies repeated the tag that the integrity guard asks for. This agent does not repeat tags, so what needs them was not checked (crossed, leakage, continuity, amnesia). All other figures stand.`,
    remedy: `Add to the agent's instructions: "${instructionFor(integrity.prompts)}" If it must not repeat, set integrity: 'passive' in the scenario. If the replies are not the agent's own (an error page, a canned text), find out why.`,
  };
}

const instructionFor = ({ tag, remember }: Plan['integrity']['prompts']): string =>
  `When a message says '${tag.replace('{{tag}}', '...')}', repeat that tag letter by letter. When it says '${remember.replace('{{code}}', '...')}', remember the code, and give it when asked.`;

/** The warning that retry policies cannot be compared in a run of this many shards; none where they can. */
export function policiesWarnings({ retry }: Pick<Plan, 'retry'>, shards: number): Warning[] {
  if (!dealsPoliciesApart(retry.length, shards)) return [];
  return [
    {
      code: 'policies_apart',
      message: `With ${String(shards)} shards each plays some of the ${String(retry.length)} retry policies alone, so that what a shard met looks like what a policy did: they are not judged against each other.`,
      remedy: `Use a number of shards that has no divisor in common with ${String(retry.length)}, such as ${String(shards + 1)}, or one process.`,
    },
  ];
}

/** The warning that two live sessions were given one id, and when first. */
export function sharedIdWarning(atMs: Ms): Warning {
  return {
    code: 'session_id_shared',
    message: `The service gave one session id to two live sessions, ${(atMs / 1000).toFixed(1)} s after the start for the first time: their turns form one conversation.`,
    remedy:
      'See target.createSession.sessionIdFrom, or createSession.sessionId of defineProtocol: it may name a field that is the same in every reply.',
  };
}

/** From here on instants say more of what lies between than of the service. */
const maxShared = 0.5;

/** The warning that most content events came several at a time; none where they came one by one, or none came. */
export function sharedReadsWarnings({ sharedReads }: StreamFigures): Warning[] {
  if (sharedReads === null || sharedReads <= maxShared) return [];
  return [
    {
      code: 'reads_shared',
      message: `${formatShare(sharedReads)} of the content events came in one read with the event before: firstToken and gap say when pieces were let go, not when they were made.`,
      remedy:
        'Look for what buffers between the service and here (a proxy, a gateway, compression), or read them as what a user behind it sees. A service that sends faster than single events can be read apart shows the same.',
    },
  ];
}

/** The warning that closed load was slowed down, because of what, and from when on. */
export function throttleWarning(refused: Operation, atMs: Ms): Warning {
  const { what, end } = words[refused];
  return {
    code: 'load_throttled',
    message: `The target refused ${what}: after ${String(maxRefusals)} refusals in a row sessions were started at ${String(throttledPerSecond)} per second at most, from ${(atMs / 1000).toFixed(1)} s until ${end}.`,
    remedy:
      'See the failures for what was refused and why. Latency and rates of that time are not those of the configured load.',
  };
}

const words: Readonly<Record<Operation, { what: string; end: string }>> = {
  create: { what: 'to create sessions', end: 'one was created' },
  message: { what: 'messages', end: 'one was ok' },
};
