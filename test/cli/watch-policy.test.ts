import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { PolicyWatcher } from '../../src/cli/serving/watch-policy.js';
import { paperOf } from '../../src/cli/terminal/output.js';
import type { ServerCatalog } from '../../src/core/engine/mapping.js';
import { pinsOf } from '../../src/core/engine/pins.js';
import { preparePolicy } from '../../src/core/engine/policy.js';
import { LivePolicy } from '../../src/core/gate/request/live-policy.js';
import { loadPolicy } from '../../src/core/policy/compile/load.js';
import { writeLock } from '../../src/core/policy/compile/lock.js';
import type { PolicyEvent } from '../../src/core/telemetry/policy-event.js';

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

const IN_EFFECT = /^The saved policy is in effect \(digest [0-9a-f]{32}\)\.$/;

const stops: (() => void)[] = [];
afterAll(() => {
  for (const stop of stops) stop();
});

/** Watches a policy in a file of its own. */
function watched(text = FIRST + REST, pinned?: ServerCatalog) {
  const file = join(mkdtempSync(join(tmpdir(), 'watched-')), 'policy.yaml');
  const lock = file.replace('.yaml', '.lock.yaml');
  writeFileSync(file, text);
  if (pinned !== undefined) writeFileSync(lock, writeLock(pinsOf(pinned)));
  const live = new LivePolicy(loadPolicy(file));
  const notes: string[] = [];
  const note = (text: string) => void notes.push(text);
  const events: PolicyEvent[] = [];
  const watcher = new PolicyWatcher([file], {
    live,
    prepare: preparePolicy,
    operations: {
      note,
      policy(event, told) {
        events.push(event);
        if (told !== undefined) note(told);
      },
      policyInEffect: () => undefined,
    },
    paper: paperOf(process.stderr, 'never'),
  });
  stops.push(() => watcher.close());
  const save = (text: string) => writeFileSync(file, text);
  const until = async (found: () => boolean): Promise<void> => {
    while (!found()) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const names = () => [...live.current.entries.tools.keys()];
  return { live, notes, events, file, save, until, names, lock };
}

it.concurrent('keeps the policy in force while a file arrives in two parts', async () => {
  const { live, notes, save, until, names } = watched();
  const before = live.current;
  save(FIRST);
  await until(() => notes.length > 0);
  expect(live.current).toBe(before);
  expect(notes.join('\n')).toContain('tools delete_repo');
  expect(notes.join('\n')).toContain('The old policy stays in effect');
  save(`${FIRST}    added: { effect: read }\n${REST}`);
  await until(() => live.current !== before);
  expect(names()).toEqual(['look', 'added', 'delete_repo']);
  expect(live.current.settings).toMatchObject({ unmapped: 'hide', enforcement: 'enforce' });
});

it.concurrent('keeps the policy in force for as long as its lock file is missing', async () => {
  const { live, notes, until, lock } = watched(FIRST + REST, { tools: [{ name: 'look', title: 'Look' }] });
  const before = live.current;
  rmSync(lock);
  await until(() => notes.length > 0);
  expect(notes[0]).toContain('The lock file is missing. The old policy stays in effect.');
  await new Promise((resolve) => setTimeout(resolve, 6000));
  expect(live.current).toBe(before);
});

it.concurrent.each([
  ['an entry', FIRST + REST.replace(/ {4}delete_repo.*\n/, ''), 'tools delete_repo'],
  ['a pattern', FIRST + REST.replace(/patterns.*\n/, ''), 'tools drop*'],
  ['a rule', FIRST + REST.replace(/rules.*\n/, ''), 'rules never'],
  ['a setting', FIRST + REST.replace(', unmapped: hide', ''), 'unmapped: hide'],
])('takes the loss of %s at the second look, if the file stands still', async (_what, text, named) => {
  const { live, notes, save, until } = watched();
  const before = live.current;
  save(text);
  await until(() => notes.length > 0);
  expect(live.current).toBe(before);
  expect(notes[0]).toContain(named);
  await until(() => live.current !== before);
  expect(notes.at(-1)).toMatch(IN_EFFECT);
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

it.concurrent.each([
  ['values of an entry', /\n {8}- destroys(?=\nrules)/],
  ['values of a preset', /\n {6}- writes(?=\nprimitives)/],
  ['kinds of a rule', /\n {6}- prompts/],
  ['parts of a condition', /\n {8}- "===":\n {12}- var: primitive.name\n {12}- drop/],
  ['values of a concern', /\n {6}- weather/],
])('does not take at once a list of %s that lost only its end', async (_what, tail) => {
  const { live, notes, save, until } = watched(LISTS);
  const before = live.current;
  save(LISTS.replace(tail, ''));
  await until(() => notes.length > 0);
  expect(live.current).toBe(before);
  expect(notes[0]).toContain('may be half written');
  save(`${LISTS}      - sports\n`);
  await until(() => live.current !== before);
  expect(notes.at(-1)).toMatch(IN_EFFECT);
});

it.concurrent('takes what is only added or changed at once', async () => {
  const { live, notes, save, until } = watched();
  const before = live.current;
  save(FIRST.replace('look: { effect: read }', 'look: { effect: destroys }') + REST);
  await until(() => live.current !== before);
  expect(notes).toEqual([expect.stringMatching(IN_EFFECT)]);
});

it.concurrent('does not take a value that lost its end', async () => {
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
  save(text.replace('10\n', '1'));
  await until(() => notes.length > 0);
  expect(live.current).toBe(before);
  expect(notes[0]).toMatch(/lacks the line break at the end of .*policy\.yaml, so it may be half written/);
  save(text.replace('10\n', '12\n'));
  await until(() => live.current !== before);
  expect(notes.at(-1)).toMatch(IN_EFFECT);
});

it.concurrent('reads files only after they stood still', async () => {
  const { live, save, until, names } = watched();
  const seen = new Set<string>();
  for (let part = 0; part < 6; part++) {
    save(`${FIRST}    part${part}: { effect: read }\n${REST}`);
    await new Promise((resolve) => setTimeout(resolve, 150));
    seen.add(names().join());
  }
  expect([...seen]).toEqual(['look,delete_repo']);
  await until(() => names().includes('part5'));
  expect(live.current.settings.unmapped).toBe('hide');
});
