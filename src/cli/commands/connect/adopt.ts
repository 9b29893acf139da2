import { resolve } from 'node:path';
import { readPolicyInput } from '../../inputs/policy-input.js';
import {
  moveServers,
  permissionChanges,
  readHostFile,
  restoreServers,
} from '../../inputs/several/adopted-file.js';
import { wantsLogin } from '../../inputs/several/login-probe.js';
import { commandOf } from '../../options/command-line.js';
import { adoptCommand } from '../../options/generated/commands.js';
import { onePolicyOf } from '../../options/policy-option.js';
import { serveOverStdio } from './hosts.js';

/**
 * @throws {CliError} if an argument is not valid, the policy has errors, or the file is not that of a host
 * @example
 * await run(['.mcp.json', '--policy', 'policy.yaml']);
 */
export const { definition, run } = commandOf(adoptCommand(), async (line) => {
  const { values, positionals, terminal } = line;
  const [path] = positionals;
  const file = readHostFile(path);
  const { kept } = file;
  if (values.undo === true) {
    const hasMore = restoreServers(file);
    terminal.note(
      hasMore ? `${path} has its servers again, and those added since.` : `${path} is as it was.`,
    );
    return 0;
  }
  const policy = onePolicyOf(line);
  readPolicyInput(policy, 'nothing was moved', terminal);
  const keys = Object.keys(file.own);
  const stays = await Promise.all(Object.values(file.own).map((entry) => wantsLogin(entry, terminal.env)));
  const left = keys.filter((_key, index) => stays[index] === true);
  const moved = keys.filter((_key, index) => stays[index] === false);
  for (const key of left) terminal.note(`${key} stays in ${path}: it wants a login, which the host has.`);
  if (moved.length === 0) {
    terminal.note(`Nothing to move: ${path} has no other server.`);
    return 0;
  }
  const ours = serveOverStdio(
    [
      ...['--servers', resolve(kept)],
      ...left.flatMap((key) => ['--leave', key]),
      ...policy.flatMap((each) => ['--policy', resolve(each)]),
    ],
    terminal,
  );
  moveServers(file, moved, ours);
  terminal.note(
    `Moved to ${kept}: ${moved.join(', ')}. "mcp-concerns adopt ${path} --undo" moves them back.`,
  );
  const rules = permissionChanges(moved).map((each) => `  ${each}\n`);
  terminal.print(`Change your permission rules:\n${rules.join('')}`);
});
