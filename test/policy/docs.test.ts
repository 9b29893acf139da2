import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runTestFiles } from '../../src/cli/reports/test-run.js';
import { terminalOf } from '../../src/cli/terminal/output.js';
import { newlyVisible } from '../../src/core/policy/diff/newly-visible.js';
import {
  FINDING_CODES,
  formatFindings,
  type PolicyCatalog,
  readPolicy,
} from '../../src/core/policy/index.js';
import { readPolicyText } from '../../src/core/policy/language/read-yaml.js';
import { validatePolicy } from '../../src/core/policy/language/validate.js';
import { testIo } from '../cli/run.js';
import { reportOf, write } from './author.js';

const project = join(import.meta.dirname, '../..');
const areas = ['file', 'names', 'concerns', 'primitives', 'rules', 'catalog', 'servers', 'tests'];
const pageOf = (name: string): string => readFileSync(join(project, 'docs/reference', name), 'utf8');
/** The index and the pages of all areas, as one text. */
const findings = ['findings.md', ...areas.map((area) => `findings/${area}.md`)].map(pageOf).join('\n');

interface Block {
  /** The word after the language of the fence. Readers do not see it; it tells this test what the block is. */
  readonly part: string;
  readonly text: string;
}

function blocksOf(markdown: string, language: string): Block[] {
  const fences = markdown.matchAll(new RegExp(`^\`\`\`${language} ?(\\w*)\\n([^]*?)^\`\`\`$`, 'gm'));
  return [...fences].map(([, part = '', text = '']) => ({ part, text }));
}

/** Expands a line that ends in `# to 65` into 65 lines, with the numbers 1 to 65 in place of the 1. */
function expand(example: string): string {
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

const token = JSON.parse(blocksOf(findings, 'json').find(({ part }) => part === 'token')?.text ?? '');
const callers = new Map([['token.json', { claims: new Map(Object.entries(token)) }]]);

/** The files of an example: the files that its comments name, or one policy. */
function filesOf(example: string): Record<string, string> {
  const text = expand(example);
  if (!/^# [a-z]+\.yaml$/m.test(text)) {
    return { 'policy.yaml': /^version:/.test(text) ? text : `${beginning?.text}${text}` };
  }
  const [, ...parts] = text.split(/^# ([a-z]+\.yaml)\n/m);
  return Object.fromEntries(
    parts.flatMap((part, index) => (index % 2 === 0 ? [[part, parts[index + 1] ?? '']] : [])),
  );
}

const sections = areas
  .flatMap((area) => pageOf(`findings/${area}.md`).split(/^## /m).slice(1))
  .map((section) => {
    const [code = '', ...rest] = section.split('\n');
    const blocks = blocksOf(rest.join('\n'), 'yaml');
    const [own] = blocksOf(rest.join('\n'), 'json').filter((block) => block.part === 'catalog');
    const part = (name: string) => blocks.filter((block) => block.part === name).map(({ text }) => text);
    const [, severity, meaning = ''] =
      /^\n\*\*(Error|Warning)\*\*: ([A-Z`][\s\S]*?)\n\n/.exec(rest.join('\n')) ?? [];
    const labels = [...section.matchAll(/^\*\*(Why|Fix)\*\*: \S/gm)].map(([, label]) => label);
    return {
      code,
      severity: severity?.toLowerCase(),
      meaning: meaning.replaceAll('\n', ' '),
      labels,
      catalog: own === undefined ? undefined : (JSON.parse(own.text) as PolicyCatalog),
      bad: part('bad'),
      fix: part('fix'),
    };
  });
const index = [
  ...pageOf('findings.md').matchAll(
    /^\| \[`([a-z-]+)`\]\(findings\/[a-z]+\.md#([a-z-]+)\) \| (\w+) \| (.+) \|$/gm,
  ),
].map(([, code, anchor, severity, meaning]) => ({ code, anchor, severity, meaning }));
const isOfTests = (code: string): boolean => pageOf('findings/tests.md').includes(`## ${code}\n`);

describe('docs/reference/findings.md', () => {
  it('lists every finding code once, in the index and in a section', () => {
    const codes = [...FINDING_CODES].sort();
    expect(new Set(codes).size).toBe(codes.length);
    expect(sections.map(({ code }) => code).sort()).toEqual(codes);
    expect(index.map(({ code }) => code)).toEqual(sections.map(({ code }) => code));
    expect(index.map(({ anchor }) => anchor)).toEqual(index.map(({ code }) => code));
    expect(index.map(({ severity, meaning }) => [severity, meaning])).toEqual(
      sections.map(({ severity, meaning }) => [severity, meaning]),
    );
  });

  it.each(sections)(
    '$code: the section gives the severity, the reason and the fix',
    ({ severity, labels }) => {
      expect(severity).toMatch(/^(error|warning)$/);
      expect(labels).toEqual(['Why', 'Fix']);
    },
  );

  it('shows the output of the program', () => {
    const [output] = blocksOf(findings, 'text').filter(({ part }) => part === 'output');
    const example = sections.find(({ code }) => code === 'unknown-value')?.bad[0] ?? '';
    const report = reportOf(filesOf(example));
    expect(output?.text).toBe(`${formatFindings(report.findings, report.texts)}\n`);
  });

  it.each(sections.filter(({ code }) => !isOfTests(code)))(
    '$code: the bad example has the finding, the fix does not',
    ({ code, severity, catalog: ownCatalog = catalog, bad, fix }) => {
      expect([bad.length, fix.length]).toEqual([1, 1]);
      const needsCatalog = pageOf('findings/catalog.md').includes(`## ${code}\n`);
      const found = (example: string | undefined) => {
        const files = filesOf(example ?? '');
        if (!needsCatalog) return reportOf(files).findings;
        const kept = code === 'catalog-without-texts' ? { ...catalog, encoding: 'o200k_base' } : ownCatalog;
        return readPolicy(join(write(files), 'policy.yaml'), kept, callers).findings;
      };
      const wrong = found(bad[0]);
      expect(wrong.map((finding) => finding.code)).toContain(code);
      expect(
        new Set(wrong.filter((finding) => finding.code === code).map((finding) => finding.severity)),
      ).toEqual(new Set([severity]));
      const fixed = found(fix[0]);
      expect(fixed.map((finding) => finding.code)).not.toContain(code);
      expect(fixed.filter((finding) => finding.severity === 'error')).toEqual([]);
      if (needsCatalog) return;
      // An example has only this finding, and its fix has no finding at all.
      expect([...new Set(wrong.map((finding) => finding.code))]).toEqual([code]);
      expect(fixed).toEqual([]);
    },
  );

  // A host chooses its preset itself; what could not be compared counts as opened; a tool that cannot be bound was hidden, and the
  // page says whom another argument shows it to.
  const mayOpen = ['empty-preset', 'not-analyzed', 'bind-unfit'];
  it.each(sections.filter(({ code }) => !isOfTests(code) && !mayOpen.includes(code)))(
    '$code: the fix shows nothing that the bad example hides',
    ({ catalog: ownCatalog = catalog, bad, fix }) => {
      const [before, after] = [bad, fix].map(([example = '']) => reportOf(filesOf(example)).compiled);
      // No server serves a policy with errors.
      if (before === undefined || after === undefined) return;
      expect(newlyVisible(before, after, ownCatalog)).toEqual([]);
    },
  );

  const ofTests = sections.filter(({ code }) => isOfTests(code));
  it.each(ofTests)(
    '$code: the bad test file has the finding, the fix passes',
    async ({ code, severity, bad, fix }) => {
      const [head] = blocksOf(findings, 'yaml').filter(({ part }) => part === 'tests');
      const runOf = (example = '') => {
        const folder = write({
          'policy.yaml': beginning?.text ?? '',
          'catalog.json': JSON.stringify(catalog),
          'policy.test.yaml': /^policy:/.test(example) ? example : `${head?.text}${example}`,
        });
        const run = {
          terminal: terminalOf(testIo(), { color: 'never', quiet: true }),
          timeout: 30,
          servers: true,
          coverage: false,
          isTrusted: () => true,
        };
        return runTestFiles([join(folder, 'policy.test.yaml')], run);
      };
      const wrong = await runOf(bad[0]);
      expect(wrong.findings.map((each) => [each.code, each.severity])).toEqual([[code, severity]]);
      const fixed = await runOf(fix[0]);
      expect([fixed.findings, fixed.failed]).toEqual([[], false]);
    },
  );
});

describe('policies in the docs', () => {
  const documents = [
    'README.md',
    ...readdirSync(join(project, 'docs'), { recursive: true, encoding: 'utf8' }).map(
      (name) => `docs/${name}`,
    ),
  ]
    .filter((name) => name.endsWith('.md'))
    .flatMap((name) =>
      blocksOf(readFileSync(join(project, name), 'utf8'), 'yaml').map((block, index) => ({
        ...block,
        where: `${name}, block ${index + 1}`,
      })),
    );

  it('are found by this test', () => {
    expect(documents.map(({ where }) => where)).toEqual(
      expect.arrayContaining(['README.md, block 1', 'docs/reference/policy-language.md, block 1']),
    );
  });

  it.each(documents.filter(({ part }) => part === '' || part === 'beginning'))(
    '$where has no findings',
    ({ text }) => {
      expect(reportOf({ 'policy.yaml': text }).findings).toEqual([]);
    },
  );

  // A part of a policy uses concerns that are declared elsewhere, so only the schema can be checked.
  it.each(documents.filter(({ part }) => part === 'fragment'))(
    '$where fits the schema of a policy',
    ({ text }) => {
      const source = readPolicyText(`version: 1\n${text}`, 'policy.yaml');
      expect([...source.findings, ...validatePolicy(source).findings]).toEqual([]);
    },
  );

  it('have a known part after the language of the fence', () => {
    const parts = new Set(documents.map(({ part }) => part));
    expect(
      [...parts].filter(
        (part) =>
          ![
            '',
            'endpoint',
            'fragment',
            'project',
            'beginning',
            'bad',
            'fix',
            'workflow',
            'tests',
            'serverless',
            // Files of Prometheus.
            'rules',
            'scrape',
          ].includes(part),
      ),
    ).toEqual([]);
  });
});
