import type { Plugin } from 'esbuild';
import { ownFile } from './bundled/own-file.js';

/** The optional peer dependencies of this package that a function can import. */
const PEERS =
  /^(@aws-lambda-powertools\/(?:logger|metrics|parameters)|@aws-sdk\/client-(?:appconfigdata|dynamodb|lambda|s3|secrets-manager|ssm)|@aws\/durable-execution-sdk-js|@modelcontextprotocol\/(?:sdk|server))(?:\/|$)/;

/** Every function imports it. The imports of others are written only for functions that need them. */
const ALWAYS = '@aws-lambda-powertools/logger';

/**
 * What this package imports of the SDKs comes with it, beside the command, so that a function in front of any server serves both
 * protocol eras.
 */
const BUNDLED_SDKS: ReadonlyMap<string, string> = new Map([
  ['@modelcontextprotocol/sdk', ownFile('dist/cli/mcp-sdk.js')],
  ['@modelcontextprotocol/server', ownFile('dist/cli/mcp-server.js')],
]);

/** The name of the plugin in errors of esbuild. */
export const MISSING_PEERS = 'missing-peers';

/** Marks the inner call of `resolve`, which would otherwise call this plugin again. */
const RESOLVING = Symbol('resolving');

/**
 * An esbuild plugin for peer dependencies that are not installed. It replaces the message of esbuild, which advises to
 * mark the package as external, with a message that says what to install. The `detail` of each error is the name of the
 * package. Other peer dependencies, which only some settings need, stay imports: a function whose settings need one fails,
 * and its log names the package.
 *
 * @param needed the packages that this function needs, beside those that every function imports
 * @returns the plugin
 */
export const missingPeers = (needed: readonly string[]): Plugin => ({
  name: MISSING_PEERS,
  setup({ onResolve, resolve }) {
    onResolve({ filter: PEERS }, async ({ path, pluginData, ...context }) => {
      if (pluginData === RESOLVING) return undefined;
      const { errors, ...resolved } = await resolve(path, { ...context, pluginData: RESOLVING });
      if (errors.length === 0) return resolved;
      const [, name = path] = PEERS.exec(path) ?? [];
      const bundled = BUNDLED_SDKS.get(name);
      if (bundled !== undefined) return { path: bundled };
      if (![ALWAYS, ...needed].includes(name)) return { path, external: true };
      const text = `The function needs the package ${name}, which is not installed. Run "npm install ${name}".`;
      return { errors: [{ text, detail: name }] };
    });
  },
});
