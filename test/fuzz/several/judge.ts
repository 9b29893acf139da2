import { type Reached, reach } from '../areas.js';
import type { Fault } from '../findings.js';
import { read } from '../server.js';
import { type Host, isSlug, type Sent } from './host.js';
import type { MemberServer } from './member.js';
import { mentionsIn } from './mentions.js';
import {
  fits,
  isAllowed,
  isKnownByEntry,
  type Plan,
  SERVER_META,
  THINGS,
  type Thing,
  type View,
} from './world.js';

/** The member that names an entry of each list, whatever other members it has. */
const NAMED_BY = { tools: 'name', prompts: 'name', resources: 'uri', resourceTemplates: 'uriTemplate' };

type Note = (fault: Fault, method: string, what: string) => void;

/** What the gate itself lists under `panel: on`. */
const OF_GATE = /^(?:concerns(?:$|[-_])|ui:\/\/concerns\/)/;
/** The questions of one server that a person may see at once. */
const MAX_OPEN = 4;
/** Messages of a server arrive after requests that were sent later. */
const RECENT = 10;
const GIVES_SECRET: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/**
 * The oracle: judges what a client of several servers gets. Each server alone under its own policy would say the same, with
 * other names. It shares no code with the product.
 */
export class Judge {
  /** What was said of names that are hidden or that nobody has, by server, kind, plan and preferences. */
  private readonly refusals = new Map<string, string>();

  constructor(
    private readonly servers: readonly MemberServer[],
    /** The plans that were ever in force. */
    private readonly everInForce: ReadonlySet<Plan>,
    private readonly note: Note,
    private readonly reached: Reached,
  ) {}

  message(host: Host, message: unknown): void {
    const text = JSON.stringify(message);
    if (text.includes('forged-by-')) this.note('wrongServer', 'none', `a forged message: ${text}`);
    if (read(message, 'method') !== undefined) return this.unasked(host, message, text);
    const sent = host.byId.get(read(message, 'id'));
    if (sent === undefined || sent.answered)
      return this.note('answeredTwice', sent?.method ?? 'none', `${text} for ${sent?.text}`);
    sent.answered = true;
    reach(this.reached, sent.area);
    if (sent.list !== undefined) return this.list(sent, sent.list, message, text);
    this.answer(host, sent, message, text);
  }

  private fault = (fault: Fault, sent: Sent, what: string): void =>
    this.note(
      fault,
      sent.method,
      `${what} for ${sent.text} under ${[...sent.plans].map(planText).join(' then ')}`,
    );

  private list(sent: Sent, list: Thing['kind'], message: unknown, text: string): void {
    const found = read(read(message, 'result'), list);
    const items = (Array.isArray(found) ? found : []).map((item: unknown) => ({
      name: String(read(item, NAMED_BY[list])),
      server: read(read(item, '_meta'), SERVER_META),
      description: String(read(item, 'description')),
    }));
    const listed = items.filter(({ name }) => !OF_GATE.test(name));
    const things = this.servers.flatMap((server) => server.things.filter(({ kind }) => kind === list));
    if (things.length > 10_000) reach(this.reached, 'several: lists of 10,000');
    const plans = [...sent.plans].filter((each) => {
      const shown = things.filter((one) => fits(each, one, sent.view));
      return (
        shown.length === listed.length &&
        shown.every(({ outside, slug, secret }, at) => {
          const { name, server, description } = listed[at] ?? {};
          return name === outside && server === slug && description?.startsWith(`${secret} `) === true;
        })
      );
    });
    if (plans.length === 0) {
      const [first] = sent.plans;
      const shown = things.filter((one) => first !== undefined && fits(first, one, sent.view));
      const names = shown.map(({ outside }) => outside).join(' ');
      const told = listed.map(({ name, server, description }) => `${name} of ${server}: ${description}`);
      return this.fault('wrongLists', sent, `${told.join('; ') || text} in the place of ${names}`);
    }
    const wrong = plans.map((plan) => [...this.inDefinitions(list, listed, plan, sent.view)]);
    if (wrong.every(({ length }) => length > 0))
      for (const [fault, what] of wrong[0] ?? []) this.fault(fault, sent, what);
  }

  /** What is wrong with the names in the definitions of a list under one of the plans that may have been in force. */
  private *inDefinitions(
    list: Thing['kind'],
    listed: readonly { readonly server: unknown; readonly description: string }[],
    plan: Plan,
    view: View,
  ): Generator<readonly [Fault, string]> {
    for (const { server, description } of listed) {
      for (const { thing, isOwn, text: found } of mentionsIn(description)) {
        const isHere = thing.kind === list;
        const isHidden = !isAllowed(plan, thing, view);
        const name = isOwn ? thing.own : thing.outside;
        if (isHidden && (isHere || isKnownByEntry(plan, thing)) && found.includes(name))
          yield ['leaks', `${thing.outside} in ${description}`];
        if (isHidden || this.mayBeCut(server, name, [plan], [view])) continue;
        // A model calls a sibling by its name outside.
        const hasNames = list === 'tools' || list === 'prompts';
        const isTranslated = isOwn && hasNames && isHere && fits(plan, thing, view);
        reach(this.reached, isTranslated ? 'several: siblings in definitions' : undefined);
        if (found !== (isTranslated ? thing.outside : name))
          yield ['wrongLists', `${found} for ${thing.outside} in ${description}`];
      }
    }
  }

  /** Whether a name contains that of something hidden, as the server that writes it or as hosts call that. */
  private mayBeCut(speaker: unknown, name: string, plans: readonly Plan[], views: readonly View[]): boolean {
    const parts = THINGS.filter(
      ({ slug, own, outside }) =>
        name.includes(outside) || (slug === speaker && name !== own && name.includes(own)),
    );
    const isCut = (part: Thing): boolean =>
      part.outside !== name && plans.some((plan) => views.some((view) => !isAllowed(plan, part, view)));
    return parts.some(isCut);
  }

  private answer(host: Host, sent: Sent, message: unknown, text: string): void {
    const { method, view, thing, slug } = sent;
    const plans = [...sent.plans];
    const isFailed = read(message, 'error') !== undefined || text.includes('"isError":true');
    for (const each of THINGS) {
      if (!text.includes(each.secret)) continue;
      if (each.slug !== slug) this.fault('wrongServer', sent, text);
      else if (!plans.some((plan) => isAllowed(plan, each, view)))
        this.fault('leaks', sent, `${each.outside} in ${text}`);
    }
    for (const [, speaker] of text.matchAll(/(?:said-by|task-of)-(.*?)(?:-t-\d+)?-end/g))
      if (slug !== undefined && speaker !== slug) this.fault('wrongServer', sent, text);
    for (const [found, of] of text.matchAll(/note-(h\d)-(\d+)-end/g))
      if (of !== host.name || !sent.text.includes(found)) this.fault('wrongServer', sent, text);
    for (const [, uri = ''] of text.matchAll(/"uri":"([^"]*)"/g))
      if (slug !== undefined && !isFailed && !uri.startsWith(`${slug}+`))
        this.fault('wrongLists', sent, `${uri} in ${text}`);
    if (isFailed) this.mentions(sent, text);
    if (method.startsWith('tasks/')) return this.task(sent, text);
    const isShown = thing !== undefined && plans.every((plan) => isAllowed(plan, thing, view));
    const isHidden = thing === undefined || plans.every((plan) => !isAllowed(plan, thing, view));
    if (sent.outside === undefined) return;
    if (isHidden) this.refusal(sent, text, isFailed);
    else if (isShown && thing !== undefined && sent.isForm !== true)
      this.used(host, sent, thing, message, text);
  }

  /** What is visible answers. */
  private used(host: Host, sent: Sent, thing: Thing, message: unknown, text: string): void {
    const task = read(read(read(message, 'result'), 'task'), 'taskId');
    if (typeof task === 'string') {
      if (!task.startsWith(`${thing.slug}+`)) this.fault('wrongLists', sent, text);
      host.tasks.set(task, thing);
    } else if (GIVES_SECRET.has(sent.method) && !text.includes(thing.secret)) {
      // A server whose own name for something hidden is the name outside of something shown has only itself to blame.
      const same = THINGS.find(({ slug, own }) => slug === thing.slug && own === thing.outside);
      if (same === undefined || [...sent.plans].every((plan) => isAllowed(plan, same, sent.view)))
        this.fault('visibleBlocked', sent, text);
    }
  }

  /** Of a task, the server that has it answers: the one client of a connection owns all tasks that it has made. */
  private task(sent: Sent, text: string): void {
    if (sent.thing !== undefined && !text.includes(`task-of-${sent.outside?.replace('+', '-')}-end`))
      this.fault('visibleBlocked', sent, text);
  }

  /** What is hidden and what there is not are answered alike, else an answer tells which names there are. */
  private refusal(sent: Sent, text: string, isFailed: boolean): void {
    const { outside = '', slug = '', method, view } = sent;
    const [plan, other] = sent.plans;
    // In front of a server of 2026-07-28, the endpoint itself accepts what a legacy client watches.
    const isWatched = method.endsWith('subscribe');
    if ((!isFailed && !isWatched) || text.includes('said-by-')) this.fault('leaks', sent, text);
    if (other !== undefined || plan?.mode !== 'enforce' || !isSlug(slug) || sent.isForm === true) return;
    reach(this.reached, sent.thing === undefined ? undefined : 'several: hidden names');
    const own = outside.slice(slug.length + (method.startsWith('resources/') ? 1 : 2));
    if (own === '') return;
    const words = text
      .replace(/"id":[^,}]*/, '')
      .replaceAll(outside, 'NAME')
      .replaceAll(own, 'NAME');
    // A server may have any URI under a template that is shown.
    const parent = method.startsWith('resources/') ? outside.slice(0, outside.lastIndexOf('/')) : '';
    const key = JSON.stringify([slug, parent, method, view, planText(plan)]);
    const before = this.refusals.get(key) ?? words;
    this.refusals.set(key, before);
    if (before !== words) this.fault('leaks', sent, `${words}, and of another name ${before}`);
  }

  /** Names in texts of a server, in the answer to a request for what it has. */
  private mentions(sent: Sent, text: string): void {
    const plans = [...sent.plans];
    for (const { thing, isOwn, text: found } of mentionsIn(text)) {
      if (sent.text.includes(thing.own)) continue;
      const name = isOwn ? thing.own : thing.outside;
      const isShown = plans.every((plan) => isAllowed(plan, thing, sent.view));
      if (!isShown && !plans.some((plan) => isAllowed(plan, thing, sent.view)) && found.includes(name))
        this.fault('leaks', sent, `${thing.outside} in ${text}`);
      if (isShown && found !== name && !this.mayBeCut(sent.slug, name, plans, [sent.view]))
        this.fault('wrongLists', sent, `${found} for ${thing.outside} in ${text}`);
    }
  }

  /** A notification or a question of a server. */
  private unasked(host: Host, message: unknown, text: string): void {
    const [id, method, params] = [
      read(message, 'id'),
      String(read(message, 'method')),
      read(message, 'params'),
    ];
    const wrong = (what: string): void => this.note('wrongServer', method, `${what}: ${text}`);
    if (method === 'notifications/cancelled') {
      const { slug, id: own = '' } = host.questions.get(read(params, 'requestId')) ?? {};
      reach(this.reached, 'several: questions that were taken back');
      host.open.delete(read(params, 'requestId'));
      if (this.servers.find((server) => server.slug === slug)?.endedQuestion(own) !== true)
        wrong('a question was taken back by another');
      return;
    }
    const speaker = /said-by-(.*?)-end/.exec(text)?.[1];
    if (speaker !== undefined && read(read(params, '_meta'), SERVER_META) !== speaker)
      wrong(`${speaker} passes for another`);
    const { uri } = { uri: read(params, 'uri') };
    if (typeof uri === 'string' && speaker !== undefined && !uri.startsWith(`${speaker}+`))
      wrong('the URI of another server');
    for (const { thing, isOwn, text: found } of mentionsIn(text)) {
      const name = isOwn ? thing.own : thing.outside;
      const under = [...this.everInForce].flatMap((plan) => host.views.map((view) => ({ plan, view })));
      const isHidden = under.every(
        ({ plan, view }) => isKnownByEntry(plan, thing) && !isAllowed(plan, thing, view),
      );
      const isShown =
        under.every(({ plan, view }) => isAllowed(plan, thing, view)) &&
        !this.mayBeCut(speaker, name, [...this.everInForce], host.views);
      reach(this.reached, isHidden ? 'several: hidden names in messages of servers' : undefined);
      // A server may repeat what the client has just asked for.
      const isGiven = host.sent
        .slice(-RECENT)
        .concat(host.sent.filter(({ answered }) => !answered))
        .some((sent) => sent.outside === thing.outside);
      if (isHidden && !isGiven && found.includes(name))
        this.note('leaks', method, `${thing.outside} in ${text}`);
      if (isShown && found !== name)
        this.note('wrongLists', method, `${found} for ${thing.outside} in ${text}`);
    }
    host.count(speaker, method);
    if (method === 'notifications/progress') {
      reach(this.reached, 'several: progress');
      const sent = host.ofToken(read(params, 'progressToken'));
      if (sent?.slug !== speaker) wrong(`progress of ${sent?.text}`);
    }
    if (id === undefined) return;
    reach(this.reached, 'several: questions of servers');
    const [, own = '', note = ''] = /end (q-\d+) for (\S+);/.exec(text) ?? [];
    const asked = /note-(h\d)-/.exec(note)?.[1];
    if (asked !== undefined && asked !== host.name) wrong('a question for another client');
    host.questions.set(id, { slug: speaker ?? '', id: own });
    host.open.add(id);
    const open = [...host.open].filter((each) => host.questions.get(each)?.slug === speaker).length;
    if (open > MAX_OPEN) wrong(`${open} questions of one server are open`);
    host.reply(id, read(read(params, '_meta'), 'progressToken'));
  }
}

const planText = (plan: Plan): string =>
  JSON.stringify(plan, (_key, value) => (value instanceof Map ? Object.fromEntries(value) : value));
