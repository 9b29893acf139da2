import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readChange } from '../../../src/cli/commands/switch.js';
import { readPreferences } from '../../../src/cli/options/preferences.js';
import { describeAccepted, resolveConfiguration } from '../../../src/core/engine/configuration.js';
import { readPreferenceSources } from '../../../src/core/gate/request/preference-sources.js';
import { policyOf } from '../gate-harness.js';

const policy = policyOf(`
concerns:
  security: { values: [low, high] }
  cost: { values: [low, high] }
  topic: { values: [documents, charts, maps], multiple: true }
presets: { safe: { security: high } }
settings: { invalid: error }
`);

/** The rows of the table "Spelling". */
const [, section = ''] = readFileSync('docs/reference/wire.md', 'utf8').split('### Spelling');
const [table = ''] = section.split('\n### ');
const rows = [...table.matchAll(/^\| `([^\n]*)` \| (.*) \| (.*) \| (.*) \| (.*) \| (.*) \|$/gm)].map(
  ([, text = '', means = '', ...answers]) => ({
    text: text.replaceAll('\\|', '|'),
    means: means === 'nothing' ? {} : JSON.parse(means.replaceAll('`', '')),
    answers,
  }),
);

/** What preferences in `_meta` are accepted as: the meaning of all other spellings. */
const acceptedOf = (concerns: object) =>
  describeAccepted(resolveConfiguration(policy, [{ from: 'request', concerns }]));

/** What each carrier accepts of a text; nothing if it refuses or ignores it. */
const CARRIERS: Readonly<Record<string, (text: string) => object | undefined>> = {
  URL: (text) => ofHttp({ url: `https://host.example/mcp?concerns=${encodeURIComponent(text)}` }),
  header: (text) => ofHttp({ headers: { 'mcp-concerns': text } }),
  '--concern': (text) => describeAccepted(readPreferences(policy, { concern: [text] }).configuration),
  switch: (text) => {
    const change = [...(readChange([text]) ?? [])];
    return acceptedOf(
      Object.fromEntries(change.map(([name, values]) => [name, name === 'topic' ? values : values.join()])),
    );
  },
};

function ofHttp(http: object): object | undefined {
  const { sources, malformed } = readPreferenceSources(undefined, [], http);
  const resolved = resolveConfiguration(policy, sources);
  return malformed.length + resolved.invalid.length > 0 ? undefined : describeAccepted(resolved);
}

const attempt = (read: (text: string) => object | undefined, text: string) => {
  try {
    return read(text);
  } catch {
    return undefined;
  }
};

describe('the table of spellings', () => {
  it('has rows that every carrier takes, and rows that one does not', () => {
    expect(rows.length).toBeGreaterThan(8);
    expect(rows.filter(({ answers }) => answers.every((each) => each === 'yes')).length).toBeGreaterThan(5);
  });

  it.each(rows)('is true about $text', ({ text, means, answers }) => {
    const found = Object.entries(CARRIERS).map(([carrier, read], index) => {
      const isTaken =
        Object.keys(means).length > 0 &&
        JSON.stringify(attempt(read, text)) === JSON.stringify(acceptedOf(means));
      return [carrier, isTaken, answers[index]?.startsWith('yes')];
    });
    expect(found).toEqual(found.map(([carrier, , said]) => [carrier, said, said]));
  });
});

it('a preset has an option of its own on the command line', () => {
  const accepted = ({ configuration }: ReturnType<typeof readPreferences>) => describeAccepted(configuration);
  expect(accepted(readPreferences(policy, { preset: ['safe'] }))).toEqual({ security: 'high' });
  expect(() => readPreferences(policy, { preset: ['sfe'] })).toThrow('Did you mean "safe"?');
  expect(readChange([], 'safe')).toEqual(readChange(['safe']));
});
