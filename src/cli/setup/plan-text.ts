import { dirname } from 'node:path';
import { read } from '../../core/wire/messages.js';
import { count, plain } from '../terminal/output.js';
import { quantity } from '../terminal/quantities.js';
import type { HostServer } from './host-files.js';
import type { PlannedServer } from './plan.js';

/** @returns a path as people write it */
export const shortPath =
  (home: string) =>
  (file: string): string =>
    file.startsWith(`${home}/`) || file.startsWith(`${home}\\`) ? `~${file.slice(home.length)}` : file;

/** @returns the name of a group in the plan: the host, and where its servers are */
export function groupTitle([first]: readonly HostServer[], short: (file: string) => string): string {
  if (first === undefined) return '';
  const project = first.path[0] === 'projects' ? `, ${short(first.path[1] ?? dirname(first.file))}` : '';
  return `${first.host.name}  ${short(first.file)}${project}`;
}

/** @returns the lines of a group in the plan: what happens to each server, and what is saved */
export function groupLines(group: readonly PlannedServer[], short: (file: string) => string): string {
  const names = group.map(({ server: { key, file } }) => plain(key) || short(file));
  const width = Math.max(...names.map((name) => name.length)) + 2;
  const lines = group.map(
    ({ outcome }, index) => `  ${(names[index] ?? '').padEnd(width)}${outcomeText(outcome)}`,
  );
  const sum = (side: 'before' | 'after') =>
    group.reduce(
      (total, { outcome }) =>
        total + (side in outcome ? tokensIn(outcome, side) : tokensIn(outcome, 'before')),
      0,
    );
  const isNarrowed = group.some(({ outcome }) => outcome.kind === 'narrowed');
  const total = `  ${count(sum('before'))} -> ${count(sum('after'))} tokens before the first message`;
  return [...lines, ...(isNarrowed ? [total] : [])].join('\n');
}

const tokensIn = (outcome: PlannedServer['outcome'], side: 'before' | 'after'): number => {
  const tokens = read(outcome, side, 'tokens');
  return typeof tokens === 'number' ? tokens : 0;
};

function outcomeText(outcome: PlannedServer['outcome']): string {
  const size = ({ tools, tokens }: { tools: number; tokens: number }) =>
    `${quantity(tools, 'tool')}, ${count(tokens)} tokens`;
  switch (outcome.kind) {
    case 'stays':
      return `left as it is: ${plain(outcome.reason)}`;
    case 'whole':
      return `${size(outcome.before)}: left as it is`;
    case 'narrowed': {
      const used = outcome.used === 0 ? '' : ` (${outcome.used} that you used in the last 30 days)`;
      return `${size(outcome.before)} -> ${size(outcome.after)}${used}`;
    }
    case 'repaired':
      return 'its program is not there any more: gets the path of this one';
    case 'start': {
      const added = [...outcome.start].filter((name) => !outcome.was.has(name));
      const gone = [...outcome.was].filter((name) => !outcome.start.has(name));
      const parts = [...added.map((name) => `+${plain(name)}`), ...gone.map((name) => `-${plain(name)}`)];
      return `begins with what you used in the last 30 days: ${parts.join(' ')}`;
    }
  }
}
