import { describe, expect, it } from 'vitest';
import { withoutHiddenTools, withoutOfferedTools } from '../../../src/core/gate/enforce/sampling-tools.js';

const isHidden = (name: string) => name === 'secret';

describe('tools that a server offers to the model', () => {
  it('are without the hidden ones', () => {
    const params = { messages: [], tools: [{ name: 'open' }, { name: 'secret' }, { title: 'no name' }] };
    expect(withoutOfferedTools(params, isHidden)).toEqual({
      messages: [],
      tools: [{ name: 'open' }, { title: 'no name' }],
    });
  });

  it('are those with a name', () => {
    const params = { tools: [{ name: 'a' }, { title: 'b' }, { name: 7 }, null, 'c'] };
    expect(withoutOfferedTools(params, () => true)).toEqual({
      tools: [{ title: 'b' }, { name: 7 }, null, 'c'],
    });
  });

  it.each([[{}], [{ tools: [{ name: 'open' }] }], [{ tools: 'secret' }], [{ tools: [] }]])(
    'stay the same object: %j',
    (params) => {
      expect(withoutOfferedTools(params, isHidden)).toBe(params);
    },
  );
});

describe('requests for input in a result', () => {
  const sampling = (tools: readonly object[]) => ({
    method: 'sampling/createMessage',
    params: { maxTokens: 1, tools },
  });

  it('offer no hidden tool', () => {
    const result = {
      resultType: 'input_required',
      inputRequests: {
        first: sampling([{ name: 'secret' }, { name: 'open' }]),
        second: { method: 'elicitation/create', params: { tools: [{ name: 'secret' }] } },
        third: sampling([{ name: 'open' }]),
      },
    };
    expect(withoutHiddenTools(result, isHidden)).toEqual({
      resultType: 'input_required',
      inputRequests: {
        first: sampling([{ name: 'open' }]),
        second: { method: 'elicitation/create', params: { tools: [{ name: 'secret' }] } },
        third: sampling([{ name: 'open' }]),
      },
    });
  });

  it('keep requests of another form', () => {
    const others = {
      none: null,
      text: 'sampling/createMessage',
      bare: { method: 'sampling/createMessage' },
      empty: { method: 'sampling/createMessage', params: null },
      odd: { method: 'sampling/createMessage', params: 'tools' },
      more: { method: 'sampling/createMessage', params: { tools: 'secret' } },
    };
    const result = { inputRequests: { ...others, last: sampling([{ name: 'secret' }]) } };
    expect(withoutHiddenTools(result, isHidden)).toEqual({
      inputRequests: { ...others, last: sampling([]) },
    });
  });

  it('are each checked', () => {
    const changed = (tools: readonly object[]) => ({ a: sampling(tools), b: sampling([]) });
    const first = { inputRequests: { ...changed([{ name: 'secret' }]) } };
    expect(withoutHiddenTools(first, isHidden)).toEqual({ inputRequests: changed([]) });
  });

  it.each([
    [{}],
    [{ inputRequests: null }],
    [{ inputRequests: 'secret' }],
    [{ inputRequests: { a: null, b: { method: 'sampling/createMessage' } } }],
    [{ inputRequests: { a: { method: 'sampling/createMessage', params: null } } }],
    [{ inputRequests: { a: { method: 'sampling/createMessage', params: 'secret' } } }],
    [{ inputRequests: { a: sampling([{ name: 'open' }]) } }],
  ])('stay the same object without one: %j', (result) => {
    expect(withoutHiddenTools(result, isHidden)).toBe(result);
  });
});
