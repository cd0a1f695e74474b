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
const showsColors = (stream: NodeJS.WriteStream): boolean => {
  const { NO_COLOR: no, FORCE_COLOR: force, TERM: term } = process.env;
  if (no !== undefined && no !== '') return false;
  if (force !== undefined && force !== '' && force !== '0') return true;
  return stream.isTTY && term !== 'dumb';
};

function open(stream: NodeJS.WriteStream): Terminal {
  // Whoever read the output may have left (`| head`): what was said is lost, but the run and its result are not.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  return {
    isTTY: stream.isTTY,
    get width() {
      return stream.columns || 80;
    },
    colors: picocolors.createColors(showsColors(stream)),
    line: (text) => void stream.write(`${text}\n`),
  };
}

export const stdout = open(process.stdout);
export const stderr = open(process.stderr);
