import { between, ms } from '../base/time.ts';
import type { Usage } from '../protocol/protocol.ts';
import type { AttemptRecord, TurnRecord } from '../session/observer.ts';
import type { ContentTimes } from '../session/send.ts';
import type { LiveTally } from './tally.ts';
import { positionIndex, positions } from './positions.ts';

/** Counts the content of a reply in pieces, of an attempt that was not aborted. */
export function countContent(tally: LiveTally, record: AttemptRecord, content: ContentTimes): void {
  const { counters, series } = tally;
  const { sentAt } = record.exchange;
  const isOk = record.outcome === 'ok';
  const [replies, answers, gaps] = isOk ? okCounters : failedCounters;
  counters.streams[replies]++;
  (isOk ? series['firstToken.ok'] : series['firstToken.failed']).record(between(sentAt, content.firstAt));
  if (content.firstAnswerAt !== undefined) {
    counters.streams[answers]++;
    (isOk ? series['firstAnswer.ok'] : series['firstAnswer.failed']).record(between(sentAt, content.firstAnswerAt));
  }
  counters.streams[gaps] += content.gapsMs.length;
  const gapSeries = isOk ? series['gap.ok'] : series['gap.failed'];
  for (const gap of content.gapsMs) gapSeries.record(ms(gap));
  counters.streams.sharedReads += content.sharedReads;
  if (content.hasReasoning) counters.streams.reasoned++;
  if (isOk) countWholeReply(tally, record, content);
}

const okCounters = ['ok', 'answersOk', 'gapsOk'] as const;
const failedCounters = ['failed', 'answersFailed', 'gapsFailed'] as const;

/** The time per token takes two events: between one and itself there is none. */
function countWholeReply({ counters, series }: LiveTally, record: AttemptRecord, content: ContentTimes): void {
  const { firstAt, lastAt, gapsMs } = content;
  series.replyTail.record(between(lastAt, record.exchange.endedAt));
  const { outputTokens = 0 } = record.usage ?? {};
  if (outputTokens < 2 || gapsMs.length === 0) return;
  counters.streams.timed++;
  series.tokenTime.record(ms(between(firstAt, lastAt) / (outputTokens - 1)));
}

/** Counts when the first content of a turn came, from the instant it was due. */
export function countTurnContent(
  { counters, series }: LiveTally,
  { outcome, due }: TurnRecord,
  firstAt: ContentTimes['firstAt'],
): void {
  const isOk = outcome === 'ok';
  counters.streams[isOk ? 'turnsOk' : 'turnsFailed']++;
  (isOk ? series['effectiveFirstToken.ok'] : series['effectiveFirstToken.failed']).record(between(due, firstAt));
}

/** Counts the tokens that the reply of an ok turn told. */
export function countTokens({ counters: { streams } }: LiveTally, { inputTokens = 0, outputTokens }: Usage): void {
  streams.inputTokens += inputTokens;
  if (outputTokens === undefined) return;
  streams.toldUsage++;
  streams.outputTokens += outputTokens;
}

/** Counts how much was sent, by the position of the turn: where the client keeps the history, it grows. */
export function countHistory(
  { counters: { history } }: LiveTally,
  { turn, usage }: AttemptRecord,
  bytes: number,
): void {
  const names = historyNames[positionIndex(turn)];
  if (names === undefined) return;
  history[names.requests]++;
  history[names.bytes] += bytes;
  if (usage?.inputTokens === undefined) return;
  history[names.told]++;
  history[names.inputTokens] += usage.inputTokens;
}

/** Made once: a name that is put together for every attempt costs more than the rest of its counting. */
const historyNames = positions.map((position) => ({
  requests: `${position}.requests` as const,
  bytes: `${position}.bytes` as const,
  told: `${position}.told` as const,
  inputTokens: `${position}.inputTokens` as const,
}));
