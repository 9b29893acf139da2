import { describe, expect, it } from 'vitest';
import { outsideEntry } from '../../../src/core/engine/servers/outside-names.js';
import { withOutsideNames } from '../../../src/core/gate/lists/sibling-names.js';

const tool = (name: string, description = '') => ({
  name,
  description,
  inputSchema: {
    type: 'object',
    properties: { read_file: { type: 'string', description, enum: ['read_file'] } },
  },
});
const described = (items: readonly object[]) => JSON.parse(JSON.stringify(items))[0].description;
const listed = (slug: string, ...tools: object[]) =>
  tools.map((each) => outsideEntry(slug, 'uri' in each ? 'resources' : 'tools', each));

describe('names of tools in descriptions of several servers', () => {
  it.each([
    ['Like read_file, but larger.', 'Like files__read_file, but larger.'],
    ['Call read_file. Then `search`: it finds.', 'Call files__read_file. Then `files__search`: it finds.'],
    ['read_file and read_file again', 'files__read_file and files__read_file again'],
    ['Use this to search, not read_file_2', 'Use this to search, not read_file_2'],
    ['See docs/read_file.md or x.read_file', 'See docs/read_file.md or x.read_file'],
    ['files__read_file and file://read_file/x', 'files__read_file and file://read_file/x'],
    ['delete_file of the other server', 'delete_file of the other server'],
  ])('are translated only where they name a tool: %s', (before, after) => {
    const items = [
      ...listed('files', tool('copy', before), tool('read_file'), tool('search')),
      ...listed('other', tool('delete_file'), tool('read_file')),
    ];
    expect(described(withOutsideNames('tools', items))).toBe(after);
    const [copy] = JSON.parse(JSON.stringify(withOutsideNames('tools', items)));
    expect(copy.inputSchema.properties.read_file).toEqual({
      type: 'string',
      description: after,
      enum: ['read_file'],
    });
    expect(withOutsideNames('tools', items)).toBe(withOutsideNames('tools', items));
  });

  it('stay where a resource is described: its name is a title, and not what a text names', () => {
    const resources = [
      { uri: 'data://a', name: 'Table', description: 'Like data://b, a Table' },
      { uri: 'data://b', name: 'Second Table' },
    ];
    const items = listed('files', ...resources);
    expect(described(withOutsideNames('resources', items))).toBe('Like data://b, a Table');
  });

  it('stay as a single server wrote them', () => {
    const items = [tool('copy', 'Like read_file'), tool('read_file')];
    expect(withOutsideNames('tools', items)).toBe(items);
  });
});
