import type { z } from 'zod';
import { embeddedShape } from './embedded.ts';
import { loadShape } from './load-options.ts';
import { noteOf, type OptionNote } from './option.ts';
import { retryShape } from './retry-options.ts';
import { createShape, scenarioShape, targetShape } from './schema.ts';
import { stopShape } from './stop-options.ts';

/** One row of the option table. */
export interface ScenarioOption extends OptionNote {
  /** Dotted path in the scenario file. */
  name: string;
}

const shapes: readonly (readonly [prefix: string, shape: z.core.$ZodShape])[] = [
  ['', scenarioShape],
  ['load.', loadShape],
  ['target.', targetShape],
  ['target.createSession.', createShape],
  ['retry.', retryShape],
  ['stopWhen.', stopShape],
  ['embedded.', embeddedShape],
];

/** Every option that a scenario can set, in the order of documents. */
export const scenarioOptions: readonly ScenarioOption[] = shapes.flatMap(([prefix, shape]) =>
  Object.entries(shape).flatMap(([key, field]) => {
    const note = noteOf(field);
    return note === undefined ? [] : [{ name: prefix + key, ...note }];
  }),
);
