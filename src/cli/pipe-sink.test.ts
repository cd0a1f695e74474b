import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { pipeSink } from './pipe-sink.ts';

const full = (): Error => Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
const failing = (code: string): Writable => {
  const stream = new Writable({
    write: (_chunk, _encoding, done) => {
      done(Object.assign(new Error(code), { code }));
    },
  });
  return stream.on('error', () => undefined);
};

test('a pipe whose reader left takes no more', async () => {
  expect(await pipeSink(failing('EPIPE')).write('a')).toBe(false);
});

test('a full disk is named, whether the stream throws or says so later', async () => {
  const throwing = new Writable({ write: () => undefined });
  throwing.write = () => {
    throw full();
  };
  for (const stream of [throwing, failing('ENOSPC')])
    await expect(pipeSink(stream).write('a')).rejects.toMatchObject({
      code: 'environment',
      message: 'The output cannot be written: the disk is full.',
    });
});

test('what is written is taken', async () => {
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
