import { usageError } from '../../base/errors.ts';
import { readShare } from '../../base/format.ts';
import { trendDefaults } from '../../compare/trend/trend-options.ts';
import { formatNames } from '../../dataset/formats/format.ts';
import { questions } from '../../protocol/chat-messaging/questions.ts';
import { formats } from '../../report/documents.ts';
import { protocolNames } from '../../protocol/registry/registry.ts';
import { mostUsed } from './read-words.ts';
import {
  amount,
  each,
  inGroup,
  list,
  must,
  on,
  oneOf,
  reading,
  text,
  whole,
  type Row,
  type Rows,
  type ValuesOf,
} from './rows.ts';
import { describedAs, duration, extensionsOf, folder, output, reports, shared, upToAnHour } from './shared-rows.ts';

const replyExample = { example: '800ms or 2s' };
const fourHint = (flag: string): string => `For example --${flag} 4.`;

const counted = (describe: string, flag: string, from = 1): Row<number | undefined> =>
  must(amount(describe), (value) => Number.isSafeInteger(value) && value >= from, [
    `--${flag} takes a whole number of at least ${String(from)}.`,
    fourHint(flag),
  ]);

const conversationFormat = oneOf(formatNames, 'Format of the files (default: detected)');
const conversationColumns = text(
  'Column mapping of a table: user=incoming,assistant=outgoing,conversation=ticket, or role=author,content=text,conversation=thread; also language',
);

/** Flags of all commands except scenario overrides, in the order of the help pages. */
export const optionSets = {
  prompts: inGroup('Without a scenario file:', {
    'input-tokens': text(
      'Length of every prompt, for example 200 or 100..500, in tokens if gpt-tokenizer is installed, otherwise in words',
    ),
    'output-tokens': amount('Maximum number of tokens per reply, sent in the field that the protocol defines'),
  }),
  metrics: inGroup('Metrics:', {
    'metrics-port': whole(
      'Serve Prometheus metrics on this port during the run; 0 selects a free port; see docs/reference/dashboards.md',
      {
        from: 0,
        to: 65_535,
        hint: 'Name a free port such as 9464, or 0 to select one.',
      },
    ),
    'metrics-host': text('Serve metrics on this address (default 127.0.0.1, reachable only from this machine)'),
    'metrics-linger': duration(
      text('After the run, wait at most this long until the final metrics are scraped (default 0s)'),
      { ...upToAnHour, example: '30s' },
    ),
  }),
  fleet: inGroup('Distributed runs:', {
    cores: text('Run this many generator processes on this machine; auto: one per core'),
    fleet: text(
      'Distribute the run to the workers connected to this Redis or Valkey (chat-load worker); default address: CHAT_LOAD_REDIS_URL',
      { requiresArg: false },
    ),
    shards: amount('Number of workers; required with --fleet'),
    prefix: text('Prefix of the keys in Redis', { defaultDescription: 'chat-load' }),
    'ready-timeout': duration(text('Maximum time until all shards are ready', { defaultDescription: '60s' }), {
      example: '2m',
    }),
  }),
  run: {
    ...inGroup(mostUsed, {
      label: shared.label,
      report: describedAs(
        reports('chat-load/result'),
        `${reports('chat-load/result').describe ?? ''}; not with --repeat`,
      ),
      out: shared.out,
    }),
    quiet: shared.quiet,
    format: output('chat-load/result').format,
    json: describedAs(shared.json, 'Print only the result document, one line per run'),
    'dry-run': shared['dry-run'],
    repeat: whole(
      'Run the scenario this many times; run i uses the scenario’s seed + i - 1. To compare two releases that are both deployed, use chat-load ab',
      {
        default: 1,
        to: 1000,
        hint: 'Five runs per side are a good start for a comparison: --repeat 5.',
      },
    ),
    live: text('Serve a live page on this local port; default: a free port', { requiresArg: false }),
    'live-host': text('Serve the live page on this address', { default: '127.0.0.1' }),
    'keep-journal': on('Keep the journal of the run next to the result'),
  },
  plan: {
    json: shared.json,
    'reply-time': duration(shared['reply-time'], replyExample),
    preview: must(
      amount('Preview this many sessions with their messages', { default: 2 }),
      (value) => Number.isInteger(value) && value >= 0,
      ['--preview takes a number of sessions.', 'Use a whole number; 0 previews none.'],
    ),
  },
  init: {
    example: oneOf(
      ['agent', 'smoke', 'peak', 'soak', 'open', 'personas', 'retry-storm', 'knee', 'nightly', 'inside'],
      'Scenario to write; agent is for your own agent, the others need no service',
      { defaultDescription: 'agent' },
    ),
    ci: oneOf(
      ['github'],
      'Also write a CI workflow for the nightly job, and the scenario that it runs; for GitLab and Jenkins see docs/guides/nightly.md',
    ),
    ...inGroup('Start from what you have:', {
      'from-curl': text('Write the scenario for a curl command, and try it; - reads the command from standard input'),
      'from-openapi': text('Write the scenario for an OpenAPI 3 description (JSON or YAML), and try it'),
      operation: text('Operation of the OpenAPI description that sends a message'),
      parameter: each('Value of a parameter of the OpenAPI description: name=value; may be repeated'),
    }),
    ...inGroup('Target:', {
      url: text('URL of the service; an API path at its end selects the protocol'),
      model: text('Model'),
      'agent-id': text('Agent, for APIs with agents instead of models'),
      protocol: text(`API of the service: ${protocolNames.join(', ')}, or own for a custom API`),
      stream: on('Request streamed replies'),
    }),
    yes: on('Do not prompt; address, agent and key are read from the environment', { alias: 'y' }),
  },
  try: { all: on('Print every exchange in full; by default, one is, and the others in two lines each') },
  check: {
    ...inGroup('Output:', output('chat-load/check')),
    'chat-off-agent': text('Agent of the account with chat turned off (chat-messaging only)'),
    variable: text('Variable that the agent’s instructions use: name or name=value (chat-messaging only)'),
    remember: text('Message that asks the agent to remember {{code}}', { default: questions.remember('{{code}}') }),
    recall: text('Next message, which asks for that code', { default: questions.recall }),
    pause: duration(text('Pause before every exchange (default 200ms; embedded service 0s)'), {
      maxMs: 60_000,
      range: 'from 0s to 1m',
      example: '500ms',
    }),
    only: each('Test only this rule; may be repeated'),
  },
  calibrate: {
    json: shared.json,
    'max-connections': whole('Maximum number of connections; steps use 1, 2, 4, ...', {
      default: 64,
      to: 10_000,
      hint: 'See chat-load calibrate --help.',
    }),
    'step-duration': duration(text('Duration of each step', { default: '2s' }), {
      minMs: 100,
      maxMs: 3_600_000,
      range: 'from 100ms to 1h',
      example: '2s or 500ms',
    }),
    'max-turns': whole('Maximum number of turns in total (default: maxTurns of the scenario, otherwise 200000)', {
      to: 1_000_000_000,
      hint: 'See chat-load calibrate --help.',
    }),
  },
  comparison: {
    ...inGroup('Judgement:', {
      margin: each('Minimum relevant change of a metric, for example turn.ok.p99=15%; may be repeated'),
      fdr: must(
        amount('Maximum share of false alarms among alarms (Benjamini-Hochberg; default 0.05)'),
        (share) => share > 0 && share < 0.5,
        [(share) => `--fdr takes a share between 0 and 0.5, not ${String(share)}.`, 'The default is 0.05.'],
      ),
      history: text(
        'Read the usual noise between batches of runs from this history.json of trend (default: next to the base results)',
      ),
      'no-history': on('Ignore the history; judge by these runs only'),
      'assume-noise': reading(
        text(
          'Standard deviation between batches of runs if neither history nor runs show more; 3% sees changes from 9% on (default 5%, from 15%)',
        ),
        (given) => {
          const share = readShare(given);
          if (share !== undefined && share <= 1) return share;
          throw usageError(
            `--assume-noise takes a percentage above 0 up to 100, such as 5%, not '${given}'.`,
            'It is the standard deviation between batches of runs of one release; chat-load trend --history derives it from six or more nights.',
          );
        },
      ),
      force: on('Compare results that are not comparable; the verdict mentions it'),
      'fail-on': oneOf(['inconclusive'], 'Exit with code 1 also for an inconclusive verdict'),
    }),
    ...inGroup('Output:', output('chat-load/comparison')),
  },
  compare: {
    'base-label': text('Label of the baseline (default: label of its runs)'),
    'head-label': text('Label of the head (default: label of its runs)'),
    base: list('More results of the baseline'),
    head: list('More results of the head'),
    results: text('Folder in which label:NAME is looked up', { default: 'results' }),
    'self-test': on('Measure the false-alarm rate: compare ten or more runs of one release with each other'),
  },
  ab: {
    base: text('URL of the baseline release', { demandOption: true }),
    head: text('URL of the release to judge (head)', { demandOption: true }),
    'base-agent-id': text('Agent of the baseline (default: agent of the scenario)'),
    'head-agent-id': text('Agent of the head (default: agent of the scenario)'),
    'base-label': text('Label of the baseline', { default: 'base' }),
    'head-label': text('Label of the head', { default: 'head' }),
    out: shared.out,
    quiet: describedAs(shared.quiet, 'Print neither progress nor a line per run'),
    'dry-run': shared['dry-run'],
    pairs: whole('Number of pairs of runs, in the order ABBA ABBA AB; pair i uses the scenario’s seed + i - 1', {
      default: 5,
      to: 1000,
      hint: 'Five pairs are a good start, ten before a release.',
    }),
    'confirm-regression': on('After a regression, run all pairs again; fail only if it appears twice'),
    pause: duration(text('Pause between two runs', { default: '0s' }), { ...upToAnHour, example: '10s' }),
  },
  trend: {
    ...inGroup('Output:', output('chat-load/trend')),
    scenario: text('Analyze only this scenario'),
    label: text('Analyze only runs with this label'),
    metric: each(
      'Analyze only this metric; may be repeated (default: the metrics that decide, turn.ok.p90 and effective.ok.p99)',
    ),
    alpha: must(
      amount('Maximum p-value of a reported change: 0.001 for alarms, 0.005 to find smaller changes', {
        default: trendDefaults.alpha,
      }),
      (alpha) => alpha > 0 && alpha < 1,
      ['--alpha takes a probability.', 'For example 0.001 or 0.005.'],
    ),
    window: must(
      amount('Number of latest nights to analyze', { default: trendDefaults.window }),
      (nights) => Number.isInteger(nights) && nights >= 10,
      ['--window takes a number of nights.', 'Use a whole number of at least 10, such as 60.'],
    ),
    history: text('Write the noise between nights to FILE, for compare, which finds history.json next to the results'),
    'fail-on': oneOf(
      ['change', 'regression'],
      'Exit with code 1 if a gated metric changed in the recent nights; regression: only for the worse',
    ),
    recent: must(
      amount(
        'Number of nights that count as recent; a change is reported after 3 nights, a small one after 6 or more',
        { default: 7 },
      ),
      (nights) => Number.isInteger(nights) && nights >= 3,
      ['--recent takes a number of nights.', 'Use a whole number of at least 3; no change is reported earlier.'],
    ),
  },
  nightly: {
    head: text('URL of the release to judge; embedded: the reference service, to try the job', {
      environment: 'HEAD_URL',
    }),
    base: text('URL of the baseline release, if it is deployed too; both are then run alternately', {
      environment: 'BASE_URL',
    }),
    'agent-id': text('Agent (default: agent of the scenario)', { environment: 'AGENT_ID' }),
    model: text('Model, for protocols with models instead of agents'),
    runs: amount('Number of runs per release', { default: 5, environment: 'RUNS' }),
    results: text('Folder for results and their history', {
      default: 'results/nightly',
      environment: 'RESULTS',
    }),
    baseline: text(
      'Folder with baseline results, if there is no --base; without results of this scenario, the first night in --results is the baseline',
      { default: 'results/baseline', environment: 'BASELINE' },
    ),
    reports: text('Folder for compare.html, compare.md, compare.xml and trend.md', {
      default: 'reports',
      environment: 'REPORTS',
    }),
  },
  report: {
    format: oneOf(formats, 'Format of standard output', { defaultDescription: 'terminal, if there is no --report' }),
    report: describedAs(
      reports('chat-load/result'),
      `Write the document to FILE instead; its extension selects the format: ${extensionsOf('chat-load/result')}; may be repeated`,
    ),
  },
  ui: {
    port: must(
      amount('Listen on this port; 0 selects a free port', { default: 0 }),
      (port) => Number.isInteger(port) && port >= 0 && port <= 65_535,
      [
        (port) => `--port takes a port, not ${String(port)}.`,
        'Use a whole number up to 65535, such as 8080; 0 selects a free port.',
      ],
    ),
    host: shared.host,
  },
  recover: {
    quiet: describedAs(shared.quiet, 'Print only failures, missing parts and the path of the result'),
    ...inGroup('Output:', output('chat-load/result')),
    out: folder(text('Write the result to this folder (default: folder of the journal)')),
  },
  fit: {
    json: describedAs(shared.json, 'Print the fit as JSON; the scenario is only written with --to'),
    to: text('Write the scenario to FILE, which must not exist, and print the fit'),
    'reply-time': duration(
      text('Assumed reply time if the trace has none; subtracted from the gaps between turns', { default: '0s' }),
      { example: '2s' },
    ),
    columns: text(
      'Column mapping of the trace, not of conversations: at=time,session=user,inputTokens=in,outputTokens=out,unit=s,input=whole',
    ),
    sort: on('Sort a trace whose lines are not in chronological order'),
    seed: must(
      amount('Seed of the sample that quantiles are computed from if there are more than 20,000 values', {
        default: 1,
      }),
      (seed) => Number.isSafeInteger(seed),
      ['--seed takes a whole number.', 'For example --seed 1.'],
    ),
  },
  inspect: {
    json: shared.json,
    from: conversationFormat,
    columns: conversationColumns,
  },
  convert: {
    from: conversationFormat,
    columns: conversationColumns,
    to: text('Write JSON Lines to FILE; - is standard output', { demandOption: true }),
    redact: on('Replace likely personal data with placeholders such as <mail-1>'),
    dedupe: on('Omit duplicate conversations'),
    language: list('Keep only conversations that their file marks with this language, for example en; may be repeated'),
    'min-turns': counted('Keep only conversations of at least this many turns', 'min-turns'),
    'max-turns': counted('Keep only conversations of at most this many turns', 'max-turns'),
    sample: counted('Draw a random sample of this many conversations', 'sample'),
    seed: counted('Seed of the sample (default 1)', 'seed', 0),
  },
  worker: {
    redis: text('Address of the Redis or Valkey of run --fleet: redis://HOST:PORT, or rediss:// for TLS', {
      // The address itself may contain a password.
      defaultDescription: 'CHAT_LOAD_REDIS_URL',
    }),
    prefix: text('Prefix of all keys in Redis; isolates fleets from each other', { default: 'chat-load' }),
    cores: text('Number of concurrent shards, one process each; auto: one per core', { default: '1' }),
    folder: text('Folder that corresponds to the working folder of the coordinator', { default: '.' }),
    once: on('Exit after one shard, for Kubernetes jobs'),
    wait: duration(text('Exit with code 3 if no shard arrives within this time'), { example: '10m' }),
    'allow-host': each(
      'Origin that runs may load besides this machine and the base URL of the scenario: HOST (https), HOST:PORT (https) or http://HOST:PORT; may be repeated',
    ),
  },
  serve: {
    as: oneOf(['agent', 'model'], 'Serve the scripted agent, or the language model behind an agent', {
      default: 'agent',
    }),
    port: amount('Listen on this port; 0 selects a free port', { defaultDescription: '4010, or 9009 for a model' }),
    host: shared.host,
    config: text(
      'Read settings from this JSON file: the fields of embedded in a scenario, or of model with --as model; flags override it',
    ),
    latency: text('Delay each reply by this duration, for example 200ms'),
    capacity: amount('Generate at most this many replies at once; further requests queue'),
    'rate-limit': amount('Reply 429 above this many exchanges/s per key'),
    seed: amount('Seed of latencies and faults'),
    'allow-host': each(
      'Host besides this machine that --as model may forward calls to: HOST or HOST:PORT; may be repeated',
    ),
    'completions-url': text(
      'Reply from this OpenAI-compatible endpoint; its key is read from CHAT_LOAD_COMPLETIONS_KEY',
      { implies: 'completions-model' },
    ),
    'completions-model': text('Model of that endpoint', { implies: 'completions-url' }),
    'tls-cert': text('Serve HTTPS with this certificate (PEM)', { implies: 'tls-key' }),
    'tls-key': text('Private key of the certificate (PEM)', { implies: 'tls-cert' }),
  },
} satisfies Readonly<Record<string, Rows>>;

export type SetName = keyof typeof optionSets;
export type Given<Name extends SetName> = ValuesOf<(typeof optionSets)[Name]>;
