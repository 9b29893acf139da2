import { loadTokenCounter } from '../src/cli/inputs/token-counter.js';
import { ownListOnly } from '../src/core/gate/lists/own-entries.js';
import { addableTools, listHiddenTools } from '../src/core/gate/panel/hidden-tools.js';
import { ERRORS } from '../src/core/wire/messages.js';
import { gathered } from '../test/gate/exchange-of.js';
import { manyPolicy, manyTools } from '../test/gate/panel/many-tools.js';
import { talkTo } from '../test/gate/panel/panel-policy.js';

/**
 * Prints what the tool `concerns` costs with ten topics and 500 tools: tokens of its definition, tokens and time of the names
 * of hidden tools. Run it with `node scripts/run.mjs bench/concerns-tool.ts`.
 */
async function run(): Promise<void> {
  const tokensOf = await loadTokenCounter();
  const [list, select] = [gathered(listHiddenTools), gathered(addableTools)];
  for (const settings of ['', ', enforcement: enforce']) {
    const times = { definition: [] as number[], list: [] as number[] };
    let [definition, names] = [0, 0];
    for (let round = 0; round < 20; round++) {
      const talk = talkTo(manyPolicy(settings), {}, { concerns: { topic: ['weather'] } }, manyTools(500));
      const call = await talk.configured('tools/call', { name: 'concerns' });
      // A host lists tools before it calls one.
      await select(call);
      let begin = performance.now();
      const tool = ownListOnly(call, 'tools', { code: ERRORS.methodNotFound, message: '' })?.tools;
      times.definition.push(performance.now() - begin);
      begin = performance.now();
      const text = await list(call);
      times.list.push(performance.now() - begin);
      if (round > 0) continue;
      definition = tokensOf((Array.isArray(tool) ? tool : [])[0]);
      names = tokensOf({ content: [{ type: 'text', text }] });
    }
    // Other programs on the machine take time too, so the slowest one says little.
    const median = (all: number[]) => all.sort((a, b) => a - b)[all.length / 2]?.toFixed(2);
    console.log(
      `${settings || ', advisory'}: tool ${definition} tokens in ${median(times.definition)} ms, names of 500 tools ${names} tokens in ${median(times.list)} ms (medians of 20)`,
    );
  }
}

await run();
