import { readFileSync } from 'node:fs';

const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));

/** The barrel of each subpath. The package exports what is built from it in `dist`. */
const barrels = Object.values(exports).flatMap((target) =>
  typeof target === 'string' ? [] : [target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts')],
);

/** Reports files, exports and dependencies that nothing uses: https://knip.dev */
export default {
  entry: [
    ...barrels,
    'src/cli/main.ts',
    'examples/*/*.ts',
    'bench/lambda/*.ts',
    // Run by hand: npx tsx bench/failing-upstreams.ts
    'bench/failing-upstreams.ts',
    'bench/leaks.ts',
    // Started as a program of its own.
    'test/behavior/leaks/leaky-program.ts',
    // bench/lambda.ts bundles it by its path, as the server of an endpoint.
    'bench/zod-server.ts',
    'scripts/*.mjs',
    // scripts/build.mjs bundles them by their paths.
    'src/deploy/bundled/mcp-*.ts',
    'src/deploy/probe/probe-worker.ts',
    // A function starts with one of them.
    'src/deploy/templates/{module-of-v1,module-of-v2,package,url,servers,worker}.ts',
    // Run by scripts/run.mjs.
    'scripts/generate/run.ts',
    'test/behavior/store-faults/run.ts',
    'bench/{run,playground,page-clicks,concerns-tool,several-lists}.ts',
    'test/{slow/browser/pictures,differential/run,conformance/{run,eras},eras/run,fuzz/run,hosts/run,behavior/{principal,listening}/run,property/composed/run}.ts',
    // scripts/generate/page.ts bundles it by its path.
    'src/web/page/main.tsx',
    // scripts/playground.mjs bundles it by its path.
    'src/web/playground/main.tsx',
    // test/slow/browser/app.test.ts bundles it by its path.
    'test/slow/browser/app-host.ts',
    'test/**/*.test.ts',
    'test/**/*.check.ts',
    // Started as programs of their own.
    'test/behavior/stdio-server.ts',
    'test/eras/fixtures/*.mjs',
    'test/tasks/worker-process.ts',
    'test/behavior/store-faults/cold-process.ts',
    // The command line loads it by its path.
    'test/cli/fixtures/typed/server.ts',
    'test/cli/fixtures/log-and-end.ts',
    'test/property/stored/write-old-policies.ts',
    // Named on the command line of Vitest.
    'test/slow/*/vitest.config.ts',
    // Stryker's test runner names its configuration in stryker.config.json.
    'test/slow/mutation/*.ts',
  ],
  project: [
    '{src,examples,scripts,bench,test}/**/*.{ts,tsx}',
    'scripts/*.mjs',
    '!src/core/policy/**/generated/*-validator.ts',
  ],
  // An exported function's parameter types are part of its signature.
  ignoreExportsUsedInFile: { interface: true, type: true },
  // Loaded by path or by name at run time: a server to try, a plugin of serverless.yml, a script for a browser, types for a manifest.
  ignoreDependencies: [
    '@modelcontextprotocol/server-everything',
    'serverless-offline',
    'axe-core',
    'kubernetes-types',
  ],
  // Tools that tests use where they are installed; one is of POSIX, with which tests make a pipe.
  ignoreBinaries: ['terraform', 'mkfifo', 'buildah', 'script'],
  // The store and the tasks take all of them at once: const { createClient, ...commands } = await import(...).
  ignoreIssues: {
    'src/core/session/dynamodb-client.ts': ['exports'],
    'src/tasks/dynamodb/client.ts': ['exports'],
    'src/tasks/durable/lambda-client.ts': ['exports'],
  },
};
