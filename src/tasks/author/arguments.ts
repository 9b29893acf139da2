import { isStandard, type StandardIssue, type TaskDefinition } from './definition.js';

/** The largest arguments of a task, in bytes of JSON. A record keeps them, and DynamoDB limits items to 400 KB. */
const MAX_ARGUMENT_BYTES = 128_000;

/** The arguments of a task as JSON, or the message of a tool error. */
export type CheckedArguments =
  | { readonly ok: true; readonly json: string }
  | { readonly ok: false; readonly message: string };

/**
 * Validates the arguments of a call. A schema of a library may change them, for example by filling in defaults.
 *
 * @param definition the task
 * @param args the arguments, as the client sent them
 * @returns the arguments as JSON, or the message of a tool error
 */
export async function checkArguments(definition: TaskDefinition, args: unknown): Promise<CheckedArguments> {
  const { name, inputSchema } = definition;
  const sent = args ?? {};
  const invalid = (what: string): CheckedArguments => ({
    ok: false,
    message: `Invalid arguments for tool ${name}: ${what}`,
  });
  let value: unknown = sent;
  if (isStandard(inputSchema)) {
    const result = await inputSchema['~standard'].validate(sent);
    if (result.issues !== undefined) return invalid(result.issues.map(issueText).join('; '));
    value = result.value;
  } else {
    // Loaded by the first task call: Ajv is large, and lists do not need it.
    const { AjvJsonSchemaValidator } = await import('@modelcontextprotocol/sdk/validation/ajv');
    const result = new AjvJsonSchemaValidator().getValidator(inputSchema)(sent);
    if (!result.valid) return invalid(result.errorMessage);
  }
  const json = JSON.stringify(value) ?? '{}';
  const bytes = new TextEncoder().encode(json).length;
  if (bytes > MAX_ARGUMENT_BYTES) {
    return invalid(
      `they have ${bytes} bytes, and a task takes at most ${MAX_ARGUMENT_BYTES}. Pass a link instead.`,
    );
  }
  return { ok: true, json };
}

function issueText({ message, path = [] }: StandardIssue): string {
  const place = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  return place === '' ? message : `${place}: ${message}`;
}
