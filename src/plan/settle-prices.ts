import { fileReason } from '../base/file-reason.ts';
import type { ScenarioProblem } from '../scenario/compile-value.ts';
import { problemsOf } from '../scenario/read-scenario.ts';
import { priceList, pricesIn, type ReadPrices } from '../scenario/price-options.ts';
import { digestOf } from './digest.ts';
import { isAround, type Origin, type Surroundings } from './overlay.ts';
import type { Plan } from './plan.ts';

/** Returns the prices of a scenario: its own, or those of a file; problems are reported. */
export function settlePrices(
  given: ReadPrices | string | undefined,
  { readPrices, origin }: Pick<Surroundings, 'readPrices'> & { origin: Origin | undefined },
  problems: ScenarioProblem[],
): ReadPrices | undefined {
  if (typeof given !== 'string') return given;
  // An empty name is already a problem.
  if (given === '') return undefined;
  const refuse = (message: string): void => void problems.push({ path: 'prices', message });
  if (readPrices === undefined) return void refuse('the file was not read: load the scenario from a file');
  try {
    const read = priceList.safeParse(pricesIn(readPrices(given, !isAround(origin))), { reportInput: true });
    if (read.success) return read.data;
    const [first, ...others] = problemsOf(read.error);
    const more = others.length === 0 ? '' : ` (and ${String(others.length)} more)`;
    const path = first === undefined || first.path === '' ? '' : `${first.path}: `;
    return void refuse(`${given} is not a list of prices: ${path}${first?.message ?? ''}${more}`);
  } catch (thrown) {
    return void refuse(
      `${given} cannot be read: ${thrown instanceof SyntaxError ? 'it is not JSON' : fileReason(thrown)}`,
    );
  }
}

/** Returns the facts about prices that a plan contains. */
export function planOfPrices(prices: ReadPrices | undefined): Plan['prices'] {
  if (prices === undefined) return null;
  const { asOf = null, currency, models } = prices;
  return { hash: digestOf(prices), currency, asOf, models: Object.keys(models).length };
}
