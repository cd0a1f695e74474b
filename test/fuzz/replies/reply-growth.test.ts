import { describe, expect, test } from 'vitest';
import { isWhole } from '../../support/trials.ts';
import { ordinary } from './fixtures.ts';
import { growthsOf, isLinear } from './growth.ts';

describe('the work of reading a reply grows with its size', () => {
  test.each(ordinary)('$name', (fixture) => {
    const growths = growthsOf(fixture);
    const middle = 2 * Math.floor(fixture.parts.length / 2);
    // The suite tests the part in the middle: it is nearly always a content.
    for (const growth of isWhole ? growths : growths.slice(middle, middle + 2))
      expect([growth.name, isLinear(fixture, growth)]).toEqual([growth.name, true]);
  });
});
