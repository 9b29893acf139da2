import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { converse, countNamed, type Seen, type Step, THINKING } from './conversation.js';
import { endpointOf, KEYS, perServer } from './endpoint.js';
import { type McpServer, SERVER, type Setting, type Turn } from './host.js';
import { hostileEndpoint, MARKERS } from './hostile.js';
import { inPlace, type Place } from './place.js';
import { startProcess } from './processes.js';
import { type Bench, LONGEST, logOf, type Outcome, runHost } from './run-host.js';
import { withSetup } from './setup.js';
import { withTwoHosts } from './two-hosts.js';

/** A tool that every preset shows, and that changes nothing. */
const HARMLESS = 'validateData';

/** A tool that the preset `safe` hides. */
const HIDDEN = 'readLog';

/** The preset `safe`: 10 of 24 tools. */
const SAFE = ['--concern', 'security=high', '--concern', 'access=read'];

/** What `mcp-concerns switch` tells about the host, without the path and the id of the session. */
const looked = async (place: Place): Promise<string> =>
  `switch says: ${(await place.switchTo()).replaceAll(/ {2}\S+server\.js [\w-]+/g, '').trim()}`;

/** One conversation of one process. */
async function talk(
  bench: Bench,
  place: Place,
  server: McpServer,
  steps: readonly Step[],
  turn: Turn,
  more: Pick<Setting, 'formAnswer' | 'toolSearch'> & { isOwn?: Parameters<typeof converse>[1] } = {},
): Promise<Outcome & { readonly texts: readonly string[] }> {
  const { isOwn, ...setting } = more;
  const { script, seen, texts } = converse(steps, isOwn);
  bench.model.follow(script);
  const { home, work } = place;
  const ended = await runHost(
    bench,
    place,
    { home, work, model: bench.model.url, servers: { [SERVER]: server }, ...setting },
    turn,
  );
  return { seen, texts, notes: [], log: logOf(ended) };
}

const FIRST: Turn = { prompt: 'Check the data.', continues: false };
const NEXT: Turn = { prompt: 'Check it again.', continues: true };

/** `mcp-concerns switch` between two requests: from 10 tools to 24, and back. */
const byCommand = (bench: Bench): Promise<Outcome> =>
  inPlace(async (place) => {
    const said: string[] = [];
    // It also tells whether the host has listed again since the change before.
    const look = async (): Promise<void> => void said.push(await looked(place));
    const server = place.stdioServer(...SAFE);
    const steps = [
      { meanwhile: () => place.switchTo('everything'), call: HARMLESS },
      { meanwhile: look, call: HARMLESS },
      { meanwhile: () => place.switchTo('safe'), call: HARMLESS },
      { meanwhile: look, call: HARMLESS },
      {},
    ];
    const { seen, log = [] } = await talk(bench, place, server, steps, FIRST);
    return { seen, notes: said, log };
  });

/** The same by the request that the page sends. */
const byPage = (bench: Bench): Promise<Outcome> =>
  inPlace((place) =>
    talk(
      bench,
      place,
      place.stdioServer(...SAFE),
      [{ meanwhile: () => place.switchAsPage({ preset: 'live' }), call: HARMLESS }, { call: HARMLESS }, {}],
      FIRST,
    ),
  );

/** A prompt of the server, typed as a command of the host: from 10 tools to 20. */
const byPrompt = async (bench: Bench): Promise<Outcome> => {
  const turn = bench.host.promptTurn?.('concerns-live');
  if (turn === undefined) return { seen: [], notes: ['no way without a window'] };
  return inPlace(async (place) => {
    const said: string[] = [];
    const look = async (): Promise<void> => void said.push(await looked(place));
    const steps = [{ meanwhile: look, call: HARMLESS }, {}];
    const { seen, log = [] } = await talk(bench, place, place.stdioServer(...SAFE), steps, turn);
    return { seen, notes: said, log };
  });
};

/** The model calls the tool `concerns`, which opens a form where the host has forms. */
const byForm = (bench: Bench): Promise<Outcome> =>
  inPlace(async (place) => {
    const answer = bench.host.answersForms === true ? { formAnswer: { preset: 'live' } } : {};
    const server = place.stdioServer(...SAFE);
    const steps = [{ call: 'concerns' }, { call: HARMLESS }, {}];
    const { seen, log = [], texts } = await talk(bench, place, server, steps, FIRST, answer);
    const said = /The person [^.]*\.|The host did not show[^.]*\.|A person can change[^.]*\./.exec(
      texts[1] ?? '',
    );
    return { seen, notes: [`the tool answered: ${said?.[0] ?? 'nothing known'}`], log };
  });

/** The conversation goes on in a new process, which connects with another URL. */
const byUrl = (bench: Bench): Promise<Outcome> =>
  inPlace(async (place) => {
    const { url, running } = await place.serveHttp();
    try {
      const with_ = (query: string): McpServer => ({ via: 'http', url: `${url}${query}` });
      const first = await talk(bench, place, with_('?concerns=safe'), [{ call: HARMLESS }, {}], FIRST);
      const grown = await talk(bench, place, with_(''), [{ call: HARMLESS }, {}], NEXT);
      const shrunk = await talk(bench, place, with_('?concerns=safe'), [{ call: HARMLESS }, {}], NEXT);
      const all = [first, grown, shrunk];
      return {
        seen: all.flatMap(({ seen }) => seen),
        notes: [],
        log: all.flatMap(({ log = [] }) => log),
      };
    } finally {
      await running.stop();
    }
  });

/** A switch in one conversation, then a new conversation in a new process. */
const inNewConversation = (bench: Bench): Promise<Outcome> =>
  inPlace(async (place) => {
    const { url, running } = await place.serveHttp();
    try {
      const server: McpServer = { via: 'http', url: `${url}?concerns=safe` };
      const steps = [{ meanwhile: () => place.switchTo('everything'), call: HARMLESS }, {}];
      const first = await talk(bench, place, server, steps, FIRST);
      const second = await talk(bench, place, server, [{}], FIRST);
      const log = [...(first.log ?? []), ...(second.log ?? [])];
      return { seen: [...first.seen, ...second.seen], notes: [], log };
    } finally {
      await running.stop();
    }
  });

/**
 * Several messages to one process, with a switch before each but the first, and then a new conversation: 10 tools, 24,
 * 10, 12 others. 12 in the new conversation means that it uses the same session of the server.
 */
const byMessage = async (bench: Bench): Promise<Outcome> => {
  const { dialog } = bench.host;
  if (dialog === undefined) return { seen: [], notes: ['one process is one conversation'] };
  return inPlace(async (place) => {
    const server = place.stdioServer(...SAFE);
    const { home, work } = place;
    const setting = { home, work, model: bench.model.url, servers: { [SERVER]: server } };
    bench.host.configure(setting);
    const { script, seen } = converse([]);
    bench.model.follow(script);
    const { args, env } = dialog.start(setting);
    const options = { cwd: work, env: { ...place.env, ...env }, keepsInput: true, longest: LONGEST };
    const running = startProcess(bench.installed.program, args, options);
    const said: string[] = [`by ${dialog.name}`];
    try {
      const person = await dialog.open(running, setting);
      await person.say(FIRST.prompt);
      for (const preset of ['everything', 'safe', 'cheap']) {
        await place.switchTo(preset);
        await wait(THINKING);
        said.push(await looked(place));
        await person.say(NEXT.prompt);
      }
      await person.newConversation();
      await person.say(FIRST.prompt);
      // One session with 12 tools, or another one with 10.
      said.push(`in the new conversation, ${await looked(place)}`);
    } catch (cause) {
      said.push(String(cause).slice(0, 600));
    } finally {
      await running.stop();
    }
    return { seen, notes: said };
  });
};

/**
 * The first request with all 24 tools and with 10, without and with the tool search of the host. Then the same
 * switches as by command, with tool search.
 */
const withToolSearch = async (bench: Bench): Promise<Outcome> => {
  if (bench.host.searchFor === undefined) return { seen: [], notes: ['the host has no tool search'] };
  const first: Seen[] = [];
  const notes: string[] = [];
  for (const toolSearch of [false, true]) {
    for (const concerns of [[], SAFE]) {
      const { seen } = await inPlace((place) =>
        talk(bench, place, place.stdioServer(...concerns), [{}], FIRST, { toolSearch }),
      );
      first.push(...seen);
      const { shown = 0, deferred = 0, named = 0, bytes = 0, tokens = 0 } = seen[0] ?? {};
      notes.push(
        `tool search ${toolSearch ? 'on' : 'off'}, ${concerns.length === 0 ? 'everything' : 'safe'}: ${shown} tools, ` +
          `${deferred} deferred, ${named} named; definitions ${bytes} bytes; request ${tokens} tokens`,
      );
    }
  }
  const search = bench.host.searchFor?.(HIDDEN) ?? {};
  const switched = await inPlace((place) =>
    talk(
      bench,
      place,
      place.stdioServer(...SAFE),
      [
        { meanwhile: () => place.switchTo('everything'), ...search },
        { meanwhile: () => place.switchTo('safe'), ...search },
        search,
        {},
      ],
      FIRST,
      { toolSearch: true },
    ),
  );
  const gone = /no longer available[^<]*/.exec(switched.texts.at(-1) ?? '')?.[0] ?? '';
  notes.push(`after the switch back, the request names ${countNamed(gone)} tools as no longer available`);
  return { seen: [...first, ...switched.seen], notes, log: switched.log ?? [] };
};

const SWITCHES = 20;

/** Twenty switches with `lists: stable`. After each, the model calls a tool that every second switch hides. */
const withStableLists = (bench: Bench): Promise<Outcome> =>
  inPlace(async (place) => {
    const policy = join(place.home, 'stable.yaml');
    writeFileSync(policy, 'version: 1\nsettings: { lists: stable }\n');
    const steps = Array.from({ length: SWITCHES }, (_, at) => ({
      meanwhile: () => place.switchTo(at % 2 === 0 ? 'safe' : 'everything'),
      call: HIDDEN,
      given: { limit: at + 1 },
    }));
    const server = place.stdioServer('--policy', policy);
    const { seen, texts, log = [] } = await talk(bench, place, server, [...steps, {}], FIRST);
    const digests = new Set(seen.map(({ digest }) => digest));
    const refused = texts.at(-1)?.split('is switched off').length ?? 1;
    return {
      seen,
      notes: [
        `tools blocks that differ: ${digests.size} in ${seen.length} requests`,
        `calls while the tool was hidden: ${SWITCHES / 2}, of which answered by the gate: ${refused - 1}`,
      ],
      log,
    };
  });

/** Four servers beside a hostile one, which takes names, announces without end and forges answers. */
const besideHostile = (bench: Bench): Promise<Outcome> =>
  inPlace(async (place) => {
    const steps: Step[] = [{ call: 'files__look', given: {} }, { call: 'docs__stats', given: {} }, {}];
    const isOwn = ({ name }: { readonly name: string }): boolean =>
      /(files|docs|jobs|mail|evil)__/.test(name);
    const server = hostileEndpoint(place);
    const { seen, texts, log = [] } = await talk(bench, place, server, steps, FIRST, { isOwn });
    const last = texts.at(-1) ?? '';
    const answers = ['files ran look', 'lists'].filter((said) => last.includes(said));
    return {
      seen,
      notes: [
        `tools: ${[...new Set(seen.flatMap(({ names }) => names))].join(', ')}`,
        `answers of siblings: ${answers.length} of 2; the sibling was asked: ${/lists[^,]*/.exec(last)?.[0] ?? '-'}`,
        `markers of the hostile server in ${texts.length} requests: ${MARKERS.filter((each) => texts.some((text) => text.includes(each))).length}`,
      ],
      log,
    };
  });

/** Five servers from npm and one that dies, behind one policy: a switch on the page, then the end of one process. */
const withSeveralServers = (bench: Bench): Promise<Outcome> =>
  inPlace(async (place) => {
    const endpoint = endpointOf(place);
    const said: string[] = [];
    const ofMemory = { call: 'memory__read_graph', given: {} };
    const steps: Step[] = [
      { meanwhile: () => place.switchAsPage({ preset: 'careful' }), ...ofMemory },
      { meanwhile: async () => void said.push(await looked(place)), ...ofMemory },
      {
        meanwhile: async () => void said.push(`processes ended: ${endpoint.kill('memory')}`),
        call: 'everything__echo',
        given: { message: 'a' },
      },
      { meanwhile: () => wait(3000), ...ofMemory },
      {},
    ];
    const isOwn = ({ name }: { readonly name: string }): boolean =>
      KEYS.some((key) => name.includes(`${key}__`));
    const { seen, texts, log = [] } = await talk(bench, place, endpoint.server, steps, FIRST, { isOwn });
    const [first = [], , all = [], ended = [], back = []] = seen.map(({ names }) => names);
    const notes = [
      ...seen.map(({ names }, at) => `request ${at + 1}: ${perServer(names)}`),
      ...said,
      `the host lists every tool of the first request again: ${first.every((name) => back.includes(name))}`,
      `only tools of memory are missing after its end: ${all.every((name) => ended.includes(name) || name.includes('memory__'))}`,
      `the last call of memory was answered: ${/entities/.test(texts.at(-1) ?? '')}`,
    ];
    return { seen, notes, log };
  });

/** All measurements, by name. */
export const MEASURES: Readonly<Record<string, (bench: Bench) => Promise<Outcome>>> = {
  command: byCommand,
  message: byMessage,
  page: byPage,
  prompt: byPrompt,
  form: byForm,
  url: byUrl,
  conversation: inNewConversation,
  search: withToolSearch,
  stable: withStableLists,
  servers: withSeveralServers,
  hostile: besideHostile,
  setup: withSetup,
  'two-hosts': withTwoHosts,
};
