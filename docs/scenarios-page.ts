// The generated part of docs/reference/scenarios.md.
import { thinkPresets } from '../src/scenario/scenario-shape.ts';
import { turnPresets } from '../src/scenario/turn-options.ts';

type TurnPreset = (typeof turnPresets)[keyof typeof turnPresets];

/** The named distributions as a Markdown table. */
export function presetTable(): string {
  const rows = [
    ...Object.entries(turnPresets).map(([name, preset]) => ['turns', name, turnsText(preset)]),
    ...Object.entries(thinkPresets).map(([name, { median, sigma }]) => [
      'thinkTime',
      name,
      `lognormal, median ${median}, sigma ${String(sigma)}`,
    ]),
  ];
  const lines = rows.map(([option = '', name = '', text = '']) => `| \`${option}: '${name}'\` | ${text} |`);
  return ['| preset | meaning |', '| --- | --- |', ...lines].join('\n');
}

function turnsText(preset: TurnPreset): string {
  if ('mean' in preset)
    return `normal, mean ${String(preset.mean)}, standard deviation ${String(preset.sd)}, rounded, at least 1`;
  const weights = Object.entries<number>(preset.weights).sort(([a], [b]) => Number.parseInt(a) - Number.parseInt(b));
  const sum = weights.reduce((total, [, weight]) => total + weight, 0);
  return `turns of a session: ${weights.map(([turns, weight]) => `${turns} in ${String((weight / sum) * 100)} %`).join(', ')}`;
}
