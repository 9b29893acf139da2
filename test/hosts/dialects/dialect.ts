/** A tool that a request offers to the model. */
export interface OfferedTool {
  readonly name: string;
  /** Whether the model only learns its name, until it searches for it. */
  readonly deferred: boolean;
  /** The definition, as the request carries it. */
  readonly definition: object;
  /** The group that the tool belongs to, in APIs that have groups. */
  readonly group?: string;
}

/** What the scripted model reads in a request of a host. */
export interface ModelRequest {
  readonly tools: readonly OfferedTool[];
  readonly streams: boolean;
  /** The whole body, as text: to find what hosts write into prompts. */
  readonly text: string;
}

/** What the scripted model answers. */
export type Reply =
  | { readonly text: string }
  | { readonly call: OfferedTool; readonly arguments: Readonly<Record<string, unknown>> };

/** One API of a model: how hosts ask, and how the model answers. */
export interface Dialect {
  /** Whether a request with this path asks the model for an answer. */
  matches(path: string): boolean;
  /** Reads a request. In some APIs, the path says whether the answer is streamed. */
  readonly read: (body: unknown, path: string) => Omit<ModelRequest, 'text'>;
  /** The events of a streamed answer. An event without a name is only data. */
  readonly stream: (
    reply: Reply,
    id: string,
  ) => readonly { readonly name?: string; readonly data: unknown }[];
  /** The answer in one piece. */
  readonly whole: (reply: Reply, id: string) => unknown;
}

/** @returns the elements, if the value is a list */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** @returns the value, if it is an object */
export const objectOf = (value: unknown): object =>
  typeof value === 'object' && value !== null ? value : {};

/** @returns the value, if it is text */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
