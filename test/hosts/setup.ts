import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { read } from '../../src/core/wire/messages.js';
import { converse, type Seen, type Step } from './conversation.js';
import { runMain } from './endpoint.js';
import type { McpServer, Setting } from './host.js';
import { installPackages } from './install.js';
import { inPlace, type Place } from './place.js';
import { type Bench, logOf, type Outcome, startHost } from './run-host.js';

/** Five servers from npm, which list without an account, by the key that they have in the host's file. */
const SERVERS = {
  nx: 'nx-mcp',
  docs: '@upstash/context7-mcp',
  kubernetes: 'mcp-server-kubernetes',
  charts: '@antv/mcp-server-chart',
  office: '@softeria/ms-365-mcp-server',
} as const;

/** Tools of `office` that answer without an account. A rule of the person forbids the second. */
const WANTED = 'list-supported-languages';
const FORBIDDEN = { server: 'office', tool: 'list-accounts' } as const;

const TURN = { prompt: 'Which languages can I use?', continues: false } as const;

/**
 * A host with five servers in its own file: its first request, then `setup`, a conversation in which the model finds a tool, and
 * `setup --undo`. The host starts from the file as `setup` left it.
 */
export const withSetup = (bench: Bench): Promise<Outcome> =>
  inPlace(async (place) => {
    const { host, model } = bench;
    const setting: Setting = {
      home: place.home,
      work: place.work,
      model: model.url,
      servers: fiveServers(),
      forbidden: FORBIDDEN,
    };
    const file = host.configure(setting);
    const before = await conversation(bench, place, setting, [{}]);
    // A host can write its file: what setup must give back is what it found.
    const found = readFileSync(file, 'utf8');
    const printed = runMain(
      { ...place, env: { ...place.env, ENABLE_TOOL_SEARCH: 'false' } },
      'setup',
      '--yes',
    );
    const show: Step = { call: 'concerns', of: 'office', given: { show: [WANTED, FORBIDDEN.tool] } };
    const after = await conversation(bench, place, setting, [
      show,
      { call: [WANTED, 'concerns'], of: 'office', given: {} },
      { call: [WANTED, 'concerns'], of: 'office', given: {} },
      { call: FORBIDDEN.tool, of: 'office', given: {} },
      {},
    ]);
    runMain(place, 'setup', '--undo');
    const undone = readFileSync(file, 'utf8');
    const nameOf = (seen: Seen | undefined, tool: string) => seen?.names.find((name) => name.endsWith(tool));
    const [all, first] = [before.seen[0], after.seen[0]];
    const shown = after.seen.findIndex((seen) => nameOf(seen, WANTED) !== undefined);
    const notes = [
      // Without tools before, there is nothing to compare.
      ...(all === undefined ? before.log : []),
      ...[all, first].map(
        (seen, at) =>
          `first request ${at === 0 ? 'before' : 'after'} setup: ${seen?.shown ?? 0} tools of servers, ${seen?.tokens ?? 0} tokens, of which the definitions of servers ${seen?.ownTokens ?? 0}`,
      ),
      `setup says: ${printed.trim()}`,
      `the tool that the model asked for is in request ${shown + 1}, under its old name: ${nameOf(after.seen[shown], WANTED) === nameOf(all, WANTED)}`,
      `its call was answered: ${answered(after.texts, WANTED)}`,
      `the forbidden tool is offered: ${after.seen.some((seen) => nameOf(seen, FORBIDDEN.tool) !== undefined)}; before setup: ${nameOf(all, FORBIDDEN.tool) !== undefined}`,
      `its call was answered: ${answered(after.texts, FORBIDDEN.tool)}`,
      `setup --undo: ${undoneAs(undone, found)}`,
    ];
    return { seen: [...before.seen, ...after.seen], notes, log: [...before.log, ...after.log] };
  });

async function conversation(bench: Bench, place: Place, setting: Setting, steps: readonly Step[]) {
  const { script, seen, texts } = converse(steps, ({ name }) => KEYS.some((key) => name.includes(key)));
  bench.model.follow(script);
  return { seen, texts, log: logOf(await startHost(bench, place, setting, TURN)) };
}

/** What an answer of a tool has, and nothing else in a conversation. */
const ANSWERS: Readonly<Record<string, RegExp>> = {
  [WANTED]: /No accounts found\. Please/,
  [FORBIDDEN.tool]: /accounts\\*":\s*\[\]/,
};

const answered = (texts: readonly string[], tool: string): boolean =>
  texts.some((text) => ANSWERS[tool]?.test(text) === true);

/** A host can write its file between `setup` and `setup --undo`: then only the servers are as before. */
function undoneAs(text: string, before: string): string {
  if (text === before) return 'every byte is as before';
  const serversOf = (each: string): unknown => {
    const document: unknown = JSON.parse(each);
    return read(document, 'mcpServers') ?? read(document, 'mcp');
  };
  return isDeepStrictEqual(serversOf(text), serversOf(before))
    ? 'the servers are as before; the host wrote its file meanwhile'
    : 'the servers are not as before';
}

const KEYS = Object.keys(SERVERS);

function fiveServers(): Record<string, McpServer> {
  const { programs } = installPackages(Object.values(SERVERS));
  return Object.fromEntries(
    Object.entries(SERVERS).map(([key, name]) => [
      key,
      { via: 'stdio', command: process.execPath, args: [programs.get(name) ?? name], env: {} },
    ]),
  );
}
