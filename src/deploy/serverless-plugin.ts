import { bundleFunction } from './bundle.js';
import { type Endpoint, endpointSchema } from './endpoint.js';

/** What the plugin uses of the Serverless Framework, whose packages have no types of their own. */
interface Serverless {
  readonly serviceDir: string;
  readonly service: { readonly custom?: { readonly endpoint?: Endpoint } };
  readonly configSchemaHandler: { defineCustomProperties(schema: object): void };
  readonly classes: { readonly Error: new (message: string, code: string) => Error };
}

/**
 * Makes the function that `serverless.yml` deploys of its `custom.endpoint`, whenever it is packaged, deployed or run
 * offline, or by `osls bundle`. A service without that section is left alone.
 *
 * @example
 * // serverless.yml
 * plugins: [mcp-concerns/serverless]
 */
export default class EndpointPlugin {
  readonly commands = {
    bundle: { usage: 'Bundles the function of custom.endpoint', lifecycleEvents: ['run'] },
  };
  readonly hooks: Readonly<Record<string, () => Promise<void>>>;

  constructor(private readonly serverless: Serverless) {
    serverless.configSchemaHandler.defineCustomProperties({
      type: 'object',
      properties: { endpoint: endpointSchema },
    });
    const bundle = () => this.bundle();
    this.hooks = {
      'bundle:run': bundle,
      'before:package:createDeploymentArtifacts': bundle,
      'before:offline:start:init': bundle,
    };
  }

  private async bundle(): Promise<void> {
    const { serviceDir, service, classes } = this.serverless;
    const endpoint = service.custom?.endpoint;
    if (endpoint === undefined) return;
    try {
      await bundleFunction(endpoint, serviceDir);
    } catch (cause) {
      if (!(cause instanceof Error)) throw cause;
      // Its own errors are printed without a stack.
      const code = 'code' in cause ? String(cause.code) : 'BUNDLE_FAILED';
      throw new classes.Error(cause.message, code);
    }
  }
}
