import type { Trend, TrendGroup } from '../../compare/trend/trend.ts';
import { formatCount } from '../words/format.ts';
import { clean } from '../words/paragraph.ts';

/** `2026-11-03`; of several sittings of one day each with its time (UTC): `2026-11-03 02:05`, with seconds where needed. */
export function nightName({ nights }: TrendGroup, at: number): string {
  const night = nights[at];
  if (night === undefined) return '';
  const isAlone = (length: number): boolean =>
    nights.filter((other) => timeOf(other).slice(0, length) === timeOf(night).slice(0, length)).length === 1;
  const [day, minute, second] = [10, 16, 19];
  return clean(timeOf(night).slice(0, [day, minute].find(isAlone) ?? second));
}

const timeOf = ({ startedAt }: TrendGroup['nights'][number]): string => startedAt.replace('T', ' ');

/** The scenario of a series; what tells it apart where another of the trend is of the same name. */
export function seriesName(group: TrendGroup, { groups }: Trend): string {
  const alike = groups.filter(({ scenario }) => scenario.name === group.scenario.name);
  const differing = traits.flatMap((textOf) =>
    alike.some((other) => textOf(other) !== textOf(group)) ? [textOf(group)] : [],
  );
  const name = clean(group.scenario.name);
  return differing.length === 0 ? name : `${name} (${differing.join(', ')})`;
}

const scenarioText = ({ scenario: { hash } }: TrendGroup): string => `scenario ${clean(hash).slice(0, 8)}`;
const loadText = ({ loadHash }: TrendGroup): string => `load ${clean(loadHash).slice(0, 8)}`;
const machineText = ({ machineClass }: TrendGroup): string => clean(machineClass);
const traits = [scenarioText, loadText, machineText];

/** `smoke: 60 sittings, 2026-09-05 to 2026-11-03`. */
export function seriesText(group: TrendGroup, trend: Trend): string {
  const { nights, allNights } = group;
  const [first, last] = [nights.at(0)?.date ?? '', nights.at(-1)?.date ?? ''];
  const part = allNights > nights.length ? ` of ${formatCount(allNights)}` : '';
  return `${seriesName(group, trend)}: ${formatCount(nights.length)}${part} ${nights.length === 1 ? 'sitting' : 'sittings'}, ${first === last ? first : `${first} to ${last}`}`;
}

/** What has to be equal within the series. */
export function placeText(group: TrendGroup): string {
  return `${machineText(group)}; ${scenarioText(group)}, ${loadText(group)}`;
}
