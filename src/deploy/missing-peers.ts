import type { Plugin } from 'esbuild';

/** The optional peer dependencies of this package that a function can import. */
const PEERS = /^@(aws-lambda-powertools\/logger|aws-sdk\/client-dynamodb|modelcontextprotocol\/server)$/;

/** Marks the inner call of `resolve`, which would otherwise call this plugin again. */
const RESOLVING = Symbol('resolving');

/**
 * An esbuild plugin for peer dependencies that are not installed. It replaces the message of esbuild, which advises to
 * mark the package as external, with a message that says what to install. The `detail` of each error is the name of the
 * package.
 */
export const missingPeers: Plugin = {
  name: 'missing-peers',
  setup({ onResolve, resolve }) {
    onResolve({ filter: PEERS }, async ({ path, pluginData, ...context }) => {
      if (pluginData === RESOLVING) return undefined;
      const { errors, ...resolved } = await resolve(path, { ...context, pluginData: RESOLVING });
      if (errors.length === 0) return resolved;
      const text = `The function needs the package ${path}, which is not installed. Run "npm install ${path}".`;
      return { errors: [{ text, detail: path }] };
    });
  },
};
