/** The text of bodies that were made from one text. Reading it here saves encoding, streaming and decoding it. */
const texts = new WeakMap<Response, string>();

/** @returns a response whose body is a text, which `textOf` returns without reading the body */
export function textResponse(text: string, init: ResponseInit): Response {
  const response = new Response(text, init);
  texts.set(response, text);
  return response;
}

/** @returns the text of the body of a response; the body is read to the end unless `textResponse` made it */
export async function textOf(response: Response): Promise<string> {
  return texts.get(response) ?? response.text();
}
