import { signal } from '@preact/signals';

/** What the server says if it refuses. */
export class ApiError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** In memory only: a page that is loaded again asks again. */
const token = signal<string | null>(null);

/** The server wants to know who asks. */
export const asksWho = signal(false);

/** From now on requests say who asks. */
export function signInWith(text: string): void {
  token.value = text;
  asksWho.value = false;
}

export type Ask = {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly body?: object;
  readonly signal?: AbortSignal;
};

const FORMS = { PATCH: 'application/merge-patch+json', POST: 'application/json', DELETE: 'application/json' };

/** One request to the server that the page is from. */
export async function ask(path: string, { method = 'GET', body, signal: aborted }: Ask = {}): Promise<Response> {
  const response = await fetch(path, {
    method,
    headers: {
      accept: 'application/json',
      ...(method === 'GET' ? {} : { 'content-type': FORMS[method] }),
      ...(token.value === null ? {} : { authorization: `Bearer ${token.value}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(aborted === undefined ? {} : { signal: aborted }),
  });
  if (response.ok) return response;
  if (response.status === 401) asksWho.value = true;
  throw new ApiError(response.status, await refusal(response));
}

async function refusal(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { message } = JSON.parse(text) as { readonly message?: string };
    return message ?? text;
  } catch {
    return text === '' ? `the server answers ${response.status}` : text;
  }
}

/** The JSON of an answer. */
export async function askJson<T>(path: string, how: Ask = {}): Promise<T> {
  return (await (await ask(path, how)).json()) as T;
}

/** The text of an answer as it comes. */
export async function* textOf(response: Response): AsyncGenerator<string> {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
}

/** What went wrong, in words. */
export const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
