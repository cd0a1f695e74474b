import { expect, test } from 'vitest';
import { z } from 'zod';
import { ms } from '../base/time.ts';
import { duration } from '../scenario/duration.ts';
import { assumed, defaulted, noted, option } from '../scenario/option.ts';
import { hashedValues, plannedShape, plannedValues } from './planned-options.ts';

const meaning = 'Only here.';
const shape = {
  max: defaulted(z.int().min(10), { meaning, default: 100, plan: 'max' }),
  pause: option(duration, { meaning, plan: 'pauseMs', hashed: true }),
  ramp: assumed(duration, { meaning, default: '2s', plan: 'rampMs' }),
  tags: defaulted(z.array(z.string()), { meaning, default: [], plan: 'tags' }),
  elsewhere: option(z.string(), { meaning }),
};
const read = { max: 12, pause: undefined, ramp: undefined, tags: ['a'], elsewhere: 'x' };
const values = { max: 12, pauseMs: null, rampMs: 2000, tags: ['a'] };

test('options are in a plan under the names of their notes, null if nothing is set or assumed', () => {
  expect(plannedValues(shape, read)).toEqual(values);
  expect(plannedValues(shape, { ...read, pause: ms(5), ramp: ms(0) })).toEqual({ ...values, pauseMs: 5, rampMs: 0 });
});

test('the hash covers the options marked for it', () => {
  expect(hashedValues(shape, plannedValues(shape, read))).toEqual({ pauseMs: null });
});

test('a complete plan is read back, whatever the limits of its release', () => {
  const schema = z.object(plannedShape(shape));
  expect(schema.parse({ ...values, max: 3 })).toEqual({ ...values, max: 3 });
  expect(schema.safeParse({ ...values, max: undefined }).success).toBe(false);
  expect(schema.safeParse({ ...values, pauseMs: undefined }).success).toBe(false);
  expect(schema.safeParse({ ...values, rampMs: -1 }).success).toBe(false);
});

test('an option whose resolved value differs from the read one cannot be planned by its note alone', () => {
  const law = { law: noted(z.union([z.string(), z.number()]), { meaning, plan: 'law' }) };
  expect(() => plannedShape(law)).toThrow('cannot be in the plan as it was read');
});
