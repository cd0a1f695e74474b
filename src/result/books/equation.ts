import { z } from 'zod';

export const assertedEquationSchema = z.object({
  scope: z
    .enum(['whole', 'warm-up', 'sums', 'published'])
    .describe("The subject: the whole run, its warm-up, sums over the run's parts, or the published figures"),
  name: z.string().describe('The equation in words'),
  left: z.number().describe('Its left side'),
  right: z.number().describe('Its right side'),
  holds: z.boolean().describe('Whether it holds'),
});

/** One equation of the books, checked. */
export type Equation = z.infer<typeof assertedEquationSchema>;

/** Equations by name, yet to be checked. */
export type EquationSides = Record<string, readonly [left: number, right: number]>;

/** Two sides that have to be equal; or, where the name says so, the left one no greater. */
export function checkEquation(
  scope: Equation['scope'],
  name: string,
  [left, right]: readonly [number, number],
): Equation {
  return { scope, name, left, right, holds: name.includes('≤') ? left <= right : left === right };
}
