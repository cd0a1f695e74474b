import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { pipeSink } from './terminal.ts';

const full = (): Error => Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
const pipe = (code: string): Writable => {
  const stream = new Writable({
    write: (_chunk, _encoding, done) => {
      done(Object.assign(new Error(code), { code }));
    },
  });
  return stream.on('error', () => undefined);
};

test('a pipe whose reader has exited accepts no more text', async () => {
  expect(await pipeSink(pipe('EPIPE')).write('a')).toBe(false);
});

test('a full disk is reported, whether the stream throws or emits an error later', async () => {
  const throwing = new Writable({ write: () => undefined });
  throwing.write = () => {
    throw full();
  };
  for (const stream of [throwing, pipe('ENOSPC')])
    await expect(pipeSink(stream).write('a')).rejects.toMatchObject({
      code: 'environment',
      message: 'Cannot write the output: the disk is full.',
    });
});

test('text is written', async () => {
  let text = '';
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString();
      done();
    },
  });
  expect(await pipeSink(stream).write('a')).toBe(true);
  expect(text).toBe('a');
});

const failing = (code: string) => (): boolean => process.stderr.emit('error', Object.assign(new Error(code), { code }));

test.each(['EPIPE', 'EIO'])('a terminal that is gone (%s) ends nothing', (code) => {
  expect(failing(code)).not.toThrow();
});

test('another failure of the output is not ignored', () => {
  expect(failing('ENOSPC')).toThrow('Cannot write the output: the disk is full.');
});
