import { readShare } from '../../base/format.ts';
import type { Ms } from '../../base/time.ts';
import { loadUnits } from '../../capacity/document/step.ts';
import { trendDefaults } from '../../compare/trend/trend-options.ts';
import { formatNames } from '../../dataset/formats/format.ts';
import { isDnsLabel, maxLabelLength } from '../../plan/digest.ts';
import { questions } from '../../protocol/chat-messaging/questions.ts';
import { formats, formatsOf } from '../../report/documents.ts';
import { readDuration, unitHint } from '../../scenario/duration.ts';
import { protocolNames } from '../../protocol/registry/registry.ts';
import { maxUsed } from './read-words.ts';
import {
  amount,
  each,
  inGroup,
  list,
  must,
  on,
  oneOf,
  reading,
  reworded,
  text,
  usage,
  whole,
  type Row,
  type Rows,
  type ValuesOf,
} from './rows.ts';

/** Bounds of a duration, in words too, and what to write. */
interface Bounds {
  minMs?: number;
  maxMs?: number;
  range?: string;
  example: string;
}

/** A flag that takes a length of time. */
const duration = <Given extends string | undefined>(
  row: Row<Given>,
  { minMs = 0, maxMs = Infinity, range, example }: Bounds,
): Row<Ms | Extract<Given, undefined>> =>
  reading(row, (given, flag) => {
    const read = readDuration(given);
    if (read !== undefined && read >= minMs && read <= maxMs) return read;
    throw usage(
      `${flag} takes a duration${range === undefined ? '' : ` ${range}`}, not '${given}'${unitHint(given)}.`,
      `Give one such as ${example}.`,
    );
  });

const upToAnHour = { maxMs: 3_600_000, range: 'up to 1h' } as const;

const format = <const Each extends string>(known: readonly Each[]): Row<Each | undefined> =>
  oneOf(known, 'Output format on standard output', { defaultDescription: 'terminal' });

/** Flags of several commands. A command can change a text. */
const shared = {
  out: text('The folder for result files', { default: 'results', environment: 'CHAT_LOAD_OUT' }),
  label: text('A name for this run, in the result and its file name', { environment: 'CHAT_LOAD_LABEL' }),
  quiet: on('No progress and no tables: only failures, the target and the result path', { alias: 'q' }),
  'dry-run': on('Check everything, show what plan shows, and send nothing'),
  json: on('Print only the document, as JSON'),
  'reply-time': text('Assume that a reply takes this long, such as 800ms'),
  host: text('The address to listen on', { default: '127.0.0.1' }),
};
const says = <Value>(row: Row<Value>, describe: string): Row<Value> => ({ ...row, describe });
const replyExample = { example: '800ms or 2s' };
const yourAgent = 'A scenario for your own agent:';
const fourHint = (flag: string): string => `Give it as --${flag} 4.`;

/** A whole number of conversations or turns. */
const counted = (describe: string, flag: string, from = 1): Row<number | undefined> =>
  must(amount(describe), (value) => Number.isSafeInteger(value) && value >= from, [
    `--${flag} takes one whole number from ${String(from)} on.`,
    fourHint(flag),
  ]);

/** A name of a resource of Kubernetes. */
const dnsLabel = (describe: string, otherwise: string, example: string): Row<string | undefined> =>
  must(text(describe, { defaultDescription: otherwise }), isDnsLabel, [
    (_, flag) =>
      `${flag} takes a name of small letters, digits and hyphens that begins with a letter, of ${String(maxLabelLength)} characters at most.`,
    example,
  ]);
const labelHint = (flag: string): string => `Give one such as --${flag} load-tests.`;

/** Every flag of every command but those that override the scenario, in the order of the pages. */
export const optionSets = {
  prompts: inGroup('Without a scenario file:', {
    'input-tokens': text(
      'Length of every prompt, such as 200 or 100..500: in tokens if gpt-tokenizer is installed, else in words',
    ),
    'output-tokens': amount('Maximum tokens of a reply, in the field that the protocol has for it'),
  }),
  metrics: inGroup('Metrics for dashboards (docs/dashboards.md):', {
    'metrics-port': whole('Serve metrics for Prometheus on this port while the run goes on; 0 picks a free one', {
      from: 0,
      to: 65_535,
      hint: 'Give a free port such as 9464, or 0 to have one picked.',
    }),
    'metrics-host': text('The address to serve them on; only this machine can reach the default, 127.0.0.1'),
    'metrics-linger': duration(
      text('After the run, wait until the last figures are scraped, at most so long (default 0s)'),
      { ...upToAnHour, example: '30s' },
    ),
  }),
  fleet: inGroup('More than one core, more than one machine:', {
    cores: text('Spread the run over so many processes of this machine; auto: as many as it has cores'),
    fleet: text(
      'Have it played by the workers at this Redis or Valkey (chat-load worker); without an address that of CHAT_LOAD_REDIS_URL',
      { requiresArg: false },
    ),
    shards: amount('Over how many of them'),
    prefix: text('The prefix of their keys there', { defaultDescription: 'chat-load' }),
    'ready-timeout': duration(text('How long shards may take until all are ready', { defaultDescription: '60s' }), {
      example: '2m',
    }),
  }),
  run: {
    ...inGroup(maxUsed, {
      label: shared.label,
      report: list(
        'Write a report of the run to this file too: .html (a page), .md, .xml (JUnit), .csv, .hlog, .json, .txt; may be repeated; not with --repeat',
        { default: [] },
      ),
      out: shared.out,
    }),
    quiet: shared.quiet,
    json: says(shared.json, 'Print only the result document on standard output, one line per run'),
    'dry-run': shared['dry-run'],
    format: says(format(formats), 'Output format on standard output; json is --json, with line breaks'),
    repeat: whole('Number of runs, one after another, for compare; run i has the seed of the scenario + i - 1', {
      default: 1,
      to: 1000,
      hint: 'Five runs per side are a good start for a comparison: --repeat 5.',
    }),
    live: text('Serve a page that follows the run, on this port of this machine; without one on a free port', {
      requiresArg: false,
    }),
    'live-host': text('The address that the live page listens on', { default: '127.0.0.1' }),
    'keep-journal': on('Keep the journal of the run beside the result'),
  },
  plan: {
    json: shared.json,
    'reply-time': duration(shared['reply-time'], replyExample),
    preview: must(
      amount('Number of sessions whose messages are shown', { default: 2 }),
      (value) => Number.isInteger(value) && value >= 0,
      ['--preview takes a number of sessions to show.', 'Give a whole number, 0 for none.'],
    ),
  },
  init: {
    example: oneOf(
      ['agent', 'smoke', 'peak', 'soak', 'open', 'personas', 'retry-storm', 'knee', 'nightly'],
      'The scenario to write: agent is for your own agent, the others use the embedded service',
      { defaultDescription: 'agent' },
    ),
    ci: oneOf(['github'], 'Also write a workflow for the nightly job and the scenario that it runs'),
    ...inGroup(yourAgent, {
      url: text('The URL of the service; the path of an API at its end names the protocol'),
      model: text('The model'),
      'agent-id': text('The agent, for an API with agents instead of models'),
      protocol: text(`The API of the service: ${protocolNames.join(', ')}, or own for an API of your own`),
      stream: on('Request streamed replies'),
    }),
    yes: on('Ask nothing on a terminal: the environment gives address, agent and key', { alias: 'y' }),
  },
  check: {
    junit: text('Write a JUnit XML file too'),
    json: shared.json,
    'chat-off-agent': text('An agent of the account with chat turned off (chat-messaging)'),
    variable: text('A variable that the agent’s instructions reference: name, or name=value (chat-messaging)'),
    remember: text('How the agent is asked to remember a code, {{code}}', { default: questions.remember('{{code}}') }),
    recall: text('How the agent is asked for it, one message later', { default: questions.recall }),
    pause: duration(text('The wait before every exchange [200ms; embedded service 0s]'), {
      maxMs: 60_000,
      range: 'from 0s to 1m',
      example: '500ms',
    }),
    only: each('Try only this rule; may be repeated'),
  },
  capacity: {
    label: says(shared.label, 'A name for this search, in its document and file name'),
    out: says(shared.out, 'The folder for the document'),
    quiet: says(shared.quiet, 'No progress and no tables: only failures, the target, the path and the answer'),
    json: shared.json,
    'dry-run': says(shared['dry-run'], 'Check everything, show what would be searched, and send nothing'),
    format: format(formatsOf('chat-load/capacity')),
    ...inGroup('What is searched:', {
      objective: each("What has to hold, such as 'turn.p95 < 2s' or 'turns.failedShare < 1%'; may be repeated", {
        default: [],
        defaultDescription: 'the gates of the scenario',
      }),
      by: oneOf(loadUnits, 'What is raised: sessions at a time, or sessions a second', {
        defaultDescription: 'as the load of the scenario',
      }),
      min: amount('The lowest load', {
        defaultDescription: '1, or a hundredth of the rate at which one session is live',
      }),
      max: amount('The highest load that may be tried', {
        defaultDescription: 'what the sockets allow; a rate of 100000',
      }),
      tolerance: reading(
        text('How far apart the load that holds and the one that breaks may be', { default: '15%' }),
        (given) => {
          const share = readShare(given);
          if (share !== undefined) return share;
          throw usage(
            `--tolerance takes a percentage, such as 15%, not '${given}'.`,
            'It is how far apart the two ends of the answer may be.',
          );
        },
      ),
      'max-step': duration(text('Maximum duration of one step', { default: '5m' }), {
        minMs: 1000,
        maxMs: 86_400_000,
        range: 'from 1s to 24h',
        example: '5m or 30s',
      }),
      pause: duration(text('The rest for the service behind a load that was too much', { default: '2s' }), {
        ...upToAnHour,
        example: '2s or 1m',
      }),
      cores: text('Send from so many processes of this machine; auto: as many as it has cores'),
    }),
    'max-duration': reworded(
      'Maximum duration of the whole search [maxDuration of the scenario, else 30m or 20 session lengths]',
    ),
    'max-turns': reworded('The most messages of the whole search, retries included [maxTurns of the scenario]'),
    'max-sessions': reworded('Maximum number of sessions of the whole search [maxSessions of the scenario]'),
    'max-cost': reworded('Nothing more is sent once replies have cost this much in all [maxCost of the scenario]'),
    report: list(
      'Write a report to this file too: .html (a page), .md, .xml (JUnit), .csv, .json, .txt; may be repeated',
      { default: [] },
    ),
  },
  probe: {
    json: shared.json,
    'max-connections': whole('The most connections to try: 1, 2, 4, ...', {
      default: 64,
      to: 10_000,
      hint: 'See chat-load probe --help.',
    }),
    'step-duration': duration(
      text('How long each of a step’s two loads lasts, by autocannon and by chat-load', { default: '2s' }),
      { minMs: 100, maxMs: 3_600_000, range: 'from 100ms to 1h', example: '2s or 500ms' },
    ),
    'max-turns': whole('The most turns to send in total [maxTurns of the scenario, else 200000]', {
      to: 1_000_000_000,
      hint: 'See chat-load probe --help.',
    }),
  },
  calibrate: { json: shared.json },
  comparison: {
    ...inGroup('How it is judged:', {
      margin: each('The least change of a metric that matters, such as turn.ok.p99=15%; may be repeated'),
      fdr: must(
        amount('The share of false alarms allowed among alarms (Benjamini-Hochberg) [0.05]'),
        (share) => share > 0 && share < 0.5,
        [(share) => `--fdr takes a share between 0 and 0.5, not ${String(share)}.`, 'The default is 0.05.'],
      ),
      history: text('The history.json of trend, for the usual noise between sittings [beside the base results]'),
      'no-history': on('Judge by these runs only'),
      'assume-noise': reading(
        text('How much sittings differ (standard deviation), if neither history nor the runs show it [5%]'),
        (given) => {
          const share = readShare(given);
          if (share !== undefined && share <= 1) return share;
          throw usage(
            `--assume-noise takes a percentage above 0 up to 100, such as 5%, not '${given}'.`,
            'It is the standard deviation between sittings of one release; chat-load trend --history learns it from six or more nights.',
          );
        },
      ),
      force: on('Compare results that are not comparable; the verdict says so'),
      'fail-on': oneOf(['inconclusive'], 'Exit with 1 also when the verdict is inconclusive'),
    }),
    ...inGroup('Output:', {
      format: format(['terminal', 'html', 'markdown', 'json', 'junit']),
      json: says(shared.json, 'The same as --format json'),
      html: text('Write a page too: one HTML file with charts and tables'),
      markdown: text('Write a Markdown file too, for a pull request'),
      junit: text('Write a JUnit XML file too'),
    }),
  },
  compare: {
    'base-label': text('Label of the base side [that of its runs]'),
    'head-label': text('Label of the head side'),
    base: list('More results of the base side'),
    head: list('More results of the head side'),
    in: text('The folder in which label:NAME is looked up', { default: 'results' }),
    'self-test': on('Compare ten runs or more of one release with themselves: the false-alarm rate here'),
  },
  ab: {
    base: text('Baseline URL: the release to compare with', { demandOption: true }),
    head: text('The URL of the release to judge', { demandOption: true }),
    'base-agent-id': text('Agent of the base side, if not that of the scenario'),
    'head-agent-id': text('Agent of the head side, if not that of the scenario'),
    'base-label': text('Label of the base side', { default: 'base' }),
    'head-label': text('Label of the head side', { default: 'head' }),
    out: shared.out,
    quiet: says(shared.quiet, 'No progress, and no line for each run'),
    'dry-run': shared['dry-run'],
    pairs: whole('Number of runs of each, in the order ABBA ABBA AB; pair i has the scenario’s seed + i - 1', {
      default: 5,
      to: 1000,
      hint: 'Five pairs are a good start, ten before a release.',
    }),
    confirm: on('After a regression, run the pairs again: only what shows twice fails'),
    pause: duration(text('The wait between two runs', { default: '0s' }), { ...upToAnHour, example: '10s' }),
  },
  trend: {
    json: says(shared.json, 'The same as --format json'),
    format: format(['terminal', 'html', 'markdown', 'json']),
    scenario: text('Only the scenario of this name'),
    label: text('Only runs with this label'),
    metric: each('Only this metric; may be repeated [the gate family and two more]'),
    alpha: must(
      amount('The greatest p of a change that is reported: 0.001 for alarms, 0.005 to look closer', {
        default: trendDefaults.alpha,
      }),
      (alpha) => alpha > 0 && alpha < 1,
      ['--alpha takes a probability.', 'Give one such as 0.001 or 0.005.'],
    ),
    window: must(
      amount('The number of latest nights to look at', { default: trendDefaults.window }),
      (nights) => Number.isInteger(nights) && nights >= 10,
      ['--window takes the number of nights to look at.', 'Give a whole number of at least 10, such as 60.'],
    ),
    history: text(
      'Write how much nights differ, for compare, to this file; history.json beside the results is found by itself',
    ),
    'fail-on': oneOf(
      ['change', 'regression'],
      'Exit with 1 when a gated metric changed in the recent nights; regression: only for the worse',
    ),
    recent: must(
      amount(
        'The number of nights that are recent; a change is reported after 3 of them, a small one after 6 or more',
        {
          default: 7,
        },
      ),
      (nights) => Number.isInteger(nights) && nights >= 3,
      [
        '--recent takes the number of nights that are recent.',
        'Give a whole number; no change is reported before 3 nights.',
      ],
    ),
  },
  nightly: {
    head: text('The URL of the release to judge, or embedded: the reference service, to try the job [HEAD_URL]', {
      alias: 'head-url',
      environment: 'HEAD_URL',
    }),
    base: text('Baseline URL, if the previous release is deployed too: both are then run alternately [BASE_URL]', {
      environment: 'BASE_URL',
    }),
    'agent-id': text('The agent, if not that of the scenario [AGENT_ID]', { environment: 'AGENT_ID' }),
    model: text('The model, for protocols with models instead of agents'),
    runs: amount('Runs per side [RUNS]', { default: 5, environment: 'RUNS' }),
    results: text('The folder for results and their history [RESULTS]', {
      default: 'results/nightly',
      environment: 'RESULTS',
    }),
    baseline: text(
      'The folder with the results to compare with, if there is no --base; without any of this scenario, the first night in --results [BASELINE]',
      { default: 'results/baseline', environment: 'BASELINE' },
    ),
    reports: text('The folder for compare.html, compare.md, compare.xml and trend.md [REPORTS]', {
      default: 'reports',
      environment: 'REPORTS',
    }),
  },
  report: {
    format: format(formats),
    out: text('Write to this file; without it, standard output'),
  },
  ui: {
    port: must(
      amount('The port; 0 picks a free one', { default: 0 }),
      (port) => Number.isInteger(port) && port >= 0 && port <= 65_535,
      [
        (port) => `--port takes a port, not ${String(port)}.`,
        'Give a whole number up to 65535, such as 8080; 0 picks a free one.',
      ],
    ),
    host: shared.host,
  },
  recover: {
    quiet: says(shared.quiet, 'No tables: only failures, what is missing and the result path'),
    json: shared.json,
    out: text('The folder for the result file; without it, that of the journal'),
  },
  fit: {
    json: says(shared.json, 'Print the fit as a document, and no scenario but with --to'),
    to: text('Write the scenario to this new file, and the fit to standard output'),
    'reply-time': duration(
      text('What a reply took, where the trace does not say: taken off each gap between turns', { default: '0s' }),
      { example: '2s' },
    ),
    columns: text('Which columns of a trace say what: at=time,session=user,inputTokens=in,outputTokens=out,unit=s'),
    sort: on('Sort a trace whose lines are not in order of time'),
    seed: must(
      amount('Picks the values that quantiles are read from, where there are more than 20,000', { default: 1 }),
      (seed) => Number.isSafeInteger(seed),
      ['--seed takes a whole number.', 'Give one such as 1.'],
    ),
  },
  dataset: {
    json: says(shared.json, 'inspect: print only the document, as JSON'),
    from: oneOf(formatNames, 'The form of the files; without it, it is recognized'),
    to: text('convert: the file to write, JSON Lines; - is standard output'),
    redact: on('convert: replace what looks personal by placeholders such as <mail-1>'),
    dedupe: on('convert: leave out conversations that were there before'),
    language: list(
      'convert: take those alone whose file says that they are in this language, such as en; may be repeated',
    ),
    'min-turns': counted('convert: take those with this many turns or more', 'min-turns'),
    'max-turns': counted('convert: take those with this many turns or fewer', 'max-turns'),
    sample: counted('convert: take this many, drawn by the seed', 'sample'),
    seed: counted('convert: of the sample; 1 without it', 'seed', 0),
  },
  worker: {
    redis: text('The Redis or Valkey that run --fleet uses: redis://HOST:PORT, or rediss:// for TLS', {
      // Not the address itself, which may hold a password.
      defaultDescription: 'CHAT_LOAD_REDIS_URL',
    }),
    prefix: text('Before all keys in Redis: fleets with different prefixes do not see each other', {
      default: 'chat-load',
    }),
    cores: text('Shards at once, a process each; auto: as many as this machine has cores', { default: '1' }),
    folder: text('The folder above the scenarios that corresponds to the folder that runs are started in', {
      default: '.',
    }),
    once: on('End when a shard is over: for jobs of Kubernetes'),
    wait: duration(text('End with 3 when no shard came for so long'), { example: '10m' }),
    'allow-host': each(
      'An origin that a run may load besides this machine and the base URL of the scenario: HOST (https), HOST:PORT (https), or http://HOST:PORT',
    ),
  },
  manifest: {
    label: shared.label,
    shards: whole('Number of workers', {
      to: 10_000,
      hint: fourHint('shards'),
      defaultDescription: 'cores that plan says the load wants, at least 2',
    }),
    image: must(
      text('The image of workers and coordinator: docs/fleet/Dockerfile, or built on it', {
        defaultDescription: 'chat-load:VERSION',
      }),
      (image) => /^[a-z0-9][-\w./:@]*$/i.test(image),
      [
        (image) => `--image takes the name of an image, not '${image}'.`,
        'Give one such as --image registry.example.com/chat-load:1.2.',
      ],
    ),
    namespace: dnsLabel('The namespace of all resources', 'that of kubectl', labelHint('namespace')),
    name: dnsLabel('What names of resources, and keys in Redis, begin with', 'chat-load-SCENARIO', labelHint('name')),
    secret: dnsLabel('The Secret with api-key and redis-password, which you create', 'the name', labelHint('secret')),
    redis: text('Your own Redis or Valkey, as a URL without user and password', {
      defaultDescription: 'one is started',
    }),
    'scenario-from': oneOf(['configmap', 'image'], 'Where pods get the scenario and its data files from', {
      default: 'configmap',
    }),
    'results-claim': dnsLabel(
      'A PersistentVolumeClaim that keeps the result',
      'it goes with the pod',
      labelHint('results-claim'),
    ),
    'target-port': whole('Where the pods behind the target listen, if not on the port of its URL', {
      to: 65_535,
      hint: fourHint('target-port'),
    }),
    'reply-time': duration(shared['reply-time'], replyExample),
  },
  serve: {
    port: amount('The port; 0 picks a free one', { default: 4010 }),
    host: shared.host,
    cores: text(
      'Processes, 1 to 64, or auto: one per core. Sessions, maxSessions and maxStoredCharacters are dealt out. With ' +
        'capacity, a rate limit, sabotage or faults by every or first, one process has all sessions, and the others ' +
        'share its HTTP',
      { default: '1' },
    ),
    config: text('A JSON file with the fields of `embedded` in a scenario; flags override it'),
    latency: text('How long a reply takes, such as 200ms'),
    capacity: amount('Replies at once; the others queue'),
    'rate-limit': amount('Exchanges per second and key; 429 beyond it'),
    seed: amount('Picks latencies and faults'),
    'completions-url': text('Replies from an OpenAI-compatible endpoint, its key in CHAT_LOAD_COMPLETIONS_KEY', {
      implies: 'completions-model',
    }),
    'completions-model': text('The model to ask there', { implies: 'completions-url' }),
    'tls-cert': text('Certificate (PEM): HTTPS', { implies: 'tls-key' }),
    'tls-key': text('Its private key (PEM)', { implies: 'tls-cert' }),
  },
} satisfies Readonly<Record<string, Rows>>;

export type SetName = keyof typeof optionSets;
/** The values of the flags of a set. */
export type Given<Name extends SetName> = ValuesOf<(typeof optionSets)[Name]>;
