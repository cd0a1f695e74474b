import { describe, expect, test } from 'vitest';
import { protocolNames } from './known-protocols.ts';
import { protocolOption } from './protocol-option.ts';

describe('the protocol of a target', () => {
  test.each(protocolNames)('%s is known by its name', (name) =>
    expect(protocolOption.parse(name)).toMatchObject({ name }),
  );

  test.each([
    ['openai-chats', "unknown protocol 'openai-chats': did you mean 'openai-chat'?"],
    ['constructor', `unknown protocol 'constructor': known are ${protocolNames.join(', ')}`],
  ])('%s is none', (name, message) =>
    expect(protocolOption.safeParse(name).error?.issues).toMatchObject([{ message }]),
  );
});
