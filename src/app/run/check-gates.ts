import { invalid } from '../../plan/given-problems.ts';
import type { Settled } from '../../plan/settle.ts';
import { problemOfAbortGate } from '../../result/gates/abort-gates.ts';
import { problemOfFeed } from '../../result/gates/feasible-gates.ts';
import { readGates } from '../../result/gates/gates.ts';

/** Gates are read before anything is sent: one on an unknown metric, or on one that the scenario can never feed, is an error of the scenario. */
export function checkGates({ plan }: Pick<Settled, 'plan'>, file: string): void {
  const problems = readGates(plan).flatMap(({ metric, ...read }) => {
    const problem =
      'problem' in read
        ? read.problem
        : ((metric in plan.abortGates ? problemOfAbortGate(metric) : undefined) ?? problemOfFeed(metric, plan));
    return problem ? [{ path: `gates.${metric}`, message: problem }] : [];
  });
  if (problems.length > 0) throw invalid(file, problems);
}
