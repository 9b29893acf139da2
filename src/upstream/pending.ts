import type { Params } from './call.js';

/** Requests that wait for an answer of one server. */
const MAX_REQUESTS = 10_000;
/** Characters of their parameters, which are kept in case a request must be sent again. */
const MAX_CHARACTERS = 64 * 1024 * 1024;

/** Limits the requests that wait for an answer of one server. */
export class PendingLimit {
  private requests = 0;
  private characters = 0;

  /** Adds a request. Returns a function that removes it, or why it cannot be added. */
  add(params: Params): (() => void) | string {
    if (this.requests >= MAX_REQUESTS) return `${MAX_REQUESTS} requests already wait for it`;
    const characters = lengthOf(params);
    if (characters === undefined) return 'the parameters of the request are nested too deeply';
    if (this.characters + characters > MAX_CHARACTERS) return 'requests of 64 MiB already wait for it';
    this.requests++;
    this.characters += characters;
    return () => {
      this.requests--;
      this.characters -= characters;
    };
  }
}

function lengthOf(params: Params): number | undefined {
  try {
    return params === undefined ? 0 : JSON.stringify(params).length;
  } catch {
    // JSON can be parsed at any depth, but not written.
    return undefined;
  }
}
