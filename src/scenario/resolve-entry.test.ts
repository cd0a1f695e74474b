import { describe, expect, test } from 'vitest';
import { readResolveEntry } from './resolve-entry.ts';

describe('an entry of target.resolve', () => {
  test.each([
    ['agent.example:443:10.0.0.7', { host: 'agent.example', port: 443, address: '10.0.0.7' }],
    ['AGENT.example.:8080:[::1]', { host: 'agent.example', port: 8080, address: '::1' }],
    ['[2001:db8::1]:443:127.0.0.1', { host: '2001:db8::1', port: 443, address: '127.0.0.1' }],
  ])('%s is read', (text, read) => expect(readResolveEntry(text)).toEqual(read));

  test.each([
    '',
    'agent.example',
    'agent.example:443',
    'agent.example:443:',
    'agent.example:443:other.example',
    'agent.example:https:10.0.0.7',
    'agent.example:0:10.0.0.7',
    'agent.example:65536:10.0.0.7',
    'agent.example:443:::1',
    'agent.example:443:[10.0.0.7]',
    'https://agent.example:443:10.0.0.7',
    'agent.example:443:10.0.0.7,10.0.0.8',
    ':443:10.0.0.7',
  ])('%j is rejected with the form expected', (text) => {
    expect(readResolveEntry(text)).toMatchObject({ problem: expect.stringContaining('expected host:port:address') });
  });
});
