import { positions } from '../../record/positions.ts';
import {
  ends,
  isSplit,
  publishedSeries,
  recordedNames,
  type PublishedSeries,
  type SeriesName,
} from '../../record/series.ts';

/** A series of durations, as it is exported: one histogram in seconds. */
export interface ExportedSeries {
  name: string;
  meaning: string;
  /** What all of its values have in common. */
  attributesOf: (target: ExportedTarget) => Attributes;
  /** Upper bounds of its buckets for scraping, in seconds. */
  boundaries: readonly number[];
  /** What it is recorded as. */
  parts: readonly SeriesPart[];
}

/** Whom the load goes to. */
export interface ExportedTarget {
  address: string;
  port: number;
  /** The name of the protocol it is spoken to by. */
  protocol: string;
}

type Attributes = Readonly<Record<string, string | number>>;

interface SeriesPart {
  recorded: SeriesName;
  attributes: Attributes;
}

/** What a convention says of a series: its name, the bounds of its buckets, attributes of all values and of failed ones. */
interface Convention extends Pick<ExportedSeries, 'name' | 'boundaries' | 'attributesOf'> {
  failed: Attributes;
}

const serverOf = ({ address, port }: ExportedTarget): Attributes => ({
  'server.address': address,
  'server.port': port,
});

/** Series that OpenTelemetry's semantic conventions have a name for. */
const conventions: Partial<Record<PublishedSeries['name'], Convention>> = {
  turn: {
    name: 'gen_ai.client.operation.duration',
    boundaries: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
    attributesOf: (target) => ({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': target.protocol,
      ...serverOf(target),
    }),
    failed: { 'error.type': '_OTHER' },
  },
  attempt: {
    name: 'http.client.request.duration',
    boundaries: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
    attributesOf: (target) => ({ 'http.request.method': 'POST', ...serverOf(target) }),
    failed: { 'error.type': '_OTHER' },
  },
};

const ownBoundaries = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

/** Every series of results; the name of one without a convention follows from its own. */
export const exportedSeries: readonly ExportedSeries[] = publishedSeries.map((series) => {
  const convention = conventions[series.name];
  const { name, boundaries, attributesOf } = convention ?? {
    name: ownName(series.name),
    boundaries: ownBoundaries,
    attributesOf: () => ({}),
  };
  const { holds, from, to } = series;
  return {
    name,
    meaning: `${holds.charAt(0).toUpperCase()}${holds.slice(1)}: from ${from} to ${to}`,
    attributesOf,
    boundaries,
    parts: partsOf(series, convention?.failed),
  };
});

/** `chat_load.first_byte.duration`. */
function ownName(series: string): string {
  return `chat_load.${series.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}.duration`;
}

/** A part for every end and position that the series is recorded by. */
function partsOf(series: PublishedSeries, failed: Attributes = {}): SeriesPart[] {
  return (isSplit(series) ? ends : [undefined]).flatMap((end) =>
    recordedNames(series, end).map((recorded, place) => ({
      recorded,
      attributes: {
        ...(end === undefined ? {} : { 'chat_load.status': end }),
        ...(end === 'failed' ? failed : {}),
        ...(series.isByPosition ? { 'chat_load.turn.position': positions[place] ?? '' } : {}),
      },
    })),
  );
}
