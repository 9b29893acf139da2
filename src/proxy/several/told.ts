import { SERVER_META } from '../../core/engine/servers/outside-names.js';
import { getOrMake } from '../../core/once.js';
import {
  CAPABILITIES,
  type Capability,
  listChangedMethod,
  METHODS,
  type Members,
  membersOf,
  read,
} from '../../core/wire/messages.js';
import { TASK_CHANGED } from '../../core/wire/task-streams.js';
import type { ClientPort } from '../backend.js';
import { type Ask, abortSignalOf, type Notify, type ServerCall, unaskable } from '../call.js';
import { latest, Pace, Questions } from './bounds.js';
import { renameResult } from './rename.js';

const PROGRESS = 'notifications/progress';
const LOG = 'notifications/message';
const LEGACY_TASK_CHANGED = 'notifications/tasks/status';

/** What a host is told of one server, however much the server tells. Nobody can change these bounds: a server that needs more floods. */
const LOGS = { times: 50, ms: 10_000 };
const PROGRESSED = { times: 20, ms: 1000 };
const CHANGES = { times: 1, ms: 1000 };
const WARNED = { times: 1, ms: 60_000 };
/** The resources and tasks of one server of which changes wait at once. */
const MAX_CHANGING = 1000;
const TOO_MANY = `It told of more than ${MAX_CHANGING} changed resources and tasks within a second. Some are left out.`;

/** How what a server tells and asks during a call reaches the client. */
interface During {
  readonly notify: Notify;
  readonly ask: Ask;
  /** Must be called before the answer is passed on: what is kept then reaches the client before it. */
  readonly ended: (isTask: boolean) => void;
}

/**
 * What one of several servers tells and asks one client. Everything says whose it is, and has a bound: a server that floods
 * takes no attention and no time from the others. Where only the last of many counts, the last one is never lost.
 */
export class Told {
  private readonly questions = new Questions();
  private readonly logs = new Pace(LOGS, (left) => this.summarize(left));
  /** The last message that did not fit, or the last that did: what stands in the place of others goes the same way. */
  private lastLog: { readonly notify: Notify; readonly params: Members | undefined } | undefined;
  private readonly ways = new Set<Way>();
  private readonly warned = new Pace(WARNED, () => undefined);

  /**
   * @param slug the name of the server
   * @param listChanged is told when the server announces that a list changed
   * @param tooMany is told what is left out without a trace for the client
   */
  constructor(
    private readonly slug: string,
    private readonly listChanged: (capability: Capability) => void,
    private readonly tooMany: (sentence: string) => void,
  ) {}

  /** Returns how the server reaches the client outside of requests. */
  port({ tell, ask }: { readonly tell: Notify; readonly ask: Ask }): Pick<ClientPort, 'tell' | 'ask'> {
    return { tell: this.through(this.way(tell)), ask: this.asking(ask) };
  }

  /** Returns how the server reaches the client during one call. */
  during({ notify, ask }: Pick<ServerCall, 'notify' | 'ask'>): During {
    const way = this.way(notify);
    let ending: AbortController | undefined;
    const ended = (isTask: boolean): void => {
      way.flush();
      if (this.lastLog?.notify === notify) this.summarize(this.logs.take()?.left ?? 0);
      // A task goes on after the answer of its call, tells and asks.
      if (isTask) return;
      way.stop();
      this.ways.delete(way);
      ending?.abort();
    };
    const endingOf = (): AbortSignal => {
      ending ??= new AbortController();
      return ending.signal;
    };
    return { notify: this.through(way), ask: this.asking(ask, endingOf), ended };
  }

  /** The client has left. */
  stop(): void {
    this.logs.stop();
    this.warned.stop();
    for (const way of this.ways) way.stop();
    this.ways.clear();
  }

  private way(notify: Notify): Way {
    const way = new Way(notify, () => this.warned.pass(() => this.tooMany(TOO_MANY)));
    this.ways.add(way);
    return way;
  }

  private through(way: Way): Notify {
    const { notify } = way;
    return (method, params) => {
      const capability = CAPABILITIES.find((each) => method === listChangedMethod(each));
      if (capability !== undefined) return this.listChanged(capability);
      const send = (): void => notify(method, this.outside(method, params));
      if (method === METHODS.acknowledged) return send();
      if (way.keeps(method, params, send)) return;
      this.lastLog = { notify, params };
      this.logs.pass(send);
    };
  }

  /** In the place of messages that were left out. It has the level of the last one, so that a client gets what it asked for. */
  private summarize(left: number): void {
    if (left === 0) return;
    const { slug, lastLog } = this;
    const level = lastLog?.params?.level ?? 'warning';
    const data =
      left === 1
        ? `1 more message of ${slug} was left out.`
        : `${left} more messages of ${slug} were left out.`;
    lastLog?.notify(LOG, saidBy(slug, { level, logger: slug, data }));
  }

  private outside(method: string, params: Members | undefined): Members | undefined {
    if (params === undefined) return undefined;
    const { slug } = this;
    if (method !== LOG) return saidBy(slug, renameResult(slug, params));
    const logger = typeof params.logger === 'string' ? `${slug}/${params.logger}` : slug;
    return saidBy(slug, { ...params, logger });
  }

  private asking(given: Ask, endingOf?: () => AbortSignal): Ask {
    if (given === unaskable) return unaskable;
    const { slug } = this;
    return (method, params, taken) => {
      const own = abortSignalOf(taken);
      const signal = endingOf === undefined ? own : AbortSignal.any([own, endingOf()]);
      const token = read(params, '_meta', 'progressToken');
      const progress = token === undefined ? {} : { progressToken: outwardToken(slug, token) };
      return this.questions.ask(
        () => given(method, saidBy(slug, membersOf(params), progress), signal),
        signal,
      );
    };
  }
}

/** One way to the client: that of a call or a stream, or that outside of requests. */
class Way {
  private progress: Pace | undefined;
  /** By what changed. */
  private readonly changing = new Map<string, Pace>();

  constructor(
    readonly notify: Notify,
    private readonly tooMany: () => void,
  ) {}

  /** Takes a notification of which only the last one of many counts. Returns whether it is one. */
  keeps(method: string, params: Members | undefined, send: () => void): boolean {
    if (method === PROGRESS) {
      this.progress ??= latest(PROGRESSED);
      this.progress.pass(send);
      return true;
    }
    const changed = changedIn(method, params);
    if (changed !== undefined) this.change(changed, send);
    return changed !== undefined;
  }

  private change(changed: string, send: () => void): void {
    const { changing } = this;
    if (changing.size >= MAX_CHANGING && !changing.has(changed)) return this.tooMany();
    getOrMake(changing, changed, () => latest(CHANGES, () => changing.delete(changed))).pass(send);
  }

  /** Sends what is kept: the answer that follows ends the way. */
  flush(): void {
    for (const pace of [this.progress, ...this.changing.values()]) pace?.take()?.last();
  }

  stop(): void {
    for (const pace of [this.progress, ...this.changing.values()]) pace?.stop();
    this.changing.clear();
  }
}

/** Returns what a notification says has changed, if only its last change counts. */
function changedIn(method: string, params: Members | undefined): string | undefined {
  if (method === METHODS.updated) return `${method} ${String(params?.uri)}`;
  if (method === TASK_CHANGED || method === LEGACY_TASK_CHANGED) return `${method} ${String(params?.taskId)}`;
  return undefined;
}

/** Says which server a message is from, because it knows only its own names. */
const saidBy = (slug: string, params: Members, more: Members = {}): Members => ({
  ...params,
  _meta: { ...membersOf(params._meta), ...more, [SERVER_META]: slug },
});

/** Two servers may choose the same progress token for their questions. */
const outwardToken = (slug: string, token: unknown): string => `${slug}:${JSON.stringify(token)}`;

/** Returns the server that chose a progress token, and the token as it chose it; `undefined` for any other. */
export function inwardToken(given: unknown): { readonly slug: string; readonly token: unknown } | undefined {
  const [, slug, text] = (typeof given === 'string' && /^([^:]+):(.*)$/s.exec(given)) || [];
  if (slug === undefined || text === undefined) return undefined;
  try {
    return { slug, token: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
