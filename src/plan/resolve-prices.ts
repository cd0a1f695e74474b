import { fileReason } from '../base/file-reason.ts';
import type { ScenarioProblem } from '../scenario/compile-value.ts';
import { problemsOf } from '../scenario/read-scenario.ts';
import { priceList, pricesIn, type ReadPrices } from '../scenario/price-options.ts';
import { digestOf } from './digest.ts';
import { isAround, type Origin, type Surroundings } from './overlay.ts';
import type { Plan } from './plan.ts';

type Around = Pick<Surroundings, 'readPrices'> & { origin: Origin | undefined };

/** Returns the prices of a scenario: its own, or those of a file; problems are reported. */
export function resolvePrices(
  given: ReadPrices | string | undefined,
  around: Around,
  problems: ScenarioProblem[],
): ReadPrices | undefined {
  if (typeof given !== 'string') return given;
  // An empty name is already a problem.
  if (given === '') return undefined;
  const read = readFile(given, around);
  if (typeof read !== 'string') return read;
  problems.push({ path: 'prices', message: read });
  return undefined;
}

/** Returns the prices of a file, or a problem. */
function readFile(file: string, { readPrices, origin }: Around): ReadPrices | string {
  if (readPrices === undefined) return 'the file was not read: load the scenario from a file';
  try {
    const read = priceList.safeParse(pricesIn(readPrices(file, !isAround(origin))), { reportInput: true });
    if (read.success) return read.data;
    const texts = problemsOf(read.error).map(({ path, message }) => `${path === '' ? '' : `${path}: `}${message}`);
    return `${file} is not a list of prices: ${texts.slice(0, 3).join('; ')}`;
  } catch (thrown) {
    return `${file} cannot be read: ${thrown instanceof SyntaxError ? 'it is not JSON' : fileReason(thrown)}`;
  }
}

/** Returns the facts about prices that a plan contains. */
export function planOfPrices(prices: ReadPrices | undefined): Plan['prices'] {
  if (prices === undefined) return null;
  const { asOf = null, currency, models } = prices;
  return { hash: digestOf(prices), currency, asOf, models: Object.keys(models).length };
}
