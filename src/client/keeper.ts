import { ERRORS, METHODS, read } from '../protocol/messages/wire.js';
import { type Checked, checkPreferences, checkShape, type HostPreferences, problemOf } from './check.js';
import { type Declaration, readDeclaration } from './declaration.js';
import { ConcernsError } from './errors.js';
import { eraOfClient, type HostClient, type RequestOptions, sendRequest } from './sdk.js';
import { type EffectiveConcerns, type ListSummary, type ServerWarning, warningsOf } from './summary.js';

/** How preferences reach the server. */
export type Sent =
  /** With `updateConcerns`: the session holds them, for every list from now on. */
  | {
      readonly by: 'update';
      /** What is in effect now, defaults and weaker sources included. */
      readonly concerns: EffectiveConcerns;
      /** How many primitives of each kind the host sees now; lists that the server does not have are left out. */
      readonly visible: { readonly [kind: string]: number };
      readonly warnings: readonly ServerWarning[];
    }
  /** In `_meta` of each request: the modern era, or a server with no place to keep them in. */
  | { readonly by: 'requests' }
  /** Not at all, for now: they are kept, and go out when they can. */
  | { readonly by: 'nothing'; readonly why: 'not-connected' | 'not-declared' };

/** Keeps what a host wants, and knows which connection's session holds it. */
export class Keeper {
  private wanted: HostPreferences;
  /** What is wanted again after a server refused something newer. */
  private before: HostPreferences;
  /** Who acknowledged what. Of another connection's session nothing is known. */
  private held: { readonly transport: unknown; readonly preferences: HostPreferences } | undefined;
  /** A connection whose lists do not say what is in effect. */
  private silent: unknown;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly client: HostClient,
    preferences: HostPreferences,
  ) {
    this.wanted = this.before = copy(preferences);
  }

  get preferences(): HostPreferences {
    return this.wanted;
  }

  get declaration(): Declaration {
    const { client } = this;
    return readDeclaration(client.transport === undefined ? undefined : client.getServerCapabilities());
  }

  /** The preferences against what the connected server declares. */
  check(): Checked {
    return checkPreferences(this.declaration, this.wanted);
  }

  /** Whether the server has a session that keeps preferences. */
  get updatable(): boolean {
    const { declaration } = this;
    return declaration.declared && declaration.updatable && eraOfClient(this.client) === 'legacy';
  }

  /** What the next request has to carry: all that the session is not known to hold. */
  carried(): HostPreferences {
    return this.isHeld() ? {} : this.check().fitting;
  }

  private isHeld(): boolean {
    const { held, wanted } = this;
    return held?.preferences === wanted && held.transport === this.client.transport && this.updatable;
  }

  /**
   * Whether the session lost what it held: servers go on with one that expired as if nothing had been set, and say in
   * each list what is in effect.
   *
   * @param summary of a list that carried nothing
   */
  seemsExpired({ concerns = {} }: ListSummary): boolean {
    const { declaration, client } = this;
    if (!this.isHeld() || !declaration.declared || this.silent === client.transport) return false;
    const { preset, ...named } = this.check().fitting;
    const wanted = { ...(preset === undefined ? {} : declaration.presets[preset]), ...named };
    const names = Object.keys(wanted).filter((name) => wanted[name] !== null);
    return names.some((name) => !Object.hasOwn(concerns, name));
  }

  /**
   * Gives a session back what it lost. Where that fails, requests carry it.
   *
   * @param again whether that was tried for this list already: then the server does not say what is in effect
   */
  async restore(again: boolean): Promise<void> {
    if (again) this.silent = this.client.transport;
    else {
      this.held = undefined;
      await this.send().catch(() => undefined);
    }
  }

  async set(preferences: HostPreferences, options?: RequestOptions): Promise<Sent> {
    const kept = copy(preferences);
    const { problems } = checkPreferences(this.declaration, kept);
    if (problems.length > 0) {
      const message = problems.map((problem) => problem.message).join(' ');
      throw new ConcernsError('CONCERNS_REFUSED', message, problems);
    }
    this.wanted = kept;
    return this.send(options);
  }

  /** Sends what is wanted, the way the connected server takes it; one at a time, so that the last one wins. */
  send(options?: RequestOptions): Promise<Sent> {
    const { wanted } = this;
    const sent = this.turn.then(() => this.sendNow(wanted, options));
    this.turn = sent.catch(() => undefined);
    return sent;
  }

  private async sendNow(preferences: HostPreferences, options: RequestOptions | undefined): Promise<Sent> {
    const { client, declaration } = this;
    if (!declaration.declared || !this.updatable) {
      this.before = preferences;
      return declaration.declared ? { by: 'requests' } : { by: 'nothing', why: declaration.why };
    }
    const { transport } = client;
    const concerns = checkPreferences(declaration, preferences).fitting;
    try {
      const result = await sendRequest(client, METHODS.updateConcerns, { concerns }, options);
      this.before = preferences;
      this.held = { transport, preferences };
      return {
        by: 'update',
        concerns: (read(result, 'concerns') ?? {}) as EffectiveConcerns,
        visible: (read(result, 'visible') ?? {}) as { readonly [kind: string]: number },
        warnings: warningsOf(result),
      };
    } catch (cause) {
      throw this.failed(preferences, cause);
    }
  }

  private failed(preferences: HostPreferences, cause: unknown): ConcernsError {
    const said = cause instanceof Error ? cause.message : String(cause);
    if ((cause as { code?: unknown } | undefined)?.code !== ERRORS.invalidParams) {
      this.before = preferences;
      const message = `The server did not acknowledge the concerns (${said}); they are kept, resend() tries again.`;
      return new ConcernsError('UPDATE_FAILED', message, [], { cause });
    }
    // The session holds what it held, and so must this, unless something newer is wanted by now.
    if (this.wanted === preferences) this.wanted = this.before;
    const message = `The server refused the concerns (${said}); what was set before is in effect.`;
    const problem = problemOf((cause as { data?: unknown }).data, said);
    return new ConcernsError('UPDATE_REFUSED', message, [problem], { cause });
  }
}

/** @returns a copy that nobody else can change */
function copy(preferences: HostPreferences): HostPreferences {
  const malformed = checkShape(preferences);
  if (malformed !== undefined) throw new ConcernsError('CONCERNS_REFUSED', malformed.message, [malformed]);
  const entries = Object.entries(preferences).filter(([, value]) => value !== undefined);
  return Object.freeze(
    Object.fromEntries(
      entries.map(([name, value]) => [name, Array.isArray(value) ? Object.freeze([...value]) : value]),
    ),
  );
}
