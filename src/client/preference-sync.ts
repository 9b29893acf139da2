import { ERRORS, METHODS, membersOf, read } from '../core/wire/messages.js';
import {
  type CheckedPreferences,
  checkPreferences,
  checkShape,
  type HostPreferences,
  problemFromError,
} from './check-preferences.js';
import { type Declaration, readDeclaration } from './declaration.js';
import { PreferencesError } from './errors.js';
import { eraOfClient, type HostClient, type RequestOptions, sendRequest } from './sdk.js';
import {
  type EffectiveConcerns,
  type ListSummary,
  readConcerns,
  type ServerWarning,
  warningsOf,
} from './summary.js';

/** How preferences reach the server. */
export type Delivery =
  /** With `updateConcerns`. The session keeps them for all later requests. */
  | {
      readonly via: 'update';
      /** The values in effect, including defaults and weaker preference sources. */
      readonly concerns: EffectiveConcerns;
      /** How many primitives of each kind the host now sees. Kinds that the server does not have are left out. */
      readonly visible: { readonly [kind: string]: number };
      readonly warnings: readonly ServerWarning[];
    }
  /** In `_meta` of each request: the connection is modern, or the server has no session to keep them in. */
  | { readonly via: 'requests' }
  /** Not yet. They are kept, and are sent as soon as that is possible. */
  | { readonly via: 'none'; readonly reason: 'not-connected' | 'not-declared' };

/** Keeps a host's preferences, and knows whether the session of the current connection has them. */
export class PreferenceSync {
  preferences: HostPreferences;
  /** The preferences to go back to if the server refuses the current ones. */
  private previous: HostPreferences;
  /** The preferences that the server acknowledged, and the connection that they belong to. */
  private acknowledged: { readonly transport: unknown; readonly preferences: HostPreferences } | undefined;
  /** A connection whose lists do not report the values in effect, so that an expired session cannot be detected. */
  private silentTransport: unknown;
  private lastUpdate: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly client: HostClient,
    preferences: HostPreferences,
  ) {
    this.preferences = this.previous = frozenCopy(preferences);
  }

  get declaration(): Declaration {
    const { client } = this;
    return readDeclaration(client.transport === undefined ? undefined : client.getServerCapabilities());
  }

  /** Compares the preferences with the declaration of the connected server. */
  check(): CheckedPreferences {
    return checkPreferences(this.declaration, this.preferences);
  }

  /** Whether the server has a session that keeps preferences. */
  get updatable(): boolean {
    const { declaration } = this;
    return declaration.declared && declaration.updatable && eraOfClient(this.client) === 'legacy';
  }

  /** Returns the preferences that the next request must contain: none if the session has them. */
  forNextRequest(): HostPreferences {
    return this.isAcknowledged() ? {} : this.check().accepted;
  }

  private isAcknowledged(): boolean {
    const { acknowledged, preferences } = this;
    return (
      acknowledged?.preferences === preferences &&
      acknowledged.transport === this.client.transport &&
      this.updatable
    );
  }

  /**
   * Returns whether the session has expired on the server. A server answers requests of an expired session as if no
   * preferences had been set, and reports the values in effect with each list.
   *
   * @param summary of a list whose request contained no preferences
   */
  seemsExpired({ concerns = {} }: ListSummary): boolean {
    const { declaration, client } = this;
    if (!this.isAcknowledged() || !declaration.declared || this.silentTransport === client.transport)
      return false;
    const { preset, ...named } = this.check().accepted;
    const expected = { ...(preset === undefined ? {} : declaration.presets[preset]), ...named };
    const names = Object.keys(expected).filter((name) => expected[name] !== null);
    return names.some((name) => !Object.hasOwn(concerns, name));
  }

  /**
   * Sends the preferences to a session that has expired. If that fails, requests contain them instead.
   *
   * @param again whether this was already done for the current list; then the server's lists do not report the values
   *   in effect, and the session has not expired
   */
  async restore(again: boolean): Promise<void> {
    if (again) this.silentTransport = this.client.transport;
    else {
      this.acknowledged = undefined;
      await this.send().catch(() => undefined);
    }
  }

  async set(preferences: HostPreferences, options?: RequestOptions): Promise<Delivery> {
    const copy = frozenCopy(preferences);
    const { problems } = checkPreferences(this.declaration, copy);
    if (problems.length > 0) {
      const message = problems.map((problem) => problem.message).join(' ');
      throw new PreferencesError('CONCERNS_REFUSED', message, problems);
    }
    this.preferences = copy;
    return this.send(options);
  }

  /** Sends the current preferences. Updates do not overlap, so the last one takes effect last. */
  send(options?: RequestOptions): Promise<Delivery> {
    const { preferences } = this;
    const update = this.lastUpdate.then(() => this.sendNow(preferences, options));
    this.lastUpdate = update.catch(() => undefined);
    return update;
  }

  private async sendNow(preferences: HostPreferences, options?: RequestOptions): Promise<Delivery> {
    const { client, declaration } = this;
    if (!declaration.declared || !this.updatable) {
      this.previous = preferences;
      return declaration.declared ? { via: 'requests' } : { via: 'none', reason: declaration.reason };
    }
    const { transport } = client;
    const concerns = checkPreferences(declaration, preferences).accepted;
    try {
      const result = await sendRequest(client, METHODS.updateConcerns, { concerns }, options);
      this.previous = preferences;
      this.acknowledged = { transport, preferences };
      return {
        via: 'update',
        concerns: readConcerns(read(result, 'concerns')) ?? {},
        visible: Object.fromEntries(Object.entries(membersOf(read(result, 'visible'))).filter(isCount)),
        warnings: warningsOf(result),
      };
    } catch (cause) {
      throw this.updateError(preferences, cause);
    }
  }

  private updateError(preferences: HostPreferences, cause: unknown): PreferencesError {
    const reason = cause instanceof Error ? cause.message : String(cause);
    if (read(cause, 'code') !== ERRORS.invalidParams) {
      this.previous = preferences;
      const message = `The server did not acknowledge the preferences (${reason}). They are kept. Call resend() to send them again.`;
      return new PreferencesError('UPDATE_FAILED', message, [], { cause });
    }
    // The session still has the previous preferences, so this object must too, unless newer ones were set meanwhile.
    if (this.preferences === preferences) this.preferences = this.previous;
    const message = `The server refused the preferences (${reason}). The previous preferences stay in effect.`;
    const problem = problemFromError(read(cause, 'data'), reason);
    return new PreferencesError('UPDATE_REFUSED', message, [problem], { cause });
  }
}

/** Returns a copy that the caller cannot change later. */
function frozenCopy(preferences: HostPreferences): HostPreferences {
  const malformed = checkShape(preferences);
  if (malformed !== undefined) throw new PreferencesError('CONCERNS_REFUSED', malformed.message, [malformed]);
  const entries = Object.entries(preferences)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, Array.isArray(value) ? Object.freeze([...value]) : value] as const);
  return Object.freeze(Object.fromEntries(entries));
}

const isCount = (entry: [string, unknown]): entry is [string, number] => typeof entry[1] === 'number';
