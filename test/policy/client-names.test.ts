import { describe, expect, it } from 'vitest';
import { reportOf } from './author.js';

const NAME = '{ var: client.name }';
const IS_CURSOR = `{ "===": [${NAME}, cursor] }`;

/** The findings of a policy with a rule, or with a default for clients. */
function found(part: string, settings = '') {
  const { findings } = reportOf({
    'policy.yaml': `version: 1
concerns:
  size: { values: [all, most, few], match: at-least, default: most }
  topic: { values: [maps, code] }
  mode: { values: [quiet, loud] }
  speed: { values: [slow, fast], default: slow, model: free }
  seat: { values: [yes], set-by: operator, claim: seat }
presets:
  all: { size: all }
  few: { size: few, topic: maps }
  none: { size: ~ }
  quiet: { mode: quiet }
  fast: { speed: fast }
${part}
settings: { ${settings} }
`,
  });
  // What a rule that reads a claim does without it is tested elsewhere.
  const own = findings.filter(({ code }) => code !== 'closed-without-claim');
  return own.map(({ severity, code }) => `${severity} ${code}`);
}
const rule = (effect: string, when: string) =>
  `rules: [{ id: r, ${effect}: [tools], when: ${when} }, { id: other, hide: [tools], when: { "===": [{ var: concerns.mode }, loud] } }]`;
const defaultsFor = (preset: string) =>
  `defaults-for: [{ when: { client.name: "cursor*" }, preset: ${preset} }]\n${rule('hide', 'false')}`;

describe('a rule that reads the name of the client', () => {
  it.each([
    ['hides from clients with a name', rule('hide', IS_CURSOR), []],
    ['hides from clients with one of some names', rule('hide', `{ in: [${NAME}, [cursor, code]] }`), []],
    ['negates the comparison twice', rule('hide', `{ "!": { "!": ${IS_CURSOR} } }`), []],
    ['hides a part', rule('hide', `{ and: [${IS_CURSOR}, { "!": { var: claims.staff } }] }`), []],
    ['shows', rule('show', IS_CURSOR), ['unverified-show']],
    ['shows to all but one', rule('show', `{ "!": ${IS_CURSOR} }`), ['unverified-show']],
    ['hides unless', rule('hide', `{ "!": ${IS_CURSOR} }`), ['unverified-show']],
    ['hides by inequality', rule('hide', `{ "!==": [${NAME}, cursor] }`), ['unverified-show']],
    ['hides from clients without a title', rule('hide', '{ missing: [client.title] }'), ['unverified-show']],
    [
      'hides by a comparison with a claim, so that a client without a title sees more',
      rule('hide', '{ "===": [{ var: client.title }, { var: claims.app }] }'),
      ['less-shows-more', 'unverified-show'],
    ],
    [
      'reads it in a condition of if',
      rule('hide', `{ if: [${IS_CURSOR}, false, true] }`),
      ['unverified-show'],
    ],
  ])('%s', (_what, rules, codes) => {
    expect(found(rules)).toEqual(codes.map((code) => `warning ${code}`));
    // What callers lack is searched in policies without other errors.
    const errors = codes.filter((code) => code !== 'less-shows-more').map((code) => `error ${code}`);
    expect(found(rules, 'enforcement: enforce')).toEqual(errors);
  });
});

describe('a default for clients', () => {
  it.each([
    ['that hides more than the default', 'few', []],
    ['that shows more than the default', 'all', ['unverified-show']],
    ['that sets no value instead of the default', 'none', ['unverified-show']],
    ['of a concern that a rule reads', 'quiet', ['unverified-show']],
    ['that a model may change', 'fast', ['unverified-show']],
  ])('%s', (_what, preset, codes) => {
    expect(found(defaultsFor(preset))).toEqual(codes.map((code) => `warning ${code}`));
    expect(found(defaultsFor(preset), 'enforcement: enforce')).toEqual(codes.map((code) => `error ${code}`));
  });

  it('names a preset that exists', () => {
    expect(found(defaultsFor('fwe'))).toEqual(['error unknown-value']);
  });

  it.each(['{}', '{ client.icons: x }', '{ client.name: "" }'])('does not have the condition %s', (when) => {
    expect(found(`defaults-for: [{ when: ${when}, preset: few }]`)).toContainEqual(
      expect.stringMatching(/^error/),
    );
  });
});

it('a rule about names does not protect what enforce hides', () => {
  const { findings } = reportOf({
    'policy.yaml': `version: 1\n${rule('hide', IS_CURSOR).replace(/, \{ id: other.*/, ']')}\nsettings: { enforcement: enforce }\n`,
  });
  expect(findings.map(({ code }) => code)).toEqual(['enforce-without-operator']);
});
