import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** Turns the refusal of a write whose condition is not satisfied into `undefined`. Throws any other error. */
export function unlessConditionFailed(cause: unknown): undefined {
  if (cause instanceof Error && cause.name === 'ConditionalCheckFailedException') return undefined;
  throw cause;
}

/** The names and values of an expression. */
export interface Placeholders {
  /** Returns the placeholder of an attribute or of a key in a map. */
  readonly name: (attribute: string) => string;
  /** Returns the placeholder of a value. */
  readonly value: (added: AttributeValue) => string;
  /** Writes a comparison, or an assignment. */
  readonly is: (attribute: string, operator: string, operand: AttributeValue) => string;
  /** Returns the parameters of a command. */
  readonly parameters: () => {
    readonly ExpressionAttributeNames: Record<string, string>;
    readonly ExpressionAttributeValues: Record<string, AttributeValue>;
  };
}

/** Makes the names and values of an expression. DynamoDB reserves many words, so every name and value has a placeholder. */
export function placeholders(): Placeholders {
  const names = new Map<string, string>();
  const values: AttributeValue[] = [];
  const name = (attribute: string): string => {
    const placeholder = names.get(attribute) ?? `#${names.size}`;
    names.set(attribute, placeholder);
    return placeholder;
  };
  const value = (added: AttributeValue): string => `:${values.push(added) - 1}`;
  return {
    name,
    value,
    is: (attribute, operator, operand) => `${name(attribute)} ${operator} ${value(operand)}`,
    parameters: () => ({
      ExpressionAttributeNames: Object.fromEntries(
        [...names].map(([attribute, placeholder]) => [placeholder, attribute]),
      ),
      ExpressionAttributeValues: Object.fromEntries(values.map((each, index) => [`:${index}`, each])),
    }),
  };
}
