import { createHash } from 'node:crypto';
import { readTextOf } from '../open-file.ts';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { parseJson } from '../../base/json.ts';
import { ChatLoadError } from '../../base/errors.ts';
import { fileReason } from '../../base/file-reason.ts';
import { calibrationSchema, type Calibration, type CalibrationKey } from '../../result/sections/calibration.ts';
import { makeFolder } from './make-folder.ts';
import { writeWhole } from './write-result.ts';

/** Returns the cache folder: `CHAT_LOAD_CACHE`, or the one of the operating system. */
export function cacheFolder({ environment, platform, home } = thisProcess): string {
  const { CHAT_LOAD_CACHE: own, XDG_CACHE_HOME: xdg, LOCALAPPDATA: local } = environment;
  if (own !== undefined && own !== '') return own;
  if (platform === 'win32') return join(local ?? join(home, 'AppData', 'Local'), 'chat-load', 'Cache');
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'chat-load');
  // The specification ignores a relative path.
  return join(xdg !== undefined && isAbsolute(xdg) ? xdg : join(home, '.cache'), 'chat-load');
}

const thisProcess = { environment: process.env, platform: process.platform, home: homedir() };

/** Reads the calibration of this machine and version; `null` if none is usable. */
export async function readCalibration(key: CalibrationKey, folder = cacheFolder()): Promise<Calibration | null> {
  try {
    const read = calibrationSchema.parse(parseJson(await readTextOf(pathOf(key, folder))));
    return isOf(read, key) ? read : null;
  } catch {
    // The remedy for any problem is to calibrate again, which every result then recommends.
    return null;
  }
}

/** Saves a calibration, replacing an existing one. Returns its path. */
export async function keepCalibration(calibration: Calibration, folder = cacheFolder()): Promise<string> {
  const path = pathOf(calibration, folder);
  try {
    await makeFolder(folder);
    await writeWhole(path, `${JSON.stringify(calibration, null, 1)}\n`);
  } catch (thrown) {
    throw new ChatLoadError('environment', {
      message: `The calibration could not be saved: ${fileReason(thrown)}`,
      hint: 'Make the folder writable, or name another one in CHAT_LOAD_CACHE.',
      cause: thrown,
    });
  }
  return path;
}

const isOf = (one: CalibrationKey, other: CalibrationKey): boolean =>
  one.toolVersion === other.toolVersion && one.host === other.host && one.machine === other.machine;

function pathOf({ toolVersion, host, machine }: CalibrationKey, folder: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([toolVersion, host, machine]))
    .digest('hex');
  return join(folder, `calibration-${digest.slice(0, 16)}.json`);
}
