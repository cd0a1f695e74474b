import type { Result } from '../../../result/result.ts';
import { agentText } from '../../words/agent-text.ts';
import { formatMs } from '../../words/format.ts';
import { wayOf, wayText } from '../../words/way-text.ts';
import type { Fact } from '../page.ts';
import type { ShownRun } from './shown/shown-run.ts';

/** `peak (release-42)`; of several runs their names. */
export function titleOf(runs: readonly ShownRun[]): string {
  const [first] = runs;
  if (runs.length > 1 || first === undefined)
    return `${String(runs.length)} runs: ${runs.map(({ name }) => name).join(', ')}`;
  const { scenario, run } = first.result;
  return `${scenario.name}${run.label === null ? '' : ` (${run.label})`}`;
}

/** What was run, against what, when and by which version; of several runs a line each. */
export function factsOf(runs: readonly ShownRun[]): Fact[] {
  const [first] = runs;
  if (runs.length === 1 && first !== undefined) return factsOfRun(first.result);
  return runs.map(({ name, result }) => ({
    name,
    text: factsOfRun(result)
      .map(({ name: what, text }) => `${what} ${text}`)
      .join('; '),
  }));
}

function factsOfRun(result: Result): Fact[] {
  const { scenario, target, run, transport } = result;
  const facts: [string, string][] = [
    ['scenario', scenario.name],
    [
      'target',
      `${target.baseUrl ?? 'embedded reference service'}${agentText(target.agentId)}${wayText(wayOf(transport))}`,
    ],
    ['started', run.startedAt],
    ['length', lengthText(result)],
    ['seed', String(scenario.seed)],
    ['chat-load', run.toolVersion],
  ];
  return facts.map(([name, text]) => ({ name, text }));
}

function lengthText({ run: { status, durationMs }, rates: { measuredMs } }: Result): string {
  const measured = measuredMs < durationMs - 1 ? `, measured ${formatMs(measuredMs)} after the warm-up` : '';
  return `${status} after ${formatMs(durationMs)}${measured}`;
}
