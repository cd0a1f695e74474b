import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ChatLoadError } from '../../base/errors.ts';
import type { Calibration } from '../../result/sections/calibration.ts';
import { cacheFolder, keepCalibration, readCalibration } from './calibration-file.ts';

const errors = { p50Ms: 0.2, p90Ms: 0.3, p95Ms: 0.5, p99Ms: 1.1 };
const calibration: Calibration = {
  kind: 'chat-load/calibration',
  schemaVersion: 1,
  toolVersion: '0.1.0',
  host: 'lab',
  machine: 'a processor, 2 cores',
  calibratedAt: '2026-01-31T14:00:00.000Z',
  sends: { turnsPerSecond: 50_000, cpuUsPerTurn: 20 },
  loads: [{ attemptsPerSecond: 100, turnsInFlight: 4, turns: 700, attempt: errors, effective: errors }],
  notCarried: null,
};

const scratch = await mkdtemp(join(tmpdir(), 'chat-load-cache-'));
let folders = 0;
const newFolder = (): string => join(scratch, String(++folders), 'not', 'there');
afterAll(() => rm(scratch, { recursive: true }));

describe('a calibration', () => {
  test('is found again by the machine and version that it was made with', async () => {
    const folder = newFolder();
    await keepCalibration(calibration, folder);
    await keepCalibration({ ...calibration, calibratedAt: '2026-02-01T00:00:00.000Z' }, folder);
    expect(await readCalibration(calibration, folder)).toEqual({
      ...calibration,
      calibratedAt: '2026-02-01T00:00:00.000Z',
    });
    expect(await readdir(folder)).toHaveLength(1);
  });

  test.each([{ host: 'other' }, { machine: 'a processor, 4 cores' }, { toolVersion: '0.2.0' }])(
    'is not found with %o',
    async (other) => {
      const folder = newFolder();
      await keepCalibration(calibration, folder);
      expect(await readCalibration({ ...calibration, ...other }, folder)).toBeNull();
    },
  );

  test.each([
    ['cut off', (text: string) => text.slice(0, 40)],
    ['of another kind', () => '{"kind":"chat-load/result"}'],
    ['of a newer version', (text: string) => text.replace('"schemaVersion": 1', '"schemaVersion": 2')],
    ['of another machine', (text: string) => text.replace('"lab"', '"other"')],
  ])('that is %s is ignored', async (_, damage) => {
    const folder = newFolder();
    const path = await keepCalibration(calibration, folder);
    await writeFile(path, damage(JSON.stringify(calibration, null, 1)));
    expect(await readCalibration(calibration, folder)).toBeNull();
  });

  test('is missing without a folder', async () => {
    expect(await readCalibration(calibration, newFolder())).toBeNull();
  });

  test('that cannot be saved reports the variable of the folder', async () => {
    const folder = newFolder();
    await mkdir(join(folder, '..'), { recursive: true });
    await writeFile(folder, 'a file');
    const kept = keepCalibration(calibration, folder);
    await expect(kept).rejects.toBeInstanceOf(ChatLoadError);
    await expect(kept).rejects.toMatchObject({ code: 'environment', hint: expect.stringContaining('CHAT_LOAD_CACHE') });
  });
});

describe('the cache folder', () => {
  const home = '/home/ada';
  const on = (platform: NodeJS.Platform, environment = {}): string => cacheFolder({ platform, environment, home });

  test('is the cache folder of the system by default', () => {
    expect(on('linux')).toBe(join(home, '.cache', 'chat-load'));
    expect(on('linux', { XDG_CACHE_HOME: '/var/ada' })).toBe(join('/var/ada', 'chat-load'));
    expect(on('linux', { XDG_CACHE_HOME: 'relative' })).toBe(join(home, '.cache', 'chat-load'));
    expect(on('darwin')).toBe(join(home, 'Library', 'Caches', 'chat-load'));
    expect(on('win32', { LOCALAPPDATA: 'C:/local' })).toBe(join('C:/local', 'chat-load', 'Cache'));
    expect(on('win32')).toBe(join(home, 'AppData', 'Local', 'chat-load', 'Cache'));
  });

  test('is CHAT_LOAD_CACHE, unless that is empty', () => {
    expect(on('win32', { CHAT_LOAD_CACHE: '/here' })).toBe('/here');
    expect(on('linux', { CHAT_LOAD_CACHE: '' })).toBe(join(home, '.cache', 'chat-load'));
  });
});
