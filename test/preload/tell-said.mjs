// Records the messages of a process to its parent, as lines of the file CHAT_LOAD_TEST_SAID.
import { appendFileSync } from 'node:fs';
import process from 'node:process';

const { send } = process;
if (send !== undefined)
  process.send = (message, ...rest) => {
    appendFileSync(process.env.CHAT_LOAD_TEST_SAID, `${JSON.stringify(message)}\n`);
    return send.call(process, message, ...rest);
  };
