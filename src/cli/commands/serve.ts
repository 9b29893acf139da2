import { describeAccepted } from '../../core/engine/configuration.js';
import { type CompiledPolicy, type Policy, preparePolicy } from '../../core/engine/policy.js';
import { onNumberChanged } from '../../core/exact-json.js';
import { LivePolicy } from '../../core/gate/request/live-policy.js';
import type { Era } from '../../core/wire/messages.js';
import { CliError, UsageError } from '../errors.js';
import { readPolicyInput } from '../inputs/policy-input.js';
import { knownServers } from '../inputs/several/known-servers.js';
import { commandOf, type RunnableCommand } from '../options/command-line.js';
import { type Options, serveCommand } from '../options/generated/commands.js';
import { requireServer } from '../options/input-options.js';
import { onePolicyOf } from '../options/policy-option.js';
import { readPreferences, statedConcerns } from '../options/preferences.js';
import { readService } from '../options/service-options.js';
import { UsedToolsLog, uncalledTools, usedKeyOf } from '../serving/used-tools.js';
import { PolicyWatcher } from '../serving/watch-policy.js';
import { interruptible } from '../terminal/interrupt.js';

/**
 * @param argv the arguments after `serve`
 * @returns the exit code, after a signal or the host has ended the command
 * @throws {CliError} if an argument is not valid, the policy has errors, or the module cannot be used
 * @throws {ListenError} if the port is in use
 * @example
 * await command.run(['--policy', 'policies/vault.yaml', '--', 'node', 'server.js']);
 */
export const command: RunnableCommand = commandOf(serveCommand(), async (line) => {
  const { values, terminal } = line;
  const { port, panel, isolation, sessions, idle, silence, protocol } = values;
  const limits = {
    isolation,
    protocol,
    // Sessions that share a server cost little memory, and no process.
    maxSessions: sessions ?? (isolation === 'shared' ? 1000 : 32),
    idleMs: idle * 60_000,
    silenceMs: silence * 1000,
  };
  const service = readService(values, terminal.env);
  if (values.stdio === true && (values.log !== 'auto' || values.metrics !== undefined))
    throw new UsageError('--log and --metrics need HTTP. Over stdio, each host has a process of its own');
  const input = requireServer(line);
  if (service.isForMany && values.login === true)
    throw new UsageError('--login signs one person in, and this endpoint is for many. Pass --header');
  const key = usedKeyOf(input);
  const paths = onePolicyOf(line);
  // A policy that is only tried on this machine needs no setting to be switched in a conversation; one that is deployed does.
  const own = service.isForMany && panel === 'on' ? {} : { panel };
  const prepare = (compiled: CompiledPolicy): Policy =>
    preparePolicy({ ...compiled, settings: { ...own, ...compiled.settings } });
  const servers = await knownServers(values.servers, terminal.env, values.leave);
  const policy = prepare(
    readPolicyInput(paths, 'nothing is served', terminal, servers, 2, values.sessionsStore !== undefined),
  );
  const preferences = defaultPreferences(policy, values);
  // The SDK is loaded only after all arguments are valid.
  const [{ Control }, { catalogKeeper, settingsOf }, { forwardsTo, openServer }, { openOperations }] =
    await Promise.all([
      import('../control/control.js'),
      import('../serving/kept-catalogs.js'),
      import('../inputs/open-server.js'),
      import('../serving/service/operations.js'),
    ]);
  const opened = await openServer(input, terminal, undefined, service.isForMany);
  const isJson =
    values.log === 'json' || (values.log === 'auto' && service.isForMany && terminal.stderr.isTTY !== true);
  if (forwardsTo(opened) && ((service.isForMany && !service.isOpen) || isolation === 'shared'))
    throw new CliError(isolation === 'shared' ? FORWARDS_ALONE : FORWARDS_OPEN);
  const operations = await openOperations({ isJson, metrics: values.metrics }, terminal);
  operations.policyInEffect(policy.digest, policy.label);
  if (isolation === 'shared') operations.note(SHARED);
  const live = new LivePolicy(policy);
  const keepsCalls = key !== undefined && values.used && values.stdio === true;
  const uncalled = keepsCalls
    ? (tools: readonly string[]) => uncalledTools(terminal.env, key, tools)
    : undefined;
  const used = keepsCalls ? new UsedToolsLog(terminal.env, key) : undefined;
  // The page is for the person at this machine.
  const control =
    panel === 'off' || service.isForMany ? undefined : new Control(opened.name, paths, uncalled);

  // A service has no terminal that could hang up. By convention, the signal asks it to read its configuration again.
  const hangup = service.isForMany && values.stdio !== true ? () => watched?.look() : undefined;
  let watched: PolicyWatcher | undefined;
  return interruptible(async (signal) => {
    watched = new PolicyWatcher(paths, {
      live,
      servers,
      prepare,
      operations,
      paper: terminal.errors,
    });
    try {
      // A host over stdio gives its server less time than a person needs: its requests open the browser, and say so.
      if (values.stdio !== true) await opened.signIn?.(signal);
      const { identity } = opened;
      const { isForMany } = service;
      // A service is not ready before its servers are, and a server of one request has nothing to be compared with later.
      const isEarly = values.wait !== true && isolation !== 'per-request' && !isForMany;
      // What a server lists depends on what it is told that hosts can do.
      const keeperOf =
        identity && isEarly
          ? (era: Era, slug = '') =>
              catalogKeeper(terminal.env, [...identity, slug, isolation, era, settingsOf(terminal.env)])
          : undefined;
      const serving = {
        opened,
        policy: live,
        control,
        keeperOf,
        isForMany,
        used,
        operations,
        signal,
        limits,
      };
      onNumberChanged(() => terminal.note(CHANGES_NUMBERS));
      // A host over stdio waits for its first list, and needs no HTTP endpoint for it.
      if (values.stdio === true)
        return await (await import('../serving/over-stdio.js')).serveStdio(serving, preferences);
      const { serveHttp } = await import('../serving/transports.js');
      return await serveHttp(serving, { port, ...service }, terminal.env);
    } finally {
      used?.close();
      operations.close();
      watched.close();
    }
  }, hangup);
});

/** Nothing tells whose question it is. Some servers list no tools that ask if they are told so. */
const SHARED =
  'note: With --isolation shared, servers cannot ask hosts, so tools that need sampling, elicitation or roots may be missing. --isolation per-session has them.';

const FORWARDS_ALONE =
  'A server that gets the header Authorization of hosts is not shared. Pass --isolation per-session.';
const FORWARDS_OPEN =
  'A server gets the header Authorization of hosts only where this endpoint does not need it. Pass --open in place of a key and of --issuer.';

const CHANGES_NUMBERS =
  'This version of Node.js changes numbers that JavaScript cannot hold, such as integers over 2^53. Use Node.js 22.';

/** @returns the preferences of `--concern` and `--preset`, for hosts that send none */
function defaultPreferences(policy: Policy, { concern = [], preset = [], stdio }: Options['serve']) {
  if (concern.length + preset.length === 0) return {};
  if (stdio !== true) {
    throw new UsageError(
      '--concern and --preset need --stdio. Over HTTP, put preferences into the URL, for example ?concerns=NAME:VALUE',
    );
  }
  const stated = statedConcerns(policy, { concern });
  const operator = policy.concerns.find(({ name, setBy }) => setBy === 'operator' && stated.has(name));
  if (operator !== undefined) {
    throw new UsageError(`${operator.name} is set by the operator, so --concern cannot set it`);
  }
  return describeAccepted(readPreferences(policy, { concern, preset }).configuration);
}
