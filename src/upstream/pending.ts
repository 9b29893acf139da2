import type { Request, RequestId } from '../wire/messages.js';
import type { OpenConnection } from './open-connection.js';

/** Requests that wait for an answer of one server. */
const MAX_REQUESTS = 10_000;
/** Characters of their parameters, which are kept in case a request must be sent again. */
const MAX_CHARACTERS = 64 * 1024 * 1024;

/** A request without an answer. */
export interface Pending {
  readonly request: Request;
  /** Characters of its parameters. */
  readonly characters: number;
  tries: number;
  /** The connection that has it; `undefined` while it waits for one. */
  connection: OpenConnection | undefined;
}

/** The requests that wait for an answer of one server, within limits. */
export class PendingRequests extends Map<RequestId, Pending> {
  private characters = 0;

  /** Adds a request. Returns why it cannot be added, if so. */
  add(request: Request): Pending | string {
    if (this.size >= MAX_REQUESTS) return `${MAX_REQUESTS} requests already wait for it`;
    const characters = lengthOf(request.params);
    if (characters === undefined) return 'the parameters of the request are nested too deeply';
    if (this.characters + characters > MAX_CHARACTERS) return 'requests of 64 MiB already wait for it';
    this.delete(request.id);
    const pending = { request, characters, tries: 0, connection: undefined };
    this.set(request.id, pending);
    this.characters += characters;
    return pending;
  }

  /** Removes a request. Returns whether it was there. */
  override delete(id: RequestId): boolean {
    this.characters -= this.get(id)?.characters ?? 0;
    return super.delete(id);
  }
}

function lengthOf(params: Request['params']): number | undefined {
  try {
    return params === undefined ? 0 : JSON.stringify(params).length;
  } catch {
    // JSON can be parsed at any depth, but not written.
    return undefined;
  }
}
