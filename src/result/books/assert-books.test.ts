import { describe, expect, test } from 'vitest';
import { finishedRun, resultOf } from '../../../test/support/synthetic-result.ts';
import { withModel } from '../../../test/support/model-run.ts';
import { tokenParts } from '../../record/counter-table.ts';
import { counterGroups, newCounters, type CounterGroup } from '../../record/counters.ts';
import { prefixSources } from '../../record/model-counters.ts';
import { positions } from '../../record/positions.ts';
import { seriesNames, type SeriesName } from '../../record/series.ts';
import { sessionSumNames } from '../../record/session-sums.ts';
import type { PartitionTally, Snapshot } from '../../record/snapshot.ts';
import { mergeSeries } from '../../record/stored-series.ts';
import { checkNames, type CheckName } from '../../session/integrity/finding.ts';
import { finishes } from '../../protocol/finish.ts';
import { noteRules } from '../../protocol/notes.ts';
import { callOutcomes, modelApis } from '../../protocol/model-call.ts';
import { failedClassNames, finishedClassNames } from '../../protocol/outcome.ts';
import { assertBooks } from './assert-books.ts';
import type { Equation } from './equation.ts';
import { exitCodeOf } from '../exit-code.ts';

const open = withModel(finishedRun({ warmUp: '1500ms', load: { sessionsPerSecond: 60 } }, { isStreamed: true }));
const broken = (snapshot: Snapshot, plan = open.plan) =>
  assertBooks(plan, snapshot).filter((equation) => !equation.holds);
const namesOf = (equations: readonly Equation[], scope: string) =>
  equations.flatMap((equation) => (equation.scope === scope ? [equation.name] : []));
const namesBroken = (snapshot: Snapshot, scope: string) => namesOf(broken(snapshot), scope);

/** The snapshot with the totals and one interval of a partition changed in the same way: their sums still agree. */
function tampered(warmUp: boolean, change: (tally: PartitionTally) => void): Snapshot {
  const changed = <Tally extends PartitionTally>(tallies: readonly Tally[]): Tally[] => {
    const first = tallies.findIndex((each) => each.warmUp === warmUp);
    if (first < 0) throw new Error('no such tally');
    return tallies.map((each, index) => (index === first ? copyOf(each) : each));
  };
  const copyOf = <Tally extends PartitionTally>(tally: Tally): Tally => {
    const copy = structuredClone(tally);
    change(copy);
    return copy;
  };
  return { ...open.snapshot, totals: changed(open.snapshot.totals), intervals: changed(open.snapshot.intervals) };
}

const bump = (group: CounterGroup, name: string) => (tally: PartitionTally) => {
  const counters = { ...tally.counters[group] };
  counters[name] = (counters[name] ?? 0) + 10_000;
  tally.counters[group] = counters;
};

const turnsPlanned =
  'turns planned = ok + failed + skipped_prior_failure + skipped_run_end + aborted + abandoned + lost';
const turnsSent = 'turns sent = ok + failed + aborted + abandoned + lost';
const turnsByAttempts = 'turns by number of attempts = turns sent - lost';
const sessionsPlanned =
  'sessions planned = created + create_failed + create_cut + lost_creating + dropped + not_started';
const sessionsStarted = 'sessions started = created + create_failed + create_cut + lost_creating';
const sessionsCreated = 'sessions created = completed + failed + cut + lost once created';
const lostCreating = 'sessions lost while created ≤ lost';
const attemptsByClass = 'attempts = sum over attempt classes';
const attemptsByTurn = 'attempts = sum over turns of their attempts';
const attemptsSent = 'attempts = turns sent + retries - lost';
const attemptsLost = 'attempts lost ≤ turns lost';
const ofLostTurns = 'attempts of lost turns ≤ turns lost + retries - attempts lost';
const createsByClass = 'create attempts = sum over attempt classes';
const createsSent = 'create attempts = sessions started - uncreated + create retries - lost';
const createsLost = 'create attempts lost ≤ sessions lost while created';
const createdOk = 'ok create attempts = sessions created - uncreated';
const retryAfter = 'retries = sum over the fates of Retry-After';
const createRetryAfter = 'create retries = sum over the fates of Retry-After';
const gaveUp = 'turns given up, by reason = failed turns + turns aborted in a backoff';
const createGaveUp = 'creations given up before the end of the run = create_failed';
const createCut = 'create_cut = create attempts aborted + creations given up at the end of the run';
const cutTurns = 'cutTurn histogram = attempts aborted - retries among them';
const cutCreations = 'cutCreation histogram = create attempts aborted - retries among them';

const endsOfReplies = 'ok turns by the end of their reply = ok turns';
const emptyByPosition = 'empty replies by position = empty replies';
const cutByPosition = 'cut replies by position = cut replies';

const abandoned = 'attempts abandoned = turns abandoned';
const aboutRequests = 'requests by position ≤ attempts';
const aboutReported = 'requests with reported token usage ≤ attempts';
const byPosition = (tokens: string) => `${tokens} tokens by position = ${tokens} tokens`;
const reportedByPosition = 'replies with input tokens by position = such replies';
const partsByPosition: readonly string[] = ['input', 'output', 'cachedInput'];
const tokensOf = (part: string): string => (part === 'cachedInput' ? 'cached' : part);
const forEach = (names: readonly string[], equations: string[]) =>
  Object.fromEntries(names.map((name) => [name, equations]));

const callsAttributed = 'model calls = traced + matched + created + unattributed';
const okTurnCalls = 'model calls of ok turns = sum over turns';
const okTurnCallsByPosition = 'model calls of ok turns = sum over positions';
const attemptsOfModel = 'attempts with and without model calls ≤ attempts that were not aborted';

const brokenInClass = 'replies that broke a check of the guard ≤ attempts that were check_failed';
const answeredByAll = 'replies checked for answered = replies examined';
const roomFor = (name: string) => `replies checked for ${name}, or broken before that ≤ replies examined`;
const afterRetry = 'replies after an ambiguous retry';

/** A reply that broke a check was checked for it, and for none after it. */
const breaksOfCheck = (name: CheckName, index: number): Record<string, string[]> => ({
  [`${name}.checked`]: [roomFor(name), ...(name === 'answered' ? [answeredByAll] : [])],
  [`${name}.failed`]: [
    `replies that broke ${name} ≤ replies checked for it`,
    ...checkNames.slice(index + 1).map(roomFor),
    brokenInClass,
    ...(name === 'turns' ? ['replies with a wrong list of turns ≤ turns lost, duplicated or reordered'] : []),
  ],
});

/** For every counter, the equations of the whole that have to break when it alone is wrong. */
const breaks: Record<CounterGroup, Record<string, string[]>> = {
  attempts: {
    ...forEach(failedClassNames, [attemptsByClass, 'attempt histogram, failed = failed attempts']),
    abandoned: [attemptsByClass, abandoned],
    ok: [attemptsByClass, 'attempt histogram, ok = ok attempts', 'ok attempts ≤ replies'],
    aborted: [attemptsByClass, 'attempts aborted ≤ turns aborted', gaveUp, cutTurns],
  },
  createAttempts: {
    ...forEach([...failedClassNames, 'abandoned'], [createsByClass]),
    ok: [createsByClass, createdOk],
    aborted: [createsByClass, createCut, cutCreations],
  },
  exchanges: {
    attempts: [attemptsSent, attemptsByClass, attemptsByTurn],
    createAttempts: [createsSent, createsByClass],
    answered: ['firstByte histogram = attempts with a response head'],
    connected: ['connect histogram = attempts that opened a connection'],
    stale: ['attempts stale ≤ connection_lost'],
    createStale: ['create attempts stale ≤ connection_lost'],
    cutRetries: [cutTurns],
    cutCreateRetries: [cutCreations],
    lost: [attemptsSent, attemptsLost, ofLostTurns],
    createLost: [createsSent, createsLost],
    ofLostTurns: [attemptsByTurn, ofLostTurns],
    reopened: ['attempts over a reopened socket ≤ attempts'],
    unsolicited: [],
    conflicts: ['attempts with status 409 ≤ http_other'],
    explainedConflicts: ['attempts with status 409 after an unfinished attempt ≤ attempts with status 409'],
    ...forEach(['safeRetries', 'riskyRetries'], ['retries judged by their frames ≤ retries']),
    ...forEach(['safeCreateRetries', 'riskyCreateRetries'], ['create retries judged by their frames ≤ create retries']),
  },
  // Checked only by the sums over intervals and the published figures: any cost is possible.
  spending: { costNanos: [], wastedNanos: ['wasted cost ≤ cost'] },
  unknownCosts: forEach([...finishedClassNames, 'aborted'], ['attempts of unknown cost ≤ attempts']),
  unpricedModels: { 'model-1': ['replies of models without a price ≤ attempts of unknown cost'] },
  substitutedPrices: { 'model-1': ['replies priced as the requested model ≤ attempts'] },
  fallbackPrices: { 'model-1: cachedInput': [] },
  unreadWaits: { 'Retry-After: soon': ['refusals whose wait was not read ≤ failed attempts of turns and creations'] },
  cacheMarks: { 'x-cache: HIT': ['ok attempts marked by a cache ≤ ok attempts'] },
  signs: {
    cookiesIgnored: ['responses with ignored cookies ≤ attempts'],
    lostConversations: ['attempts whose conversation was lost ≤ attempts'],
    comparedTexts: ['replies compared with repeated texts ≤ ok attempts'],
    fasterRepeats: ['replies to repeated texts that were faster ≤ compared ones'],
    // Checked only by the sums over intervals: any number and any time is possible.
    ...forEach(['cookiesDropped', 'newTextUs', 'repeatedTextUs'], []),
  },
  tokens: {
    replies: ['replies ≤ attempts'],
    ...Object.fromEntries(
      tokenParts.flatMap((name) => [
        [`${name}.tokens`, partsByPosition.includes(name) ? [byPosition(tokensOf(name))] : []],
        [`${name}.reported`, [`replies with ${name} ≤ replies`, ...(name === 'input' ? [reportedByPosition] : [])]],
      ]),
    ),
    cacheable: [byPosition('cacheable')],
  },
  turns: {
    abandoned: [turnsPlanned, turnsSent, abandoned],
    ...forEach(failedClassNames, [
      turnsPlanned,
      turnsSent,
      gaveUp,
      'turn histogram, failed = failed turns',
      'effective histogram, failed = failed turns',
    ]),
    ok: [
      turnsPlanned,
      turnsSent,
      'ok turns by number of attempts = ok turns',
      endsOfReplies,
      'turn histogram, ok = ok turns',
      'effective histogram, ok = ok turns',
    ],
    aborted: [turnsPlanned, turnsSent, gaveUp],
    skipped_prior_failure: [turnsPlanned],
    skipped_run_end: [turnsPlanned],
  },
  replyEnds: {
    ...forEach(finishes, [endsOfReplies]),
    length: [endsOfReplies, cutByPosition],
    empty: [emptyByPosition],
    ...Object.fromEntries(
      positions.flatMap((at) => [
        [`${at}.empty`, [emptyByPosition]],
        [`${at}.length`, [cutByPosition]],
      ]),
    ),
  },
  notes: forEach(noteRules, ['replies with a note, by rule ≤ attempts that were ok or check_failed']),
  turnFlow: {
    planned: [turnsPlanned],
    sent: [turnsSent, turnsByAttempts, attemptsSent, 'lateness histogram = turns sent'],
    carried_over: [turnsPlanned],
    good: ['good turns ≤ ok turns'],
    lost: [turnsPlanned, turnsSent, turnsByAttempts],
    toolTurns: ['turns that sent tool results ≤ turns sent'],
  },
  sessions: {
    started: [sessionsStarted, createsSent, 'sessionLateness histogram = sessions started under an open load'],
    created: [
      sessionsPlanned,
      sessionsStarted,
      sessionsCreated,
      createdOk,
      'sessionCreate histogram = sessions created - uncreated',
    ],
    completed: [sessionsCreated],
    failed: [sessionsCreated],
    cut: [sessionsCreated],
    create_failed: [sessionsPlanned, sessionsStarted, createGaveUp],
    create_cut: [sessionsPlanned, sessionsStarted, createCut],
    dropped: [sessionsPlanned],
    not_started: [sessionsPlanned],
    not_started_due: ['sessions not_started that were due ≤ not_started'],
    lost: [sessionsCreated],
    lost_creating: [sessionsPlanned, sessionsStarted, sessionsCreated, lostCreating],
    uncreated: [
      'sessions uncreated ≤ created',
      createsSent,
      createdOk,
      'sessionCreate histogram = sessions created - uncreated',
    ],
  },
  retries: forEach(finishedClassNames, [
    attemptsSent,
    retryAfter,
    'backoff histogram = retries',
    'backoffActual histogram = retries',
  ]),
  createRetries: forEach(finishedClassNames, [createsSent, createRetryAfter]),
  retryAfter: forEach(['obeyed', 'violated', 'absent', 'invalid'], [retryAfter]),
  createRetryAfter: forEach(['obeyed', 'violated', 'absent', 'invalid'], [createRetryAfter]),
  gaveUp: forEach(['final', 'exhausted', 'retry_after_too_long', 'budget', 'run_end'], [gaveUp]),
  createGaveUp: {
    ...forEach(['final', 'exhausted', 'retry_after_too_long', 'budget'], [createGaveUp]),
    run_end: [createCut],
  },
  integrity: {
    replies: ['replies examined ≤ attempts that were ok or check_failed', answeredByAll],
    untagged: ['replies without a tag ≤ replies examined'],
    ...Object.assign({}, ...checkNames.map(breaksOfCheck)),
    // An agent may get more turns wrong than there are replies.
    ...forEach(['turns.lost', 'turns.duplicated', 'turns.reordered', 'turns.repeated'], []),
    'ambiguous.checked': [`${afterRetry} ≤ replies examined`],
    'ambiguous.failed': [
      `${afterRetry} that broke a check ≤ replies that broke a check`,
      `${afterRetry} that broke a check ≤ ${afterRetry}`,
    ],
  },
  readDelays: {
    sampled: ['readDelay histogram = probes received'],
    replies: ['replyDelay histogram = replies with a measured delay'],
  },
  sessionSums: {
    sessions: ['sessions in the session sums ≤ completed + failed'],
    turns: ['turns in the session sums ≤ ok + failed'],
    good: ['good turns in the session sums ≤ turns in them'],
    // Checked only by the sums over intervals, and by session-sums.test.ts.
    ...forEach(
      sessionSumNames.filter((name) => !['sessions', 'turns', 'good'].includes(name)),
      [],
    ),
  },
  streams: {
    ok: ['firstToken histogram, ok = ok streamed replies', 'replyTail histogram = ok streamed replies'],
    failed: ['firstToken histogram, failed = other streamed replies'],
    answersOk: ['firstAnswer histogram, ok = ok streamed replies with an answer'],
    answersFailed: ['firstAnswer histogram, failed = other streamed replies with an answer'],
    reasoned: ['replies with reasoning ≤ streamed replies'],
    timed: ['tokenTime histogram = ok streamed replies with a time per token'],
    missingDone: ['streams without the protocol’s terminator ≤ attempts that were ok or check_failed'],
    gapsOk: ['gap histogram, ok = gaps in ok replies'],
    gapsFailed: ['gap histogram, failed = gaps in other replies'],
    // Checked only by the sums over intervals, and by count-content.test.ts.
    sharedReads: [],
    severalEvents: ['replies with several events ≤ streamed replies'],
    oneRead: [
      'replies in one read ≤ content events in shared reads',
      'replies in one read ≤ replies with several events',
    ],
    buffered: ['buffered replies ≤ replies in one read'],
    turnsOk: ['effectiveFirstToken histogram, ok = ok streamed turns'],
    turnsFailed: ['effectiveFirstToken histogram, failed = failed streamed turns'],
    retriesAfterContent: ['retries after content ≤ retries'],
    reportedUsage: ['turns with reported token usage ≤ ok turns'],
    inputTokens: ['input tokens of ok turns ≤ input tokens'],
    outputTokens: ['output tokens of ok turns ≤ output tokens'],
  },
  history: Object.assign(
    {},
    ...positions.map((position) => ({
      [`${position}.requests`]: [aboutRequests],
      [`${position}.reported`]: [aboutReported, reportedByPosition],
      [`${position}.bytes`]: [],
      [`${position}.inputTokens`]: [byPosition('input')],
      [`${position}.outputTokens`]: [byPosition('output')],
      [`${position}.cachedTokens`]: [byPosition('cached')],
      [`${position}.cacheableTokens`]: [byPosition('cacheable')],
    })),
  ),
  turnsByAttempts: { 2: [turnsByAttempts, attemptsByTurn] },
  okByAttempts: { 1: ['ok turns by number of attempts = ok turns'] },
  modelCalls: {
    calls: [
      callsAttributed,
      'model calls = sum over outcomes',
      'model calls = sum over routes',
      'model.call histogram = model calls - open at the end',
    ],
    ...forEach(['traced', 'matched', 'created', 'unattributed'], [callsAttributed]),
    ...forEach(['otherRequests', 'connections', 'orphanedUs', 'afterReplyUs', 'saturatedSeconds'], []),
    ...forEach(['repeats', 'duplicates'], ['repeated and duplicate model calls ≤ model calls']),
    orphaned: ['orphaned model calls ≤ model calls'],
    orphanedTokens: ['output tokens of orphaned model calls ≤ output tokens'],
    afterReply: ['model calls after a reply ≤ model calls'],
    afterReplyTokens: ['output tokens of model calls after a reply ≤ output tokens'],
    okTurnCalls: [okTurnCalls, okTurnCallsByPosition, 'model calls of ok turns ≤ model calls'],
    neededCalls: ['needed model calls ≤ model calls of ok turns'],
    answersChecked: ['answers checked ≤ turns by number of model calls'],
    answersDelivered: ['answers delivered ≤ answers checked'],
    streamed: ['model.firstToken histogram = streamed model calls with content'],
    closedLate: ['model.cancelDelay histogram = model calls that the agent closed after a broken attempt'],
    timed: ['model.lateness histogram = model calls with a due write'],
    foreignWords: ['turns with foreign words ≤ turns by number of model calls'],
  },
  modelOutcomes: {
    ...forEach(callOutcomes, ['model calls = sum over outcomes']),
    open_at_end: ['model calls = sum over outcomes', 'model.call histogram = model calls - open at the end'],
  },
  modelApis: forEach(modelApis, ['model calls = sum over routes']),
  modelAttempts: {
    withCalls: [
      'attempts with model calls = sum over durations',
      'attempts with model calls = sum over numbers of open calls',
      attemptsOfModel,
      ...['time', 'retryWait', 'agentTime', 'beforeFirstCall'].map(
        (name) => `model.${name} histogram = attempts with a model call`,
      ),
    ],
    noCall: [attemptsOfModel],
    endedAfterCalls: ['model.afterLastCall histogram = attempts whose last model call ended before them'],
    relayed: ['model.relay histogram = streamed attempts with a streamed model call'],
  },
  modelTokens: {
    ...forEach(['input', 'output', 'cachedInput', 'cacheWrite', 'reasoning', 'inputBytes'], []),
    cacheable: ['input of model calls that report cached tokens ≤ input tokens'],
    reported: ['model calls with usage ≤ model calls'],
    ...forEach(
      prefixSources.map((name) => `shared.${name}`),
      ['shared input of model calls ≤ input'],
    ),
  },
  modelPositions: Object.assign(
    {},
    ...positions.map((position) => ({
      [`${position}.turns`]: ['turns by number of model calls = sum over positions'],
      [`${position}.calls`]: [okTurnCallsByPosition],
      [`${position}.inputTokens`]: ['input tokens of ok turns of the model ≤ its input tokens'],
      [`${position}.outputTokens`]: ['output tokens of ok turns of the model ≤ its output tokens'],
      [`${position}.cachedTokens`]: ['cached tokens of ok turns of the model ≤ its cached tokens'],
    })),
  ),
  modelSpending: {
    costNanos: [],
    ...Object.fromEntries(
      ['orphaned', 'repeated', 'afterReply', 'wasted'].map((name) => [
        `${name}Nanos`,
        [`${name} cost of model calls ≤ their cost`],
      ]),
    ),
    unknownCalls: ['model calls of unknown cost ≤ model calls'],
  },
  modelCallsPerTurn: {
    2: [
      'turns by number of model calls ≤ ok turns',
      'turns by number of model calls = sum over positions',
      okTurnCalls,
    ],
  },
  modelParallel: { 2: ['attempts with model calls = sum over numbers of open calls'] },
  modelFaults: {
    'http_500.calls': ['model calls by fault ≤ model calls'],
    'http_500.turns': ['turns hit by a fault ≤ turns sent'],
    ...forEach(
      ['okAtOnce', 'okAfterRetry', 'abandoned', 'failed.internal_error'].map((name) => `http_500.${name}`),
      ['turns hit by a fault, by end ≤ turns hit by a fault'],
    ),
  },
  modelTurns: {
    'none|0|2|100': ['turns by fault, calls and duration ≤ turns by number of model calls'],
  },
  modelParts: {
    '100.attempts': ['attempts with model calls = sum over durations'],
    // Any length is possible.
    ...forEach(['100.model', '100.retryWait', '100.agent'], []),
  },
  modelUnpriced: { 'model-1': ['calls of models without a price ≤ model calls of unknown cost'] },
  modelSubstituted: { 'model-1': ['calls priced as the requested model ≤ model calls'] },
};

const counterCases = counterGroups.flatMap((group) =>
  Object.entries(breaks[group]).map(([name, equations]) => ({ group, name, equations })),
);

/** For every series, the equation that must break if a histogram contains too much. */
const seriesEquation = (name: SeriesName) => {
  const [series = '', end] = name.startsWith('model.')
    ? [name]
    : name.replace(/^(turn|firstToken)\.[^.]+/, '$1').split('.');
  return expect.stringMatching(`^${series} histogram${end === undefined ? '' : `, ${end}`} = `) as string;
};

describe('the counts', () => {
  test('are consistent at the end of a run, under open and closed load', () => {
    expect(broken(open.snapshot)).toEqual([]);
    const closed = finishedRun({ retry: 'none' });
    expect(broken(closed.snapshot, closed.plan)).toEqual([]);
  });

  test('of a run without a number of sessions plan only the due ones', () => {
    const undue = open.snapshot.totals.reduce((sum, { counters: { sessions = {} } }) => {
      return sum + (sessions['not_started'] ?? 0) - (sessions['not_started_due'] ?? 0);
    }, 0);
    const [equation, ...others] = broken(open.snapshot, { ...open.plan, sessions: null });
    expect(undue).toBeGreaterThan(0);
    expect(equation).toMatchObject({ scope: 'whole', name: sessionsPlanned });
    expect((equation?.right ?? 0) - (equation?.left ?? 0)).toBe(undue);
    expect(others).toEqual([]);
  });

  test('cover every counter', () => {
    const all = newCounters();
    for (const group of counterGroups) {
      const fixed = Object.keys(all[group]);
      expect(Object.keys(breaks[group])).toEqual(expect.arrayContaining(fixed));
    }
  });

  test.each(counterCases)(
    'detect a wrong count of $group: $name, and only in its scope',
    ({ group, name, equations }) => {
      const wrong = broken(tampered(false, bump(group, name)));
      expect(namesOf(wrong, 'whole').toSorted()).toEqual(equations.toSorted());
      expect(namesOf(wrong, 'warm-up')).toEqual([]);
    },
  );

  test.each(counterCases)('detect a wrong count of $group: $name of the warm-up', ({ group, name, equations }) => {
    // Planned sessions of the warm-up are counted in it, so only `created` and similar counts can be wrong.
    const expected = equations.filter((each) => each !== sessionsPlanned || /^(create|lost_creating)/.test(name));
    const extra = name === 'started' ? [sessionsPlanned] : [];
    expect(namesBroken(tampered(true, bump(group, name)), 'warm-up').toSorted()).toEqual(
      [...expected, ...extra].toSorted(),
    );
  });

  test.each(seriesNames)('detect too many values in the histogram of %s', (name) => {
    const snapshot = tampered(false, ({ series }) => {
      const doubled = mergeSeries([series[name], open.snapshot.totals.find((each) => each.series[name])?.series[name]]);
      // Virtual runs have no read delays.
      const added = doubled ?? Object.values(series)[0];
      if (added !== undefined) series[name] = added;
    });
    const wrong = broken(snapshot);
    expect(namesOf(wrong, 'whole')).toEqual([seriesEquation(name)]);
    if (open.snapshot.totals.some(({ series }) => name in series)) expect(namesOf(wrong, 'sums')).toEqual([]);
  });

  test('detect a lost interval, or an interval counted twice', () => {
    const lost = structuredClone(open.snapshot);
    const [interval] = lost.intervals.splice(2, 1);
    const names = Object.keys(interval?.counters ?? {});
    expect(namesBroken(lost, 'sums')).toEqual(
      expect.arrayContaining(names.map((group) => `totals = sum over intervals: ${group}`)),
    );
    expect(namesBroken(lost, 'whole')).toEqual([]);
    const twice = structuredClone(open.snapshot);
    for (const tally of twice.intervals.slice(0, 1)) if (tally.series['attempt.ok']) tally.series['attempt.ok'].sumUs++;
    expect(namesBroken(twice, 'sums')).toEqual(['totals = sum over intervals: attempt.ok histogram']);
  });

  test('that are inconsistent are published as such, with the equation and both sides, and exit with 70', () => {
    const result = resultOf({ plan: open.plan, snapshot: tampered(false, bump('turnFlow', 'planned')) });
    expect(result.books.balanced).toBe(false);
    expect(result.books.broken).toMatchObject([{ scope: 'whole', name: turnsPlanned, holds: false }]);
    expect((result.books.broken[0]?.left ?? 0) - (result.books.broken[0]?.right ?? 0)).toBe(10_000);
    expect(exitCodeOf(result)).toBe(70);
  });
});
