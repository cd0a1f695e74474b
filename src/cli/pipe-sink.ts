import type { Writable } from 'node:stream';
import type { Sink } from '../app/dataset/convert-dataset.ts';
import { unwritable } from './terminal.ts';

/** Standard output: waits for a slow reader, and ends with one that leaves. Throws an environment error where it cannot be written. */
export function pipeSink(stream: Writable): Sink {
  return {
    write: (text) =>
      new Promise<boolean>((resolve, reject) => {
        if (text === '') resolve(true);
        else if (stream.destroyed || !stream.writable) resolve(false);
        else
          stream.write(text, (error) => {
            if (error === undefined || error === null) resolve(true);
            else reject(error);
          });
      }).catch((thrown: unknown) => {
        if (hasLeft(thrown)) return false;
        throw unwritable(thrown);
      }),
  };
}

const hasLeft = (thrown: unknown): boolean => thrown instanceof Error && 'code' in thrown && thrown.code === 'EPIPE';
