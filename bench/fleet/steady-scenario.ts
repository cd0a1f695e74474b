/** Path relative to the working directory, as workers require. */
export const steadyScenario = 'bench/scenarios/steady.ts';
