import { KINDS, type Kind } from '../../engine/policy.js';
import { type Edit, edited, offsetsIn } from '../language/edits/text-edits.js';
import { FormatError, formatYaml } from '../language/format-yaml.js';
import type { Source } from '../language/read-yaml.js';
import { toYamlFlow } from '../language/yaml-scalars.js';
import { hasPassed, type TestResult } from './run-tests.js';
import type { Expectation } from './test-file.js';

/** An expectation of a failed test that was rewritten, or that could not be. */
export interface UpdatedExpectation {
  readonly test: string;
  readonly line: number;
  readonly kind: Kind;
  /** The expectations as YAML on one line. */
  readonly before: string;
  readonly after: string;
  /** The primitives that the new expectation accepts as shown, and that the old one wanted hidden. */
  readonly shown: readonly string[];
  /** Why the file still has the old expectation; undefined if it was rewritten. */
  readonly problem?: string;
}

/**
 * Rewrites the expectations of failed tests to what the policy does now. A primitive moves from `includes` to `excludes` or
 * back, `only` becomes the list of what is shown, `count` the number. All other lines stay as they are.
 *
 * @param source the test file
 * @param results the results of its tests
 * @returns the new text, and what differs
 * @example
 * const { text, updates } = updateTests(source, run.results);
 */
export function updateTests(
  source: Source,
  results: readonly TestResult[],
): { readonly text: string; readonly updates: readonly UpdatedExpectation[] } {
  const updates: UpdatedExpectation[] = [];
  const edits: Edit[] = [];
  const offset = offsetsIn(source.text);
  for (const result of results) {
    if (hasPassed(result)) continue;
    for (const kind of KINDS) {
      const expected = result.test.expects[kind];
      const now = expected && expectationNow(result, kind, expected);
      if (expected === undefined || now === undefined) continue;
      const path = [...result.test.path, kind];
      const [key, value] = [source.locate(path, 'key'), source.locate(path)];
      const from = offset(key.line, key.column);
      const start = offset(value.line, value.column);
      // The value of a block mapping ends behind its last line break.
      const to = start + source.text.slice(start, start + value.length).trimEnd().length;
      const after = toYamlFlow(now);
      const before = toYamlFlow(written(expected));
      const hasComment = source.comments.some(({ place }) => {
        const at = offset(place.line, place.column);
        return at >= from && at < to;
      });
      const problem = hasComment ? { problem: 'a comment inside it would be lost' } : {};
      const shown = result.wrong.flatMap((each) =>
        each.kind === kind && each.expected === 'hidden' ? [each.name] : [],
      );
      updates.push({ test: result.test.name, line: key.line, kind, before, after, shown, ...problem });
      if (!hasComment) edits.push({ from, to, text: `${kind}: ${after}` });
    }
  }
  const inOrder = edits.toSorted((a, b) => a.from - b.from);
  const text = edited(source.text, inOrder);
  return { text: isFormatted(source.text) ? formatYaml(text) : text, updates };
}

/** @returns what is shown now, in the form of the expectation; undefined if the expectation is met */
function expectationNow(
  { wrong, counts }: TestResult,
  kind: Kind,
  expected: Expectation,
): Partial<Expectation> | undefined {
  const own = wrong.filter((each) => each.kind === kind);
  const count = counts.find((each) => each.kind === kind);
  if (own.length === 0 && count === undefined) return undefined;
  const namesOf = (former: 'shown' | 'hidden') =>
    own.filter((each) => each.expected === former).map(({ name }) => name);
  const [hidden, shown] = [namesOf('shown'), namesOf('hidden')];
  const { includes, excludes, only } = expected;
  const stays = (name: string): boolean => !own.some((each) => each.name === name);
  return written({
    includes: [...includes.filter(stays), ...(only === undefined ? shown : [])],
    excludes: [...excludes.filter(stays), ...(only === undefined ? hidden : [])],
    ...(only === undefined ? {} : { only: [...only.filter(stays), ...shown] }),
    ...(expected.count === undefined ? {} : { count: count?.actual ?? expected.count }),
  });
}

/** An expectation without its empty lists, as a person would write it. An empty `only` says that nothing is shown. */
const written = ({ includes, excludes, ...others }: Expectation): Partial<Expectation> => ({
  ...(includes.length === 0 ? {} : { includes }),
  ...(excludes.length === 0 ? {} : { excludes }),
  ...others,
});

function isFormatted(text: string): boolean {
  try {
    return formatYaml(text) === text;
  } catch (error) {
    if (error instanceof FormatError) return false;
    throw error;
  }
}
