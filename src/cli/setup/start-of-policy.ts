import { membersOf } from '../../core/engine/expression/evaluate.js';
import { readPolicyText, type Source } from '../../core/policy/language/read-yaml.js';
import { toYamlFlow } from '../../core/policy/language/yaml-scalars.js';
import { editEntries } from '../../core/policy/propose/edit-entries.js';
import { START } from '../../core/policy/propose/propose-policy.js';
import { OTHER } from '../../core/policy/propose/topics/propose-topics.js';
import { read } from '../../core/wire/messages.js';

/** @returns the tools with the topic `start` in the text of a policy */
export function startInPolicy(text: string, file: string): ReadonlySet<string> {
  const { data } = readPolicyText(text, file);
  const tools = Object.entries(membersOf(read(data, 'primitives', 'tools')));
  return new Set(tools.flatMap(([name, values]) => (topicsIn(values).includes(START) ? [name] : [])));
}

/**
 * Changes which tools of a policy have the topic `start`. All other lines, and all other values, belong to the person.
 *
 * @param text the policy
 * @param file its path
 * @param start the tools that a host is shown first from now on
 * @returns the new text; `undefined` if a line cannot be edited alone
 * @example
 * withStartInPolicy(text, 'mail.yaml', new Set(['list_mail']));
 */
export function withStartInPolicy(
  text: string,
  file: string,
  start: ReadonlySet<string>,
): string | undefined {
  const source = readPolicyText(text, file);
  const tools = Object.entries(membersOf(read(source.data, 'primitives', 'tools')));
  const changed = tools.filter(
    // A clock fits every topic already.
    ([name, values]) =>
      topicsIn(values).includes(START) !== start.has(name) && !topicsIn(values).includes('any'),
  );
  const entries = changed.map(([name, values]) => {
    const others = topicsIn(values).filter((topic) => topic !== START);
    const topics = [...(start.has(name) ? [START] : []), ...(others.length === 0 ? [OTHER] : others)];
    const written = { ...membersOf(values), topic: topics.length === 1 ? topics[0] : topics };
    const comment = commentOf(source, name);
    return { section: 'primitives', kind: 'tools', name, values: toYamlFlow(written), ...comment } as const;
  });
  return editEntries(
    source,
    changed.map(([name]) => ['primitives', 'tools', name]),
    entries,
  );
}

const topicsIn = (values: unknown): readonly unknown[] => [read(values, 'topic') ?? []].flat();

/** The remark behind an entry, which may be the person's. */
function commentOf(source: Source, name: string): { readonly comment?: string } {
  const { line, column, length } = source.locate(['primitives', 'tools', name], 'value');
  const rest = source.text.split('\n')[line - 1]?.slice(column - 1 + length) ?? '';
  const comment = /^\s*#\s*(.*)$/.exec(rest)?.[1];
  return comment === undefined ? {} : { comment };
}
