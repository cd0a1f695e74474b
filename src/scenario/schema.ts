import type { z } from 'zod';
import { unknownName } from '../base/unknown-name.ts';
import { closedObject } from './closed-object.ts';
import { scenarioShape } from './scenario-shape.ts';
import { targetProblems, unfitProblems } from './target-problems.ts';

/** The schema of a scenario file's default export: accepts an author's object, returns durations in milliseconds. */
export const scenarioSchema = closedObject(scenarioShape).superRefine((scenario, context) => {
  const { stages, trace } = scenario.load;
  const hasEnd = [scenario.sessions, scenario.duration, stages, trace].some((given) => given !== undefined);
  if (!hasEnd) context.addIssue({ code: 'custom', path: ['sessions'], message: 'give sessions, duration, or both' });
  if (scenario.maxCost !== undefined && scenario.cost === undefined)
    context.addIssue({
      code: 'custom',
      path: ['maxCost'],
      message: 'needs cost, a function of the reply, such as cost: (data) => Number(data.cost)',
    });
  for (const problem of [...targetProblems(scenario.target), ...unfitProblems(scenario)])
    context.addIssue({ code: 'custom', ...problem });
  const end = endsOf(scenario).find(({ atMs }) => scenario.warmUp > 0 && scenario.warmUp >= atMs);
  if (end !== undefined)
    context.addIssue({
      code: 'custom',
      path: ['warmUp'],
      message: `${inSeconds(scenario.warmUp)} is not shorter than ${end.name}, ${inSeconds(end.atMs)}: nothing would be measured`,
    });
  const variables = Object.keys(scenario.variableValues);
  for (const [index, name] of scenario.integrity.variables.entries())
    if (!variables.includes(name))
      context.addIssue({
        code: 'custom',
        path: ['integrity', 'variables', index],
        message: unknownName('variable', name, variables),
      });
});

/** Returns the limits after which no session starts, if they are known in advance. */
function endsOf({ duration, maxDuration, load }: z.output<z.ZodObject<typeof scenarioShape>>) {
  const stagesMs = load.stages?.reduce((sum, stage) => sum + stage.duration, 0);
  return [
    { name: 'duration', atMs: duration },
    { name: 'maxDuration', atMs: maxDuration },
    { name: 'the stages', atMs: duration === undefined ? stagesMs : undefined },
  ].flatMap(({ name, atMs }) => (atMs === undefined ? [] : [{ name, atMs }]));
}

const inSeconds = (lengthMs: number): string => `${String(lengthMs / 1000)} s`;

/** A scenario as read: validated, with defaults, its templates not yet compiled. */
export type ReadScenario = z.output<typeof scenarioSchema>;
