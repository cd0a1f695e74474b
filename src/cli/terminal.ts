import { isatty } from 'node:tty';
import picocolors from 'picocolors';

/** One of the two streams, with what can be shown on it. */
export interface Terminal {
  isTTY: boolean;
  /** Columns; 80 where that is not known. */
  width: number;
  colors: ReturnType<typeof picocolors.createColors>;
  line(text: string): void;
}

/** Colours show on a terminal, unless `NO_COLOR` is set; `FORCE_COLOR` shows them anywhere. */
const showsColors = (isTTY: boolean): boolean => {
  const { NO_COLOR: no, FORCE_COLOR: force, TERM: term } = process.env;
  if (no !== undefined && no !== '') return false;
  if (force !== undefined && force !== '' && force !== '0') return true;
  return isTTY && term !== 'dumb';
};

function open(stream: NodeJS.WriteStream & { fd: number }): Terminal {
  const isTTY = isatty(stream.fd);
  // Whoever read the output may have left (`| head`): what was said is lost, but the run and its result are not.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  return {
    isTTY,
    get width() {
      return stream.columns || 80;
    },
    colors: picocolors.createColors(showsColors(isTTY)),
    line: (text) => void stream.write(`${text}\n`),
  };
}

export const stdout = open(process.stdout);
export const stderr = open(process.stderr);
