import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readPolicyText } from '../../../core/policy/language/read-yaml.js';
import { bundleFunction } from '../../../deploy/bundle.js';
import type { Endpoint } from '../../../deploy/generated/endpoint-schema.js';
import { readEndpoint } from '../../../deploy/read-endpoint.js';
import { FILES } from '../../../deploy/templates/values.js';
import { CliError } from '../../errors.js';
import { commandOf, type RunnableCommand } from '../../options/command-line.js';
import { bundleCommand } from '../../options/generated/commands.js';
import { readText } from '../../terminal/read-text.js';

/**
 * @throws {CliError} if an argument or `endpoint.yml` is not valid, or the folder is not a bundle
 * @example
 * await command.run(['--out', 'build/lambda']);
 */
export const command: RunnableCommand = commandOf(bundleCommand(), async ({ values, terminal }) => {
  const { endpoint, out, architecture } = values;
  refuseToReplace(out);
  // Only the plugin for the Serverless Framework also makes the function that runs tasks.
  const options = { target: out, architecture, worker: false };
  for (const note of await bundleFunction(readEndpointFile(endpoint), options)) terminal.note(note);
  terminal.note(`Made ${out} for ${architecture}. Its handler is index.handler.`);
});

/** The folder is replaced as a whole, so it must not be a folder with anything else. */
function refuseToReplace(out: string): void {
  if (!existsSync(out)) return;
  const isBundle = existsSync(join(out, 'index.mjs')) && existsSync(join(out, FILES.policy));
  if (!isBundle && readdirSync(out).length > 0) {
    throw new CliError(`${out} has other files than those of a bundle. Pass another folder with --out.`);
  }
}

function readEndpointFile(file: string): Endpoint {
  const text = readText(file, 'Write it with "mcp-concerns init --lambda", or pass --endpoint FILE.');
  const { data, findings } = readPolicyText(text, file);
  const [problem] = findings;
  if (problem !== undefined) throw new CliError(`${file}:${problem.line}: ${problem.message}`);
  return readEndpoint(data, file);
}
