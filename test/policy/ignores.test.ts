import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPolicy, readPolicyText, runTestFile } from '../../src/core/policy/index.js';
import { findingsOf, policyOf, reportOf, write, yaml } from './author.js';

/** Reports clamp-on-list at the key of the concern. */
const concern = (comment: string, above = '') =>
  `version: 1\nconcerns:\n${above}  tier: { values: [free, pro], description: "What they paid" }${comment}\nsettings: { invalid: clamp }\n`;
const MARK = '# mcp-concerns-ignore clamp-on-list: callers without a tier must see nothing';

describe('a comment that silences a finding', () => {
  it.each([
    ['on its line', concern(` ${MARK}`), []],
    ['directly above it', concern('', `  ${MARK}\n`), []],
    ['above it, with comments between', concern('', `  ${MARK}\n  # Ask Ann.\n`), []],
    [
      'not with an empty line between',
      concern('', `  ${MARK}\n\n`),
      ['3:3 unused-ignore', '5:3 clamp-on-list'],
    ],
    [
      'not behind something else on the line above',
      yaml`
      version: 1
      concerns: # mcp-concerns-ignore clamp-on-list: because
        tier: { values: [free, pro] }
      settings: { invalid: clamp }
    `,
      ['2:11 unused-ignore', '3:3 clamp-on-list'],
    ],
    [
      'not for another code',
      concern(' # mcp-concerns-ignore hint-default: no default'),
      ['3:3 clamp-on-list', '3:64 unused-ignore'],
    ],
    [
      'not without a reason',
      concern(' # mcp-concerns-ignore clamp-on-list'),
      ['3:3 clamp-on-list', '3:64 bad-ignore'],
    ],
    [
      'not for an unknown code',
      concern(' # mcp-concerns-ignore clamp-on-lists: x'),
      ['3:3 clamp-on-list', '3:64 bad-ignore'],
    ],
    [
      'not for an error',
      'version: 1\nconcerns:\n  a: { values: [x, any] } # mcp-concerns-ignore reserved-name: x\n',
      ['3:20 reserved-name', '3:27 unused-ignore'],
    ],
    [
      'not inside a text',
      'version: 1\nconcerns:\n  a: { values: [x], description: "# mcp-concerns-ignore wrong: x" }\n',
      [],
    ],
    [
      'not inside a block of text',
      'version: 1\nconcerns:\n  a:\n    values: [x]\n    description: |\n      # mcp-concerns-ignore wrong: x\n',
      [],
    ],
  ])('works %s', (_name, text, findings) => {
    expect(findingsOf(text)).toEqual(findings);
  });

  it('can silence two findings with two comments', () => {
    const text = yaml`
      version: 1
      settings: { invalid: clamp }
      concerns:
        level: { values: [low, high] } # mcp-concerns-ignore clamp-on-list: ignoring is fine
      primitives:
        # mcp-concerns-ignore wildcard-in-name: the tool has this name
        # mcp-concerns-ignore unmapped: only with a catalog
        tools: { "a*": { level: low } }
    `;
    expect(findingsOf(text)).toEqual([]);
  });

  it('about a catalog is unused only if there is a catalog', () => {
    const text = yaml`
      version: 1
      primitives:
        tools:
          # mcp-concerns-ignore dead-entry: comes with the next release
          later: {}
    `;
    const path = join(write({ 'policy.yaml': text }), 'policy.yaml');
    const codes = (tools: { name: string }[] | undefined) =>
      readPolicy(path, tools && { tools }).findings.map(({ line, code }) => `${line} ${code}`);
    expect(codes(undefined)).toEqual([]);
    expect(codes([])).toEqual([]);
    expect(codes([{ name: 'later' }])).toEqual(['4 unused-ignore']);
  });

  it('works in a file of policy tests, too', () => {
    const run = (comment: string) => {
      const text = `policy: p.yaml\ncatalog: c.json\ntests:\n  - name: a\n    claims: { team: red } ${comment}\n    tools: { count: 0 }\n`;
      return runTestFile(readPolicyText(text, 't.test.yaml'), policyOf('version: 1\n'), { tools: [] });
    };
    const codes = (comment: string) => run(comment).findings.map(({ line, code }) => `${line} ${code}`);
    expect(codes('')).toEqual(['5 unread-claim']);
    expect(codes('# mcp-concerns-ignore unread-claim: the next policy reads it')).toEqual([]);
    expect(codes('# mcp-concerns-ignore unmapped: x')).toEqual(['5 unread-claim', '5 unused-ignore']);
  });

  it('is explained if it is wrong', () => {
    const messages = (text: string) =>
      reportOf({ 'policy.yaml': text })
        .findings.filter(({ code }) => code.endsWith('-ignore'))
        .map(({ message }) => message);
    expect(messages(concern(' # mcp-concerns-ignore clamp-on-lists: x'))).toEqual([
      '"clamp-on-lists" is not the code of a finding. Did you mean "clamp-on-list"?',
    ]);
    expect(messages(concern(' # mcp-concerns-ignore'))).toEqual([
      'Write the code and a reason: "# mcp-concerns-ignore CODE: reason".',
    ]);
    expect(messages('version: 1 # mcp-concerns-ignore unknown-key: x\n')).toEqual([
      'There is no finding "unknown-key" on this line or the line below. Remove the comment.',
    ]);
    expect(messages('version: 1\nrule: [] # mcp-concerns-ignore unknown-key: x\n')).toEqual([
      '"unknown-key" is an error, which cannot be silenced. Fix it and remove the comment.',
    ]);
  });
});
