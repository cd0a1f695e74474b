// The nightly job without a shell: cron, a task scheduler, a pipeline on any system. It takes what
// `chat-load nightly` takes, and exits as that does: 0 no regression, 1 a regression, 2 usage, 3 no target, 4 not
// comparable; 3 also where chat-load is not installed, which is no verdict on the release.
//
//   15 2 * * *  cd /srv/agent-performance && HEAD_URL=https://agent.example CHAT_LOAD_ALLOW_HOSTS=agent.example node nightly.mjs >> nightly.log 2>&1
import { existsSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath, URL } from 'node:url';

const command = findCommand();
if (command === undefined) {
  process.stderr.write('chat-load is not installed here. Run npm install in the folder of this file.\n');
  process.exit(3);
}
process.argv.splice(1, 1, fileURLToPath(command), 'nightly');
await import(command.href);

function findCommand() {
  try {
    const found = new URL('dist/cli/main.js', import.meta.resolve('chat-load/package.json'));
    return existsSync(found) ? found : undefined;
  } catch {
    return undefined;
  }
}
