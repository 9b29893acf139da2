/** What bodies were made of that are one text: encoding it, reading it as a stream and decoding it would give the same. */
const texts = new WeakMap<Response, string>();

/** @returns a response whose body is a text, which `textOf` gives back */
export function textResponse(text: string, init: ResponseInit): Response {
  const response = new Response(text, init);
  texts.set(response, text);
  return response;
}

/** @returns the text of a response's body; it is read to the end unless it is known */
export async function textOf(response: Response): Promise<string> {
  return texts.get(response) ?? response.text();
}
