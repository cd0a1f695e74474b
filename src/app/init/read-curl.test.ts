import { describe, expect, test } from 'vitest';
import { ChatLoadError } from '../../base/errors.ts';
import { readCurl } from './read-curl.ts';

const body = '{"message":"Hi"}';
const curl = `curl https://bot.example/chat -d '${body}'`;

/** Message and hint of a refusal. */
function refusalOf(source: string): string {
  try {
    readCurl(source);
  } catch (thrown) {
    if (thrown instanceof ChatLoadError && thrown.code === 'usage') return `${thrown.message} ${thrown.hint}`;
    throw thrown;
  }
  return 'accepted';
}

describe('readCurl', () => {
  test.each([
    [
      'short and joined options',
      `curl -sSNXPUT https://bot.example/chat -H'X-A: 1' -d '${body}'`,
      'PUT',
      [['X-A', '1']],
    ],
    ['continued lines', `curl \\\n  https://bot.example/chat \\\r\n  --json '${body}'`, 'POST', []],
    [
      '--url, -A, -b and -e',
      `curl --url https://bot.example/chat -A me -b 'a=b' -e x -d '${body}'`,
      'POST',
      [
        ['Cookie', 'a=b'],
        ['User-Agent', 'me'],
      ],
    ],
    ['--oauth2-bearer', `${curl} --oauth2-bearer abc`, 'POST', [['Authorization', 'Bearer abc']]],
    ['a prompt, a pipe and a file', `$ ${curl} -o out.json 2>/dev/null | jq -r .reply`, 'POST', []],
    ['time and a path', `time -p /usr/bin/curl https://bot.example/chat -d '${body}'`, 'POST', []],
    ['an assignment', `TOKEN=a LANG=C ${curl}`, 'POST', []],
    ['a comment', `# it's a test\n${curl} # it's one`, 'POST', []],
    ['a comment between lines', `curl \\\n  # it's a key\n  https://bot.example/chat \\ \n -d '${body}'`, 'POST', []],
    ['lines without a backslash', `curl https://bot.example/chat\n  -d '${body}'\necho done`, 'POST', []],
    ['lines of PowerShell', `curl.exe https://bot.example/chat \`\n -d '{\\"message\\":\\"Hi\\"}'`, 'POST', []],
    ['lines of cmd', `curl "https://bot.example/chat" ^\r\n  -d "{\\"message\\":\\"Hi\\"}"`, 'POST', []],
    [
      'a copy for cmd',
      'curl ^"https://bot.example/chat^" ^\r\n --data-raw ^"^{^\\^"message^\\^":^\\^"Hi^\\^"^}^"',
      'POST',
      [],
    ],
    ['a here-document', `curl -d @- https://bot.example/chat <<'EOF' | jq\n${body}\nEOF\necho it's`, 'POST', []],
    ['an indented here-document', `curl https://bot.example/chat --json @- <<-EOF\n\t${body}\n\tEOF`, 'POST', []],
    ['a here-string', `curl -d @- https://bot.example/chat <<< '${body}'`, 'POST', []],
    ['the output of echo', `echo '${body}' | curl -d @- https://bot.example/chat && echo ok`, 'POST', []],
    ['the output of cat', `cat <<EOF | curl -d @- https://bot.example/chat\n${body}\nEOF`, 'POST', []],
    [
      'options of the connection',
      `curl -sSNkLi -v4 --http1.1 --compressed -m 30 --connect-timeout 5 --retry=2 -w '%{http_code}' -D - -o /dev/null https://bot.example/chat -d '${body}' 2>&1 >log`,
      'POST',
      [],
    ],
    ['an empty header', `${curl} -H 'X-Empty;' -H 'X-Removed:'`, 'POST', []],
  ] as const)('reads %s', (_, source, method, headers) => {
    const { message } = readCurl(source);
    expect([message.method, message.url.href, message.body, message.headers]).toEqual([
      method,
      'https://bot.example/chat',
      { message: 'Hi' },
      headers,
    ]);
  });

  test.each([
    ["$'..' with escapes", String.raw`curl h/c -d $'{"message":"It\'s \u00e9\u0021\\n"}'`, "It's é!\n"],
    ['double quotes', String.raw`curl h/c -d "{\"message\":\"costs \$5 \\\" more\"}"`, 'costs $5 " more'],
    ["bytes in $'..'", String.raw`curl h/c -d $'{"message":"caf\xc3\xa9 \303\251 \xe9"}'`, 'café é é'],
    [
      "code points in $'..'",
      String.raw`curl h/c -d $'{"message":"\U0001F44B \ud83d\udc4b \u20AC \\u00e9"}'`,
      '👋 👋 € é',
    ],
    ["'\\'' in single quotes", `curl h/c -d '{"message":"It'\\''s"}'`, "It's"],
    ['adjacent quotes', `curl h/c -d '{"message":'"\\"a b\\""'}'`, 'a b'],
  ])('unquotes %s', (_, source, message) => {
    expect(readCurl(source).message.body).toEqual({ message });
    expect(readCurl(source).message.url.href).toBe('http://h/c');
  });

  test('reads the user of -u and of a URL, and expands nothing', () => {
    expect(readCurl(`${curl} -u 'bob:pass:word'`).message.basic).toEqual(['bob', 'pass:word']);
    const { message, notes } = readCurl(
      `curl https://bob:p%40ss@bot.example/chat -d '{"message":"$HOME and \`id\`"}' -H "X: $HOME"`,
    );
    expect([message.basic, message.url.username, message.url.password]).toEqual([['bob', 'p@ss'], '', '']);
    expect([message.body, message.headers]).toEqual([{ message: '$HOME and `id`' }, [['X', '$HOME']]]);
    expect(notes).toEqual(['the body contains $HOME, which is sent as it is']);
  });

  test('takes two commands as the creation of a session and a message', () => {
    const { message, creation } = readCurl(`curl https://bot.example/sessions -d '{}' > id.json; ${curl};`);
    expect([creation?.url.pathname, message.url.pathname]).toEqual(['/sessions', '/chat']);
    expect(() => readCurl(`curl other/sessions -d '{}'; ${curl}`)).toThrow('contains commands for two servers');
  });

  test.each([
    ["-d ''", 'POST'],
    ['-d "" -H "Content-Length: 0"', 'POST'],
    ['-X PUT', 'PUT'],
    ['', 'GET'],
  ])('reads a creation with an empty body: %s', (options, method) => {
    const { creation } = readCurl(`curl https://bot.example/sessions ${options}\n${curl}`);
    expect([creation?.method, creation?.body]).toEqual([method, {}]);
  });

  test('names the path of the command at fault if there are two', () => {
    expect(refusalOf(`curl https://bot.example/sessions -d 'x=1'\n${curl}`)).toContain(
      'the command for /sessions has a body that is not a JSON object',
    );
  });

  test.each([
    'curl “h/c” -d ‘{“message”:“Hi”}’',
    'curl h/c -d ‘{"message":"Hi"}’',
    "curl 'h/c' -d '{“message”:“Hi”}'",
    'curl h/c -H ‘X-A: b c’ -d \'{"message":"Hi"}\'',
  ])('reads typographic quotes as plain ones: %s', (source) => {
    expect(readCurl(source).message).toMatchObject({ body: { message: 'Hi' }, url: { pathname: '/c' } });
  });

  test('keeps typographic quotes of a message', () => {
    expect(readCurl(`curl h -d '{"message":"It’s “so”"}'`).message.body).toEqual({ message: 'It’s “so”' });
  });

  test.each([
    '9007199254740992',
    '-0.1',
    '1e5',
    '123456789012345',
    '1e23',
    '"9007199254740993"',
    '0.30000000000000004',
  ])('keeps %s, which is exact', (number) => {
    expect(JSON.stringify(readCurl(`curl h -d '{"message":"Hi","n":${number}}'`).message.body)).toBe(
      `{"message":"Hi","n":${JSON.stringify(JSON.parse(number))}}`,
    );
  });

  test('joins cookies, and notes what is sent as it is', () => {
    const { message, notes } = readCurl(`curl h -b a=b -b c=d -d '{"message":"Hi","at":"$(date)"}'`);
    expect([message.headers, notes]).toEqual([
      [['Cookie', 'a=b; c=d']],
      ['the body contains $(...), which is sent as it is'],
    ]);
  });

  test.each([
    ['"$SID"', []],
    ['"${SID}"', []],
    ['"$OTHER"', ['the body contains $OTHER, which is sent as it is']],
    ['"s-$SID"', ['the body contains $SID, which is sent as it is']],
  ])('notes no variable of the first command that a definition replaces: %s', (id, expected) => {
    const first = 'SID=$(curl -s -X POST h/new | jq -r .session_id)';
    const { notes } = readCurl(`${first}\ncurl h -d "${`{"message":"Hi","session_id":${id}}`.replaceAll('"', '\\"')}"`);
    expect(notes).toEqual(expected);
  });

  test('remarks on options that are not taken over', () => {
    const { notes } = readCurl(`${curl} -k -L --proxy http://p`);
    expect(notes.map((note) => note.split(',')[0])).toEqual([
      'certificates are verified',
      'redirects are not followed',
      'the proxy of curl -x is not taken over: set --proxy',
    ]);
  });

  test.each([
    ['', 'contains no curl command', '--from-curl -'],
    ['wget https://bot.example', 'contains no curl command', 'Pass the whole command'],
    [`${curl} ${curl} ${curl}`, 'contains 3 curl commands', 'Keep the one that sends a message'],
    ['curl h -d \'{"message":"Hi"}', 'is never closed', 'Copy the whole command'],
    [`${curl} --frobnicate=sk-secret`, 'uses --frobnicate, which', 'Remove the option'],
    [`${curl} -Zsk-secret`, 'uses -Z, which', 'Remove the option'],
    [`${curl} -H`, 'has no usable value for -H', 'Complete the value'],
    [`${curl} --data-urlencode 'a=b'`, 'has several bodies', 'Pass one JSON object'],
    [`curl h --data-urlencode 'message@file'`, 'reads its body from a file', 'Replace it by the contents'],
    [`${curl} -F 'a=@b'`, 'sends a file (-F name=@...)', 'Files are not read'],
    ["curl h -F 'a=b' -F 'a=c'", 'sends the field a twice', 'Keep one of them'],
    [`${curl} -T file`, 'uses --upload-file', 'files by their contents'],
    [`${curl} -G`, 'has no body, and no message in its query', 'https://.../ask?q=Hello'],
    ['curl h/chat?stream=true', 'has no body, and no message in its query', 'https://.../ask?q=Hello'],
    ["curl h -d 'message=Hi&message=Ho'", 'sends the field message twice', 'Keep one of them'],
    [`curl h -d @body.json`, 'from a file or standard input (@...)', 'Replace it by the contents'],
    [`${curl} -H @headers`, 'reads headers from a file', "-H 'Name: value'"],
    [`${curl} -b cookies.txt`, 'reads its cookies from a file', "-b 'name=value'"],
    [`curl -d '${body}'`, 'has no URL', 'Name one URL'],
    [`${curl} https://other.example`, 'has 2 URLs', 'Name one URL'],
    [`curl $BASE_URL/chat -d '${body}'`, 'the variable $BASE_URL in its URL', 'Replace it by its value'],
    [`curl ftp://h/chat -d '${body}'`, 'has no usable URL', 'starts with http:// or https://'],
    ['curl https://bot.example/chat', 'has no body, and no message', '--data \'{"message": "Hello"}\''],
    ["curl h -H 'Content-Type: application/json' -d 'message=Hi'", 'is neither a JSON object', 'init --protocol own'],
    ["curl h --json 'message=Hi'", 'is neither a JSON object nor a form', 'init --protocol own'],
    ["curl h -d '<message>Hi</message>'", 'is neither a JSON object nor a form', 'init --protocol own'],
    [`curl h -d "{'message': 'Hi'}"`, 'is neither a JSON object', 'JSON requires double quotes'],
    ['curl h -d ‘{“message”: “it’s”}’', 'contains typographic quotes', 'Replace them by plain ones'],
    [`${curl} -d '{"a":1}'`, 'has several bodies', 'Pass one JSON object'],
    [`curl h -d '{"message":"Hi","n":9007199254740993}'`, 'the number 9007199254740993, which', 'in quotes'],
    [`curl h -d '{"message":"Hi","n":[0.12345678901234567891]}'`, 'the number 0.1234', 'in quotes'],
    [`curl h -d '{"message":"Hi","n":1e999}'`, 'the number 1e999', 'in quotes'],
    [String.raw`curl h -d '{"message":"Hi","a":{"\u005f_proto__":1}}'`, 'the field __proto__', 'Remove the field'],
    [
      `curl 'https://bot.example/bots/{bot}/chat' -d '${body}'`,
      'the parameter {bot} in its URL',
      'Replace it by its value',
    ],
    [`curl 'https://bot.example/bots/<BOT ID>/chat' -d '${body}'`, 'the parameter <BOT ID> in its URL', 'Replace it'],
    [`curl '{{baseUrl}}/chat' -d '${body}'`, 'the parameter {{baseUrl}} in its URL', 'Replace it by its value'],
    [`curl https://bot.example/bots/$BOT/chat -d '${body}'`, 'the variable $BOT in its URL', 'Replace it by its value'],
    [
      `${curl} -H "Authorization: Bearer $(gcloud auth print)"`,
      'a command substitution, $(...)',
      'export AGENT_TOKEN=$(',
    ],
    [`${curl} -u "me:\`pass show x\`"`, 'a command substitution', 'write $AGENT_TOKEN in its place'],
    [`curl "https://bot.example/?key=$(pass key)" -d '${body}'`, 'a command substitution', 'export AGENT_TOKEN'],
    ['curl h -d @-', 'standard input (@...)', 'a here-document'],
    [`cat body.json | curl h -d @-`, 'standard input (@...)', 'Replace it by the contents'],
    [`${curl} -u bob`, 'names a user without a password', "-u 'user:password'"],
  ])('refuses %j with a remedy', (source, fault, remedy) => {
    expect(refusalOf(source)).toContain('--from-curl: the command ');
    expect(refusalOf(source)).toContain(fault);
    expect(refusalOf(source)).toContain(remedy);
    expect(refusalOf(source)).not.toContain('sk-secret');
  });
});
