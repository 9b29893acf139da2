import { AWS_CLIENTS, BundleError, buildCode } from './build-code.js';
import { workerEntryOf } from './entry.js';
import type { Endpoint } from './generated/endpoint-schema.js';
import { copyFiles, projectFiles, resolveServer } from './project-files.js';
import { replaceFolder } from './replace-folder.js';
import { secretPackages } from './secrets.js';

/** The folder of the function that runs tasks, beside that of the endpoint. */
export const WORKER_TARGET = 'build/worker';

/**
 * Makes the folder of the durable function that runs the tasks of a server module. It has a bundle of its own: of the
 * module, only `tasks` and what it needs. Rejects with a `BundleError` if the server is not a module that exports `tasks`.
 *
 * @param endpoint what the endpoint serves
 * @param root the folder of the project
 * @example
 * await bundleWorker({ policy: 'policy.yaml', server: { module: './src/server.ts' } }, '.');
 */
export async function bundleWorker(
  { server, secrets, files: patterns = [] }: Endpoint,
  root: string,
): Promise<void> {
  const resolved = resolveServer(server, root);
  if (!resolved || !server || !('module' in resolved) || !('module' in server)) {
    throw new BundleError(
      `A function starts from ${WORKER_TARGET}, which runs the tasks of your own server. Set server.module in endpoint.yml, or remove the function.`,
    );
  }
  const { module } = server;
  const files = projectFiles(patterns, root);
  await replaceFolder(root, WORKER_TARGET, async (outdir) => {
    try {
      const meta = await buildCode({
        root,
        outdir,
        ...workerEntryOf(module, resolved.module, secrets),
        needed: [...AWS_CLIENTS, '@aws/durable-execution-sdk-js', ...secretPackages(secrets)],
        files,
        what: module,
      });
      copyFiles(files, root, outdir);
      return meta;
    } catch (cause) {
      if (!(cause instanceof Error && /No matching export in .* for import "tasks"/.test(cause.message))) {
        throw cause;
      }
      throw new BundleError(
        `A function starts from ${WORKER_TARGET}, but ${module} does not export "tasks". Export an array of definitions made by defineTask, or remove the function.`,
        { cause },
      );
    }
  });
}
