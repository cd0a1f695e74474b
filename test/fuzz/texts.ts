import fc from 'fast-check';
import { valueAt } from '../../src/base/is-object.ts';
import { compileTemplate } from '../../src/scenario/template.ts';
import { readDuration } from '../../src/scenario/duration.ts';
import { readGate } from '../../src/result/gates/gates.ts';
import { metrics } from '../../src/result/metrics/metrics.ts';
import { readStatedWait } from '../../src/session/stated-wait.ts';
import { fuzz } from './fuzz.ts';
import { loadedNames, weirdText, weirdValue } from './weird.ts';

const known = { lists: { rows: [{ name: 'Ada' }, { name: 7 }] }, variables: ['who', 'constructor'] };
const words = fc.constantFrom(
  '{{',
  '}}',
  '\\',
  ' ',
  '.',
  'pick ',
  'int ',
  'digits ',
  'uuid',
  'who',
  'rows',
  '3',
  '-1',
  '9e9',
  'session.number',
  ...loadedNames,
);
const templates = fc.oneof(
  fc.array(fc.oneof(words, weirdText), { maxLength: 12 }).map((parts) => parts.join('')),
  fc.array(words, { maxLength: 5 }).map((parts) => `{{${parts.join('')}}}`),
);

export const templateFuzz = fuzz(
  { name: 'a template renders, or tells its problems', runs: 3000 },
  templates,
  (text) => {
    const template = compileTemplate(text, known);
    if ('problems' in template) {
      if (template.problems.length === 0 || template.problems.includes('')) throw new Error('a problem without words');
      return;
    }
    template.render({
      session: { number: 1 },
      run: { id: '1a2b3c4d' },
      idRandom: () => 0,
      turn: { number: 1 },
      variables: { who: { name: 'Ada' } },
      random: () => 0.5,
      pick: (list) => valueAt(known.lists, [list, '0']),
      noteTurn: () => undefined,
    });
  },
);

const durationText = fc
  .tuple(
    fc.constantFrom('1', '0', '-1', '1.5', '9'.repeat(90), '9'.repeat(400), '1e5', ''),
    fc.constantFrom('ms', 's', 'm', 'h', 'd', 'y', ''),
  )
  .map((parts) => parts.join(''));

export const durationFuzz = fuzz(
  { name: 'a duration is a finite length, or none', runs: 3000 },
  fc.oneof(
    durationText.map((text) => () => text),
    weirdValue,
  ),
  (make) => {
    const read = readDuration(make());
    if (read !== undefined && !(read >= 0 && read < Infinity)) throw new Error(`a duration of ${String(read)}`);
  },
);

const conditions = fc.oneof(
  weirdText,
  fc
    .tuple(
      fc.constantFrom('<', '<=', '>', '>=', '=', ''),
      fc.constantFrom(' ', '', ' '.repeat(50_000)),
      fc.oneof(durationText, weirdText),
    )
    .map((parts) => `${parts.join('')}!`.replace(/!$/, '')),
);

export const gateFuzz = fuzz(
  { name: 'a gate is read, or tells its problem', runs: 2000 },
  fc.tuple(fc.oneof(fc.constantFrom(...metrics.map(({ name }) => name)), weirdText), conditions),
  ([metric, condition]) => {
    const read = readGate(metric, condition);
    if ('problem' in read ? read.problem === '' : !Number.isFinite(read.ok.limit)) throw new Error('no gate, no words');
  },
);

const dates = fc.constantFrom(
  'Wed, 21 Oct 2015 07:28:00 GMT',
  'Wednesday, 21-Oct-15 07:28:00 GMT',
  'Wed Oct 21 07:28:00 2015',
  'Xyz, 99 Abc 0000 99:99:99 GMT',
  'Fri, 31 Feb 9999 00:00:00 GMT',
);
const retryAfter = fc.oneof(
  weirdText,
  dates,
  fc.integer().map(String),
  fc.bigInt().map(String),
  fc.tuple(dates, weirdText).map((parts) => parts.join('')),
);

const resets = fc.oneof(
  retryAfter,
  fc.constantFrom('6m0s', '20ms', '1h2m3.5s', '1741305600', '1741305600000', '2026-11-01T00:00:00Z', '0', '1e9s'),
);
const optional = (value: fc.Arbitrary<string>) => fc.option(value, { nil: undefined });

export const retryAfterFuzz = fuzz(
  { name: 'A stated wait is a wait, absent or invalid', runs: 3000 },
  fc.tuple(
    optional(retryAfter),
    fc.oneof(fc.constant(Date.UTC(2026, 0, 1)), fc.integer()),
    optional(retryAfter),
    fc.record({ 'retry-after-ms': retryAfter, 'x-ratelimit-reset': resets }, { requiredKeys: [] }),
    fc.constantFrom('rate_limited' as const, 'server_error' as const),
  ),
  ([header, wallNow, date, waits, outcome]) => {
    const refused = { retryAfter: header, date, waits, status: outcome === 'rate_limited' ? 429 : 500 };
    const read = readStatedWait(refused, outcome, wallNow);
    if (read.kind === 'wait' && !(read.delayMs >= 0)) throw new Error(JSON.stringify(read));
    const isStated = header !== undefined || 'retry-after-ms' in waits;
    const hasReset = outcome === 'rate_limited' && 'x-ratelimit-reset' in waits;
    if ((isStated || hasReset) === (read.kind === 'absent')) throw new Error(JSON.stringify(read));
  },
);
