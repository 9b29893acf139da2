import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runTestFiles } from '../../src/cli/reports/test-run.js';
import { FINDING_CODES, type PolicyCatalog, readPolicy } from '../../src/policy/index.js';
import { readPolicyText } from '../../src/policy/language/read-yaml.js';
import { validatePolicy } from '../../src/policy/language/validate.js';
import { reportOf, write } from './author.js';

const project = join(import.meta.dirname, '../..');
const findings = readFileSync(join(project, 'docs/findings.md'), 'utf8');

interface Block {
  /** What stands after the language: nothing to a reader, the block's part to this test. */
  readonly part: string;
  readonly text: string;
}

function blocksOf(markdown: string, language: string): Block[] {
  const fences = markdown.matchAll(new RegExp(`^\`\`\`${language} ?(\\w*)\\n([^]*?)^\`\`\`$`, 'gm'));
  return [...fences].map(([, part = '', text = '']) => ({ part, text }));
}

/** `# to 65` at the end of a line stands for 65 lines, numbered in the place of its 1. */
function spellOut(example: string): string {
  return example.replace(/^(.*?) *# to (\d+)\n/gm, (_line, content: string, count: string) =>
    Array.from(
      { length: Number(count) },
      (_, index) => `${content.replaceAll('1', String(index + 1))}\n`,
    ).join(''),
  );
}

const [beginning] = blocksOf(findings, 'yaml').filter(({ part }) => part === 'beginning');
const [catalogBlock] = blocksOf(findings, 'json');
const catalog = JSON.parse(catalogBlock?.text ?? '') as PolicyCatalog;

/** The files of an example: those that its comments name, else one policy. */
function filesOf(example: string): Record<string, string> {
  const text = spellOut(example);
  if (!/^# [a-z]+\.yaml$/m.test(text)) {
    return { 'policy.yaml': /^version:/.test(text) ? text : `${beginning?.text}${text}` };
  }
  const [, ...parts] = text.split(/^# ([a-z]+\.yaml)\n/m);
  return Object.fromEntries(
    parts.flatMap((part, index) => (index % 2 === 0 ? [[part, parts[index + 1] ?? '']] : [])),
  );
}

const sections = findings
  .split(/^### /m)
  .slice(1)
  .map((section) => {
    const [code = '', ...rest] = section.split('\n');
    const blocks = blocksOf(rest.join('\n'), 'yaml');
    const part = (name: string) => blocks.filter((block) => block.part === name).map(({ text }) => text);
    return { code, bad: part('bad'), mend: part('mend') };
  });
const table = [...findings.matchAll(/^\| \[`([a-z-]+)`\]\(#([a-z-]+)\) \| (\w+) \| .+ \|$/gm)].map(
  ([, code = '', anchor, severity]) => ({ code, anchor, severity }),
);

const isOfTests = (code: string): boolean =>
  findings.indexOf(`### ${code}\n`) > findings.indexOf('## In policy tests');

describe('docs/findings.md', () => {
  it('has every code that the check can give, once, in the table and with an example', () => {
    const codes = [...FINDING_CODES].sort();
    expect(new Set(codes).size).toBe(codes.length);
    expect(table.map(({ code }) => code).sort()).toEqual(codes);
    expect(sections.map(({ code }) => code).sort()).toEqual(codes);
    expect(table.map(({ anchor }) => anchor)).toEqual(table.map(({ code }) => code));
  });

  it.each(sections.filter(({ code }) => !isOfTests(code)))(
    '$code: the bad example has it, its mend does not',
    ({ code, bad, mend }) => {
      expect([bad.length, mend.length]).toEqual([1, 1]);
      const needsCatalog = findings.indexOf(`### ${code}\n`) > findings.indexOf('## With a catalog');
      const found = (example: string | undefined) => {
        const files = filesOf(example ?? '');
        if (!needsCatalog) return reportOf(files).findings;
        return readPolicy(join(write(files), 'policy.yaml'), catalog).findings;
      };
      const wrong = found(bad[0]);
      expect(wrong.map((finding) => finding.code)).toContain(code);
      const severity = table.find((row) => row.code === code)?.severity;
      expect(
        new Set(wrong.filter((finding) => finding.code === code).map((finding) => finding.severity)),
      ).toEqual(new Set([severity]));
      const mended = found(mend[0]);
      expect(mended.map((finding) => finding.code)).not.toContain(code);
      expect(mended.filter((finding) => finding.severity === 'error')).toEqual([]);
      if (needsCatalog) return;
      // An example shows one thing: nothing else is wrong with it, and nothing at all with its mend.
      expect([...new Set(wrong.map((finding) => finding.code))]).toEqual([code]);
      expect(mended).toEqual([]);
    },
  );

  const ofTests = sections.filter(({ code }) => isOfTests(code));
  it.each(ofTests)('$code: the bad test file has it, its mend runs', async ({ code, bad, mend }) => {
    const [head] = blocksOf(findings, 'yaml').filter(({ part }) => part === 'tests');
    const runOf = (example = '') => {
      const folder = write({
        'policy.yaml': beginning?.text ?? '',
        'catalog.json': JSON.stringify(catalog),
        'policy.test.yaml': /^policy:/.test(example) ? example : `${head?.text}${example}`,
      });
      const options = { quiet: true, timeout: undefined, coverage: false, threshold: undefined };
      return runTestFiles([join(folder, 'policy.test.yaml')], options);
    };
    const wrong = await runOf(bad[0]);
    const severity = table.find((row) => row.code === code)?.severity;
    expect(wrong.findings.map((each) => [each.code, each.severity])).toEqual([[code, severity]]);
    const mended = await runOf(mend[0]);
    expect([mended.findings, mended.failed]).toEqual([[], false]);
  });
});

describe('policies in the docs', () => {
  const documents = ['README.md', ...readdirSync(join(project, 'docs')).map((name) => `docs/${name}`)]
    .filter((name) => name.endsWith('.md'))
    .flatMap((name) =>
      blocksOf(readFileSync(join(project, name), 'utf8'), 'yaml').map((block, index) => ({
        ...block,
        where: `${name}, block ${index + 1}`,
      })),
    );

  it('are there', () => {
    expect(documents.map(({ where }) => where)).toEqual(
      expect.arrayContaining(['README.md, block 1', 'docs/policy.md, block 1']),
    );
  });

  it.each(documents.filter(({ part }) => part === '' || part === 'beginning'))(
    '$where has nothing to find',
    ({ text }) => {
      expect(reportOf({ 'policy.yaml': text }).findings).toEqual([]);
    },
  );

  // A part of a policy refers to what its surroundings declare, so only its shape can be wrong.
  it.each(documents.filter(({ part }) => part === 'fragment'))('$where fits into a policy', ({ text }) => {
    const source = readPolicyText(`version: 1\n${text}`, 'policy.yaml');
    expect([...source.findings, ...validatePolicy(source).findings]).toEqual([]);
  });

  it('are marked as what they are', () => {
    const parts = new Set(documents.map(({ part }) => part));
    expect(
      [...parts].filter(
        (part) =>
          !['', 'fragment', 'beginning', 'bad', 'mend', 'workflow', 'tests', 'serverless'].includes(part),
      ),
    ).toEqual([]);
  });
});
