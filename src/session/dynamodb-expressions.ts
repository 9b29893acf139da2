import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** Turns the refusal of a write whose condition is not satisfied into `undefined`. Throws any other error. */
export function unlessConditionFailed(cause: unknown): undefined {
  if (cause instanceof Error && cause.name === 'ConditionalCheckFailedException') return undefined;
  throw cause;
}

/** Makes the names and values of an expression. DynamoDB reserves many words, so every name and value has a placeholder. */
export function placeholders() {
  const names = new Map<string, string>();
  const values: AttributeValue[] = [];
  /** Returns the placeholder of an attribute or of a key in a map. */
  const name = (attribute: string): string => {
    const placeholder = names.get(attribute) ?? `#${names.size}`;
    names.set(attribute, placeholder);
    return placeholder;
  };
  /** Returns the placeholder of a value. */
  const value = (added: AttributeValue): string => `:${values.push(added) - 1}`;
  return {
    name,
    value,
    /** Writes a comparison, or an assignment. */
    is: (attribute: string, operator: string, operand: AttributeValue): string =>
      `${name(attribute)} ${operator} ${value(operand)}`,
    /** Returns the parameters of a command. */
    parameters: () => ({
      ExpressionAttributeNames: Object.fromEntries(
        [...names].map(([attribute, placeholder]) => [placeholder, attribute]),
      ),
      ExpressionAttributeValues: Object.fromEntries(values.map((each, index) => [`:${index}`, each])),
    }),
  };
}
