import { randomUUID } from 'node:crypto';
import type { ConnectionObserver, InitializedConnection } from '../../core/gate/edge/concerns-options.js';
import type { Panel } from '../../core/gate/panel/panel.js';
import type { PanelProposal, PanelSession, PanelState } from '../../core/gate/panel/panel-document.js';
import { proposalOf } from './proposal.js';
import { ChangeRefusedError, SessionGoneError } from './switch-errors.js';

/** The sessions of one process, and how to switch them. */
export type Switchboard = Pick<Hub, 'state' | 'states' | 'change' | 'answer' | 'subscribe'>;

interface Session {
  readonly panel: Panel;
  readonly info: Omit<PanelSession, 'relisted' | 'proposal'>;
  relisted: boolean | null;
  /** A change that a program asked for last, until a person answers. */
  asked?: { readonly change: Change; readonly proposal: PanelProposal; readonly expires: NodeJS.Timeout };
}

type Change = Readonly<Record<string, unknown>>;

/** How to show more although nobody sits at a terminal. The page needs a click. */
const CONFIRM =
  'This would show more, so nothing changed. A person can allow it on the page: mcp-concerns switch --open';
const GONE = 'The session has ended. Reconnect the host.';
/** Milliseconds in which a person can allow it. Later, nobody remembers why a program asked. */
const ASKED_MS = 5 * 60 * 1000;

/** Counts the tokens of a definition. Loading the tokenizer takes as long as starting a server. */
type LoadTokenCounter = () => Promise<(definition: object) => number>;

/** The connections of this process whose clients have initialized them, as sessions that a person can switch. */
export class Hub {
  private readonly sessions = new Map<string, Session>();
  private readonly listeners = new Set<(session: string) => void>();
  private revision = 0;

  /**
   * @param loadTokenCounter returns one counter for all documents: the counts of a list are remembered by it
   * @param uncalled counts the tools that were never called; left out where calls are not kept
   */
  constructor(
    private readonly loadTokenCounter: LoadTokenCounter,
    private readonly uncalled?: (tools: readonly string[]) => PanelState['uncalled'],
  ) {}

  /**
   * Returns the function that the gate calls for each connection.
   *
   * @param via how clients are connected
   */
  observerOf(via: PanelSession['via']): (initialized: InitializedConnection) => ConnectionObserver {
    return ({ panel, client: { name, version } }) => {
      // The id of the session in the protocol is a secret of the client.
      const id = randomUUID();
      const info = { id, client: name, via, ...(version === undefined ? {} : { version }) };
      const session: Session = { panel, info, relisted: null };
      this.sessions.set(id, session);
      this.announce(id);
      return {
        changed: () => this.forgetAsked(session),
        listed: () => {
          if (session.relisted !== false) return;
          session.relisted = true;
          this.announce(id);
        },
        closed: () => {
          this.sessions.delete(id);
          this.forgetAsked(session);
        },
      };
    };
  }

  /** Computes the document of each session, the oldest session first. */
  async states(): Promise<readonly PanelState[]> {
    const states = await Promise.all([...this.sessions.keys()].map((id) => this.state(id)));
    return states.filter((state) => state !== undefined);
  }

  /**
   * Changes the preferences of a session, as its host could.
   *
   * @param onlyNarrows whether to refuse a change that shows more, and to ask the person at the page about it
   * @throws {SessionGoneError} if there is no such session
   * @throws {ChangeRefusedError} if a value is not valid
   */
  async change(id: string, change: Change, onlyNarrows = false): Promise<PanelState> {
    const session = this.sessions.get(id);
    const before = await this.state(id);
    if (session === undefined || before === undefined) throw new SessionGoneError(GONE);
    const wasRelisted = session.relisted;
    // A fast host lists again before the change has been announced to everybody.
    session.relisted = false;
    const outcome = await session.panel.change(change, onlyNarrows ? CONFIRM : undefined);
    const after = outcome.state === 'changed' ? await this.state(id) : undefined;
    const isSame = after === undefined || toolsOf(before) === toolsOf(after);
    // Only a different list is a reason to list again.
    const keepsList = isSame || before.policy.lists === 'stable';
    if (keepsList && session.relisted === false) session.relisted = wasRelisted;
    if (outcome.state === 'widens') {
      await this.ask(session, change, before);
      throw new ChangeRefusedError(CONFIRM);
    }
    if (outcome.state !== 'changed') throw new ChangeRefusedError(outcome.message);
    if (after === undefined) throw new SessionGoneError(GONE);
    if (!isSame) this.announce(id);
    return { ...after, sessions: this.infos() };
  }

  /**
   * Makes a change that a program asked for, or forgets it.
   *
   * @param proposal the id of what the person saw: a later one, or one that expired, is not allowed with it
   * @throws {SessionGoneError} if the session has ended
   * @throws {ChangeRefusedError} if the change is not asked for any more, or not valid any more
   */
  async answer(id: string, proposal: string, isAllowed: boolean): Promise<PanelState> {
    const session = this.sessions.get(id);
    const { asked } = session ?? {};
    if (session === undefined || asked?.proposal.id !== proposal) {
      throw new ChangeRefusedError('The program does not ask for this any more, so nothing changed.');
    }
    this.forgetAsked(session);
    const after = await (isAllowed ? this.change(id, asked.change) : this.state(id));
    if (after === undefined) throw new SessionGoneError(GONE);
    return after;
  }

  private async ask(session: Session, change: Change, before: PanelState): Promise<void> {
    const { id } = session.info;
    const after = await this.state(id, change);
    if (after === undefined) return;
    const expires = setTimeout(() => this.forgetAsked(session), ASKED_MS).unref();
    this.forgetAsked(session);
    session.asked = { change, proposal: proposalOf(before, after), expires };
    this.announce(id);
  }

  private forgetAsked(session: Session): void {
    clearTimeout(session.asked?.expires);
    delete session.asked;
    this.announce(session.info.id);
  }

  /** Calls a listener with each session, and again when its document changes or it ends. The returned function stops that. */
  subscribe(listener: (session: string) => void): () => void {
    this.listeners.add(listener);
    for (const id of this.sessions.keys()) listener(id);
    return () => this.listeners.delete(listener);
  }

  /**
   * Computes the document of a session; `undefined` if it has ended.
   *
   * @param wanted a change that was not made, for the document after it
   */
  async state(id: string, wanted?: Change): Promise<PanelState | undefined> {
    const session = this.sessions.get(id);
    if (session === undefined) return undefined;
    this.revision += 1;
    const { revision } = this;
    const tokensOf = await this.loadTokenCounter();
    const state = await session.panel.state({
      session: id,
      sessions: this.infos(),
      tokensOf,
      revision,
      wanted,
    });
    const tools = state?.items.flatMap(({ kind, name }) => (kind === 'tools' ? [name] : [])) ?? [];
    const uncalled = this.uncalled?.(tools);
    return state === undefined || uncalled === undefined ? state : { ...state, uncalled };
  }

  private infos(): PanelSession[] {
    return [...this.sessions.values()].map(({ info, relisted, asked }) => ({
      ...info,
      relisted,
      ...(asked === undefined ? {} : { proposal: asked.proposal }),
    }));
  }

  private announce(id: string): void {
    for (const listener of this.listeners) listener(id);
  }
}

const toolsOf = ({ items }: PanelState): string =>
  items.flatMap(({ shown, kind, name }) => (shown ? `${kind} ${name}` : [])).join('\n');
