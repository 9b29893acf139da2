import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { isTooDeep, MAX_DEPTH } from '../../src/core/exact-json.js';
import { parseForwarded, parseJson } from '../../src/core/http/request-body.js';
import { ChildTransport } from '../../src/proxy/wires/child-process.js';
import { HostTransport } from '../../src/proxy/wires/host-stdio.js';
import { Random } from '../fuzz/random.js';
import { ListingServer, listing, tool } from './listing-server.js';
import { connect } from './several-harness.js';

const nested = (levels: number): string => `${'{"a":['.repeat(levels / 2)}1${']}'.repeat(levels / 2)}`;

it('counts what lies in each other, and no brackets of texts', () => {
  const text = JSON.stringify({ text: '['.repeat(3000), escaped: '\\"[{'.repeat(2000) });
  expect([nested(MAX_DEPTH), nested(MAX_DEPTH + 2), text, `[${nested(MAX_DEPTH)}]`].map(isTooDeep)).toEqual([
    false,
    true,
    false,
    true,
  ]);
});

it('agrees with a walk through the value, in 500 texts', () => {
  const random = new Random(20261128);
  const depthOf = (value: unknown): number =>
    value instanceof Object ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
  const make = (levels: number): unknown => {
    if (levels === 0) return random.pick(['[[[', '"{', '\\']);
    const inner = make(levels - 1);
    return random.below(2) === 0 ? [random.pick(['}}', '1']), inner] : { '[': inner, b: ']' };
  };
  for (let time = 0; time < 500; time++) {
    const value = make(MAX_DEPTH - 3 + random.below(6));
    expect(isTooDeep(JSON.stringify(value))).toBe(depthOf(value) > MAX_DEPTH);
  }
});

it('a list of one of several servers that is too deep leaves the others, and the endpoint, as they are', async () => {
  // 100,000 levels: JSON.stringify would end the process.
  const script = `require('readline').createInterface({input:process.stdin}).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (id === undefined) return;
    const result = method === 'initialize'
      ? JSON.stringify({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'deep', version: '1' } })
      : '{"tools":[{"name":"deep","inputSchema":{"type":"object","x":' + '['.repeat(1e5) + ']'.repeat(1e5) + '}}]}';
    process.stdout.write('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',"result":' + result + '}\\n');
  });`;
  const deep = () => new ChildTransport(process.execPath, ['-e', script]);
  const good = new ListingServer(listing({ tools: [tool('look')] }));
  const client = await connect({ deep, good: good.start });
  const { tools, _meta } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['good__look']);
  expect(JSON.stringify(_meta)).toContain('it sent a message of more than 1000 levels');
});

it('a request of a host that is too deep is answered', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const host = new HostTransport(input, output);
  await host.start();
  input.write(
    `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":${nested(1e5)}}}\n`,
  );
  const [answer] = await once(output, 'data');
  expect(JSON.parse(String(answer))).toMatchObject({
    id: 7,
    error: { code: -32600, message: expect.stringContaining('deeper than 1000 levels') },
  });
  await host.close();
});

it('a body that is too deep is not read, over HTTP', () => {
  expect([parseJson(nested(1e5)), parseForwarded(nested(1e5))]).toEqual([undefined, undefined]);
});
