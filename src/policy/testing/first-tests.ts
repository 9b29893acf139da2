import { resolveConfiguration } from '../../engine/configuration.js';
import { decide } from '../../engine/evaluate.js';
import type { ServerCatalog } from '../../engine/mapping.js';
import { KINDS, type Policy } from '../../engine/policy.js';
import { key } from '../propose/write-proposal.js';
import { type Subject, subjectsOf } from './run-tests.js';

/** What the tests are for, as paths seen from their file. */
export interface FirstTests {
  /** The schema for editors. */
  readonly schema: string;
  readonly policy: string;
  readonly catalog: string;
}

/** Lists of more names than this are not read: there some stand for all, with their number. */
const MAX_NAMES = 24;
const EXAMPLES = 5;

/**
 * Writes tests for a policy that say what it does now: one for each value, so that a later change has to say so.
 *
 * @param policy the policy
 * @param surface the server's primitives
 * @param files what the tests are for
 * @returns YAML, to be formatted
 */
export function writeFirstTests(policy: Policy, surface: ServerCatalog, files: FirstTests): string {
  const subjects = subjectsOf(policy, surface);
  const kinds = KINDS.filter((kind) => (surface[kind]?.length ?? 0) > 0);
  const counts = kinds.map(
    (kind) => `    ${kind}: { count: ${subjects.filter((each) => each.kind === kind).length} }`,
  );
  const wishes = [
    ...policy.concerns.flatMap(({ name, values }) =>
      'min' in values
        ? []
        : values.map((value) => ({ title: key(`${name} ${value}`), asked: { [name]: value } })),
    ),
    ...[...policy.presets.keys()].map((preset) => ({ title: `the preset ${preset}`, asked: { preset } })),
  ];
  return [
    `# yaml-language-server: $schema=${files.schema}`,
    '# What hosts see under the policy. These say what it does today; make them say what it shall do.',
    `policy: ${key(files.policy)}`,
    `catalog: ${key(files.catalog)}`,
    '',
    'tests:',
    '  - name: a host that never spoke of concerns sees everything',
    '    concerns: none',
    ...counts,
    ...wishes.flatMap(({ title, asked }) => [
      '',
      `  - name: ${title}`,
      `    concerns: ${'preset' in asked ? key(String(asked.preset)) : `{ ${Object.entries(asked).map(([name, value]) => `${name}: ${key(String(value))}`)} }`}`,
      ...expectation(policy, subjects, asked),
    ]),
    '',
  ].join('\n');
}

/** A closed world where little is shown, all that is hidden where that is little; else examples, and how much stays. */
function expectation(
  policy: Policy,
  subjects: readonly Subject[],
  asked: Readonly<Record<string, unknown>>,
): string[] {
  const configuration = resolveConfiguration(policy, [{ from: 'request', concerns: asked }]);
  const shown = ({ mapping }: Subject) => decide(policy, mapping, configuration).effect === 'show';
  return KINDS.flatMap((kind) => {
    const own = subjects.filter((each) => each.kind === kind);
    if (own.length === 0) return [];
    const stay = own.filter(shown).map(({ name }) => name);
    const go = own.filter((each) => !shown(each)).map(({ name }) => name);
    const list = (some: readonly string[]) => `[${some.map(key).join(', ')}]`;
    const some = (names: readonly string[]) =>
      names.slice(0, names.length > MAX_NAMES ? EXAMPLES : MAX_NAMES);
    if (stay.length <= Math.min(go.length, MAX_NAMES)) return [`    ${kind}: { only: ${list(stay)} }`];
    return [
      `    ${kind}:`,
      `      includes: ${list(go.length === 0 ? some(stay) : stay.slice(0, EXAMPLES))}`,
      ...(go.length === 0 ? [] : [`      excludes: ${list(some(go))}`]),
      `      count: ${stay.length}`,
    ];
  });
}
