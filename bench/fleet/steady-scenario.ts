/** Below the folder that the bench is started in, as workers need it. */
export const steadyScenario = 'bench/scenarios/steady.ts';
