import fc from 'fast-check';
import { ChatLoadError } from '../../src/base/errors.ts';
import { forecast } from '../../src/plan/forecast.ts';
import { planSession } from '../../src/plan/session-plan.ts';
import { resolveScenario, type ResolvedScenario } from '../../src/plan/resolve-scenario.ts';
import { ms } from '../../src/base/time.ts';
import { scenarioOptions } from '../../src/scenario/scenario-options.ts';
import { fuzz } from './fuzz.ts';
import { flagValue, loadedNames, weirdText, weirdValue } from './weird.ts';

const whole = (): Record<string, unknown> => ({
  name: 'fuzzed',
  sessions: 3,
  data: { rows: [{ name: 'Ada' }, { name: 'Bob' }] },
  variableValues: { who: '{{pick rows.name}}', nested: { list: ['{{session.number}}', 7] } },
  messages: ['Hello {{who}}', () => 'Turn'],
  target: { createSession: { body: { agentId: '{{agentId}}' } } },
  load: { concurrency: 2 },
  gates: { 'turn.p95': '< 2s' },
});

const inner = [
  'messages.0',
  'variableValues.who',
  'variableValues.nested',
  'data.rows',
  'data.rows.0',
  'gates.turn_p95',
];
const names = [...scenarioOptions.map(({ name }) => name), ...inner, 'name', 'load', 'target', 'embedded', 'retry'];
const places = fc.oneof(
  { arbitrary: fc.constantFrom(...names), weight: 8 },
  { arbitrary: fc.constantFrom(...loadedNames), weight: 1 },
  {
    arbitrary: fc
      .constantFrom('load.', 'data.', 'gates.', 'retry.', 'variableValues.', 'embedded.')
      .chain((start) => weirdText.map((name) => start + name)),
    weight: 2,
  },
);

interface Change {
  place: string;
  make: () => unknown;
}

const changes = fc.array(fc.record({ place: places, make: weirdValue }), { minLength: 1, maxLength: 4 });
const scenarios = fc.oneof(
  { arbitrary: changes.map((made) => () => made.reduce(put, whole())), weight: 8 },
  { arbitrary: weirdValue, weight: 1 },
);

/** A value of an earlier change may reject another. */
function put(scenario: Record<string, unknown>, change: Change): Record<string, unknown> {
  try {
    putAt(scenario, change);
  } catch {
    // Then it stays as it is.
  }
  return scenario;
}

/** Puts a value where a path leads, as an own property whatever its name. */
function putAt(scenario: Record<string, unknown>, { place, make }: Change): void {
  const path = place.split('.');
  const last = path.pop() ?? '';
  let at: Record<string, unknown> = scenario;
  for (const key of path) {
    const next: unknown = Object.hasOwn(at, key) ? at[key] : undefined;
    if (typeof next !== 'object' || next === null) define(at, key, {});
    at = at[key] as Record<string, unknown>;
  }
  define(at, last, make());
}

const define = (at: object, key: string, value: unknown): void =>
  void Reflect.defineProperty(at, key, { value, enumerable: true, writable: true, configurable: true });

export const scenarioFuzz = fuzz(
  { name: 'a scenario is a plan, or an error with a way out', runs: 600 },
  scenarios,
  (make) => {
    const resolved = planOrError(() => resolveScenario(make(), { flags: {}, environment: {} }));
    if (resolved !== undefined) tryOut(resolved);
  },
);

function tryOut({ plan, script }: ResolvedScenario): void {
  JSON.stringify(plan);
  structuredClone(plan);
  planOrError(() => forecast(plan, script, ms(100)));
  planOrError(() => {
    const session = planSession(script, 1);
    session.variableValues(1);
    session.message(1);
    session.message(2);
  });
}

/** Throws everything that is not an error for users. */
function planOrError<Made>(make: () => Made): Made | undefined {
  try {
    return make();
  } catch (thrown) {
    requireError(thrown);
    return undefined;
  }
}

export function requireError(thrown: unknown): void {
  if (!(thrown instanceof ChatLoadError)) throw new Error('it failed in another way', { cause: thrown });
  if (thrown.hint === '' || thrown.message === '') throw new Error('the error has no words');
}

export const environmentFuzz = fuzz(
  { name: 'flags and environment are taken, or an error with a way out', runs: 500 },
  fc.record({
    name: fc.constantFrom(...scenarioOptions.map(({ flag }) => flag ?? 'seed')),
    value: flagValue,
    text: weirdText,
  }),
  ({ name, value, text }) => {
    const environment = { [`CHAT_LOAD_${name.replaceAll('-', '_').toUpperCase()}`]: text };
    planOrError(() => resolveScenario(whole(), { flags: { [name]: value }, environment: {} }));
    planOrError(() => resolveScenario(whole(), { flags: {}, environment }));
  },
);
