import { expect, test } from 'vitest';
import './terminal.ts';

const failing = (code: string) => (): boolean => process.stderr.emit('error', Object.assign(new Error(code), { code }));

test.each(['EPIPE', 'EIO'])('a terminal that is gone (%s) ends nothing', (code) => {
  expect(failing(code)).not.toThrow();
});

test('another failure of the output is not passed over', () => {
  expect(failing('ENOSPC')).toThrow('The output cannot be written: the disk is full.');
});
