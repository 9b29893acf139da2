import { mkdirSync, mkdtempSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FileWatcher } from '../../src/cli/inputs/watch-files.js';
import { PolicyWatcher } from '../../src/cli/serving/watch-policy.js';
import { paperOf } from '../../src/cli/terminal/output.js';
import { preparePolicy } from '../../src/core/engine/policy.js';
import { LivePolicy } from '../../src/core/gate/request/live-policy.js';
import { loadPolicy } from '../../src/core/policy/compile/load.js';
import type { PolicyEvent } from '../../src/core/telemetry/policy-event.js';

const closing: (() => void)[] = [];
afterAll(() => {
  for (const close of closing) close();
});

/** A policy with one tool, by whose name it can be told from others. */
const policyWith = (...tools: readonly string[]): string =>
  `version: 1\nconcerns: { a: { values: [x, y] } }\nprimitives:\n  tools:\n${tools.map((tool) => `    ${tool}: { a: x }\n`).join('')}`;

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'links-'));
const write = (folder: string, text: string, name = 'policy.yaml'): void => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), text);
};
/** Replaces a link at once, as Kubernetes and git-sync do. */
const point = (link: string, to: string): void => {
  symlinkSync(to, `${link}.new`);
  renameSync(`${link}.new`, link);
};

function watched(path: string) {
  const live = new LivePolicy(loadPolicy(path));
  const events: PolicyEvent[] = [];
  const notes: string[] = [];
  const watcher = new PolicyWatcher([path], {
    live,
    prepare: preparePolicy,
    operations: {
      note: (text) => void notes.push(text),
      policy: (event) => void events.push(event),
      policyInEffect: () => undefined,
    },
    paper: paperOf(process.stderr, 'never'),
  });
  closing.push(() => watcher.close());
  const names = () => [...live.current.entries.tools.keys()].join();
  const when = async (found: () => boolean): Promise<void> => {
    while (!found()) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const until = (expected: string) => when(() => names() === expected);
  return { names, when, until, events, notes, look: () => watcher.look() };
}

describe('a policy behind a link', () => {
  it.concurrent.each(['policy.yaml', '.'])('of a ConfigMap is followed, as --policy %s', async (name) => {
    const at = newFolder();
    write(join(at, '..1'), policyWith('one', 'two'));
    point(join(at, '..data'), '..1');
    point(join(at, 'policy.yaml'), '..data/policy.yaml');
    const { until, notes } = watched(join(at, name));
    // It lacks a part. A swap of a link is whole, so it is not taken for half a file.
    write(join(at, '..2'), policyWith('three'));
    point(join(at, '..data'), '..2');
    await until('three');
    expect(notes).toEqual([]);
  });

  it.concurrent('of a release folder is followed, with what it includes', async () => {
    const at = newFolder();
    const main = 'version: 1\ninclude: [shared/tools.yaml]\nconcerns: { a: { values: [x, y] } }\n';
    const part = (tool: string) => `version: 1\nprimitives: { tools: { ${tool}: { a: x } } }\n`;
    for (const [release, tool] of [
      ['r1', 'one'],
      ['r2', 'two'],
    ] as const) {
      write(join(at, release), main);
      write(join(at, release, 'v1'), part(tool), 'tools.yaml');
      point(join(at, release, 'shared'), 'v1');
    }
    point(join(at, 'current'), 'r1');
    const { until } = watched(join(at, 'current/policy.yaml'));
    point(join(at, 'current'), 'r2');
    await until('two');
    // Only what it includes changes.
    write(join(at, 'r2/v2'), part('three'), 'tools.yaml');
    point(join(at, 'r2/shared'), 'v2');
    await until('three');
  });

  it.concurrent('to nowhere keeps the last one, says so once, and is followed when it leads somewhere again', async () => {
    const at = newFolder();
    write(join(at, 'r1'), policyWith('one'));
    point(join(at, 'current'), 'r1');
    const { until, when, names, events } = watched(join(at, 'current/policy.yaml'));
    point(join(at, 'current'), 'nowhere');
    await when(() => events.length > 0);
    expect(events).toMatchObject([{ outcome: 'kept', error: expect.any(Error) }]);
    expect(names()).toBe('one');
    // A circle is not a file either, and must not end the process.
    point(join(at, 'current'), 'current');
    await when(() => events.length > 1);
    write(join(at, 'r2'), policyWith('two'));
    point(join(at, 'current'), 'r2');
    await until('two');
    expect(events.at(-1)).toMatchObject({ outcome: 'replaced', before: events[0]?.policy });
  });

  it.concurrent('that is swapped 100 times in a row leads to the last one', async () => {
    const at = newFolder();
    write(join(at, 'r0'), policyWith('tool0'));
    point(join(at, 'current'), 'r0');
    const { until } = watched(join(at, 'current/policy.yaml'));
    for (let turn = 1; turn <= 100; turn++) {
      write(join(at, `r${turn}`), policyWith(`tool${turn}`));
      point(join(at, 'current'), `r${turn}`);
      if (turn % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 60));
    }
    await until('tool100');
  });

  it.concurrent('is read at once if somebody asks for a look', async () => {
    const at = newFolder();
    write(join(at, 'r1'), policyWith('one'));
    point(join(at, 'current'), 'r1');
    const { until, look } = watched(join(at, 'current/policy.yaml'));
    write(join(at, 'r2'), policyWith('two'));
    point(join(at, 'current'), 'r2');
    look();
    await until('two');
  });
});

it('tells a log service the first finding of a policy with errors, on one line', async () => {
  const at = newFolder();
  write(at, policyWith('one'));
  const { events } = watched(join(at, 'policy.yaml'));
  write(at, `${policyWith('one')}presets: { p: { a: z, b: x } }\n`);
  await expect.poll(() => events.length).toBeGreaterThan(0);
  const [event] = events;
  const error = event?.outcome === 'kept' ? event.error : undefined;
  expect(error).toMatchObject({ message: expect.stringMatching(/policy\.yaml:\d+: [^\n]+$/) });
});

it('notices a change between the moment a file was read and the moment it is followed again', () => {
  const at = newFolder();
  write(at, 'one');
  let changes = 0;
  const watcher = new FileWatcher(() => changes++, 1e6);
  closing.push(() => watcher.close());
  const file = join(at, 'policy.yaml');
  watcher.follow([file]);
  write(at, 'another');
  watcher.follow([file]);
  watcher.look();
  expect(changes).toBe(1);
  watcher.look();
  expect(changes).toBe(1);
});
