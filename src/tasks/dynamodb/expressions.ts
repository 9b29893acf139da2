import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** The names and values of an expression. DynamoDB reserves many words, so every name and value has a placeholder. */
export class Placeholders {
  private readonly names = new Map<string, string>();
  private readonly values: AttributeValue[] = [];

  /** Returns the placeholder of an attribute or of a key in a map. */
  name(attribute: string): string {
    const placeholder = this.names.get(attribute) ?? `#${this.names.size}`;
    this.names.set(attribute, placeholder);
    return placeholder;
  }

  /** Returns the placeholder of a value. */
  value(value: AttributeValue): string {
    return `:${this.values.push(value) - 1}`;
  }

  /** The parameters of a command. */
  get parameters() {
    return {
      ExpressionAttributeNames: Object.fromEntries(
        [...this.names].map(([attribute, placeholder]) => [placeholder, attribute]),
      ),
      ExpressionAttributeValues: Object.fromEntries(this.values.map((value, index) => [`:${index}`, value])),
    };
  }
}
