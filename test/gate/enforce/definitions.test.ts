import { expect, it } from 'vitest';
import { resolveConfiguration } from '../../../src/core/engine/configuration.js';
import { bindCatalog, select } from '../../../src/core/engine/select.js';
import { redactDefinitions } from '../../../src/core/gate/enforce/definitions.js';
import { growth, LINEAR } from '../../growth.js';
import { policyOf } from '../gate-harness.js';

const policy = policyOf(`
concerns: { access: { values: [read, write] } }
settings: { enforcement: enforce }
`);
const reading = resolveConfiguration(policy, [{ from: 'request', concerns: { access: 'read' } }]);

/** Tools of which every second one is hidden, and each of which names the next ones. */
const toolsOf = (count: number, named: number) =>
  Array.from({ length: count }, (_, index) => ({
    name: `tool_${index}`,
    description: Array.from({ length: named }, (_, next) => `tool_${(index + next) % count}`).join(' '),
    _meta: { concerns: { access: index % 2 === 0 ? 'read' : 'write' } },
  }));

const redacted = (tools: readonly { readonly name: string }[]) => {
  const bound = bindCatalog(policy, 'tools', tools);
  return redactDefinitions(bound, select(bound, reading).kept, reading);
};

it('removes each hidden name from a definition that names all tools', () => {
  const [first] = redacted(toolsOf(6, 6));
  expect(first).toMatchObject({ description: 'tool_0 [hidden] tool_2 [hidden] tool_4 [hidden]' });
});

it('takes a time that grows with the texts of a list, and not with its names', async () => {
  expect(await growth((count) => () => redacted(toolsOf(count, 20)), 100)).toBeLessThan(LINEAR);
  expect(await growth((named) => () => redacted(toolsOf(100, named)), 20)).toBeLessThan(LINEAR);
});
