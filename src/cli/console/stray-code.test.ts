import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { scenarioCodeBehind, scenarioCodeIn } from './stray-code.ts';

const own = new URL('../../schedule/sleeper.ts', import.meta.url).href;
const ours = `    at Sleeper.wake (${own}:12:5)`;
const ofPlatform = '    at listOnTimeout (node:internal/timers:581:17)';
const ofPackage = '    at pLimit (file:///home/ada/node_modules/p-limit/index.js:3:1)';
const ofScenario = '    at async messages (/home/ada/scenarios/peak.ts:7:3)';
const stack = (...frames: string[]): string => ['Error: x', ...frames].join('\n');

describe('a thrown value is attributed to', () => {
  test.each([
    ['a function of the scenario that we called', stack(ofPlatform, ofScenario, ours)],
    ['a package that the scenario uses by itself', stack(ofPackage, ofPlatform)],
    ['a package that a function of the scenario called', stack(ofPackage, ofScenario, ours)],
    ['a fetch that nobody waits for', stack('    at node:internal/deps/undici/undici:14976:13')],
  ])('the scenario: %s', (_, text) => {
    expect(scenarioCodeIn(text)).toBeDefined();
  });

  test.each([
    ['code of ours that a function of the scenario called', stack(ours, ofScenario)],
    ['a package that we called', stack(ofPackage, ours)],
    ['the platform alone', stack(ofPlatform)],
    ['no frame at all', stack()],
  ])('chat-load: %s', (_, text) => {
    expect(scenarioCodeIn(text)).toBeUndefined();
  });

  test.each(['/home/my%20load #1 (old)/peak.ts:7:3', '/home/a b ?/ü "x" (1).ts:7:3'])('the file %s', (place) => {
    for (const frame of [`    at async messages (${place})`, `    at ${place}`])
      expect(scenarioCodeIn(stack(frame, ours))).toEqual({ place: relative('.', place) });
  });

  test('the scenario if it is not an error, which chat-load never throws', () => {
    expect(scenarioCodeBehind('a text')).toEqual({ place: '' });
    const error = new Error('ours');
    error.stack = stack(`    at ${fileURLToPath(own)}:1:1`);
    expect(scenarioCodeBehind(error)).toBeUndefined();
  });
});
