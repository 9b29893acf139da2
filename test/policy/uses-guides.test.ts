import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resolveConfiguration } from '../../src/core/engine/configuration.js';
import type { Primitive } from '../../src/core/engine/mapping.js';
import { bindCatalog, decideItem } from '../../src/core/engine/select.js';
import { decideCall } from '../../src/core/gate/enforce/calls/call-arguments.js';
import { listedDefinition } from '../../src/core/gate/enforce/narrow-definitions.js';
import { readPolicy } from '../../src/core/policy/index.js';
import { policyOf, write } from './author.js';

/** What the check says about a policy and what the server lists. */
const findingsOf = (text: string, tools: readonly Primitive[] = []) =>
  readPolicy(join(write({ 'policy.yaml': text }), 'policy.yaml'), tools.length === 0 ? undefined : { tools })
    .findings;

function guide(name: string) {
  const text = readFileSync(new URL(`../../docs/guides/${name}.md`, import.meta.url), 'utf8');
  const block = (fence: string, which = 0): string => {
    const fences = [...text.matchAll(new RegExp(`^\`\`\`${fence}\\n([^]*?)^\`\`\`$`, 'gm'))];
    const found = fences[which]?.[1];
    if (found === undefined) throw new Error(`${name} has no block ${fence}`);
    return found;
  };
  const { tools } = JSON.parse(block('json catalog')) as { tools: Primitive[] };
  const policy = policyOf(block('yaml'));
  const bound = bindCatalog(policy, 'tools', tools);
  const configured = (claims: object) =>
    resolveConfiguration(policy, [], { claims: new Map(Object.entries(claims)) });
  const positionOf = (tool: string) => tools.findIndex((each) => each.name === tool);
  const called = (claims: object, tool: string, args: unknown) => {
    const configuration = configured(claims);
    if (decideItem(bound, positionOf(tool), configuration).effect === 'hide') return 'hidden';
    return decideCall({ tools: bound, servers: new Set() }, tool, args, configuration);
  };
  return {
    block,
    tools,
    called,
    definition: (tool: string) => listedDefinition(bound, positionOf(tool), configured({})),
  };
}

describe('the guide about uses of a tool', () => {
  const { block, tools, called, definition } = guide('allow-some-uses');

  it('has a policy without findings', () => {
    expect(findingsOf(block('yaml'), tools)).toEqual([]);
  });

  it('shows what hosts get', () => {
    expect(definition('projects')).toEqual(JSON.parse(block('json listed')));
  });

  it.each(JSON.parse(block('json calls')) as [string, object, string][])(
    'says what becomes of a call of %s with %j',
    (tool, args, answer) => {
      const decided = called({}, tool, args);
      if (answer === 'passes') expect(decided).toMatchObject({ effect: 'pass', args });
      else expect(decided).toMatchObject({ text: `Invalid arguments for tool ${tool}: ${answer}.` });
    },
  );

  it('has a rule without findings', () => {
    expect(findingsOf(`version: 1\n${block('yaml fragment')}`)).toEqual([]);
  });
});

describe('the guide about tenants', () => {
  const { block, tools, called } = guide('tenants');

  it('has a policy without findings', () => {
    expect(findingsOf(block('yaml'), tools)).toEqual([]);
  });

  it.each(JSON.parse(block('json calls')) as [object, string, object, unknown][])(
    'says what becomes of the call of a caller with %j: %s with %j',
    (claims, tool, args, answer) => {
      const decided = called(claims, tool, args);
      if (answer === 'hidden') expect(decided).toBe('hidden');
      else if (answer === 'refused') expect(decided).toMatchObject({ effect: 'refuse' });
      else expect(decided).toMatchObject({ effect: 'pass', args: answer });
    },
  );

  it('shows what the check says about the gaps', () => {
    const found = findingsOf(block('yaml', 1), tools).filter(({ code }) => code === 'unbound');
    expect(found.map(({ message }) => `${message}\n`)).toEqual([block('text gaps')]);
  });
});
