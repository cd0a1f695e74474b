import type { FleetSize } from '../../plan/core-needs.ts';

/** A file of the scenario: the module, or a list of its data. */
export interface ScenarioFile {
  /** Path below the working directory, with slashes. */
  path: string;
  content: Uint8Array;
}

/** Address in the network of the cluster; `ip` is the version if the host is an IP address. */
export interface Endpoint {
  ip: 4 | 6 | undefined;
  host: string;
  port: number;
}

/** Input of the manifest. Does not contain keys. */
export interface FleetManifest {
  toolVersion: string;
  /** A DNS-1123 label, short enough for suffixes; also the prefix of keys in Redis. */
  name: string;
  namespace: string | undefined;
  image: string;
  /** Name of the Secret that the user creates. */
  secret: string;
  shards: number;
  scenario: {
    name: string;
    path: string;
    hash: string;
    /** `undefined` if the files are in the image. */
    files: readonly ScenarioFile[] | undefined;
  };
  label: string | undefined;
  /** Overrides of the scenario, as environment variables. */
  environment: Readonly<Record<string, string>>;
  /** `undefined` if the fleet starts its own. */
  redis: { url: string; place: Endpoint } | undefined;
  target: Endpoint;
  /** Port of the pods behind the target, if it differs from the target's. */
  targetPort: number | undefined;
  /** PersistentVolumeClaim for results; without it, they are deleted with the pod. */
  resultsClaim: string | undefined;
  size: FleetSize;
}

/** Fields of a Kubernetes object. */
export type Fields = Readonly<Record<string, unknown>>;

export interface Resource extends Fields {
  apiVersion: string;
  kind: string;
  metadata: Fields;
}
