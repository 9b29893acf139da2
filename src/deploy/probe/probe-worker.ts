import { type ProbedModule, probe } from './probe.js';

/** The process in which `probeModule` tries a module. It gets the module as a message, and answers with what it did. */
process.once('message', async (module: ProbedModule) => {
  const result = await probe(module).catch((cause: unknown) => ({
    state: 'failed',
    problem: `${module.name} could not be tried: ${cause instanceof Error ? cause.message : String(cause)}`,
  }));
  // A module that listens to a port or has a timer would keep the process.
  process.send?.(result, () => process.exit(0));
});
