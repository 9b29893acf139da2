import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import { ProtocolError, Server } from '@modelcontextprotocol/server';
import { createHandler } from '../../src/core/http/sdk-v2.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import { EXTENSION_ID } from '../../src/index.js';
import { type Reached, reach } from './areas.js';
import { type Fault, type Finding, NO_COUNTS, type Played } from './findings.js';
import { namesHidden } from './lists.js';
import type { Shelf } from './play.js';
import { Random } from './random.js';
import { FuzzServer, READINGS, read } from './server.js';
import {
  FOR_PAGES,
  isAllowed,
  isListed,
  type Plan,
  policyOf,
  THINGS,
  type Thing,
  type View,
} from './world.js';

const STEPS = 40;
const LISTS = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const;
const CALLERS = ['ada', 'bob', undefined] as const;
const TARGETS: readonly [View, ...View[]] = [undefined, 'low', 'high'];
const FORMS = { elicitation: {} };
const PAGES = {
  extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
};
const META = 'io.modelcontextprotocol';

/** What somebody chose: `undefined` if nothing was stated, else a value or none. */
type Choice = { readonly level: View } | undefined;

/** A legacy session, and what was chosen in it. */
interface Session {
  readonly id: string;
  readonly caller: string | undefined;
  own: Choice;
  acted: boolean;
  model: Choice;
  /** The tools that the model added. */
  added: readonly string[];
}

/** What the oracle knows of the sender of a request. */
interface Sender {
  readonly caller: string | undefined;
  readonly session?: Session;
}

/**
 * Plays callers of both eras over the handler of SDK v2, which keeps what each caller chose: one request after the other, so
 * that the oracle knows what is in effect. It shares no code with the product.
 */
export async function playCallers(shelf: Shelf, seed: number): Promise<Played> {
  const random = new Random(seed);
  const counts = { ...NO_COUNTS };
  const findings: Finding[] = [];
  const reached: Reached = {};
  const found = shelf[random.below(shelf.length)];
  if (found === undefined) throw new RangeError('There is no policy to choose.');
  const model = random.pick<Plan['model']>(['narrow', 'free', undefined]);
  const plan: Plan = { ...found.plan, model };
  const note = (fault: Fault, method: string, what: string): void => {
    counts[fault]++;
    findings.push({ fault, method, seed, what: `${what} under ${JSON.stringify(plan, withMaps)}` });
  };
  const server = new FuzzServer(random, READINGS[0], false, 0);
  const handle = createHandler({
    server: () => serverV2(server),
    policy: model === undefined ? found.policy : policyOf(plan),
    store: createMemoryStore(),
    preferences: 'principal',
  });
  const chosen = new Map<string, Choice>();
  const sessions: Session[] = [];
  const isSwitchable = (plan.panel === 'on' || plan.panel === 'narrow') && plan.mode !== 'shadow';
  const canKeep = ({ caller, session }: Sender): boolean => caller !== undefined || session !== undefined;

  async function post(
    { caller, session }: Sender,
    method: string,
    params: object,
    states?: Choice,
    capabilities: object = PAGES,
  ): Promise<string> {
    counts.messages++;
    const isModern = session === undefined && method !== 'initialize';
    const concerns = states && { [EXTENSION_ID]: { concerns: { level: states.level ?? null } } };
    const _meta = {
      [`${META}/protocolVersion`]: '2026-07-28',
      [`${META}/clientInfo`]: { name: 'fuzz', version: '1' },
      [`${META}/clientCapabilities`]: capabilities,
      ...concerns,
    };
    const name = read(params, 'name') ?? read(params, 'uri');
    const response = await handle(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(session === undefined ? {} : { 'mcp-session-id': session.id }),
          ...(isModern ? { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method } : {}),
          ...(isModern && typeof name === 'string' ? { 'mcp-name': name } : {}),
        },
        body: JSON.stringify({
          ...{ jsonrpc: '2.0', id: 1, method },
          params: isModern ? { ...params, _meta } : params,
        }),
      }),
      authOf(caller),
    );
    const text = await response.text();
    const answers = text.match(/"id":1\b/g)?.length ?? 0;
    if (answers === 0) note('unanswered', method, `${response.status} ${text}`);
    if (answers > 1) note('answeredTwice', method, text);
    const id = response.headers.get('mcp-session-id');
    return method === 'initialize' ? (id ?? '') : text;
  }

  async function initialize(): Promise<void> {
    const caller = random.pick(CALLERS);
    const own = random.pick<Choice>([undefined, { level: 'low' }, { level: 'high' }]);
    const concerns = own && { [EXTENSION_ID]: { concerns: own } };
    const id = await post({ caller }, 'initialize', {
      protocolVersion: '2025-11-25',
      capabilities: { extensions: { ...PAGES.extensions, ...concerns } },
      clientInfo: { name: 'fuzz', version: '1' },
    });
    sessions.push({ id, caller, own, acted: false, model: undefined, added: [] });
  }

  /** What the person of a sender prefers. */
  function personOf({ caller, session }: Sender): View {
    const kept = caller === undefined ? undefined : chosen.get(caller);
    const own = session?.own;
    return (session?.acted === true ? (own ?? kept) : (kept ?? own))?.level;
  }

  /** The preferences that all must fit. */
  function viewsOf(sender: Sender, states?: Choice): readonly View[] {
    if (states !== undefined) return [states.level];
    const own = personOf(sender);
    const set = isSwitchable ? sender.session?.model : undefined;
    if (set === undefined) return [own];
    return plan.model === 'free' ? [set.level] : [own, set.level];
  }

  /** The preferences that one thing must fit. */
  function viewsOn(each: Thing, sender: Sender, states?: Choice): readonly View[] {
    const isAdded = isSwitchable && plan.model === 'free' && sender.session?.added.includes(each.identity);
    return isAdded && each.kind === 'tools' ? [undefined] : viewsOf(sender, states);
  }

  const mayUse = (each: Thing, sender: Sender, states?: Choice): boolean =>
    viewsOn(each, sender, states).every((view) => isAllowed(plan, each, view));

  function keep({ caller, session }: Sender, choice: Choice): void {
    if (caller !== undefined) chosen.set(caller, choice);
    if (session === undefined) return;
    session.own = choice;
    session.acted = caller !== undefined;
  }

  async function list(sender: Sender): Promise<void> {
    const kind = random.pick(LISTS);
    const method = kind === 'resourceTemplates' ? 'resources/templates/list' : `${kind}/list`;
    const states = sender.session === undefined ? random.pick<Choice>(STATED) : undefined;
    const text = await post(sender, method, {}, states);
    reach(reached, sender.session === undefined ? AREA.modern : AREA.legacy);
    const views = viewsOf(sender, states);
    const isRight = THINGS.every(
      (each) =>
        text.includes(each.secret) ===
        (each.kind === kind && viewsOn(each, sender, states).every((view) => isListed(plan, each, view))),
    );
    const told = `${text} for ${JSON.stringify(views)}`;
    if (!isRight) note('wrongLists', method, told);
    else if (namesHidden({ list: kind, text }, plan, (each) => !mayUse(each, sender, states)))
      note('leaks', method, told);
  }

  async function call(sender: Sender): Promise<void> {
    const tool = random.pick(TOOLS);
    server.used.clear();
    const states = sender.session === undefined ? random.pick<Choice>(STATED) : undefined;
    const text = await post(sender, 'tools/call', { name: tool.identity, arguments: {} }, states);
    reach(reached, 'callers: calls');
    const views = viewsOf(sender, states);
    const isShown = (each: Thing): boolean => mayUse(each, sender, states);
    const told = `${tool.identity} for ${JSON.stringify(views)}: ${text}`;
    if (isShown(tool) !== text.includes(tool.secret))
      note(isShown(tool) ? 'visibleBlocked' : 'leaks', 'tools/call', told);
    for (const each of THINGS) {
      if (isShown(each)) continue;
      const isNamed = each !== tool && text.includes(each.identity);
      if (text.includes(each.secret) || server.used.has(each) || isNamed)
        note('leaks', 'tools/call', `${each.identity}: ${told}`);
    }
  }

  /** The host states the preferences of its person. */
  async function update(sender: Sender): Promise<void> {
    const target = random.pick<Choice>([
      { level: undefined },
      { level: 'low' },
      { level: 'high' },
      undefined,
    ]);
    const concerns = target === undefined ? {} : { level: target.level ?? null };
    const text = await post(sender, 'updateConcerns', { concerns });
    if (text.includes('"result"') !== canKeep(sender)) note('visibleBlocked', 'updateConcerns', text);
    if (!canKeep(sender)) return;
    keep(sender, target);
    if (sender.session !== undefined) Object.assign(sender.session, { model: undefined, added: [] });
  }

  /** The person chooses in a form of a modern request, or something calls what the page calls. */
  async function choose(sender: Sender, by: 'form' | 'page'): Promise<void> {
    const level = random.pick(TARGETS);
    const before = personOf(sender);
    const others = sender.caller === undefined ? [] : [chosen.get(sender.caller)?.level];
    const narrows = [before, ...others].every((each) => each === undefined || each === level);
    const mayWiden = (by === 'form' && plan.panel === 'on') || plan.model === 'free';
    const isDone = isSwitchable && canKeep(sender) && (mayWiden || narrows);
    const content = { preset: '-', level: level ?? '-' };
    const answered = { inputResponses: { concerns: { action: 'accept', content } } };
    const callTool = (params: object): Promise<string> =>
      post(sender, 'tools/call', params, undefined, by === 'form' ? FORMS : PAGES);
    if (by === 'form' && isSwitchable && canKeep(sender)) {
      const asked = await callTool({ name: 'concerns', arguments: {} });
      if (!asked.includes('"input_required"')) note('visibleBlocked', 'tools/call', asked);
      reach(reached, 'callers: forms of modern requests');
    }
    const text = await callTool(
      by === 'form'
        ? { name: 'concerns', arguments: {}, ...answered }
        : { name: 'concerns_update', arguments: { concerns: { level: level ?? null } } },
    );
    const isSame = by === 'form' && before === level;
    const isChanged = by === 'form' ? text.includes('The person changed') : text.includes('"shown"');
    const told = `${by} from ${before} to ${level}: ${text}`;
    if (plan.panel === 'narrow') reach(reached, 'callers: choices under "panel: narrow"');
    if (!isDone) reach(reached, 'callers: choices that were refused');
    if (plan.panel !== 'off' && isChanged !== (isDone && !isSame))
      note(isChanged ? 'leaks' : 'visibleBlocked', 'tools/call', told);
    if (!isDone || isSame) return;
    keep(sender, { level });
    if (sender.session !== undefined && mayWiden)
      Object.assign(sender.session, { model: undefined, added: [] });
  }

  /** A model sets a value with the tool `concerns`. */
  async function setByModel(sender: Sender & { readonly session: Session }): Promise<void> {
    const level = random.pick(TARGETS);
    const text = await post(sender, 'tools/call', { name: 'concerns', arguments: { level: level ?? 'any' } });
    const isOpen = isSwitchable && plan.model !== undefined;
    const isError = text.includes('"isError":true') || text.includes('"error"');
    if (plan.panel !== 'off' && isError === isOpen)
      note(isOpen ? 'visibleBlocked' : 'leaks', 'tools/call', `model: ${text}`);
    if (!isOpen) return;
    reach(reached, plan.model === 'free' ? AREA.free : AREA.narrow);
    sender.session.model = level === undefined && plan.model === 'narrow' ? undefined : { level };
  }

  /** A model asks for names of hidden tools, or adds one. */
  async function askForTools(sender: Sender): Promise<void> {
    const isOpen = isSwitchable && plan.model === 'free' && sender.session !== undefined;
    const isShown = (each: Thing): boolean =>
      viewsOn(each, sender).every((view) => isListed(plan, each, view));
    /** Nothing but values that the model may change itself hides it, if it is hidden. */
    const isOpenToModel = (each: Thing): boolean => isOpen && isListed(plan, each, undefined);
    // Hosts give a model no tool that only pages can call, so it is not among those to add.
    const isAddable = (each: Thing): boolean =>
      isOpenToModel(each) && !isShown(each) && each.identity !== FOR_PAGES;
    const tool = random.pick(TOOLS);
    const args = random.pick<object>([{ list: true }, { find: 'tool' }, { show: [tool.identity] }]);
    const text = await post(sender, 'tools/call', { name: 'concerns', arguments: args });
    const told = `${JSON.stringify(args)}: ${text}`;
    if (plan.panel === 'off') return;
    const own = 'show' in args ? tool : undefined;
    for (const each of TOOLS) {
      const isEntry = text.includes(`\\n${each.identity}:`);
      // Descriptions are those of the list of tools: they name what that list may name in them, and what the model may open.
      const isDescribed = !isEntry && (mayUse(each, sender) || isOpenToModel(each));
      const mayBeNamed = each === own || isAddable(each) || (own === undefined ? isDescribed : isShown(each));
      if (!mayBeNamed && text.includes(each.identity))
        note('leaks', 'tools/call', `${each.identity}: ${told}`);
      if ('list' in args && isAddable(each) && !text.includes(each.identity))
        note('visibleBlocked', 'tools/call', `${each.identity}: ${told}`);
    }
    if (isOpen) reach(reached, own === undefined ? AREA.names : AREA.added);
    const isError = text.includes('"isError":true') || text.includes('"error"');
    const isDone = own !== undefined && isOpen && (isShown(tool) || isAddable(tool));
    if (own !== undefined && isError === isDone)
      note(isDone ? 'visibleBlocked' : 'leaks', 'tools/call', told);
    if (sender.session !== undefined && isDone && !isShown(tool))
      sender.session.added = [...sender.session.added, tool.identity];
  }

  for (let step = 0; step < STEPS; step++) {
    if (sessions.length === 0 || random.chance(0.06)) await initialize();
    const session = sessions[random.below(sessions.length)];
    if (session === undefined) continue;
    const legacy = { caller: session.caller, session };
    const sender: Sender = random.chance(0.5) ? { caller: random.pick(CALLERS) } : legacy;
    const roll = random.next();
    if (roll < 0.4) await list(sender);
    else if (roll < 0.6) await call(sender);
    else if (roll < 0.7) await update(sender);
    else if (roll < 0.8) await choose(sender, 'page');
    else if (roll < 0.9) await choose({ caller: random.pick(CALLERS) }, 'form');
    else if (roll < 0.95) await setByModel(legacy);
    else await askForTools(random.chance(0.8) ? legacy : sender);
  }
  return { counts, findings, reached };
}

const AREA = {
  modern: 'callers: lists of modern requests',
  legacy: 'callers: lists of legacy sessions',
  narrow: 'callers: choices of a model that narrow',
  free: 'callers: choices of a model that replace',
  names: 'callers: names of hidden tools',
  added: 'callers: tools that a model added',
} as const;
const STATED: readonly [Choice, ...Choice[]] = [
  undefined,
  undefined,
  { level: undefined },
  { level: 'low' },
  { level: 'high' },
];
const TOOLS = THINGS.filter(({ kind }) => kind === 'tools') as unknown as readonly [Thing, ...Thing[]];

/** A server of SDK v2 that answers what the server of the fuzz answers. */
function serverV2(fuzz: FuzzServer): Server {
  const capabilities = { tools: {}, prompts: {}, resources: { subscribe: true }, completions: {} };
  const server = new Server({ name: 'fuzz', version: '1' }, { capabilities });
  server.fallbackRequestHandler = async ({ method, params }) => {
    const answer = fuzz.answer(method, params);
    const error = read(answer, 'error');
    if (error !== undefined)
      throw new ProtocolError(
        Number(read(error, 'code')),
        String(read(error, 'message')),
        read(error, 'data'),
      );
    return { ...(read(answer, 'result') as object) };
  };
  return server;
}

const authOf = (caller: string | undefined): { readonly authInfo?: AuthInfo } =>
  caller === undefined
    ? {}
    : { authInfo: { token: 't', clientId: 'c', scopes: [], extra: { iss: 'i', sub: caller } } };

const withMaps = (_key: string, value: unknown): unknown =>
  value instanceof Map ? Object.fromEntries(value) : value;
