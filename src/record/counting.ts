import { between, instant, later, minWaitMs, type Instant, type Ms, ms } from '../base/time.ts';
import type { Note } from '../protocol/notes.ts';
import { isBrokenOff, traitsOf, type AttemptClass } from '../protocol/outcome.ts';
import type { TurnRecord, AttemptRecord, AttemptSigns, IntegrityRecord, RetryRecord } from '../session/observer.ts';
import { isGood, type PlannedObjectives } from '../session/session-tally.ts';
import { isFaster } from '../session/cache-watch.ts';
import { isConflict } from '../session/unfinished.ts';
import type { BoundedNames } from './bounded-names.ts';
import { tokenParts } from './counter-table.ts';
import type { Counters } from './counters.ts';
import type { LiveTally } from './tally.ts';
import { positionIndex, positions } from './positions.ts';
import type { Exchange, ContentTimes } from '../session/send.ts';
import { checkNames, type CheckName } from '../session/integrity/finding.ts';
import type { Price } from '../plan/prices.ts';
import type { Usage } from '../protocol/protocol.ts';

/** Parts of a run that counting depends on. */
export interface CountingRules {
  objectives: PlannedObjectives;
  redact: (text: string) => string;
  /** Returns the longest time that what was read at an instant may have waited for the event loop. */
  waited: (at: Instant) => Ms;
  /** Fields with waits that could not be read: a service may send another one each time. */
  unread: BoundedNames;
  /** Marks of caches: the age of a reply differs each time. */
  marks: BoundedNames;
}

/** Counts an ended turn. No latency figure includes aborted and abandoned turns. */
export function countTurn(tally: LiveTally, record: TurnRecord, { objectives, waited }: CountingRules): void {
  const { counters, series } = tally;
  const { outcome, attempts } = record;
  counters.turns[outcome]++;
  increment(counters.turnsByAttempts, attempts);
  if (record.saysToolResults === true) counters.turnFlow.toolTurns++;
  if (record.gaveUp !== undefined) counters.gaveUp[record.gaveUp]++;
  if (isBrokenOff(outcome)) return;
  const took = between(record.firstSentAt, record.endedAt);
  const waitedMs = waited(record.endedAt);
  const isOk = outcome === 'ok';
  (isOk ? tally.okTurns : tally.failedTurns)[positionIndex(record.turn)]?.record(took, waitedMs);
  (isOk ? series['effective.ok'] : series['effective.failed']).record(
    between(record.due, record.endedAt),
    waitedMs + sendWait(between(record.due, record.firstSentAt), record.firstSentAt, waited),
  );
  if (record.content !== undefined) countTurnContent(tally, record, { firstAt: record.content.firstAt, waited });
  if (!isOk) return;
  increment(counters.okByAttempts, attempts);
  countEnd(counters, record);
  if (isGood(record, objectives)) counters.turnFlow.good++;
  if (record.usage !== undefined) countTokens(tally, record.usage);
}

function countEnd({ replyEnds }: Counters, { turn, finish = 'none', isEmpty }: TurnRecord): void {
  replyEnds[finish]++;
  if (finish !== 'length' && isEmpty !== true) return;
  const position = positions[positionIndex(turn)] ?? '17+';
  if (finish === 'length') replyEnds[`${position}.length`]++;
  if (isEmpty !== true) return;
  replyEnds.empty++;
  replyEnds[`${position}.empty`]++;
}

/** Returns the wait of a send, which is at most its lateness. */
export function sendWait(lateMs: Ms, sentAt: Instant, waited: CountingRules['waited']): Ms {
  return lateMs < minWaitMs ? ms(0) : ms(Math.min(lateMs, waited(sentAt)));
}

const noNotes: readonly Note[] = [];

function increment<Name extends string | number>(counts: Record<Name, number>, name: Name): void {
  counts[name] = ((counts[name] as number | undefined) ?? 0) + 1;
}

/**
 * Counts an attempt of a turn. No latency figure includes an aborted attempt, and only the figures of content include an
 * abandoned one.
 */
export function countAttempt(tally: LiveTally, record: AttemptRecord, rules: CountingRules): void {
  const { redact, waited } = rules;
  const { counters, series } = tally;
  const { attempt, outcome, exchange } = record;
  counters.exchanges.attempts++;
  counters.attempts[outcome]++;
  const { price } = record;
  if (price !== undefined) {
    countPrice(tally, outcome, price);
    // A service could send the key as the name of its model.
    if (price.unpriced !== undefined) increment(counters.unpricedModels, redact(price.unpriced));
    if (price.substituted !== undefined) increment(counters.substitutedPrices, redact(price.substituted));
  }
  if (outcome === 'ok' || record.usage !== undefined) countReply(tally, record);
  if (isStale(outcome, exchange)) counters.exchanges.stale++;
  if (exchange.isReopened === true) counters.exchanges.reopened++;
  if (record.unreadWait !== undefined) countUnread(tally, record.unreadWait, rules);
  if (record.signs !== undefined) countSigns(tally, record.signs, rules);
  if (isConflict(record)) {
    counters.exchanges.conflicts++;
    if (record.followsUnfinished === true) counters.exchanges.explainedConflicts++;
  }
  if (outcome === 'aborted') {
    if (attempt === 1) series.cutTurn.record(waitOf(exchange));
    else counters.exchanges.cutRetries++;
    return;
  }
  if (exchange.content !== undefined) countContent(tally, record, { content: exchange.content, waited });
  if (record.requestBytes !== undefined) countHistory(tally, record, record.requestBytes);
  if (record.lacksDone === true) counters.streams.missingDone++;
  for (const { rule } of record.notes ?? noNotes) counters.notes[rule]++;
  if (outcome === 'abandoned') return;
  const { sentAt, firstByteAt, endedAt, connectMs, status } = exchange;
  const lastWait = waited(endedAt);
  (outcome === 'ok' ? series['attempt.ok'] : series['attempt.failed']).record(waitOf(exchange), lastWait);
  if (firstByteAt !== undefined && status !== 0) {
    counters.exchanges.answered++;
    // Nearly all replies arrive in one read.
    const firstWait = firstByteAt === endedAt ? lastWait : waited(firstByteAt);
    series.firstByte.record(between(sentAt, firstByteAt), firstWait);
  }
  if (connectMs !== undefined) {
    counters.exchanges.connected++;
    series.connect.record(connectMs, waited(later(sentAt, connectMs)));
  }
}

/** Counts an attempt to create a session; no figure of turns or their attempts includes it. */
export function countCreateAttempt(
  tally: LiveTally,
  { attempt, outcome, exchange, unreadWait, signs }: AttemptRecord,
  rules: CountingRules,
): void {
  const { counters, series } = tally;
  counters.exchanges.createAttempts++;
  counters.createAttempts[outcome]++;
  if (isStale(outcome, exchange)) counters.exchanges.createStale++;
  if (unreadWait !== undefined) countUnread(tally, unreadWait, rules);
  if (signs !== undefined) countSigns(tally, signs, rules);
  if (outcome !== 'aborted') return;
  if (attempt === 1) series.cutCreation.record(waitOf(exchange));
  else counters.exchanges.cutCreateRetries++;
}

/** Counts a refusal whose wait could not be read. A service could send the key in that field. */
function countUnread({ counters }: LiveTally, unread: string, { redact, unread: names }: CountingRules): void {
  increment(counters.unreadWaits, names.take(redact(unread)));
}

function countSigns({ counters }: LiveTally, found: AttemptSigns, { redact, marks }: CountingRules): void {
  const { signs } = counters;
  if (found.ignoresCookie) signs.cookiesIgnored++;
  if (found.isLostConversation) signs.lostConversations++;
  signs.cookiesDropped += found.cookiesDropped;
  if (found.cacheMark !== undefined) increment(counters.cacheMarks, marks.take(redact(found.cacheMark)));
  for (const { newMs, repeatedMs } of found.comparedTexts) {
    signs.comparedTexts++;
    if (isFaster(newMs, repeatedMs)) signs.fasterRepeats++;
    signs.newTextUs += Math.round(newMs * 1000);
    signs.repeatedTextUs += Math.round(repeatedMs * 1000);
  }
}

const waitOf = ({ sentAt, endedAt }: Exchange): Ms => between(sentAt, endedAt);

/** Counts a retry whose ambiguity differs from that of its class: over a socket the frames that were sent decide, and an idempotent service makes every retry safe. */
export function countAmbiguity({ counters: { exchanges } }: LiveTally, record: RetryRecord): void {
  const { operation, cause, isAmbiguous = traitsOf(cause).ambiguous } = record;
  if (isAmbiguous === traitsOf(cause).ambiguous) return;
  if (operation === 'create') exchanges[isAmbiguous ? 'riskyCreateRetries' : 'safeCreateRetries']++;
  else exchanges[isAmbiguous ? 'riskyRetries' : 'safeRetries']++;
}

/** Reports whether a reused connection was lost before any byte of a response: most likely the server was just closing it. */
const isStale = (outcome: AttemptClass, { reused, firstByteAt }: Exchange): boolean =>
  outcome === 'connection_lost' && reused && firstByteAt === undefined;

export function countIntegrity({ counters: { integrity } }: LiveTally, record: IntegrityRecord): void {
  const { checked, failed, untagged, turnFaults, afterAmbiguousRetry } = record;
  integrity.replies++;
  if (untagged) integrity.untagged++;
  for (const check of checked) integrity[counterOf[check].checked]++;
  if (failed !== undefined) integrity[counterOf[failed].failed]++;
  if (turnFaults !== undefined) {
    integrity['turns.lost'] += turnFaults.lost;
    integrity['turns.duplicated'] += turnFaults.duplicated;
    integrity['turns.reordered'] += turnFaults.reordered;
    integrity['turns.repeated'] += turnFaults.repeated;
  }
  if (!afterAmbiguousRetry) return;
  integrity['ambiguous.checked']++;
  if (failed !== undefined) integrity['ambiguous.failed']++;
}

/** Names of counters, built once because every reply needs them. */
const counterOf = Object.fromEntries(
  checkNames.map((check) => [check, { checked: `${check}.checked`, failed: `${check}.failed` }]),
) as Readonly<Record<CheckName, { checked: `${CheckName}.checked`; failed: `${CheckName}.failed` }>>;

/**
 * Share of its longest wait that the beginning of a gap waited on average. The end may have waited for all of its own: this
 * understates no tail.
 */
const shareOfStart = 0.5;

interface ReadContent {
  content: ContentTimes;
  waited: CountingRules['waited'];
}

function countContent(tally: LiveTally, record: AttemptRecord, { content, waited }: ReadContent): void {
  const { counters, series } = tally;
  const { sentAt } = record.exchange;
  const isOk = record.outcome === 'ok';
  const [replies, answers, gaps] = isOk ? okCounters : failedCounters;
  counters.streams[replies]++;
  (isOk ? tally.okFirstTokens : tally.failedFirstTokens)[positionIndex(record.turn)]?.record(
    between(sentAt, content.firstAt),
    waited(content.firstAt),
  );
  if (content.firstAnswerAt !== undefined) {
    counters.streams[answers]++;
    (isOk ? series['firstAnswer.ok'] : series['firstAnswer.failed']).record(
      between(sentAt, content.firstAnswerAt),
      waited(content.firstAnswerAt),
    );
  }
  counters.streams[gaps] += content.gapsMs.length;
  const gapSeries = isOk ? series['gap.ok'] : series['gap.failed'];
  let at = content.firstAt;
  let waitBefore = waited(at);
  for (const gap of content.gapsMs) {
    at = instant(at + gap);
    const wait = waited(at);
    gapSeries.record(ms(gap), wait - waitBefore * shareOfStart);
    waitBefore = wait;
  }
  if (content.gapsMs.length + content.sharedReads > 0) countReads(counters.streams, record.exchange, content);
  if (content.hasReasoning) counters.streams.reasoned++;
  if (isOk) countWholeReply(tally, record, { content, waited });
}

const okCounters = ['ok', 'answersOk', 'gapsOk'] as const;
const failedCounters = ['failed', 'answersFailed', 'gapsFailed'] as const;

/** Duration of an attempt whose events may arrive in one read although nothing holds them back, in milliseconds. */
const briefMs = 50;

/** Counts the reads of a reply with several content events. */
function countReads(
  streams: Counters['streams'],
  { sentAt }: Exchange,
  { gapsMs, sharedReads, firstAt }: ContentTimes,
): void {
  streams.severalEvents++;
  streams.sharedReads += sharedReads;
  if (gapsMs.length > 0) return;
  streams.oneRead++;
  if (between(sentAt, firstAt) >= briefMs) streams.buffered++;
}

/** Counts a complete streamed reply; its time per token needs events in two reads. */
function countWholeReply(
  { counters, series }: LiveTally,
  record: AttemptRecord,
  { content, waited }: ReadContent,
): void {
  const { firstAt, lastAt, gapsMs } = content;
  series.replyTail.record(
    between(lastAt, record.exchange.endedAt),
    waited(record.exchange.endedAt) - waited(lastAt) * shareOfStart,
  );
  const { outputTokens = 0 } = record.usage ?? {};
  if (outputTokens < 2 || gapsMs.length === 0) return;
  counters.streams.timed++;
  series.tokenTime.record(
    ms(between(firstAt, lastAt) / (outputTokens - 1)),
    (waited(lastAt) - waited(firstAt) * shareOfStart) / (outputTokens - 1),
  );
}

function countTurnContent(
  { counters, series }: LiveTally,
  { outcome, due, firstSentAt }: TurnRecord,
  { firstAt, waited }: Pick<ContentTimes, 'firstAt'> & Pick<CountingRules, 'waited'>,
): void {
  const isOk = outcome === 'ok';
  counters.streams[isOk ? 'turnsOk' : 'turnsFailed']++;
  (isOk ? series['effectiveFirstToken.ok'] : series['effectiveFirstToken.failed']).record(
    between(due, firstAt),
    waited(firstAt) + sendWait(between(due, firstSentAt), firstSentAt, waited),
  );
}

function countTokens({ counters: { streams } }: LiveTally, { inputTokens = 0, outputTokens }: Usage): void {
  streams.inputTokens += inputTokens;
  if (outputTokens === undefined) return;
  streams.reportedUsage++;
  streams.outputTokens += outputTokens;
}

/** Counts the request size by the position of the turn: it grows if the client keeps the history. Cut attempts are not counted. */
function countHistory({ counters: { history } }: LiveTally, { turn }: AttemptRecord, bytes: number): void {
  const names = historyNames[positionIndex(turn)];
  if (names === undefined) return;
  history[names.requests]++;
  history[names.bytes] += bytes;
}

function countPrice({ counters }: LiveTally, outcome: AttemptClass, price: Price): void {
  const { spending, unknownCosts, fallbackPrices } = counters;
  spending.costNanos += price.nanos;
  if (outcome !== 'ok') spending.wastedNanos += price.nanos;
  if (!price.isWhole) unknownCosts[outcome]++;
  for (const name of price.fallbacks ?? []) increment(fallbackPrices, name);
}

/** Counts the usage of a reply, complete or not, in total and by the position of its turn. */
function countReply({ counters: { tokens, history } }: LiveTally, { turn, usage }: AttemptRecord): void {
  tokens.replies++;
  const names = historyNames[positionIndex(turn)];
  if (usage === undefined || names === undefined) return;
  for (const { part, sum, reported } of usageNames) {
    const count = usage[part];
    if (count === undefined) continue;
    tokens[reported]++;
    tokens[sum] += count;
  }
  const { inputTokens, outputTokens = 0, cachedInputTokens } = usage;
  if (inputTokens !== undefined) history[names.reported]++;
  history[names.inputTokens] += inputTokens ?? 0;
  history[names.outputTokens] += outputTokens;
  if (cachedInputTokens === undefined) return;
  tokens.cacheable += inputTokens ?? 0;
  history[names.cachedTokens] += cachedInputTokens;
  history[names.cacheableTokens] += inputTokens ?? 0;
}

const usageNames = tokenParts.map((name) => ({
  part: `${name}Tokens` as const,
  sum: `${name}.tokens` as const,
  reported: `${name}.reported` as const,
}));

/** Names of counters, built once: concatenating a name for every attempt costs more than the rest of its counting. */
const historyNames = positions.map((position) => ({
  requests: `${position}.requests` as const,
  bytes: `${position}.bytes` as const,
  reported: `${position}.reported` as const,
  inputTokens: `${position}.inputTokens` as const,
  outputTokens: `${position}.outputTokens` as const,
  cachedTokens: `${position}.cachedTokens` as const,
  cacheableTokens: `${position}.cacheableTokens` as const,
}));
