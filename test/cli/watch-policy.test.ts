import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, type MockInstance, vi } from 'vitest';
import { watchPolicy } from '../../src/cli/serving/watch-policy.js';
import { paperOf } from '../../src/cli/terminal/output.js';
import type { ServerCatalog } from '../../src/engine/mapping.js';
import { pinsOf } from '../../src/engine/pins.js';
import { preparePolicy } from '../../src/engine/policy.js';
import { LivePolicy } from '../../src/gate/request/live-policy.js';
import { loadPolicy } from '../../src/policy/compile/load.js';
import { writeLock } from '../../src/policy/compile/lock.js';

const FIRST = `version: 1
concerns:
  effect: { values: [read, destroys], match: at-most, default: read }
primitives:
  tools:
    look: { effect: read }
`;
const REST = `    delete_repo: { effect: destroys }
patterns: { tools: { "drop*": { effect: destroys } } }
rules: [{ id: never, hide: [tools], when: { "===": [{ var: primitive.name }, wipe] } }]
settings: { defaults: always, unmapped: hide, enforcement: enforce }
`;

/** Files are watched in real time. How long they stand still is told by a clock of the test. */
let timer: MockInstance<typeof setTimeout>;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  timer = vi.spyOn(globalThis, 'setTimeout');
});

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
  timer.mockRestore();
  vi.useRealTimers();
});

/** Milliseconds after which a saved policy is read, and for which one must stand still that lacks parts. */
const [READ, STANDS_STILL] = [350, 5000];

/** Watches a policy in a file of its own. */
function watched(text = FIRST + REST, pinned?: ServerCatalog) {
  const file = join(mkdtempSync(join(tmpdir(), 'watched-')), 'policy.yaml');
  const lock = file.replace('.yaml', '.lock.yaml');
  writeFileSync(file, text);
  if (pinned !== undefined) writeFileSync(lock, writeLock(pinsOf(pinned)));
  const live = new LivePolicy(loadPolicy(file));
  const notes: string[] = [];
  const note = (text: string) => void notes.push(text);
  const stop = watchPolicy([file], {
    live,
    prepare: preparePolicy,
    note,
    paper: paperOf(process.stderr, 'never'),
  });
  stops.push(stop);
  /** Changes files, and waits until the watching has noticed. */
  const change = async (write: () => void): Promise<void> => {
    const before = timer.mock.calls.length;
    write();
    await expect.poll(() => timer.mock.calls.length).toBeGreaterThan(before);
  };
  const save = (text: string) => change(() => writeFileSync(file, text));
  /** Lets time pass until the files are read. An event of the file system that arrives late begins the wait again. */
  const until = async (found: () => boolean): Promise<void> => {
    await expect
      .poll(() => {
        vi.advanceTimersByTime(READ);
        return found();
      })
      .toBe(true);
  };
  const names = () => [...live.current.entries.tools.keys()];
  return { live, notes, change, save, until, names, lock };
}

it('keeps the policy in force while a file arrives in two parts', async () => {
  const { live, notes, save, until, names } = watched();
  const before = live.current;
  await save(FIRST);
  await until(() => notes.length > 0);
  expect(live.current).toBe(before);
  expect(notes.join('\n')).toContain('tools delete_repo');
  expect(notes.join('\n')).toContain('The old policy stays in effect');
  await save(`${FIRST}    added: { effect: read }\n${REST}`);
  await until(() => live.current !== before);
  expect(names()).toEqual(['look', 'added', 'delete_repo']);
  expect(live.current.settings).toMatchObject({ unmapped: 'hide', enforcement: 'enforce' });
});

it('keeps the policy in force for as long as its lock file is missing', async () => {
  const { live, notes, change, until, lock } = watched(FIRST + REST, {
    tools: [{ name: 'look', title: 'Look' }],
  });
  const before = live.current;
  await change(() => rmSync(lock));
  await until(() => notes.length > 0);
  expect(notes[0]).toContain('The lock file is missing. The old policy stays in effect.');
  vi.advanceTimersByTime(10 * STANDS_STILL);
  expect(live.current).toBe(before);
});

it.each([
  ['an entry', FIRST + REST.replace(/ {4}delete_repo.*\n/, ''), 'tools delete_repo'],
  ['a pattern', FIRST + REST.replace(/patterns.*\n/, ''), 'tools drop*'],
  ['a rule', FIRST + REST.replace(/rules.*\n/, ''), 'rules never'],
  ['a setting', FIRST + REST.replace(', unmapped: hide', ''), 'unmapped: hide'],
])('takes the loss of %s at the second look, if the file stands still', async (_what, text, named) => {
  const { live, notes, save, until } = watched();
  const before = live.current;
  await save(text);
  await until(() => notes.length > 0);
  expect(live.current).toBe(before);
  expect(notes[0]).toContain(named);
  // What is left of the wait when the note appeared.
  vi.advanceTimersByTime(STANDS_STILL - READ - 1);
  expect(live.current).toBe(before);
  await until(() => live.current !== before);
  expect(notes.at(-1)).toBe('The saved policy is in effect.');
});

const LISTS = `version: 1
presets:
  safe:
    effect:
      - read
      - writes
primitives:
  tools:
    wipe:
      effect:
        - read
        - destroys
rules:
  - id: never
    hide:
      - tools
      - prompts
    when:
      or:
        - "===":
            - var: primitive.name
            - wipe
        - "===":
            - var: primitive.name
            - drop
concerns:
  effect:
    values:
      - read
      - writes
      - destroys
    multiple: true
  topic:
    values:
      - news
      - weather
`;

it.each([
  ['values of an entry', /\n {8}- destroys(?=\nrules)/],
  ['values of a preset', /\n {6}- writes(?=\nprimitives)/],
  ['kinds of a rule', /\n {6}- prompts/],
  ['parts of a condition', /\n {8}- "===":\n {12}- var: primitive.name\n {12}- drop/],
  ['values of a concern', /\n {6}- weather/],
])('does not take at once a list of %s that lost only its end', async (_what, tail) => {
  const { live, notes, save, until } = watched(LISTS);
  const before = live.current;
  await save(LISTS.replace(tail, ''));
  await until(() => notes.length > 0);
  expect(live.current).toBe(before);
  expect(notes[0]).toContain('may be half written');
  await save(`${LISTS}      - sports\n`);
  await until(() => live.current !== before);
  expect(notes.at(-1)).toBe('The saved policy is in effect.');
});

it('takes what is only added or changed at once', async () => {
  const { live, notes, save, until } = watched();
  const before = live.current;
  await save(FIRST.replace('look: { effect: read }', 'look: { effect: destroys }') + REST);
  await until(() => live.current !== before);
  expect(notes).toEqual(['The saved policy is in effect.']);
});

it('does not take a value that lost its end', async () => {
  const text = `version: 1
primitives:
  tools:
    look: { cost: 1 }
concerns:
  cost:
    values: { min: 1, max: 20 }
    default: 10
`;
  const { live, notes, save, until } = watched(text);
  const before = live.current;
  await save(text.replace('10\n', '1'));
  await until(() => notes.length > 0);
  expect(live.current).toBe(before);
  expect(notes[0]).toMatch(/lacks the line break at the end of .*policy\.yaml, so it may be half written/);
  await save(text.replace('10\n', '12\n'));
  await until(() => live.current !== before);
  expect(notes.at(-1)).toBe('The saved policy is in effect.');
});

it('reads files only after they stood still', async () => {
  const { live, save, until, names } = watched();
  const seen = new Set<string>();
  for (let part = 0; part < 6; part++) {
    await save(`${FIRST}    part${part}: { effect: read }\n${REST}`);
    // Longer than the wait after an event, and shorter than the one for files that do not change.
    vi.advanceTimersByTime(150);
    seen.add(names().join());
  }
  expect([...seen]).toEqual(['look,delete_repo']);
  await until(() => names().includes('part5'));
  expect(live.current.settings.unmapped).toBe('hide');
});
