/** The fields of a primitive that rules can read. All of them are own properties, or there is none. */
export interface Readable {
  readonly kind?: string;
  readonly name?: unknown;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly parameters?: readonly string[] | undefined;
  readonly required?: unknown;
  readonly uri?: unknown;
  readonly mimeType?: unknown;
  readonly annotations?: unknown;
  readonly tags?: unknown;
  readonly execution?: unknown;
  readonly meta?: unknown;
  readonly server?: unknown;
  readonly own?: unknown;
}
